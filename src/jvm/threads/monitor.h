/* monitor.h - locks and wait sets of objects, and the raw monitors that native libraries ask for.
 *
 * An uncontended lock is a thin lock in the object's mark word (heap/object.h).  Contention, waiting, deep
 * recursion and an identity hash inflate it to a jvm_monitor; the collector deflates those that are idle.
 *
 * MN1  entry queue and wait set are first in, first out: who gets the lock is deterministic.  When the schedule is chosen
 *      (explore/explore.h) a lock that is given back is free: who gets it next, and whom a notification is for, is chosen too;
 * MN2  enter, wait and jvm_monitor_* below are GC points. */
#ifndef EBB_JVM_THREADS_MONITOR_H
#define EBB_JVM_THREADS_MONITOR_H

#include "jvm/threads/thread.h"

struct jvm_monitor {
    jvm_obj *object;          /* NULL: a raw monitor */
    uint32_t index;           /* in the table of monitors */
    uint32_t hash;            /* identity hash moved here */
    jvm_thread *owner;
    uint32_t count;           /* recursions; 1 = held once */
    jvm_thread *entry_head, *entry_tail;
    jvm_thread *wait_head, *wait_tail;
    jvm_monitor *next_spare;  /* while in no use */
};

void jvm_monitor_enter(jvm_thread *t, jvm_obj *o);
bool jvm_monitor_exit(jvm_thread *t, jvm_obj *o);      /* false: IllegalMonitorStateException pending */
bool jvm_monitor_try_enter(jvm_thread *t, jvm_obj *o);
bool jvm_monitor_holds(const jvm_thread *t, const jvm_obj *o);
jvm_thread *jvm_monitor_owner(const jvm_obj *o);       /* NULL when unlocked */
unsigned jvm_monitor_count(const jvm_obj *o);          /* how often the owner entered */
void jvm_monitor_wait(jvm_thread *t, jvm_obj *o, int64_t millis); /* 0 = for ever; exceptions pending */
bool jvm_monitor_notify(jvm_thread *t, jvm_obj *o, bool all);
void jvm_monitor_grant(jvm_thread *t);                 /* it waits for a monitor that is free, and has it now */

/* Every monitor in use, for `info threads`, deadlock search and the collector. */
void jvm_monitors_each(void (*visit)(jvm_monitor *m, void *arg), void *arg);

/* After marking: frees idle monitors, giving the identity hash back to the object if that lives. */
void jvm_monitors_sweep(bool (*is_live)(const jvm_obj *o));

jvm_monitor *jvm_raw_monitor_new(void);
void jvm_raw_monitor_free(jvm_monitor *m);
void jvm_raw_monitor_enter(jvm_thread *t, jvm_monitor *m);
void jvm_raw_monitor_exit(jvm_thread *t, jvm_monitor *m);

#endif
