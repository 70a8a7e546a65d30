/* machine.h - what executes a debuggee under our control.
 *
 * A machine runs one program: its threads, its memory, its registers, its code.  x86/ implements this
 * interface for native programs (with ptrace, later by translation inside the debuggee), jvm/ for
 * Java.  The rest of ebb sees a debuggee only through it.
 *
 * Places and data.  A *place* is a point in the code, a 64-bit number that orders code within a
 * function: for x86 the address of an instruction, for Java a method and a bytecode index packed into
 * one word.  Data lives in *spaces*; space 0 is the debuggee's memory.
 *
 * Points.  A point asks the machine to stop: EXEC at a place before its instruction executes, or
 * WRITE/READ/ACCESS after (going backward: before) data changed or was touched.  The machine has no
 * notion of counts or names: those are the session's, and so are conditions, but a machine may be told of one (code.h) to
 * save itself the stops at which it is false.
 *
 * MA1  between two calls of `resume` the debuggee stands still, every thread of it;
 * MA2  what `read` shows never contains what the machine itself put into the code to stop there;
 * MA3  `resume` returns for exactly one reason; other threads that stopped at the same time keep
 *      theirs, and it is reported by later calls of `resume` before anything moves (unless the point
 *      that caused it was removed meanwhile);
 * MA4  a thread that is resumed at an EXEC point executes the instruction under it, it does not stop
 *      there again;
 * MA5  a debuggee that was started by the machine dies with ebb, however ebb ends; one that was
 *      attached to lives on;
 * MA6  if `resume` fails with EBB_UNSUPPORTED and names a thread, nothing is broken: the debuggee stands whole at stop->place, in front
 *      of what the machine can't do in this mode.  After any other failure it is of no use.
 *
 * A machine is used from one thread of ebb.  Only `interrupt` may be called from a signal handler. */
#ifndef EBB_MACHINE_MACHINE_H
#define EBB_MACHINE_MACHINE_H

#include "base/buf.h"
#include "base/error.h"
#include "machine/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct machine machine;

typedef uint64_t machine_place; /* a point in the code */
typedef uint64_t machine_addr;  /* a point in space 0 */
typedef int64_t machine_tid;    /* a thread, as the system numbers it; 0 is "none" */
typedef int machine_point_id;   /* > 0 */

typedef enum machine_direction { MACHINE_FORWARD, MACHINE_BACKWARD } machine_direction;

/* Why a debuggee stopped: name, word used in JSON. */
#define MACHINE_STOPS(X)                                                                           \
    X(MACHINE_STOP_STEP, "step")                   /* the requested step is done */                \
    X(MACHINE_STOP_POINT, "point")                 /* one or more points were reached */           \
    X(MACHINE_STOP_TRAP, "trap")                   /* a trap of the program's own (int3) */        \
    X(MACHINE_STOP_SIGNAL, "signal")               /* about to receive `signal` */                 \
    X(MACHINE_STOP_EXITED, "exited")               /* `exit_status`; the debuggee is gone */       \
    X(MACHINE_STOP_KILLED, "killed")               /* by `signal`; the debuggee is gone */         \
    X(MACHINE_STOP_INTERRUPTED, "interrupted")     /* the user asked for it */                     \
    X(MACHINE_STOP_MODULES, "modules")             /* code was loaded or unloaded */               \
    X(MACHINE_STOP_FORKED, "forked")               /* `child`; the machine stays with the parent */\
    X(MACHINE_STOP_EXEC, "exec")                   /* the program is another one now */            \
    X(MACHINE_STOP_THREAD_START, "thread-start")                                                   \
    X(MACHINE_STOP_THREAD_END, "thread-end")                                                       \
    X(MACHINE_STOP_SYSCALL_ENTRY, "syscall-entry") /* `syscall` is about to happen */              \
    X(MACHINE_STOP_SYSCALL_RETURN, "syscall-return")                                               \
    X(MACHINE_STOP_THROW, "throw")                 /* `object` is thrown; nothing is unwound yet */\
    X(MACHINE_STOP_CATCH, "catch")                 /* `object` arrived at its handler */           \
    X(MACHINE_STOP_POSITION, "position")           /* the requested time has come */               \
    X(MACHINE_STOP_HISTORY_START, "history-start") /* going back ended at the oldest state */      \
    X(MACHINE_STOP_HISTORY_END, "history-end")     /* replaying ended at the newest state */

typedef enum machine_stop_kind {
#define X(name, word) name,
    MACHINE_STOPS(X)
#undef X
} machine_stop_kind;

enum { MACHINE_STOP_MAX_POINTS = 16 };

typedef struct machine_stop {
    machine_stop_kind kind;
    machine_tid thread; /* the one that the stop is about */
    machine_place place;
    machine_point_id points[MACHINE_STOP_MAX_POINTS]; /* POINT: those that were reached */
    size_t n_points;
    machine_place touched_by; /* POINT of data, where the machine knows: the instruction that wrote or read; else 0 */
    int signal;      /* SIGNAL, KILLED */
    int signal_code; /* SIGNAL: si_code */
    machine_addr signal_addr; /* SIGNAL: si_addr where the signal has one */
    int exit_status; /* EXITED */
    pid_t child;     /* FORKED */
    bool vfork;      /* FORKED */
    long syscall;    /* SYSCALL_ENTRY, SYSCALL_RETURN */
    long syscall_result;
    uint64_t object; /* THROW, CATCH: the exception; POINT of data, of Java: the object that was touched, 0 if none */
    uint64_t was;    /* POINT of data of at most 8 bytes, of Java: what it was before it was written */
    bool is_new;     /* POINT of data: what is there came into being just now; whatever was there before was something else */
    bool is_uncaught; /* THROW: no frame of the thread has a handler for it */
} machine_stop;

typedef enum machine_move {
    MACHINE_RUN,  /* until something stops it */
    MACHINE_STEP, /* one instruction of `thread`, or more while it stays inside [lo, hi) */
} machine_move;

typedef struct machine_request {
    machine_direction direction;
    machine_move move;
    machine_tid thread;
    bool only_thread; /* the others stay where they are; otherwise they run meanwhile */
    machine_place lo, hi; /* STEP: lo == hi is exactly one instruction */
    /* STEP, MACHINE_KNOWS_FRAMES: what is called runs to its return, or to where its exception is handled.  Such a
     * machine also ends a step wherever the frame that it began in is left. */
    bool over_calls;
    /* STEP, MACHINE_KNOWS_FRAMES: what steps pass through is passed through although this one begins in it. */
    bool keep_filter;
    int signal;       /* given to `thread` as it resumes; 0 is none */
    /* Forward, MACHINE_COUNTS_TIME: also stops (POSITION) at the first moment that isn't before this one: the timestamp is
     * `until_time` and the running thread's place not below `until_place`, or the timestamp is higher.  So (T, P + 1) is one
     * instruction of whatever thread runs after (T, P).  A point that is reached at the same moment comes first. */
    bool until;
    uint64_t until_time;
    machine_place until_place;
    bool quiet; /* until: points and events don't stop it on the way */
    bool forgets; /* in replay: nobody is going to step back along the way, so no undo log has to be kept of it */
} machine_request;

typedef enum machine_point_kind {
    MACHINE_POINT_EXEC,
    MACHINE_POINT_WRITE,  /* stops only if the written bytes changed */
    MACHINE_POINT_READ,   /* a machine that can't tell reads from writes treats it as ACCESS */
    MACHINE_POINT_ACCESS,
} machine_point_kind;

typedef struct machine_point {
    machine_point_kind kind;
    uint32_t space;      /* 0 */
    machine_addr addr;   /* EXEC: the place */
    uint64_t nbytes;     /* data points: any length */
    machine_tid thread;  /* only this one stops; 0 is any */
    uint64_t frame;      /* EXEC, MACHINE_KNOWS_FRAMES: only in the frame with this number; 0 is any */
} machine_point;

/* What the debuggee wants to know of: catchpoints. */
#define MACHINE_EVENTS(X)                                                                          \
    X(MACHINE_EVENT_FORK, "fork")                                                                  \
    X(MACHINE_EVENT_EXEC, "exec")                                                                  \
    X(MACHINE_EVENT_THREAD_START, "thread-start")                                                  \
    X(MACHINE_EVENT_THREAD_END, "thread-end")                                                      \
    X(MACHINE_EVENT_SYSCALL, "syscall")                                                            \
    X(MACHINE_EVENT_THROW, "throw")                                                                \
    X(MACHINE_EVENT_CATCH, "catch")                                                                \
    X(MACHINE_EVENT_UNCAUGHT, "uncaught") /* THROW, but only of what nobody will catch */

typedef enum machine_event {
#define X(name, word) name,
    MACHINE_EVENTS(X)
#undef X
} machine_event;

typedef struct machine_thread {
    machine_tid tid;
    char name[32];
} machine_thread;

/* A file whose code is in the debuggee. */
typedef struct machine_module {
    const char *path; /* as the debuggee named it; "[vdso]" for the kernel's own */
    uint64_t bias;    /* run-time address minus address in the file */
    uint64_t lo, hi;  /* span of run-time addresses that it covers */
    uint64_t link_map; /* address of the loader's record, for thread-local variables; 0 if none */
} machine_module;

typedef enum machine_reg_group {
    MACHINE_REG_GENERAL,
    MACHINE_REG_FLAGS,
    MACHINE_REG_SEGMENT,
    MACHINE_REG_FLOAT,
    MACHINE_REG_VECTOR,
    MACHINE_REG_SYSTEM,
} machine_reg_group;

typedef struct machine_reg {
    const char *name;
    int dwarf; /* its DWARF number, -1 if it has none */
    unsigned nbytes;
    machine_reg_group group;
} machine_reg;

enum { MACHINE_REG_MAX_BYTES = 64 };

typedef enum machine_capability {
    MACHINE_COUNTS_TIME = 1 << 0, /* has timestamps, so positions mean something */
    MACHINE_REWINDS = 1 << 1,     /* keeps an undo log: `rewind` and `undo_set` are there */
    MACHINE_CALLS = 1 << 2,       /* registers can be set up to call functions of the debuggee */
    MACHINE_KNOWS_FRAMES = 1 << 3, /* frames are the machine's own: nothing is unwound */
    MACHINE_RECORDS = 1 << 4,     /* keeps a history: the entries under "history" below are there */
} machine_capability;

/* One instruction, decoded for a person and for stepping. */
typedef struct machine_insn {
    unsigned nbytes;
    bool is_call;   /* pushes a return address and goes elsewhere */
    bool is_return;
    bool is_branch; /* any other change of control */
    bool is_indirect; /* a call or branch to where a register or memory says */
    bool has_target;
    machine_place target; /* has_target: where a direct call or branch goes, or what it refers to */
    char text[128];
} machine_insn;

/* ---- history --------------------------------------------------------------------------------------
 * A machine that records can be put back.  A *snapshot* is a frozen copy of the debuggee at a moment; `snapshot_restore`
 * makes a copy of that copy the debuggee, which then *replays*: going forward it does what the execution did, asks
 * nothing of the world outside and shows it nothing, until the moment at which recording has come to an end
 * (MACHINE_STOP_HISTORY_END).  The newest state is kept aside meanwhile; `go_live` returns to it.
 *
 * MH1  replaying from a snapshot passes through exactly the states of the execution, at the same timestamps;
 * MH2  points, events and signal policy belong to the machine, not to the copy: they stay set across a restore;
 * MH3  taking a snapshot can't be noticed by the debuggee.
 *
 * A machine may also keep an *undo log* of the recent past, which spares it the copy: `rewind` puts the replaying debuggee back to
 * a moment not behind the one asked for, in place, and as near to it as the log allows; from there it goes forward.  So a
 * moment that the log reaches serves like a snapshot that costs nothing to restore. */

typedef uint32_t machine_snapshot_id; /* > 0; never used twice */

typedef struct machine_snapshot {
    machine_snapshot_id id;
    uint64_t timestamp;
    machine_place place; /* of the thread that ran: */
    machine_tid thread;  /* this one; 0 if that isn't known */
    uint64_t nbytes;     /* memory that is its own by now, as far as is known */
    bool stays;          /* it has something that no replay brings back: without it no moment behind it could go live */
} machine_snapshot;

typedef struct machine_history {
    uint64_t oldest, newest;    /* timestamps that can be reached */
    bool is_replaying;          /* now is in the past, or is the end but in a copy */
    uint64_t recording_nbytes;  /* as stored */
    uint64_t n_verified;        /* states that replay compared with recorded ones on its way here */
    uint64_t undo_nbytes, undo_limit;
    uint64_t undo_oldest;       /* timestamp back to which steps are undone rather than replayed; UINT64_MAX: none */
    const char *undo_cut_by;    /* why it reaches no further; NULL: it is full, or was switched on there.  Borrowed until the next call */
} machine_history;

/* Every function may be called only while the debuggee stands still (MA1).  A NULL entry means that
 * the machine can't: the wrappers below answer EBB_UNSUPPORTED for it. */
typedef struct machine_ops {
    const char *name; /* "x86-native", ... : shown by `info history` and `show mode` */
    unsigned (*capabilities)(machine *m);

    ebb_status (*resume)(machine *m, const machine_request *request, machine_stop *stop, ebb_error *err);
    /* Async-signal-safe: the running `resume` ends soon, with INTERRUPTED or what else happens at that moment; if
     * none is running, the next one ends at once. */
    void (*interrupt)(machine *m);

    ebb_status (*point_set)(machine *m, const machine_point *point, machine_point_id *id, ebb_error *err);
    ebb_status (*point_clear)(machine *m, machine_point_id id, ebb_error *err);
    /* Several, all or none: for machines to which talking is what costs.  NULL: one after the other (machine_points_set). */
    ebb_status (*points_set)(machine *m, const machine_point *points, size_t n, machine_point_id *ids, ebb_error *err);
    ebb_status (*points_clear)(machine *m, const machine_point_id *ids, size_t n, ebb_error *err);
    /* Whether a data point is checked by the CPU; if not, every instruction is looked at. */
    bool (*point_is_cheap)(machine *m, machine_point_id id);
    /* An EXEC point need not be told while the code (borrowed for the call) gives 0; whoever set it asks again, since the
     * machine may disregard it.  n_steps 0: always.  NULL where conditions save nothing. */
    ebb_status (*point_condition)(machine *m, machine_point_id id, const machine_code *code, size_t n_steps, ebb_error *err);
    ebb_status (*event_set)(machine *m, machine_event event, bool wanted, ebb_error *err);
    /* Bit n-1 stands for signal n.  A signal outside `stop` is not told: it is passed on at once, or dropped
     * if it is outside `pass` too.  `pass` also decides for a thread that was told of a signal and moves
     * on without being the `thread` of the request.  At first all stop, and all but SIGINT and SIGTRAP pass. */
    void (*signal_policy)(machine *m, uint64_t stop, uint64_t pass);

    /* All or nothing.  EBB_NO_MEMORY_AT names the first bad address. */
    ebb_status (*read)(machine *m, uint32_t space, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err);
    ebb_status (*write)(machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err);

    const machine_reg *(*registers)(machine *m, size_t *n); /* static table; index is "reg" below */
    ebb_status (*reg_read)(machine *m, machine_tid tid, unsigned reg, void *bytes, ebb_error *err);
    ebb_status (*reg_write)(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err);

    ebb_status (*place)(machine *m, machine_tid tid, machine_place *place, ebb_error *err);

    const machine_thread *(*threads)(machine *m, size_t *n);  /* borrowed until the next resume; oldest first */
    const machine_module *(*modules)(machine *m, size_t *n);  /* borrowed until the next resume */
    /* Address of a thread-local block of a module (the DTV's answer). */
    ebb_status (*tls_block)(machine *m, machine_tid tid, const machine_module *module, uint64_t *block, ebb_error *err);
    ebb_status (*decode)(machine *m, machine_place place, machine_insn *insn, ebb_error *err);

    uint64_t (*timestamp)(machine *m); /* MACHINE_COUNTS_TIME */

    /* MACHINE_RECORDS */
    void (*history)(machine *m, machine_history *out);
    const machine_snapshot *(*snapshots)(machine *m, size_t *n); /* oldest first; borrowed until the next call */
    ebb_status (*snapshot_take)(machine *m, machine_snapshot_id *id, ebb_error *err); /* of now */
    ebb_status (*snapshot_restore)(machine *m, machine_snapshot_id id, ebb_error *err);
    void (*snapshot_drop)(machine *m, machine_snapshot_id id);
    /* While it runs live the machine takes a snapshot of its own whenever that much time of the clock passed (0: never),
     * and calls `taken`, which may drop some. */
    void (*snapshot_policy)(machine *m, unsigned interval_ms, void (*taken)(void *self), void *self);
    ebb_status (*go_live)(machine *m, ebb_error *err);
    /* MACHINE_REWINDS: back to the last moment that the undo log can put back and that is not behind (time, place); *stop tells
     * where that is (POSITION).  *reached false: there is none, and nothing moved.  A live debuggee stays as it is: what goes back is a
     * copy, which replays from there as after a restore. */
    ebb_status (*rewind)(machine *m, uint64_t time, machine_place place, machine_stop *stop, bool *reached, ebb_error *err);
    /* Bytes of undo log kept while it runs live and while it replays; 0: none. */
    ebb_status (*undo_set)(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err);
    /* What the log keeps, of Java: patterns of class names with a `+` or `-` in front, the last that matches decides; the method
     * before whose first call nothing is kept, or NULL.  Where other code runs the log is cut, never wrong. */
    ebb_status (*undo_choose)(machine *m, const char *const *patterns, size_t n, const char *first_method, ebb_error *err);
    /* The file that holds the recording (time/recording.h), all of it up to now written; NULL: none does.  Borrowed. */
    const char *(*recording)(machine *m);
    /* The state of now becomes the newest: what was recorded behind it is forgotten.  Appends to `undone` one line for
     * each thing outside that could not be put back. */
    ebb_status (*branch)(machine *m, ebb_buf *undone, ebb_error *err);
    /* The same for the same state, whatever way it was reached; covers all that the program can see. */
    ebb_status (*state_hash)(machine *m, uint64_t *hash, ebb_error *err);

    pid_t (*pid)(machine *m);
    const char *(*program)(machine *m);                  /* path of the executable; borrowed */
    machine_place (*entry)(machine *m);                  /* run-time address of its entry point */
    ebb_status (*kill)(machine *m, ebb_error *err);      /* the debuggee is gone afterwards */
    ebb_status (*detach)(machine *m, int signal, ebb_error *err); /* it runs on by itself */
    void (*free)(machine *m); /* kills what was started, detaches from what was attached; frees m */
} machine_ops;

/* A machine's own struct begins with this. */
struct machine {
    const machine_ops *ops;
};

/* Wrappers, for the calls that everybody makes. */
ebb_status machine_read(machine *m, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
ebb_status machine_write(machine *m, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
/* All or none. */
ebb_status machine_points_set(machine *m, const machine_point *points, size_t n, machine_point_id *ids, ebb_error *err) EBB_MUST_CHECK;
void machine_points_clear(machine *m, const machine_point_id *ids, size_t n);
bool machine_can(machine *m, machine_capability capability);
const char *machine_stop_word(machine_stop_kind kind);

/* Index of the register with that name or DWARF number; -1 if there is none. */
int machine_reg_by_name(machine *m, const char *name);
int machine_reg_by_dwarf(machine *m, int dwarf);

/* A register of at most 8 bytes as a number. */
ebb_status machine_reg_get_u64(machine *m, machine_tid tid, unsigned reg, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;
ebb_status machine_reg_set_u64(machine *m, machine_tid tid, unsigned reg, uint64_t value, ebb_error *err) EBB_MUST_CHECK;

#endif
