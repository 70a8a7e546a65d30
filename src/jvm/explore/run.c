/* run.c - a run under a chosen schedule: decisions are made and noted, or taken from the recording. */
#include "jvm/explore/capture.h"
#include "jvm/explore/internal.h"

#include "base/check.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/prepare.h"
#include "jvm/heap/jstring.h"
#include "jvm/record/record.h"
#include "jvm/threads/monitor.h"
#include "jvm/threads/scheduler.h"
#include "jvm/jvm.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool jvm_explore_on, jvm_explore_waits;
explore_run explore = {.output = -1, .explorer = -1};

enum {
    NS_PER_STEP = 1000,     /* what clocks show: a step is a decision that a thread came to, or a look at the clock */
    QUANTA_WITHOUT = 50,    /* after so many in the class library alone somebody else may be waited for */
    TICKS_PER_DECISION = 100, /* of the limit */
};
static const int64_t BEGAN_NS = INT64_C(1000000000000); /* so that nothing depends on when it was */

/* ---- who could run ---- */

/* What each thread is about to touch, by id. */
static explore_touch pending[JVM_POLICY_THREADS];
static explore_touch *pending_of(const jvm_thread *t) { return &pending[t->id % JVM_POLICY_THREADS]; }

static bool is_machine_thread(const jvm_thread *t) { return t->id < explore.first_thread && t->id != explore.main_thread; }

static bool waits_for_free_lock(const jvm_thread *t)
{
    return t->state == JVM_THREAD_BLOCKED && t->blocked_on != NULL && t->blocked_on->owner == NULL;
}

/* What a timer waits for is a time, as what a thread that sleeps does: not something else, with a limit. */
static bool waits_for_its_time(const jvm_thread *t)
{
    static const jvm_sym *timer, *delayed;
    if (timer == NULL) {
        timer = jvm_sym_get("java/util/TimerThread");
        delayed = jvm_sym_get("java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue");
    }
    for (const jvm_frame *f = jvm_top_frame(t); f != NULL && !explore_is_program(f->method->cls); f = jvm_caller_frame(f))
        if (f->method->cls->name == timer || f->method->cls->name == delayed)
            return true;
    return false;
}

static bool is_candidate(const jvm_thread *t, enum jvm_readiness *how)
{
    *how = t->state == JVM_THREAD_SLEEPING ? JVM_READY_SLEEPS : JVM_READY_TIMED;
    if (t->suspended)
        return false;
    if (!t->runnable && t->deadline_ns != INT64_MAX && !waits_for_free_lock(t)) {
        if (is_machine_thread(t))
            return false;
        if (waits_for_its_time(t))
            *how = JVM_READY_SLEEPS;
        return true;
    }
    *how = JVM_READY;
    return t->runnable || waits_for_free_lock(t);
}

typedef struct candidates {
    jvm_candidate items[JVM_POLICY_THREADS];
    jvm_thread *threads[JVM_POLICY_THREADS];
    size_t n, current;
} candidates;

static void add(candidates *all, jvm_thread *t, enum jvm_readiness how)
{
    const explore_touch *touch = pending_of(t);
    if (all->n == JVM_POLICY_THREADS)
        return;
    all->items[all->n] = (jvm_candidate){.thread = t->id, .readiness = how, .place = touch->place, .kind = touch->kind, .writes = touch->writes};
    all->threads[all->n++] = t;
}

/* A pool's worker without work ends after a long time: that comes last, when nobody else can run.  Where a pool runs tasks at their times, the time matters. */
static bool is_idle(const jvm_thread *t)
{
    static const jvm_sym *get_task, *await_work, *delayed;
    if (get_task == NULL) {
        get_task = jvm_sym_get("getTask");
        await_work = jvm_sym_get("awaitWork");
        delayed = jvm_sym_get("java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue");
    }
    const jvm_frame *f = jvm_top_frame(t);
    while (f != NULL && !explore_is_program(f->method->cls) && f->method->cls->name != delayed) {
        if (f->method->name == get_task || f->method->name == await_work)
            return true;
        f = jvm_caller_frame(f);
    }
    return false;
}

static void collect_candidates(candidates *all, jvm_thread *self, bool goes_on, bool with_idle)
{
    enum jvm_readiness how;
    all->n = 0;
    size_t current = SIZE_MAX;
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all) {
        if (t == self && goes_on) {
            current = all->n;
            add(all, t, JVM_READY);
        } else if (is_candidate(t, &how) && (with_idle || how != JVM_READY_TIMED || !is_idle(t))) {
            add(all, t, how);
        }
    }
    all->current = current == SIZE_MAX ? all->n : current;
}

/* In the order of their ids. */
static void find_candidates(candidates *all, jvm_thread *self, bool goes_on)
{
    collect_candidates(all, self, goes_on, false);
    if (all->n == 0)
        collect_candidates(all, self, goes_on, true);
}

/* ---- what happened ---- */

void explore_note_touch(uint32_t thread, uint32_t kind)
{
    uint32_t i = 1;
    thread %= JVM_EXPLORE_THREADS;
    explore.todo[0][thread]++;
    while (i < JVM_EXPLORE_KINDS && explore.kinds[i] != kind && explore.kinds[i] != 0)
        i++;
    if (i == JVM_EXPLORE_KINDS)
        return;
    explore.kinds[i] = kind;
    explore.todo[i][thread]++;
}

/* A table with open addressing; the lowest bit of an entry says whether a switch was made there. */
enum { NSITES = 4096 };
static uint32_t site_table[NSITES];

void explore_note_site(uint32_t site, bool switched)
{
    site = (site | 1) << 1;
    uint32_t i = site * 2654435761u >> 20;
    for (uint32_t tries = 0; tries < 64; tries++, i = (i + 1) % NSITES) {
        if (site_table[i] == 0)
            site_table[i] = site;
        if ((site_table[i] & ~1u) == site) {
            site_table[i] |= switched;
            return;
        }
    }
}

static void collect_sites(void)
{
    for (size_t i = 0; i < NSITES; i++)
        if (site_table[i] != 0)
            ebb_vec_push(&explore.sites, site_table[i]);
}

static void note_trace(const candidates *all, uint32_t self, uint32_t nth, size_t chosen)
{
    if (!(explore.how.wants & JVM_EXPLORE_TRACE))
        return;
    ebb_vec_push(&explore.trace, self);
    ebb_vec_push(&explore.trace, nth);
    ebb_vec_push(&explore.trace, (uint32_t)(chosen << 16 | all->n << 1 | (all->current < all->n)));
    for (size_t i = 0; i < all->n; i++)
        ebb_vec_push(&explore.trace, all->items[i].thread | (all->items[i].readiness != JVM_READY ? 1u << 31 : 0));
}

static void note_turn(const candidates *all, uint32_t self, uint32_t nth, size_t chosen)
{
    const jvm_candidate *to = &all->items[chosen];
    if (chosen != jvm_policy_habit(all->items, all->n, all->current, self))
        ebb_vec_push(&explore.taken, ((jvm_turn){.thread = self, .nth = nth, .to = to->thread, .times_out = to->readiness != JVM_READY}));
    if (chosen == all->current)
        return;
    explore.nswitches++;
    explore.npreemptions += all->current < all->n;
    explore.schedule = explore_hash(explore_hash(explore_hash(explore.schedule, self), nth), to->thread);
}

static void check_limit(const jvm_thread *t)
{
    uint64_t limit = explore.how.limit;
    if (!explore.reports || limit == 0)
        return;
    if (explore.policy.ndecisions > limit || jvm_time() - explore.began > limit * TICKS_PER_DECISION) {
        collect_sites();
        explore_report(JVM_OUTCOME_LIVELOCK, 0, t->id, explore_hash(1, JVM_OUTCOME_LIVELOCK), "it does not end within the limit");
    }
}

/* ---- deciding ---- */

static size_t decide(candidates *all, jvm_thread *self)
{
    uint32_t nth = jvm_policy_arrive(&explore.policy, self->id);
    explore.quiet_quanta = 0;
    explore.steps++;
    if (all->n == 1)
        return 0;
    if (explore.from != NULL)
        return jvm_policy_choose(&explore.policy, all->items, all->n, all->current, self->id);
    explore_need_request();
    size_t chosen = jvm_policy_choose(&explore.policy, all->items, all->n, all->current, self->id);
    check_limit(self);
    note_trace(all, self->id, nth, chosen);
    note_turn(all, self->id, nth, chosen);
    return chosen;
}

static int64_t clock_ns(void) { return BEGAN_NS + explore.steps * NS_PER_STEP + explore.skipped_ns; }

/* Makes it one that runs: its wait is over, its lock is its own. */
static void grant(jvm_thread *t, bool times_out)
{
    if (!t->runnable && !times_out) {
        jvm_monitor_grant(t);
    } else if (!t->runnable) {
        jvm_thread_keep(t);
        t->timed_out = true;
        int64_t early = t->deadline_ns - clock_ns();
        if (explore.decides && early > 0)
            explore.skipped_ns += early;
    }
    jvm_make_runnable(t);
    jvm_sched_remove(t);
}

static void log_choice(unsigned kind, uint64_t first, const jvm_candidate *to)
{
    if (jvm_history == JVM_RECORDING) {
        jvm_log_event(kind);
        jvm_log_u(first);
        jvm_log_u((uint64_t)to->thread << 1 | (to->readiness != JVM_READY));
        jvm_log_end();
    }
}

static jvm_thread *thread_by_id(uint64_t id)
{
    jvm_thread *t = jvm_threads_first();
    while (t != NULL && t->id != id)
        t = t->next_all;
    return t;
}

/* What log_choice wrote, after its first value. */
static jvm_thread *take_choice(bool *times_out)
{
    enum jvm_readiness how;
    uint64_t value = jvm_log_take_u();
    jvm_thread *t = thread_by_id(value >> 1);
    *times_out = value & 1;
    if (t == NULL || !is_candidate(t, &how) || (how != JVM_READY) != *times_out)
        jvm_diverged("the recording gives the turn to thread %llu, which can't run", (unsigned long long)(value >> 1));
    return t;
}

/* ---- at a switch point ---- */

/* Who has been chosen by the time that the scheduler asks. */
static jvm_thread *preset;

static void switch_to(jvm_thread *self, jvm_thread *to, bool times_out)
{
    jvm_sched_add(self);
    grant(to, times_out);
    preset = to;
    jvm_sched_switch(self);
}

static uint32_t pc_index(const jvm_frame *f) { return (uint32_t)(f->pc - f->method->code->insns); }

/* EX2 */
static void look_in_replay(jvm_thread *t, const jvm_frame *f)
{
    uint64_t time;
    if (jvm_log_peek(&time) != JVM_EVENT_SWITCH || time != jvm_time() || jvm_log_peek_u() != pc_index(f) || !explore_may_be_point(f))
        return;
    (void)jvm_log_expect(JVM_EVENT_SWITCH);
    (void)jvm_log_take_u();
    bool times_out;
    jvm_thread *to = take_choice(&times_out);
    switch_to(t, to, times_out);
}

/* An instruction is dispatched again when it is quickened or the variant of the interpreter changes; (time, pc) is never twice the same otherwise. */
static bool is_seen(const jvm_frame *f)
{
    static const jvm_insn *pc;
    static uint64_t time;
    bool seen = pc == f->pc && time == jvm_time();
    pc = f->pc;
    time = jvm_time();
    return seen;
}

static uint32_t site_of(const jvm_frame *f)
{
    return (uint32_t)explore_hash(explore_hash(f->method->cls->serial, f->method->slot), pc_index(f));
}

static bool is_from(const jvm_method *m)
{
    const char *dot = strrchr(explore.from, '.');
    if (dot == NULL || !jvm_sym_is(m->name, dot + 1))
        return false;
    char *name = jvm_class_external_name(m->cls);
    bool same = strlen(name) == (size_t)(dot - explore.from) && memcmp(name, explore.from, strlen(name)) == 0;
    free(name);
    return same;
}

/* Whether it is in the method from which on schedules are chosen, or in one that it called. */
static bool has_come(const jvm_frame *f)
{
    while (f != NULL && !(f->kind == JVM_FRAME_JAVA && is_from(f->method)))
        f = jvm_caller_frame(f);
    return f != NULL;
}

/* Where a class is initialised by an instruction, that comes by twice: before, and when it has been resolved.  What was decided before holds for both,
 * since no place of the program is between them. */
typedef struct use_of_class {
    const jvm_thread *thread;
    const jvm_frame *frame;
    const jvm_insn *pc;
} use_of_class;
static EBB_VEC(use_of_class) uses;

static bool is_looked_at(const jvm_thread *t, const jvm_frame *f)
{
    for (size_t i = uses.n; i-- > 0;) {
        const use_of_class *use = &uses.items[i];
        if (use->thread != t || use->frame != f || use->pc != f->pc)
            continue;
        uses.items[i] = uses.items[--uses.n];
        return true;
    }
    return false;
}

/* Whether f->pc is a switch point now. */
static bool is_point(jvm_thread *t, jvm_frame *f, explore_touch *touch)
{
    if (explore_used_class(f) == NULL)
        return !is_looked_at(t, f) && !is_seen(f) && explore_touches(f, touch);
    if (!explore_touches(f, touch) || is_seen(f))
        return false;
    if (jvm_insn_op(f->pc) != JVM_X_new)
        ebb_vec_push(&uses, ((use_of_class){t, f, f->pc}));
    return true;
}

static void look(jvm_thread *t, jvm_frame *f)
{
    explore_touch touch;
    candidates all;
    if (!is_point(t, f, &touch))
        return;
    if (explore.from != NULL && has_come(f)) {
        free(explore.from);
        explore.from = NULL;
    }
    *pending_of(t) = touch;
    explore_note_touch(t->id, touch.kind);
    find_candidates(&all, t, true);
    size_t chosen = decide(&all, t);
    explore_note_site(site_of(f), chosen != all.current);
    if (chosen == all.current)
        return;
    log_choice(JVM_EVENT_SWITCH, pc_index(f), &all.items[chosen]);
    switch_to(t, all.threads[chosen], all.items[chosen].readiness != JVM_READY);
    (void)is_seen(f); /* it goes on here, at another time */
}

void jvm_explore_look(jvm_thread *t, jvm_frame *f)
{
    if (jvm_is_replaying())
        look_in_replay(t, f);
    else if (explore.decides)
        look(t, f);
}

/* ---- where a thread can't go on ---- */

static jvm_thread *take_preset(void)
{
    jvm_thread *to = preset;
    preset = NULL;
    return to;
}

static bool waits_for_outside(void)
{
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        if (!t->runnable && t->wait_fd >= 0 && !is_machine_thread(t))
            return true;
    return false;
}

/* By the monitors alone: a circle in which each thread waits for the next one's. */
static bool is_in_circle(const jvm_thread *t)
{
    const jvm_thread *at = t;
    for (size_t i = 0; i < JVM_POLICY_THREADS; i++) {
        if (at->runnable || at->state != JVM_THREAD_BLOCKED || at->blocked_on == NULL || at->blocked_on->owner == NULL)
            return false;
        at = at->blocked_on->owner;
        if (at == t)
            return true;
    }
    return false;
}

/* By name: numbers are those of one run, and a recording of it has others. */
static int describe_waiting(const jvm_thread *t, const jvm_frame *at, char *text, size_t size)
{
    const jvm_sym *source = at->method->cls->source_file;
    char *name = t->object == NULL ? ebb_strdup("?") : jvm_string_utf8(jvm_get_ref(t->object, jvm.fields.Thread_name));
    int n = snprintf(text, size, "thread \"%.40s\" waits at %.40s:%d", name, source == NULL ? at->method->cls->name->text : source->text, jvm_frame_line(at));
    free(name);
    return n;
}

static void report_deadlock(const jvm_thread *from)
{
    explore_need_request();
    char text[512] = "";
    size_t n = 0;
    uint64_t signature = JVM_OUTCOME_DEADLOCK;
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all) {
        const jvm_frame *f = jvm_top_frame(t);
        if (is_machine_thread(t) || t->runnable || f == NULL)
            continue;
        while (f != NULL && !explore_is_program(f->method->cls))
            f = jvm_caller_frame(f);
        if (f == NULL || n + 128 > sizeof text)
            continue;
        signature = explore_hash(signature, f->method->cls->serial * 65536u + f->method->slot);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", n > 0 ? ", " : "");
        n += (size_t)describe_waiting(t, f, text + n, sizeof text - n);
    }
    collect_sites();
    explore_report(JVM_OUTCOME_DEADLOCK, 0, from->id, signature, text);
}

static void find_somebody(candidates *all, jvm_thread *from)
{
    for (;;) {
        find_candidates(all, from, false);
        if (all->n > 0 && !(explore.reports && is_in_circle(from)))
            return;
        if ((explore.reports || explore.waits_for_request) && !waits_for_outside())
            report_deadlock(from);
        jvm_sched_poll_outside(true);
    }
}

static void note_yield(candidates *all, const jvm_thread *from)
{
    for (size_t i = 0; i < all->n; i++)
        all->items[i].yields = all->threads[i] == from;
}

static jvm_thread *next_in_replay(void)
{
    bool times_out;
    while (jvm_is_replaying()) {
        unsigned next = jvm_log_peek(NULL);
        if (next == JVM_EVENT_WAKE || next == EBB_EVENT_EDIT) {
            jvm_sched_poll_outside(true);
            continue;
        }
        if (!jvm_log_expect(JVM_EVENT_PICK))
            break; /* it is live now */
        (void)jvm_log_take_u();
        jvm_thread *to = take_choice(&times_out);
        grant(to, times_out);
        return to;
    }
    return NULL;
}

jvm_thread *jvm_explore_next(jvm_thread *from)
{
    candidates all;
    jvm_thread *to = take_preset();
    if (to == NULL && jvm_is_replaying())
        to = next_in_replay();
    if (to != NULL)
        return to;
    find_somebody(&all, from);
    note_yield(&all, from);
    size_t chosen = decide(&all, from);
    log_choice(JVM_EVENT_PICK, 0, &all.items[chosen]);
    grant(all.threads[chosen], all.items[chosen].readiness != JVM_READY);
    return all.threads[chosen];
}

bool jvm_explore_quantum_ends(void)
{
    if (jvm_is_replaying()) {
        uint64_t time;
        return jvm_log_peek(&time) == JVM_EVENT_PICK && time == jvm_time();
    }
    if (!explore.decides)
        return false;
    check_limit(jvm_self);
    return ++explore.quiet_quanta > QUANTA_WITHOUT;
}

/* ---- other choices ---- */

static size_t choose_waiter(const jvm_thread *t, size_t n)
{
    if (explore.from == NULL)
        explore_need_request();
    uint32_t nth = jvm_policy_arrive(&explore.policy, t->id);
    size_t chosen = jvm_policy_pick(&explore.policy, t->id, n);
    if (chosen != 0)
        ebb_vec_push(&explore.taken, ((jvm_turn){.thread = t->id, .nth = nth, .to = (uint32_t)chosen}));
    explore.schedule = explore_hash(explore.schedule, chosen);
    if (jvm_history == JVM_RECORDING) {
        jvm_log_event(JVM_EVENT_NOTIFY);
        jvm_log_u(chosen);
        jvm_log_end();
    }
    return chosen;
}

size_t jvm_explore_choose_waiter(jvm_thread *t, size_t n)
{
    if (!jvm_is_replaying() || !jvm_log_expect(JVM_EVENT_NOTIFY))
        return choose_waiter(t, n);
    uint64_t chosen = jvm_log_take_u();
    if (chosen >= n)
        jvm_diverged("the recording notifies a thread that does not wait");
    return (size_t)chosen;
}

void jvm_explore_starts(jvm_thread *started)
{
    *pending_of(started) = (explore_touch){0};
    if (explore.decides)
        explore_let_escape(started->object);
}

bool jvm_explore_rules_time(void) { return jvm_explore_on && (explore.decides || explore.is_warming); }

int64_t jvm_explore_look_at_clock_ns(void)
{
    explore.steps++;
    return clock_ns();
}

/* ---- the end ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = explore_hash(hash, (uint8_t)*text);
    return hash;
}

/* Where it was thrown, in the program. */
static const jvm_method *thrown_in(const jvm_obj *thrown, int *bci)
{
    const jvm_obj *trace = jvm_get_ref(thrown, jvm.fields.Throwable_backtrace);
    for (int32_t i = 0; trace != NULL && i < trace->length / 2; i++) {
        const int64_t *row = (const int64_t *)jvm_array_data(trace) + 2 * (size_t)i;
        const jvm_method *m = jvm_token_method(row[0]);
        if (explore_is_program(m->cls)) {
            *bci = (int)row[1];
            return m;
        }
    }
    return NULL;
}

void jvm_explore_uncaught(jvm_thread *t, jvm_obj *thrown)
{
    char text[300], place[160] = "";
    int bci = 0;
    explore_need_request();
    if (!explore.reports || jvm_is_replaying())
        return;
    uint64_t signature = hash_text(JVM_OUTCOME_UNCAUGHT, thrown->cls->name->text);
    const jvm_method *m = thrown_in(thrown, &bci);
    if (m != NULL) {
        const char *file = m->cls->source_file == NULL ? "?" : m->cls->source_file->text;
        snprintf(place, sizeof place, " at %.60s.%.40s (%.40s:%d)", m->cls->name->text, m->name->text, file, jvm_method_line(m, bci));
    }
    char *name = jvm_class_external_name(thrown->cls);
    snprintf(text, sizeof text, "%.100s%s", name, place);
    free(name);
    collect_sites();
    explore_report(JVM_OUTCOME_UNCAUGHT, 1, t->id, hash_text(signature, place), text);
}

void jvm_explore_exits(int status)
{
    char text[200];
    explore_need_request();
    if (!explore.reports || jvm_is_replaying())
        return;
    snprintf(text, sizeof text, "it exits with status %d", status);
    collect_sites();
    if (explore.from != NULL) {
        snprintf(text, sizeof text, "%.80s, where the search was to begin, was not executed, or touches nothing that threads share.", explore.from);
        explore_report(JVM_OUTCOME_MISNAMED, status, 0, 0, text);
    }
    uint32_t thread = jvm_self == NULL ? 0 : jvm_self->id;
    enum jvm_outcome outcome = status == 0 ? explore_check_judge(text, sizeof text) : JVM_OUTCOME_EXIT;
    bool is_by_exit = outcome == JVM_OUTCOME_PASSED || outcome == JVM_OUTCOME_EXIT;
    uint64_t signature = is_by_exit ? explore_hash(JVM_OUTCOME_EXIT, (uint64_t)status) : hash_text(outcome, text);
    explore_report(outcome, status, thread, signature, text);
}

/* ---- the beginning ---- */

static uint32_t last_thread_id(void)
{
    uint32_t last = 0;
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        last = t->id > last ? t->id : last;
    return last;
}

static void turn_on(void)
{
    jvm_explore_on = true;
    jvm_trace |= JVM_TRACE_SHARED;
    explore.first_thread = last_thread_id() + 1;
    explore.main_thread = jvm_self->id;
    jvm_undo_cut("the choice of the schedule");
}

/* Threads are known by the decisions that they came to before. */
void explore_set_policy(void)
{
    jvm_policy was = explore.policy;
    if (explore.turns.n > 1)
        qsort(explore.turns.items, explore.turns.n, sizeof *explore.turns.items, jvm_turn_compare);
    jvm_policy_init(&explore.policy, &explore.how, explore.turns.items, explore.turns.n);
    for (size_t i = 0; i < JVM_POLICY_THREADS; i++)
        explore.policy.threads[i].nth = was.threads[i].nth;
}

static void begin(void)
{
    explore_escape_init();
    explore_set_policy();
    explore.decides = true;
    explore.began = jvm_time();
    explore.waits_for_request = explore.explorer >= 0;
    if (explore.waits_for_request)
        explore_catch_output();
    if (jvm_history == JVM_RECORDING) {
        jvm_log_event(JVM_EVENT_EXPLORE);
        jvm_log_end();
    }
    turn_on();
}

static bool has_strategy;

static bool parse_strategy(const char *text)
{
    static const char *const words[] = {
#define JVM_STRATEGY(name, word, about) word,
#include "jvm/wire/strategies.def"
#undef JVM_STRATEGY
    };
    size_t n = strcspn(text, ":");
    for (uint32_t i = 0; i < JVM_NSTRATEGIES; i++)
        if (strlen(words[i]) == n && memcmp(words[i], text, n) == 0) {
            explore.how = (jvm_explore_request){.strategy = i, .depth = 3, .steps = 1000};
            explore.how.seed = text[n] == ':' ? strtoull(text + n + 1, NULL, 10) : 0;
            return true;
        }
    return false;
}

void jvm_explore_init(void)
{
    const char *fd = getenv("EBB_EXPLORE"), *strategy = getenv("EBB_SCHEDULING");
    if (fd != NULL) {
        explore.explorer = (int)strtol(fd, NULL, 10);
        fcntl(explore.explorer, F_SETFD, FD_CLOEXEC);
        explore_inside = getenv("EBB_EXPLORE_INSIDE") != NULL; /* also before the first request */
    }
    explore.from = getenv("EBB_EXPLORE_FROM") == NULL ? NULL : ebb_strdup(getenv("EBB_EXPLORE_FROM"));
    unsetenv("EBB_EXPLORE_FROM");
    explore_check_init();
    has_strategy = strategy != NULL && parse_strategy(strategy);
    unsetenv("EBB_EXPLORE");
    unsetenv("EBB_EXPLORE_INSIDE");
    unsetenv("EBB_SCHEDULING");
    jvm_explore_waits = fd != NULL || has_strategy || jvm_is_replaying();
}

static bool is_main(const jvm_method *m)
{
    return jvm_method_is_static(m) && jvm_sym_is(m->name, "main") && jvm_sym_is(m->sig, "([Ljava/lang/String;)V");
}

static void begin_replay(void)
{
    if (jvm_log_peek(NULL) != JVM_EVENT_EXPLORE || !jvm_log_expect(JVM_EVENT_EXPLORE))
        return;
    explore.decides = false;
    turn_on();
}

void jvm_explore_calls(jvm_thread *t, const jvm_method *m)
{
    if (!is_main(m))
        return;
    jvm_explore_waits = false;
    explore.loader = m->cls->loader;
    if (!jvm_is_replaying()) {
        begin();
        return;
    }
    begin_replay();
    jvm_capture_begins(t);
}
