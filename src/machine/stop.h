/* stop.h - how a debuggee is asked to move, and why it stopped.
 *
 * A request says in which direction, how far and by whom; a stop tells the one reason why it ended (MA3 of machine.h). */
#ifndef EBB_MACHINE_STOP_H
#define EBB_MACHINE_STOP_H

#include "machine/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
    X(MACHINE_STOP_HISTORY_END, "history-end")     /* replaying ended at the newest state */      \
    X(MACHINE_STOP_LOCK_BLOCKED, "lock-blocked")   /* about to wait for the lock of `object` */    \
    X(MACHINE_STOP_LOCK_ENTERED, "lock-entered")   /* it had to wait, and has it now */            \
    X(MACHINE_STOP_WAIT, "wait")                   /* about to wait for a notification at it */    \
    X(MACHINE_STOP_WAITED, "waited")               /* and has done so */

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
    machine_point_id points[MACHINE_STOP_MAX_POINTS]; /* POINT: those that were reached; MODULES, of Java: numbers of classes that were linked */
    size_t n_points;
    machine_place touched_by; /* POINT of data, where the machine knows: the instruction that wrote or read; else 0 */
    /* POINT of data, MACHINE_KNOWS_FRAMES: the instruction, and the frame that executed it, within which the data was touched; 0: not known.
     * Code that it called or had loaded may have run in between, so that it began at another timestamp. */
    machine_place caused_by; /* LOCK_ENTERED, WAITED: where it waited */
    uint64_t caused_in;
    int signal;      /* SIGNAL, KILLED */
    int signal_code; /* SIGNAL: si_code */
    machine_addr signal_addr; /* SIGNAL: si_addr where the signal has one */
    int exit_status; /* EXITED */
    bool was_alone;  /* EXITED, KILLED: it had to be let go before, and nothing but its end was seen */
    pid_t child;     /* FORKED */
    bool vfork;      /* FORKED */
    long syscall;    /* SYSCALL_ENTRY, SYSCALL_RETURN */
    long syscall_result;
    uint64_t object; /* THROW, CATCH: the exception; POINT of data, of Java: the object that was touched, 0 if none */
    uint64_t was;    /* POINT of data of at most 8 bytes, of Java: what it was before it was written; WAIT: for how many ms at most, 0: any; WAITED: 1:
                      * for as long as that */
    bool is_new;     /* POINT of data: what is there came into being just now; whatever was there before was something else */
    bool step_is_done; /* POINT, MACHINE_KNOWS_FRAMES: the step that was asked for ends here, too */
    bool is_uncaught; /* THROW: no frame of the thread has a handler for it */
    machine_place caught_at; /* THROW, of Java: the first handler that gets it, also one of `finally`; 0: none does */
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
    /* STEP, MACHINE_KNOWS_FRAMES: it is a step of the frame with this number; 0: of the innermost one.  A step that something
     * stopped on its way goes on only so: what stopped it may have been called from that frame. */
    uint64_t frame;
    /* STEP, MACHINE_KNOWS_FRAMES: what is called runs to its return, or to where its exception is handled.  Such a
     * machine also ends a step wherever the frame that it began in is left. */
    bool over_calls;
    /* STEP, MACHINE_KNOWS_FRAMES: what steps pass through is passed through although this one begins in it. */
    bool keep_filter;
    bool by_lines;    /* STEP, MACHINE_KNOWS_FRAMES: what has no lines is passed through, too */
    int signal;       /* given to `thread` as it resumes; 0 is none */
    /* Forward, MACHINE_COUNTS_TIME: also stops (POSITION) at the first moment that isn't before this one: the timestamp is
     * `until_time` and the running thread's place not below `until_place`, or the timestamp is higher.  So (T, P + 1) is one
     * instruction of whatever thread runs after (T, P).  A point that is reached at the same moment comes first. */
    bool until;
    uint64_t until_time;
    machine_place until_place;
    bool quiet; /* until: points and events don't stop it on the way */
    bool counts; /* hits count: those that are to be ignored (machine.h, points_ignore) are used up */
    bool forgets; /* in replay: nobody is going to step back along the way, so no undo log has to be kept of it */
} machine_request;

#endif
