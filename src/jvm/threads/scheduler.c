/* scheduler.c - a queue of threads that can run, and lists of those that wait for time or for descriptors. */
#include "jvm/threads/scheduler.h"

#include "base/check.h"
#include "base/log.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/interp.h"
#include "jvm/explore/capture.h"
#include "jvm/explore/explore.h"
#include "jvm/heap/heap.h"
#include "jvm/record/outside.h"
#include "jvm/record/record.h"
#include "jvm/undo/undo.h"
#include "jvm/jvm.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

void (*jvm_signal_hook)(jvm_thread *t);
static EBB_VEC(jvm_thread *) queue; /* runnable, not running */
enum { RECORD_FLUSH_NS = 2 * 1000 * 1000 }; /* a wait this long is worth a write of 20 us */

static jvm_thread *dead;            /* its stacks are freed by whoever runs next */

/* ---- first in, first out ---- */

static void keep_queue(void)
{
    jvm_undo_keep(&queue.n, sizeof queue.n);
    jvm_undo_keep(queue.items, queue.n * sizeof *queue.items);
}

static jvm_thread *pick_first(void)
{
    jvm_thread *t = queue.items[0];
    keep_queue();
    ebb_vec_remove(&queue, 0);
    return t;
}

static int64_t fixed_quantum(const jvm_thread *t)
{
    return (int64_t)jvm.options.quantum;
}

static const jvm_scheduler fifo = {pick_first, fixed_quantum};
const jvm_scheduler *jvm_scheduler_now = &fifo;

void jvm_sched_add(jvm_thread *t)
{
    if (t->suspended) {
        jvm_thread_keep(t);
        t->wants_queue = true;
        return;
    }
    jvm_undo_keep_push(&queue);
    ebb_vec_push(&queue, t);
}

void jvm_sched_remove(const jvm_thread *t)
{
    keep_queue();
    for (size_t i = queue.n; i-- > 0;)
        if (queue.items[i] == t)
            ebb_vec_remove(&queue, i);
}

static bool is_queued(const jvm_thread *t)
{
    for (size_t i = 0; i < queue.n; i++)
        if (queue.items[i] == t)
            return true;
    return false;
}

void jvm_suspend(jvm_thread *t)
{
    if (t->suspended)
        return;
    jvm_thread_keep(t);
    t->suspended = true;
    t->wants_queue = is_queued(t);
    if (t->wants_queue)
        jvm_sched_remove(t);
    if (t == jvm_self)
        jvm_yield(t);
}

void jvm_resume(jvm_thread *t)
{
    if (!t->suspended)
        return;
    jvm_thread_keep(t);
    t->suspended = false;
    if (t->wants_queue)
        jvm_sched_add(t);
    t->wants_queue = false;
}

/* ---- timestamps ---- */

uint64_t jvm_time(void)
{
    return jvm.time - (uint64_t)jvm_ticks;
}

/* The agent's moment and that of the next checkpoint split a quantum: the rest is held back, so that the quantum ends where it
 * would without them. */
static int64_t held_back;

static uint64_t next_moment(uint64_t now)
{
    uint64_t checkpoint = ebb_checkpoints_next(&jvm_undo_log.list, now); /* it is taken where somebody looks at the clock */
    return jvm_agent_moment < checkpoint ? jvm_agent_moment : checkpoint;
}

static void hold_back(void)
{
    uint64_t now = jvm_time();
    if (jvm_agent_moment <= now)
        jvm_agent_tick(); /* calls went by it without looking */
    uint64_t moment = next_moment(now);
    if (moment <= now || jvm_ticks <= 0 || moment - now >= (uint64_t)jvm_ticks)
        return;
    held_back = jvm_ticks - (int64_t)(moment - now);
    jvm.time -= (uint64_t)held_back;
    jvm_ticks -= held_back;
}

static void give_back(void)
{
    jvm.time += (uint64_t)held_back;
    jvm_ticks += held_back;
    held_back = 0;
}

int64_t jvm_sched_left(void) { return jvm_ticks + held_back; }

void jvm_sched_set_clock(uint64_t time, int64_t left)
{
    held_back = 0;
    jvm_ticks = left;
    jvm.time = time + (uint64_t)left;
    hold_back();
}

void jvm_sched_start_quantum(jvm_thread *t)
{
    int64_t ticks = jvm_scheduler_now->quantum(t);
    jvm.time += (uint64_t)(ticks - jvm_ticks);
    jvm_ticks = ticks;
    held_back = 0;
    hold_back();
}

void jvm_sched_moment_changed(void)
{
    give_back();
    hold_back();
}

void jvm_sched_check_moment(void)
{
    if (held_back == 0)
        return;
    give_back();
    hold_back();
}

void jvm_tick_event(jvm_thread *t)
{
    jvm_sched_check_moment();
    if (jvm_ticks > 0) {
        if (jvm_undo_is_due())
            jvm_undo_checkpoint(t);
        return;
    }
    if (jvm_agent_on)
        jvm_agent_quantum_ends();
    jvm_flow_collect_if_due();
    jvm_record_verify();
    jvm_sched_poll_outside(false);
    if (jvm_agent_on)
        jvm_agent_poll();
    if (jvm_explore_on ? jvm_explore_quantum_ends() : queue.n > 0 && !jvm_outside_keeps_thread(jvm_agent_one_thread))
        jvm_yield(t);
    else
        jvm_sched_start_quantum(t);
    if (jvm_undo_is_due())
        jvm_undo_checkpoint(t);
}

/* ---- clocks ---- */

static int64_t read_clock(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* While a chosen schedule is lived, time is counted, too. */
static int64_t tell_clock(clockid_t clock)
{
    const int64_t epoch = clock == CLOCK_REALTIME ? INT64_C(1700000000) * 1000000000 : 0;
    return jvm_explore_rules_time() ? epoch + jvm_explore_look_at_clock_ns() : read_clock(clock);
}

int64_t jvm_now_monotonic_ns(void) { return JVM_OUTSIDE(MONOTONIC_CLOCK, tell_clock(CLOCK_MONOTONIC)); }
int64_t jvm_now_wall_ns(void) { return JVM_OUTSIDE(WALL_CLOCK, tell_clock(CLOCK_REALTIME)); }

/* ---- the outside ---- */

typedef struct waiting {
    EBB_VEC(struct pollfd) fds;
    EBB_VEC(jvm_thread *) threads; /* parallel to fds */
    EBB_VEC(jvm_wake) found;
    int64_t deadline;
} waiting;

/* The scheduler's own look at the clock: only what comes of it is logged. */
static int64_t raw_now(void) { return read_clock(CLOCK_MONOTONIC); }

static void collect_waiting(waiting *w)
{
    w->fds.n = w->threads.n = w->found.n = 0;
    w->deadline = INT64_MAX;
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all) {
        if (t->runnable)
            continue;
        if (t->deadline_ns < w->deadline && !jvm_explore_on)
            w->deadline = t->deadline_ns;
        if (t->wait_fd >= 0) {
            ebb_vec_push(&w->fds, ((struct pollfd){t->wait_fd, t->wait_events, 0}));
            ebb_vec_push(&w->threads, t);
        }
    }
}

static bool is_found(const waiting *w, const jvm_thread *t)
{
    for (size_t i = 0; i < w->found.n; i++)
        if (w->found.items[i].thread == t->id)
            return true;
    return false;
}

static void find_ready(waiting *w)
{
    for (size_t i = 0; i < w->threads.n; i++)
        if (w->fds.items[i].revents != 0)
            ebb_vec_push(&w->found, ((jvm_wake){w->threads.items[i]->id, false}));
}

static void find_timed(waiting *w)
{
    int64_t now = raw_now();
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        if (!t->runnable && t->deadline_ns <= now && !is_found(w, t))
            ebb_vec_push(&w->found, ((jvm_wake){t->id, true}));
}

/* Until a descriptor is ready or the deadline is there; what was recorded doesn't wait with us for long. */
static int wait_for(waiting *w)
{
    for (bool flushed = false;; flushed = true) {
        int64_t until = w->deadline, now = raw_now();
        if (!flushed && until - now > RECORD_FLUSH_NS)
            until = now + RECORD_FLUSH_NS;
        int64_t ns = until > now ? until - now : 0;
        struct timespec left = {ns / 1000000000, ns % 1000000000};
        int n = ppoll(w->fds.items, w->fds.n, until == INT64_MAX ? NULL : &left, NULL);
        if (n != 0 || until == w->deadline)
            return n;
        jvm_record_flush();
    }
}

static void look(waiting *w, bool wait)
{
    collect_waiting(w);
    bool with_agent = wait && jvm_agent_on;
    if (with_agent)
        ebb_vec_push(&w->fds, ((struct pollfd){jvm_agent_fd(), POLLIN, 0})); /* after those of threads */
    if (w->fds.n == 0 && w->deadline == INT64_MAX && !wait)
        return;
    if (wait || w->fds.n > 0) {
        int n = wait ? wait_for(w) : poll(w->fds.items, w->fds.n, 0);
        if (n > 0)
            find_ready(w);
        if (n > 0 && with_agent && w->fds.items[w->threads.n].revents != 0)
            jvm_agent_idle();
        if (n < 0 && errno == EINTR && jvm_signal_hook != NULL)
            jvm_signal_hook(jvm_self);
    }
    if (w->deadline != INT64_MAX)
        find_timed(w);
    jvm_outside_note_wakes(w->found.items, w->found.n);
}

static jvm_thread *thread_by_id(uint32_t id)
{
    jvm_thread *t = jvm_threads_first();
    while (t != NULL && t->id != id)
        t = t->next_all;
    return t;
}

static void wake(const jvm_wake *wakes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        jvm_thread *t = thread_by_id(wakes[i].thread);
        if (t == NULL || t->runnable)
            jvm_diverged("the recording wakes thread %u, which does not wait", wakes[i].thread);
        jvm_thread_keep(t);
        if (wakes[i].timed_out)
            t->timed_out = true;
        jvm_make_runnable(t);
    }
}

void jvm_sched_poll_outside(bool may_wait)
{
    static waiting w;
    bool wait = may_wait && queue.n == 0;
    const jvm_wake *wakes;
    size_t n;
    if (jvm_outside_wakes_are_logged(wait, &wakes, &n)) {
        wake(wakes, n);
        return;
    }
    if (jvm_signal_hook != NULL)
        jvm_signal_hook(jvm_self);
    look(&w, wait);
    wake(w.found.items, w.found.n);
}

/* ---- switching ---- */

static void free_dead(void)
{
    if (dead == NULL || dead == jvm_self)
        return;
    jvm_thread_free(dead);
    dead = NULL;
}

static jvm_thread *next_thread(jvm_thread *from)
{
    if (jvm_explore_on)
        return jvm_explore_next(from);
    while (queue.n == 0)
        jvm_sched_poll_outside(true);
    return jvm_scheduler_now->pick();
}

static void count_turn(jvm_thread *from, jvm_thread *to)
{
    uint64_t now = jvm_time();
    jvm_thread_keep(from);
    jvm_thread_keep(to);
    uint64_t allocated = jvm_heap_get_stats().allocated_total;
    from->ticks_run += now - from->turn_began;
    from->allocated += allocated - from->turn_allocated;
    to->turn_began = now;
    to->turn_allocated = allocated;
}

uint64_t jvm_thread_ticks(const jvm_thread *t)
{
    return t->ticks_run + (t == jvm_self ? jvm_time() - t->turn_began : 0);
}

uint64_t jvm_thread_allocated(const jvm_thread *t)
{
    return t->allocated + (t == jvm_self ? jvm_heap_get_stats().allocated_total - t->turn_allocated : 0);
}

void jvm_sched_switch(jvm_thread *from)
{
    jvm_record_verify();
    jvm_thread *to = next_thread(from);
    if (to != from) {
        if (jvm_capture_on)
            jvm_capture_switch(from, to);
        count_turn(from, to);
        jvm_ticks--;
        if (jvm_undo_is_there())
            jvm_undo_switching_to(to);
        jvm_thread_switch(from, to, false);
        free_dead();
    }
    jvm_sched_start_quantum(from);
}

_Noreturn void jvm_sched_leave(jvm_thread *from)
{
    jvm_thread *to = next_thread(from);
    if (jvm_capture_on)
        jvm_capture_switch(from, to);
    count_turn(from, to);
    dead = from;
    jvm_ticks--;
    if (jvm_undo_is_there())
        jvm_undo_switching_to(to);
    jvm_thread_switch(from, to, true);
    ebb_unreachable();
}

/* ---- blocking ---- */

void jvm_make_runnable(jvm_thread *t)
{
    if (t->runnable)
        return;
    jvm_thread_keep(t);
    t->runnable = true;
    t->deadline_ns = INT64_MAX;
    t->wait_fd = -1;
    jvm_sched_add(t);
}

void jvm_set_state(jvm_thread *t, uint32_t state)
{
    jvm_thread_keep(t);
    t->state = state;
    if (t->object != NULL && jvm.fields.Thread_threadStatus != 0)
        jvm_put_i32(t->object, jvm.fields.Thread_threadStatus, (int32_t)state);
}

bool jvm_contention_timed;

/* The clock is an answer from outside: it is read only if somebody wants to know. */
static void count_time(jvm_thread *t, uint32_t state, int64_t since_ns)
{
    int64_t ns = jvm_now_monotonic_ns() - since_ns;
    jvm_thread_keep(t);
    t->ns_blocked += state == JVM_THREAD_BLOCKED ? ns : 0;
    t->ns_waited += state == JVM_THREAD_BLOCKED ? 0 : ns;
}

bool jvm_block(jvm_thread *t, uint32_t state, int64_t deadline_ns)
{
    int64_t since_ns = jvm_contention_timed && state != JVM_THREAD_RUNNABLE ? jvm_now_monotonic_ns() : -1;
    jvm_thread_keep(t);
    t->runnable = false;
    t->timed_out = false;
    t->deadline_ns = deadline_ns;
    t->n_blocked += state == JVM_THREAD_BLOCKED;
    t->n_waited += state != JVM_THREAD_BLOCKED && state != JVM_THREAD_RUNNABLE;
    jvm_set_state(t, state);
    jvm_sched_switch(t);
    jvm_set_state(t, JVM_THREAD_RUNNABLE);
    if (since_ns >= 0 && jvm_contention_timed)
        count_time(t, state, since_ns);
    return !t->timed_out;
}

void jvm_yield(jvm_thread *t)
{
    jvm_sched_add(t);
    jvm_sched_switch(t);
}
