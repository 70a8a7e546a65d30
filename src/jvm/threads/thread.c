/* thread.c - birth, life and end of a green thread: its two stacks, its Java object, its place in the list of all. */
#include "jvm/threads/thread.h"

#include "base/check.h"
#include "base/log.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/frame.h"
#include "jvm/explore/capture.h"
#include "jvm/explore/explore.h"
#include "jvm/flow/cells.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/threads/monitor.h"
#include "jvm/record/outside.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/threads/scheduler.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

jvm_thread *jvm_self;
static jvm_thread *first, *last;
static uint32_t last_id;
static size_t peak;

enum { C_STACK = 1 << 20, GUARD = 4096, C_RESERVE = 96 * 1024, JAVA_RESERVE = 64 * 1024, HANDLES = 1 << 20 };

/* ---- the list of threads ---- */

static void list_add(jvm_thread *t)
{
    t->prev_all = last;
    if (last != NULL)
        last->next_all = t;
    else
        first = t;
    last = t;
}

static void list_remove(jvm_thread *t)
{
    *(t->prev_all ? &t->prev_all->next_all : &first) = t->next_all;
    *(t->next_all ? &t->next_all->prev_all : &last) = t->prev_all;
}

jvm_thread *jvm_threads_first(void)
{
    return first;
}

size_t jvm_threads_count(bool also_daemons)
{
    size_t n = 0;
    for (const jvm_thread *t = first; t != NULL; t = t->next_all)
        n += also_daemons || !t->daemon;
    return n;
}

jvm_thread *jvm_thread_of(jvm_obj *object)
{
    return (jvm_thread *)(uintptr_t)jvm_get_i64(object, jvm.fields.Thread_eetop);
}

/* ---- making one ---- */

static void *reserve(size_t nbytes)
{
    void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *jvm_own_c_stack(size_t *nbytes)
{
    pthread_attr_t attr;
    void *bottom;
    ebb_check(pthread_getattr_np(pthread_self(), &attr) == 0);
    pthread_attr_getstack(&attr, &bottom, nbytes);
    pthread_attr_destroy(&attr);
    return bottom;
}

/* With room for its cells after it, if there is. */
static void *reserve_java_stack(jvm_thread *t, size_t nbytes)
{
    void *p = nbytes > JVM_CELLS ? MAP_FAILED : mmap(NULL, JVM_CELLS * 3, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    t->has_cells = p != MAP_FAILED && mprotect(p, nbytes, PROT_READ | PROT_WRITE) == 0;
    if (!t->has_cells)
        return reserve(nbytes);
    jvm_flow_stack(p, nbytes);
    return p;
}

static bool make_stacks(jvm_thread *t, size_t java_size, bool attached)
{
    t->stack = reserve_java_stack(t, java_size);
    t->handles = reserve(HANDLES * sizeof *t->handles);
    if (t->stack == NULL || t->handles == NULL)
        return false;
    t->stack_end = (jvm_slot *)((char *)t->stack + java_size);
    t->stack_limit = t->stack_end - JAVA_RESERVE / sizeof(jvm_slot);
    t->stack_size = java_size;
    if (attached) {
        char *bottom = jvm_own_c_stack(&t->c_nbytes);
        t->c_bottom = bottom;
        t->c_limit = bottom + C_RESERVE;
        return true;
    }
    t->c_stack_size = C_STACK;
    t->c_stack = reserve(C_STACK);
    if (t->c_stack == NULL)
        return false;
    mprotect(t->c_stack, GUARD, PROT_NONE);
    t->c_bottom = (char *)t->c_stack + GUARD;
    t->c_nbytes = C_STACK - GUARD;
    jvm_sanitizer_region_made(t->c_bottom, t->c_nbytes);
    t->c_limit = (char *)t->c_stack + C_RESERVE;
    return true;
}

static void free_stacks(jvm_thread *t)
{
    if (t->stack != NULL)
        munmap(t->stack, t->has_cells ? JVM_CELLS * 3 : t->stack_size);
    if (t->handles != NULL)
        munmap(t->handles, HANDLES * sizeof *t->handles);
    if (t->c_stack != NULL) {
        jvm_sanitizer_region_gone(t->c_bottom, t->c_nbytes);
        munmap(t->c_stack, t->c_stack_size);
    }
}

void jvm_thread_free(jvm_thread *t)
{
    free_stacks(t);
    free(t);
}

static jvm_thread *thread_new(bool attached, size_t stack_size)
{
    jvm_undo_cut("the start of a thread");
    jvm_thread *t = EBB_NEW(jvm_thread);
    if (!make_stacks(t, stack_size, attached)) {
        jvm_thread_free(t);
        return NULL;
    }
    t->env = &jvm_jni_table;
    t->id = ++last_id;
    t->attached = attached;
    t->deadline_ns = INT64_MAX;
    t->wait_fd = -1;
    t->runnable = true;
    t->state = JVM_THREAD_RUNNABLE;
    list_add(t);
    peak = jvm_threads_count(true) > peak ? jvm_threads_count(true) : peak;
    return t;
}

jvm_thread *jvm_thread_new(bool attached)
{
    return thread_new(attached, jvm.options.stack_size);
}

void jvm_threads_init(void)
{
    first = last = NULL;
    last_id = 0;
    peak = 0;
}

uint32_t jvm_threads_started(void) { return last_id; }
size_t jvm_threads_peak(void) { return peak; }

void jvm_threads_reset_peak(void)
{
    jvm_undo_keep(&peak, sizeof peak);
    peak = jvm_threads_count(true);
}

/* ---- the life of a Java thread ---- */

static void report_uncaught(jvm_thread *t)
{
    jvm_obj *thrown = jvm_exception_take(t);
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, thrown);
    jvm_callv(t, jvm.methods.Thread_dispatchUncaughtException, t->object, thrown);
    jvm_obj *again = jvm_exception_take(t);
    if (again != NULL) {
        char *cls = jvm_class_external_name(again->cls);
        char *name = jvm_string_utf8(jvm_get_ref(t->object, jvm.fields.Thread_name));
        jvm_outside_print(stderr, "\nException: %s thrown from the UncaughtExceptionHandler in thread \"%s\"\n", cls, name);
        free(cls);
        free(name);
    }
    if (jvm_explore_on)
        jvm_explore_uncaught(t, thrown);
    jvm_handles_release(t, mark);
}

static void wake_destroyer(void)
{
    for (jvm_thread *t = first; t != NULL; t = t->next_all)
        if (t->waits_for_others)
            jvm_make_runnable(t);
}

void jvm_thread_exit(jvm_thread *t)
{
    if (jvm_pending(t))
        report_uncaught(t);
    if (jvm_agent_on)
        jvm_agent_thread_ends(t);
    jvm_callv(t, jvm.methods.Thread_exit, t->object);
    t->exception = NULL;
    if (jvm_capture_on)
        jvm_capture_ends(t);
    jvm_undo_cut("the end of a thread");
    jvm_monitor_enter(t, t->object);
    jvm_put_i64(t->object, jvm.fields.Thread_eetop, 0);
    jvm_put_i32(t->object, jvm.fields.Thread_threadStatus, JVM_THREAD_TERMINATED);
    jvm_monitor_notify(t, t->object, true);
    jvm_monitor_exit(t, t->object);
    t->object = NULL;
    jvm_undo_cut("the end of a thread"); /* a lock may have let others run since */
    list_remove(t);
    wake_destroyer();
}

static void thread_main(void)
{
    jvm_thread *t = jvm_self;
    jvm_sanitizer_arrive(t);
    jvm_sched_start_quantum(t);
    if (jvm_agent_on)
        jvm_agent_thread_starts(t);
    jvm_slot self = {.a = t->object};
    if (!jvm_get_u8(t->object, jvm.fields.Thread_stillborn))
        jvm_call_virtual(t, jvm.methods.Thread_run, &self);
    jvm_thread_exit(t);
    jvm_sched_leave(t);
}

void jvm_switch_stack(void **save_sp, void *load_sp); /* switch.S */

void jvm_thread_switch(jvm_thread *from, jvm_thread *to, bool for_good)
{
    jvm_self = to;
    jvm_sanitizer_leave(from, to, for_good);
    jvm_switch_stack(&from->c_sp, to->c_sp);
    jvm_sanitizer_arrive(from);
}

/* Makes a stack whose used part begins at `sp` look parked where `entry` is about to begin (switch.S). */
static void park(jvm_thread *t, void **sp, void (*entry)(void))
{
    *--sp = NULL;          /* keeps the stack aligned as after a call */
    *--sp = (void *)entry; /* returned to */
    for (int i = 0; i < 6; i++)
        *--sp = NULL;      /* rbp rbx r12 r13 r14 r15 */
    t->c_sp = sp;
}

static void park_at_start(jvm_thread *t)
{
    park(t, (void **)((char *)t->c_stack + t->c_stack_size), thread_main);
}

void jvm_thread_park_at(jvm_thread *t, void (*entry)(void))
{
    park(t, (void **)((uintptr_t)t->c_sp & ~(uintptr_t)15), entry);
}

bool jvm_thread_start(jvm_thread *t, jvm_obj *object, int64_t stack_size)
{
    size_t size = jvm.options.stack_size;
    if (stack_size > 0)
        size = ((size_t)stack_size + 4095) & ~(size_t)4095;
    if (size < 256 * 1024)
        size = 256 * 1024;
    jvm_thread *n = thread_new(false, size);
    if (n == NULL) {
        jvm_throw(t, JVM_OOME, "unable to create native thread: possibly out of memory or process/resource limits reached");
        return false;
    }
    n->object = object;
    n->daemon = jvm_get_u8(object, jvm.fields.Thread_daemon) != 0;
    jvm_put_i64(object, jvm.fields.Thread_eetop, (int64_t)(uintptr_t)n);
    jvm_put_i32(object, jvm.fields.Thread_threadStatus, JVM_THREAD_RUNNABLE);
    park_at_start(n);
    jvm_sched_add(n);
    if (jvm_explore_on)
        jvm_explore_starts(n);
    if (jvm_capture_on)
        jvm_capture_starts(t, n);
    return true;
}

void jvm_wait_others(jvm_thread *t)
{
    jvm_thread_keep(t);
    t->waits_for_others = true;
    for (;;) {
        size_t others = 0;
        for (const jvm_thread *o = first; o != NULL; o = o->next_all)
            others += o != t && !o->daemon;
        if (others == 0)
            break;
        jvm_block(t, JVM_THREAD_WAITING, INT64_MAX);
    }
    jvm_thread_keep(t);
    t->waits_for_others = false;
}

/* ---- sleep, park, interrupt ---- */

static bool is_interrupted(const jvm_thread *t)
{
    return t->object != NULL && jvm_get_u8(t->object, jvm.fields.Thread_interrupted) != 0;
}

bool jvm_interrupted_take(jvm_thread *t)
{
    if (!is_interrupted(t))
        return false;
    jvm_put_u8(t->object, jvm.fields.Thread_interrupted, 0);
    return true;
}

static int64_t deadline_after(int64_t nanos)
{
    int64_t now = jvm_now_monotonic_ns();
    return nanos > INT64_MAX - now ? INT64_MAX : now + nanos;
}

void jvm_sleep(jvm_thread *t, int64_t nanos)
{
    int64_t deadline = deadline_after(nanos);
    if (nanos == 0 && !is_interrupted(t)) { /* as on HotSpot, who is interrupted meanwhile is told by the next wait */
        jvm_yield(t);
        return;
    }
    while (!is_interrupted(t) && !jvm_pending(t) && jvm_now_monotonic_ns() < deadline)
        jvm_block(t, JVM_THREAD_SLEEPING, deadline);
    if (jvm_interrupted_take(t))
        jvm_throw(t, "java/lang/InterruptedException", "sleep interrupted");
}

void jvm_park(jvm_thread *t, bool absolute, int64_t time)
{
    bool timed = absolute || time != 0;
    jvm_thread_keep(t);
    if (t->park_permit || is_interrupted(t) || time < 0 || (absolute && time == 0)) {
        t->park_permit = false;
        return;
    }
    int64_t deadline = INT64_MAX;
    if (absolute)
        deadline = deadline_after(time * 1000000 - jvm_now_wall_ns());
    else if (timed)
        deadline = deadline_after(time);
    t->parked = true;
    jvm_block(t, timed ? JVM_THREAD_TIMED_PARKED : JVM_THREAD_PARKED, deadline);
    jvm_thread_keep(t);
    t->parked = false;
    t->park_permit = false;
}

void jvm_unpark(jvm_thread *t)
{
    if (t == NULL)
        return;
    jvm_thread_keep(t);
    t->park_permit = true;
    if (t->parked)
        jvm_make_runnable(t);
}

void jvm_interrupt(jvm_thread *t)
{
    if (t == NULL)
        return;
    jvm_thread_keep(t);
    t->park_permit = true;
    bool wakes = t->parked || t->state == JVM_THREAD_SLEEPING || t->state == JVM_THREAD_WAITING ||
                 t->state == JVM_THREAD_TIMED_WAITING;
    if (!t->runnable && wakes && !t->waits_for_others)
        jvm_make_runnable(t);
}

static bool can_be_woken(const jvm_thread *t)
{
    return t->state == JVM_THREAD_SLEEPING || t->state == JVM_THREAD_WAITING || t->state == JVM_THREAD_TIMED_WAITING ||
           t->state == JVM_THREAD_PARKED || t->state == JVM_THREAD_TIMED_PARKED || t->wait_fd >= 0;
}

void jvm_thread_leave_exception(jvm_thread *t, jvm_obj *exception)
{
    if (t->exception != NULL)
        return;
    jvm_undo_keep(&t->exception, sizeof t->exception);
    t->exception = exception;
    if (!t->runnable && can_be_woken(t))
        jvm_make_runnable(t);
}

bool jvm_wait_fd(jvm_thread *t, int fd, short events, int64_t timeout_ms)
{
    jvm_thread_keep(t);
    t->wait_fd = fd;
    t->wait_events = events;
    return jvm_block(t, JVM_THREAD_RUNNABLE, timeout_ms < 0 ? INT64_MAX : deadline_after(timeout_ms * 1000000));
}
