/* thread.h - green threads: one OS thread runs all Java threads, one at a time.
 *
 * Each Java thread has a C stack and a Java stack.  A switch happens only where the running thread
 * blocks, or at a timestamp where its quantum ends; which thread comes next is the scheduler's
 * decision (a table of functions, so that recorded or enforced schedules can take its place).
 * Things that come from outside (time passing, a descriptor becoming ready, a signal) are looked at
 * only at those moments, in one place: jvm_sched_poll_outside.
 *
 * TH1  a blocked thread names why (`state`) and until when (`deadline_ns`);
 * TH2  the timestamp is the machine's, not the thread's: it totally orders everything;
 * TH3  an exception raised by the machine or by Java code is `exception`; whoever sees it non-NULL
 *     returns at once with whatever sentinel its result type has. */
#ifndef EBB_JVM_THREADS_THREAD_H
#define EBB_JVM_THREADS_THREAD_H

#include <jni.h>
#include <setjmp.h>

#include "base/mem.h"
#include "jvm/heap/object.h"

typedef struct jvm_frame jvm_frame;
typedef struct jvm_monitor jvm_monitor;

enum jvm_thread_state { /* java.lang.Thread.threadStatus values */
    JVM_THREAD_NEW = 0, JVM_THREAD_RUNNABLE = 0x5, JVM_THREAD_BLOCKED = 0x401, JVM_THREAD_WAITING = 0x191,
    JVM_THREAD_TIMED_WAITING = 0x1A1, JVM_THREAD_PARKED = 0x291, JVM_THREAD_TIMED_PARKED = 0x2A1,
    JVM_THREAD_SLEEPING = 0xE1, JVM_THREAD_TERMINATED = 0x2,
};

struct jvm_thread {
    const struct JNINativeInterface_ *env; /* first: a JNIEnv * is a jvm_thread * */
    jvm_obj *exception;         /* pending, or NULL (TH3); a root */
    jvm_frame *frame;           /* innermost */
    jvm_slot *stack, *stack_end; /* Java stack; stack_end leaves room for handling the overflow */
    jvm_slot *stack_limit;      /* what calls compare with */

    uint32_t id;                /* 1, 2, ...: never used twice; lock words hold it when it fits */
    bool daemon;
    bool changes_variant;       /* the interpreter returned to go on in another variant (engine/interp.c) */
    bool fragile;               /* the C code that runs can't be left in the middle: who calls Java from it cuts the undo log */
    bool has_cells;             /* there is room beside its Java stack for those of object flow (flow/cells.h) */
    bool in_native_critical;    /* between Get- and ReleasePrimitiveArrayCritical */
    jvm_obj *object;            /* java.lang.Thread, a root */

    /* heap/handles.h */
    jvm_obj **handles;          /* reserved address range: never moves */
    size_t nhandles, handles_free;

    /* scheduling (scheduler.c) */
    uint32_t state;             /* enum jvm_thread_state */
    bool runnable;              /* the scheduler may pick it */
    bool park_permit;
    bool parked;                /* inside Unsafe.park */
    bool waits_for_others;      /* inside DestroyJavaVM */
    bool timed_out;             /* how the last block ended */
    bool suspended;             /* by Thread.suspend: it isn't queued, */
    bool wants_queue;           /* and would be otherwise */
    uint32_t n_blocked, n_waited; /* how often it did either, */
    int64_t ns_blocked, ns_waited; /* and how long, while jvm_contention_timed */
    uint64_t turn_began, ticks_run; /* timestamps: when it got its turn, how many passed in those before */
    uint64_t turn_allocated, allocated; /* likewise bytes of the heap */
    bool notified;
    int64_t deadline_ns;        /* monotonic; INT64_MAX = none */
    int wait_fd;                /* descriptor blocked on, or -1 */
    short wait_events;          /* poll(2) events */
    jvm_monitor *blocked_on;    /* monitor it wants to enter or waits in */
    uint32_t wait_count;        /* recursions to restore after Object.wait */
    jvm_thread *next_waiter;    /* in the monitor's entry queue or wait set */
    jvm_thread *prev_all, *next_all; /* every live thread in order of creation */

    /* C stack and switching (switch.S) */
    void *c_stack, *c_sp;
    size_t c_stack_size, stack_size; /* bytes mapped */
    char *c_limit;              /* StackOverflowError below this address */
    const void *c_bottom;       /* lowest address of the C stack, whoever owns it, and its size */
    size_t c_nbytes;
    void *fake_stack;           /* the address sanitizer's, while parked */
    uint32_t scripts;           /* recorded natives that are being replayed on its stack */
    int64_t border_budget;      /* bytes of it that calls from a recorded native may use; 0: no such native (record/native.c) */
    bool attached;              /* came in through JNI: its C stack isn't ours */
    struct jvm_walk *walks;     /* open StackWalker anchors */
    struct jvm_flight *flight;  /* recorded natives on its C stack, innermost first (record/native.c) */
    jvm_frame *undo_from;       /* decides whether the undo log is kept while this frame or one above it runs, and */
    bool undo_in;               /* it is (undo/choose.c) */
    struct jvm_activation *activation; /* of the interpreter, innermost (engine/interp.h) */
    uint32_t flow_passed;       /* object flow: alias of what a native method returns, if it is known, */
    uint32_t flow_returned;     /* of what a method returns, on its way to the caller, */
    uint32_t flow_thrown;       /* and of what was thrown last */
    const jvm_obj *thrown;      /* the agent's: exception on its way of which ebb was told; never looked into */
};

/* Before what concerns scheduling changes: the undo log keeps it. */
static inline void jvm_thread_keep(jvm_thread *t)
{
    jvm_undo_keep(&t->state, offsetof(jvm_thread, prev_all) - offsetof(jvm_thread, state));
}

/* The running thread. */
extern jvm_thread *jvm_self;
static inline jvm_thread *jvm_env_thread(JNIEnv *env) { return (jvm_thread *)env; }

void jvm_threads_init(void);
jvm_thread *jvm_thread_new(bool attached);              /* no Java object yet */
bool jvm_thread_start(jvm_thread *t, jvm_obj *thread_object, int64_t stack_size); /* Thread.start0; false: pending */
void jvm_thread_free(jvm_thread *t);                     /* one that runs no more */
/* To the C stack of another thread; returns when `from` is switched to again: never, if it leaves for good. */
void jvm_thread_switch(jvm_thread *from, jvm_thread *to, bool for_good);
void jvm_thread_park_at(jvm_thread *t, void (*entry)(void)); /* parked: what it goes on with, on its stack */
void jvm_thread_exit(jvm_thread *t);                     /* Thread.exit, notifyAll, eetop = 0; t is listed no more */
jvm_thread *jvm_thread_of(jvm_obj *thread_object);       /* NULL when not alive */
void *jvm_own_c_stack(size_t *nbytes);                   /* the lowest byte of the one that the system gave the calling thread */
jvm_thread *jvm_threads_first(void);                     /* then ->next_all */
size_t jvm_threads_count(bool also_daemons);
uint32_t jvm_threads_started(void);                      /* since the beginning */
size_t jvm_threads_peak(void);                           /* the most that there were at a time since jvm_threads_reset_peak */
void jvm_threads_reset_peak(void);

/* Blocking (GC points).  Sleep, park, wait return early when interrupted. */
void jvm_yield(jvm_thread *t);
void jvm_sleep(jvm_thread *t, int64_t nanos);           /* InterruptedException may be pending */
void jvm_park(jvm_thread *t, bool absolute, int64_t time); /* Unsafe.park */
void jvm_unpark(jvm_thread *t);                          /* NULL is ignored */
void jvm_interrupt(jvm_thread *t);
void jvm_thread_leave_exception(jvm_thread *t, jvm_obj *exception); /* not the running one: it finds it where it goes on */
bool jvm_interrupted_take(jvm_thread *t);                /* Thread.interrupted, and clears it */
bool jvm_wait_fd(jvm_thread *t, int fd, short events, int64_t timeout_ms); /* false: timed out or interrupted */
void jvm_wait_others(jvm_thread *t);                     /* until only daemons are left (DestroyJavaVM) */

/* Scheduler's side: blocks t until made runnable or deadline_ns; returns false on timeout. */
bool jvm_block(jvm_thread *t, uint32_t state, int64_t deadline_ns);
void jvm_make_runnable(jvm_thread *t);

/* Clocks as the program sees them: the one place that asks the system (to be recorded). */
int64_t jvm_now_monotonic_ns(void);
int64_t jvm_now_wall_ns(void);

#endif
