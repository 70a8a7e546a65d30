/* capture.c - see capture.h: counts of bytecodes, and a list of commands that grows where threads change. */
#include "jvm/explore/capture.h"

#include "base/file.h"
#include "base/map.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/prepare.h"
#include "jvm/explore/internal.h"
#include "jvm/heap/jstring.h"
#include "jvm/record/record.h"
#include "jvm/threads/monitor.h"
#include "jvm/threads/scheduler.h"
#include "jvm/jvm.h"
#include "schedule/schedule.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool jvm_capture_on;

/* How often a bytecode was executed since the last event. */
typedef struct tally {
    uint64_t event; /* number of that event: counts of others are 0 */
    uint64_t n;
} tally;

typedef struct spot { /* a bytecode of the program */
    const jvm_method *method; /* NULL: none */
    const jvm_insn *pc;
} spot;

typedef struct thread_note {
    bool is_app, is_dead;
    bool is_pooled;        /* it has executed a task of a pool */
    bool is_forked;        /* a worker of a ForkJoinPool: it ends when nothing was to do for some time, so that nobody can say when */
    bool is_ruled;         /* CAP2: what it does without the program matters */
    bool is_timer;         /* CAP6 */
    bool is_late;          /* CAP7: the schedule has its time over, for what it takes next */
    bool is_bare;          /* nothing of the program was executed in its turn, or since the last task of a pool */
    bool is_in_none;       /* it blocked with nothing of the program on its stack, or began so, and has done neither since */
    uint32_t number;
    spot last;             /* executed last, */
    const jvm_frame *last_frame; /* in that frame, which may be gone */
    spot blocked_in;       /* where its last turn ended, if it blocked there */
    const jvm_insn *again; /* it will be executed when the thread goes on, though nobody looks then */
} thread_note;

typedef struct halt { /* how the turn of a thread ended */
    sched_kind kind;       /* SCHED_BEFORE, SCHED_IN */
    bool has_event, is_none, dies, is_no_turn;
    bool is_attempt;       /* CAP5 */
    bool is_moved;         /* CAP3 */
    spot at;
    uint64_t count;
    spot last;             /* CAP4: executed last in this turn, */
    uint64_t last_count;   /* so often since the last event; 0: nothing was, or the event itself says that */
} halt;

static struct {
    char *path;
    uint64_t until_time, until_place;
    sched_schedule out;
    EBB_VEC(thread_note) threads;  /* by id */
    EBB_VEC(char *) names;         /* by number */
    bool needs_names;              /* the class library started one */
    ebb_map *tallies;              /* by address of the instruction */
    ebb_arena arena;
    uint64_t events;               /* so far */
    uint32_t current, previous;    /* ids of who has the turn, and of who had it before */
    bool is_halted;                /* it has stopped: `held` says how, and nobody else of the program has gone on yet */
    halt held;
    spot open;                     /* the last event, if nothing of the program was executed since */
    uint32_t nmoved;               /* CAP3 */
    EBB_VEC(size_t) attempts;      /* CAP5: the second events, by their numbers among the commands */
    bool asks_states;              /* the program has asked for the state of a thread */
} c;

/* ---- notes ---- */

static thread_note *note_of(uint32_t id)
{
    while (c.threads.n <= id)
        ebb_vec_push(&c.threads, ((thread_note){0}));
    return &c.threads.items[id];
}

static tally *tally_of(const jvm_insn *pc)
{
    tally *t = ebb_map_get_u64(c.tallies, (uintptr_t)pc);
    if (t == NULL) {
        t = ebb_arena_alloc(&c.arena, sizeof *t);
        *t = (tally){0};
        ebb_map_set_u64(c.tallies, (uintptr_t)pc, t);
    }
    if (t->event != c.events)
        *t = (tally){.event = c.events};
    return t;
}

static bool is_program_frame(const jvm_frame *f) { return f->kind == JVM_FRAME_JAVA && explore_is_program(f->method->cls); }

static const jvm_frame *program_frame(const jvm_thread *t)
{
    const jvm_frame *f = jvm_top_frame(t);
    while (f != NULL && !is_program_frame(f))
        f = jvm_caller_frame(f);
    return f;
}

static spot spot_of(const jvm_frame *f) { return (spot){f->method, f->pc}; }

/* After a call: where it returns to. */
static spot spot_after(const jvm_frame *f) { return (spot){f->method, f->pc + 1}; }

/* ---- commands ---- */

static sched_place place_of(spot at, char *text, size_t size)
{
    const jvm_method *m = at.method;
    char *name = jvm_class_external_name(m->cls);
    sched_place place = {.cls = ebb_arena_strdup(&c.arena, name), .offset = m->code->bci[at.pc - m->code->insns]};
    free(name);
    snprintf(text, size, "%s%s", m->name->text, m->sig->text);
    place.method = text;
    return place;
}

static void add_event(const halt *h)
{
    char method[512];
    sched_place place = {0};
    if (!h->has_event || h->is_no_turn)
        return;
    if (!h->is_none && c.open.pc == h->at.pc && c.open.pc != NULL && h->count == 1)
        return; /* it stands there already */
    if (h->last_count > 0) { /* CAP4 */
        place = place_of(h->last, method, sizeof method);
        sched_add_event(&c.out, SCHED_BEFORE, &place, h->last_count);
        place = (sched_place){0};
    }
    if (!h->is_none)
        place = place_of(h->at, method, sizeof method);
    sched_add_event(&c.out, h->kind, &place, h->count);
    if (h->is_attempt) {
        ebb_vec_push(&c.attempts, c.out.commands.n);
        sched_add_event(&c.out, h->kind, &place, 1);
    }
    c.nmoved += h->is_moved;
    c.events++;
    c.open = (spot){0};
}

static void add_turn(const halt *h, jvm_thread *to)
{
    uint32_t number = note_of(to->id)->number;
    add_event(h);
    note_of(to->id)->is_late = to->timed_out && to->state != JVM_THREAD_RUNNABLE;
    if (note_of(to->id)->is_late)
        sched_add_action(&c.out, SCHED_TIMEOUT, number);
    sched_add_action(&c.out, h->dies ? SCHED_DIE : SCHED_SWITCH, number);
    c.open = (spot){0};
}

/* CAP2: the switch to it is taken back, and who gave it the turn, or died, gives it to somebody else. */
static bool take_back_turn(halt *h)
{
    const sched_command *last = c.out.commands.n > 0 ? &c.out.commands.items[c.out.commands.n - 1] : NULL;
    if (last == NULL || (last->kind != SCHED_SWITCH && last->kind != SCHED_DIE) || last->thread != note_of(c.current)->number)
        return false;
    *h = (halt){.dies = last->kind == SCHED_DIE};
    c.out.commands.n--;
    c.current = c.previous;
    return true;
}

/* ---- how a turn ends ---- */

static bool has_run_since_event(const thread_note *note) { return note->last.pc != NULL && tally_of(note->last.pc)->n > 0; }

/* Before the last bytecode that was executed. */
static halt at_last(const thread_note *note)
{
    if (!has_run_since_event(note))
        return (halt){0};
    return (halt){.has_event = true, .kind = SCHED_BEFORE, .at = note->last, .count = tally_of(note->last.pc)->n};
}

static halt before(spot at) { return (halt){.has_event = true, .kind = SCHED_BEFORE, .at = at, .count = tally_of(at.pc)->n + 1}; }

static bool is_entering(const jvm_frame *f)
{
    return f->kind == JVM_FRAME_JAVA && (f->method->access & JVM_ACC_SYNCHRONIZED) && f->lock == NULL && f->pc == f->method->code->insns;
}

/* What stands between a lambda's caller and its body does nothing. */
static const jvm_frame *caller_past_lambdas(const jvm_frame *f)
{
    do
        f = jvm_caller_frame(f);
    while (f != NULL && f->kind == JVM_FRAME_JAVA && f->method->cls->flags & JVM_CLASS_HIDDEN);
    return f;
}

/* The frame whose monitorenter, or call of a synchronized method, waits for a monitor; NULL: it blocks otherwise. */
static const jvm_frame *frame_that_locks(const jvm_thread *t)
{
    const jvm_frame *f = jvm_top_frame(t);
    if (f == NULL || t->state != JVM_THREAD_BLOCKED || f->kind != JVM_FRAME_JAVA)
        return NULL;
    if (is_entering(f))
        f = caller_past_lambdas(f);
    else if (jvm_xop_first(jvm_insn_op(f->pc)) != JVM_X_monitorenter)
        return NULL;
    return f != NULL && is_program_frame(f) ? f : NULL;
}

static halt end_locking(thread_note *note, const jvm_frame *f)
{
    uint64_t n = tally_of(f->pc)->n;
    note->again = f->pc;
    return (halt){.has_event = true, .kind = SCHED_BEFORE, .at = spot_of(f), .count = n == 0 ? 1 : n, .is_attempt = true};
}

/* CAP4 */
static void note_last(halt *h, const thread_note *note)
{
    if (!has_run_since_event(note))
        return;
    h->last = note->last;
    h->last_count = tally_of(note->last.pc)->n;
}

static halt end_in_none(thread_note *note)
{
    halt h = {.has_event = true, .kind = SCHED_IN, .is_none = true, .count = 1, .is_no_turn = note->is_in_none && !note->is_ruled};
    note->is_ruled |= !h.is_no_turn; /* from now on it goes on when the schedule says so */
    note_last(&h, note);
    note->is_in_none = true;
    return h;
}

/* The class library calls a synchronized method of the program, whose monitor somebody has: nobody else's place says that. */
static bool enters_from_library(const jvm_thread *t)
{
    const jvm_frame *f = jvm_top_frame(t);
    return f != NULL && t->state == JVM_THREAD_BLOCKED && is_program_frame(f) && is_entering(f);
}

/* In the call of f, which may have been made before the last event: then counts since that do not tell it from a call inside of it. */
static halt end_in_call(thread_note *note, const jvm_frame *f)
{
    halt h = {.has_event = true, .kind = SCHED_IN, .at = spot_of(f), .count = 1};
    bool is_last = note->last.pc == f->pc && note->last_frame == f;
    if (!is_last)
        note_last(&h, note);
    else if (has_run_since_event(note))
        h.count = tally_of(f->pc)->n;
    h.is_no_turn = note->is_bare && note->blocked_in.pc == f->pc;
    note->blocked_in = h.at;
    return h;
}

static halt end_blocked(thread_note *note, const jvm_thread *t)
{
    const jvm_frame *locks = frame_that_locks(t);
    if (locks != NULL)
        return end_locking(note, locks);
    if (enters_from_library(t)) {
        note->is_in_none = false;
        return before(spot_of(jvm_top_frame(t)));
    }
    const jvm_frame *f = program_frame(t);
    while (f != NULL && is_entering(f))
        f = jvm_caller_frame(f);
    while (f != NULL && !is_program_frame(f))
        f = jvm_caller_frame(f);
    return f == NULL ? end_in_none(note) : end_in_call(note, f);
}

/* Also `sleep(0)`: one that sleeps can't run. */
static bool is_yield(const jvm_frame *f)
{
    const jvm_sym *name = f->method->name;
    return f->method->cls == jvm.classes.Thread && (jvm_sym_is(name, "yield") || jvm_sym_is(name, "yield0") || jvm_sym_is(name, "sleep"));
}

/* The class library yields while it waits for another thread: its call is not over. */
static bool yields_in_library(const jvm_thread *t)
{
    const jvm_frame *f = jvm_top_frame(t);
    const jvm_frame *caller = is_yield(f) ? jvm_caller_frame(f) : NULL;
    return caller != NULL && !is_program_frame(caller);
}

/* CAP3 */
static halt end_in_library(const thread_note *note, const jvm_thread *t)
{
    const jvm_frame *f = program_frame(t);
    halt h = f != NULL ? before(spot_after(f)) : at_last(note);
    h.is_no_turn = !h.has_event;
    h.is_moved = !is_yield(jvm_top_frame(t));
    return h;
}

static halt end_of_turn(jvm_thread *t)
{
    thread_note *note = note_of(t->id);
    note->again = NULL;
    if (note->is_dead && note->is_forked)
        return end_in_none(note);
    if (note->is_dead) {
        halt h = at_last(note);
        h.dies = true;
        h.is_no_turn = note->is_in_none && !note->is_pooled && !note->is_ruled;
        return h;
    }
    const jvm_frame *f = jvm_top_frame(t);
    if (!t->runnable || (f != NULL && yields_in_library(t)))
        return end_blocked(note, t);
    note->blocked_in = (spot){0};
    if (f != NULL && is_program_frame(f))
        return before(spot_of(f));
    const jvm_method *task = f == NULL ? NULL : explore_task_at(f);
    if (task != NULL && (task->code != NULL || jvm_prepare(t, (jvm_method *)(uintptr_t)task))) {
        note->is_in_none = false;
        return before((spot){task, task->code->insns});
    }
    return f == NULL ? (halt){.is_no_turn = true} : end_in_library(note, t);
}

/* ---- what happens ---- */

static void begin_turn(jvm_thread *to)
{
    thread_note *note = note_of(to->id);
    c.previous = c.current;
    c.current = to->id;
    c.is_halted = false;
    note->is_bare = true;
    if (note->again != NULL)
        tally_of(note->again)->n = 1;
}

static void add_late(const halt *h, const jvm_thread *t)
{
    add_event(h);
    note_of(t->id)->is_late = true;
    sched_add_action(&c.out, SCHED_TIMEOUT, note_of(t->id)->number);
}

/* CAP6 */
static void note_late(const halt *h, const jvm_thread *t)
{
    if (!note_of(t->id)->is_timer || !h->is_none || !t->timed_out || t->state == JVM_THREAD_RUNNABLE)
        return;
    note_of(t->id)->is_bare = true;
    add_late(h, t);
}

/* CAP7: called when it has executed such a task. */
static void note_bare_task(const jvm_thread *t)
{
    thread_note *note = note_of(t->id);
    if (note->is_bare && !note->is_late) {
        halt h = end_in_none(note);
        add_late(&h, t);
    }
    note->is_bare = true;
    note->is_late = false;
}

void jvm_capture_switch(jvm_thread *from, jvm_thread *to)
{
    if (!c.is_halted && from->id == c.current) {
        c.held = end_of_turn(from);
        c.is_halted = true;
    }
    if (!note_of(to->id)->is_app) /* CAP1 */
        return;
    if (to->id == c.current && !c.held.dies) { /* nobody else had a turn meanwhile */
        note_late(&c.held, to);
        c.is_halted = false;
        return;
    }
    if (c.held.is_no_turn)
        (void)take_back_turn(&c.held);
    if (to->id != c.current)
        add_turn(&c.held, to);
    begin_turn(to);
}

void jvm_capture_ends(const jvm_thread *t)
{
    note_of(t->id)->is_dead = true;
    if (t->id != c.current || c.is_halted || !t->attached)
        return;
    c.held = end_of_turn((jvm_thread *)t); /* the main thread: the launcher's code goes on as another one */
    c.is_halted = true;
}

void jvm_capture_notifies(const jvm_thread *t, const jvm_thread *whom)
{
    const jvm_frame *f = jvm_top_frame(t);
    if (f != NULL && f->kind == JVM_FRAME_NATIVE)
        f = jvm_caller_frame(f);
    bool is_of_class = f != NULL && f->kind == JVM_FRAME_JAVA && explore_used_class(f) != NULL; /* who waited until it was initialised is told */
    if (f == NULL || is_of_class || !is_program_frame(f) || t->id != c.current)
        return;
    halt h = before(spot_after(f));
    add_event(&h);
    c.open = h.at;
    sched_add_action(&c.out, SCHED_NOTIFY, note_of(whom->id)->number);
}

static bool is_started_by_program(const jvm_thread *starter)
{
    const jvm_frame *f = jvm_top_frame(starter);
    while (f != NULL && f->method->cls == jvm.classes.Thread)
        f = jvm_caller_frame(f);
    return f != NULL && is_program_frame(f);
}

static bool is_a(const jvm_class *cls, const char *name)
{
    while (cls != NULL && !jvm_sym_is(cls->name, name))
        cls = cls->super;
    return cls != NULL;
}

static bool is_fork_join_worker(const jvm_thread *t) { return is_a(t->object->cls, "java/util/concurrent/ForkJoinWorkerThread"); }

/* The thread that a timer, or a scheduled pool, starts. */
static bool is_timer(const jvm_thread *starter, const jvm_thread *started)
{
    bool is_scheduled = is_a(started->object->cls, "java/util/TimerThread");
    for (const jvm_frame *f = jvm_top_frame(starter); f != NULL && !is_program_frame(f); f = jvm_caller_frame(f))
        is_scheduled |= is_a(f->method->cls, "java/util/concurrent/ScheduledThreadPoolExecutor");
    return is_scheduled;
}

void jvm_capture_starts(const jvm_thread *starter, const jvm_thread *started)
{
    thread_note *note = note_of(started->id);
    bool by_library = !is_started_by_program(starter);
    *note = (thread_note){.is_app = true, .is_in_none = by_library, .is_forked = is_fork_join_worker(started), .number = (uint32_t)c.names.n};
    note->is_timer = is_timer(starter, started);
    note->is_ruled = note->is_forked || note->is_timer;
    ebb_vec_push(&c.names, jvm_string_utf8(jvm_get_ref(started->object, jvm.fields.Thread_name)));
    c.needs_names |= by_library;
}

/* ---- the end ---- */

/* Only daemons of the program are left: when the last other thread has ended, they don't go on. */
static bool leaves_daemons(void)
{
    bool any = false;
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all) {
        const thread_note *note = note_of(t->id);
        if (!note->is_app || note->is_dead)
            continue;
        if (!t->daemon)
            return false;
        any = true;
    }
    return any;
}

static void add_last(halt *h, bool nobody_goes_on)
{
    if (!h->has_event || h->is_no_turn)
        (void)take_back_turn(h); /* nothing happened in its turn */
    add_event(h);
    bool is_none = nobody_goes_on || (h->dies && leaves_daemons());
    sched_add_action(&c.out, !is_none ? SCHED_TERMINATE : h->dies ? SCHED_DIE : SCHED_SWITCH, SCHED_NONE);
}

static void write_text(ebb_buf *out)
{
    sched_schedule all = {0};
    for (uint32_t i = 1; c.needs_names && i < c.names.n; i++)
        sched_add_thread(&all, i, c.names.items[i]);
    size_t attempt = 0;
    for (size_t i = 0; i < c.out.commands.n; i++) {
        bool is_attempt = attempt < c.attempts.n && c.attempts.items[attempt] == i;
        attempt += is_attempt;
        if (!is_attempt || c.asks_states)
            sched_add(&all, &c.out.commands.items[i]);
    }
    if (c.nmoved > 0)
        ebb_buf_addf(out, "# %u switch%s inside the class library %s moved to after the call.\n", c.nmoved, c.nmoved == 1 ? "" : "es",
                     c.nmoved == 1 ? "was" : "were");
    sched_write(out, &all);
    sched_fini(&all);
}

_Noreturn static void finish(void)
{
    ebb_buf out = {0};
    write_text(&out);
    FILE *to = fopen(c.path, "w");
    bool written = to != NULL && fwrite(ebb_buf_text(&out), 1, out.n, to) == out.n;
    _exit(to != NULL && fclose(to) == 0 && written ? 0 : 1);
}

/* Threads of the program are left, and none of them can go on. */
static bool is_stuck(void)
{
    bool any = false;
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all) {
        const thread_note *note = note_of(t->id);
        if (!note->is_app || note->is_dead)
            continue;
        if (t->runnable || t->deadline_ns != INT64_MAX || t->wait_fd >= 0)
            return false;
        any |= !t->daemon;
    }
    return any;
}

/* The thread stands before f->pc. */
_Noreturn static void finish_at(jvm_thread *t, const jvm_frame *f)
{
    halt h = f != NULL && is_program_frame(f) && t->id == c.current ? before(spot_of(f)) : at_last(note_of(c.current));
    add_last(&h, false);
    finish();
}

/* There is no more of the recording. */
static void history_ends(void)
{
    jvm_thread *t = jvm_self;
    if (!jvm_capture_on) {
        fprintf(stderr, "its main was never called.\n");
        _exit(1);
    }
    bool is_here = t != NULL && t->id == c.current && !c.is_halted, is_dead = note_of(c.current)->is_dead;
    bool waits = is_here && !is_dead && !t->runnable;
    halt h = c.is_halted ? c.held : waits || (is_here && is_dead) ? end_of_turn(t) : at_last(note_of(c.current));
    bool nobody = is_stuck() || (waits && jvm_explore_on); /* some of them may wait for each other, which is what was looked for */
    add_last(&h, nobody);
    finish();
}

static bool is_end(const jvm_frame *f)
{
    uint64_t now = jvm_time();
    return now >= c.until_time && (now > c.until_time || jvm_frame_place(f) >= c.until_place);
}

/* ---- each bytecode ---- */

static bool asks_state(const jvm_frame *f)
{
    return f->method->cls == jvm.classes.Thread && f->pc == f->method->code->insns && jvm_sym_is(f->method->name, "getState");
}

/* A pool's worker has executed a task, which may be the class library's alone (CAP2). */
static bool ends_task(const jvm_frame *f)
{
    static const jvm_sym *name, *cls;
    if (name == NULL) {
        name = jvm_sym_get("afterExecute");
        cls = jvm_sym_get("java/util/concurrent/ThreadPoolExecutor");
    }
    return f->method->name == name && f->method->cls->name == cls && f->pc == f->method->code->insns;
}

/* Which task a scheduled pool executes is a question of time, not of turns. */
static void note_task(const jvm_thread *t, const jvm_frame *f)
{
    const jvm_obj *pool = f->locals[0].a;
    if (note_of(t->id)->is_timer)
        note_bare_task(t);
    if (pool->cls != f->method->cls && !explore_is_program(pool->cls))
        return;
    note_of(t->id)->is_pooled = true;
    note_of(t->id)->is_in_none = false;
}

void jvm_capture_look(jvm_thread *t, jvm_frame *f)
{
    if (is_end(f))
        finish_at(t, f);
    if (t->id != c.current)
        return;
    if (!explore_is_program(f->method->cls)) {
        c.asks_states |= asks_state(f);
        if (ends_task(f))
            note_task(t, f);
        return;
    }
    tally_of(f->pc)->n++;
    thread_note *note = note_of(t->id);
    note->last = spot_of(f);
    note->last_frame = f;
    note->is_in_none = false;
    note->is_bare = false;
    c.open = (spot){0};
}

void jvm_capture_again(const jvm_frame *f)
{
    if (!explore_is_program(f->method->cls))
        return;
    tally *t = tally_of(f->pc);
    t->n -= t->n > 0;
}

/* ---- the beginning ---- */

/* A loop that asks nothing of the outside goes on after the recording ends. */
static void end_with_recording(void)
{
    uint64_t last = jvm_log_last_timestamp();
    if (c.until_time > last)
        c.until_time = last + 1;
}

void jvm_capture_init(void)
{
    const char *path = getenv("EBB_CAPTURE"), *until = getenv("EBB_CAPTURE_UNTIL");
    if (path != NULL && jvm_is_replaying()) {
        c.path = ebb_strdup(path);
        c.until_time = until == NULL ? UINT64_MAX : strtoull(until, (char **)&until, 10);
        c.until_place = until != NULL && *until == ':' ? strtoull(until + 1, NULL, 10) : 0;
        end_with_recording();
        jvm_history_end_hook = history_ends;
    }
    unsetenv("EBB_CAPTURE");
    unsetenv("EBB_CAPTURE_UNTIL");
}

void jvm_capture_begins(const jvm_thread *main)
{
    if (c.path == NULL)
        return;
    jvm_capture_on = true;
    jvm_trace = (uint8_t)((jvm_trace & ~JVM_TRACE_KIND) | JVM_TRACE_COUNTED);
    c.tallies = ebb_map_new();
    c.events = 1;
    c.current = main->id;
    *note_of(main->id) = (thread_note){.is_app = true};
    ebb_vec_push(&c.names, ebb_strdup("main"));
}
