/* machine.h - what executes a debuggee under our control.
 *
 * A machine runs one program: its threads, its memory, its registers, its code.  x86/ implements this
 * interface for native programs (on the CPU itself, or by translation inside the debuggee), jvm/ for
 * Java.  The rest of ebb sees a debuggee only through it.
 *
 * Places and data.  A *place* is a point in the code, a 64-bit number that orders code within a
 * function: for x86 the address of an instruction, for Java a method and a bytecode index packed into
 * one word.  Data lives in *spaces*; space 0 is the debuggee's memory.
 *
 * What it can be asked to stop at is in points.h, how it moves and why it stopped in stop.h.  What only some machines have stands
 * apart, as a table of its own that is NULL for the others: history.h (machines that record), native.h (machines of machine code).
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
#include "machine/points.h"
#include "machine/stop.h"

typedef struct machine_thread {
    machine_tid tid;
    char name[32];
    unsigned number; /* by the order in which the program made them, from 1; 0: the machine does not know it */
} machine_thread;

typedef enum machine_capability {
    MACHINE_COUNTS_TIME = 1 << 0, /* has timestamps, so positions mean something */
    MACHINE_REWINDS = 1 << 1,     /* keeps an undo log: its family rewinds (time/copies.h), and `undo_set` of history.h is there */
    MACHINE_CALLS = 1 << 2,       /* registers can be set up to call functions of the debuggee */
    MACHINE_KNOWS_FRAMES = 1 << 3, /* frames are the machine's own: nothing is unwound */
    MACHINE_RECORDS = 1 << 4,     /* keeps a history: history.h */
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
    /* A point need not be told while the code (borrowed for the call) gives 0; whoever set it asks again, since the
     * machine may disregard it.  n_steps 0: always.  NULL where conditions save nothing. */
    ebb_status (*point_condition)(machine *m, machine_point_id id, const machine_code *code, size_t n_steps, ebb_error *err);
    /* The next `count` hits of these points, taken together, at which their conditions hold need not be told in moves that count
     * (machine_request).  Where one of them is told all the same, with or without another point, it was not counted.  NULL where
     * this saves nothing. */
    ebb_status (*points_ignore)(machine *m, const machine_point_id *ids, size_t n, uint64_t count, ebb_error *err);
    /* How many of those that begin with `first` were passed by since this was last asked. */
    uint64_t (*points_passed)(machine *m, machine_point_id first);
    ebb_status (*event_set)(machine *m, machine_event event, bool wanted, ebb_error *err);
    /* Bit n-1 stands for signal n.  A signal outside `stop` is not told: it is passed on at once, or dropped
     * if it is outside `pass` too.  `pass` also decides for a thread that was told of a signal and moves
     * on without being the `thread` of the request.  At first all stop, and all but SIGINT and SIGTRAP pass. */
    void (*signal_policy)(machine *m, uint64_t stop, uint64_t pass);

    /* All or nothing.  EBB_NO_MEMORY_AT names the first bad address. */
    ebb_status (*read)(machine *m, uint32_t space, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err);
    ebb_status (*write)(machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err);

    ebb_status (*place)(machine *m, machine_tid tid, machine_place *place, ebb_error *err);

    const machine_thread *(*threads)(machine *m, size_t *n);  /* borrowed until the next resume; oldest first */
    ebb_status (*decode)(machine *m, machine_place place, machine_insn *insn, ebb_error *err);

    uint64_t (*timestamp)(machine *m); /* MACHINE_COUNTS_TIME */

    pid_t (*pid)(machine *m);
    const char *(*program)(machine *m);                  /* path of the executable; borrowed */
    ebb_status (*kill)(machine *m, ebb_error *err);      /* the debuggee is gone afterwards */
    ebb_status (*detach)(machine *m, int signal, ebb_error *err); /* it runs on by itself */
    void (*free)(machine *m); /* kills what was started, detaches from what was attached; frees m */
} machine_ops;

typedef struct machine_history_ops machine_history_ops; /* history.h */
typedef struct machine_native_ops machine_native_ops;   /* native.h */

/* A machine's own struct begins with this. */
struct machine {
    const machine_ops *ops;
    const machine_history_ops *history; /* NULL: it can't record */
    const machine_native_ops *native;   /* NULL: it has no registers */
};

/* Wrappers, for the calls that everybody makes. */
ebb_status machine_read(machine *m, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
ebb_status machine_write(machine *m, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
/* All or none. */
ebb_status machine_points_set(machine *m, const machine_point *points, size_t n, machine_point_id *ids, ebb_error *err) EBB_MUST_CHECK;
void machine_points_clear(machine *m, const machine_point_id *ids, size_t n);
bool machine_can(machine *m, machine_capability capability);
const char *machine_stop_word(machine_stop_kind kind);

#endif
