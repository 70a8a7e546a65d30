/* points.h - what a debuggee can be asked to stop at.
 *
 * A point stops it: EXEC at a place before its instruction executes, or WRITE/READ/ACCESS after (going backward: before) data
 * changed or was touched.  An event stops it when something happens, wherever that is.  Neither has counts or names: those are
 * the session's, and so are conditions; but a machine may be told of a condition (code.h), and how many hits to ignore, to save
 * itself stops. */
#ifndef EBB_MACHINE_POINTS_H
#define EBB_MACHINE_POINTS_H

#include "machine/types.h"

typedef enum machine_point_kind {
    MACHINE_POINT_EXEC,
    MACHINE_POINT_WRITE,  /* stops only if the written bytes changed */
    MACHINE_POINT_READ,   /* a machine that can't tell reads from writes treats it as ACCESS */
    MACHINE_POINT_ACCESS,
    MACHINE_POINT_STORE,  /* stops at every write, also of what was there already, and where a system call changed it; not every machine has it (EBB_UNSUPPORTED) */
    MACHINE_POINT_BEFORE_WRITE, /* stops before the instruction that writes, whatever that is; likewise: */
    MACHINE_POINT_BEFORE_READ,
} machine_point_kind;

typedef struct machine_point {
    machine_point_kind kind;
    uint32_t space;      /* 0 */
    machine_addr addr;   /* EXEC: the place */
    uint64_t nbytes;     /* data points: any length */
    uint64_t bits;       /* WRITE, of at most 8 bytes in native memory: only a change of one of these bits counts; 0: of any */
    bool without_cpu;    /* data points: not by the CPU's own means */
    machine_tid thread;  /* only this one stops; 0 is any */
    uint64_t frame;      /* EXEC: only in the frame with this number, of machines that know them (MACHINE_KNOWS_FRAMES); 0 is any */
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
    X(MACHINE_EVENT_UNCAUGHT, "uncaught") /* THROW, but only of what nobody will catch */          \
    X(MACHINE_EVENT_LOCK_BLOCKED, "lock-blocked")                                                  \
    X(MACHINE_EVENT_LOCK_ENTERED, "lock-entered")                                                  \
    X(MACHINE_EVENT_WAIT, "wait")                                                                  \
    X(MACHINE_EVENT_WAITED, "waited")

typedef enum machine_event {
#define X(name, word) name,
    MACHINE_EVENTS(X)
#undef X
} machine_event;

#endif
