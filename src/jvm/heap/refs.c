/* The list of references that the collector cleared, and the thread that waits for it. */
#include "jvm/heap/heap_shape.h"
#include "jvm/heap/roots.h"
#include "jvm/threads/thread.h"

static jvm_thread *waiter; /* java.lang.ref.Reference's handler thread; there is only one */

jvm_obj *jvm_refs_take_pending(void)
{
    jvm_obj *list = jvm_heap_.pending;
    jvm_undo_keep(&jvm_heap_.pending, sizeof jvm_heap_.pending);
    jvm_heap_.pending = NULL;
    return list;
}

bool jvm_refs_has_pending(void)
{
    return jvm_heap_.pending != NULL;
}

void jvm_refs_wait_pending(jvm_thread *t)
{
    while (jvm_heap_.pending == NULL) {
        jvm_undo_keep(&waiter, sizeof waiter);
        waiter = t;
        jvm_block(t, JVM_THREAD_RUNNABLE, INT64_MAX);
        jvm_undo_keep(&waiter, sizeof waiter);
        waiter = NULL;
    }
}

void jvm_refs_wake_waiters(void)
{
    if (waiter != NULL && jvm_heap_.pending != NULL)
        jvm_make_runnable(waiter);
}
