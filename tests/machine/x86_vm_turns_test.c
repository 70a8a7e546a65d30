/* P1 and P2 for programs with threads and signals: every moment that is seen has a position after all those before it. */
#include "x86_test.h"

#include "base/mem.h"
#include "time/position.h"
#include "time/recording.h"
#include "x86/recorded.h"

static machine *start_in(const char *mode, bool is_recorded)
{
    char path[512];
    fixture_path("x86_turns", path, sizeof path);
    char *args[] = {path, (char *)mode, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *native = NULL;
    assert_ok(x86_native_launch(&launch, &native, err));
    machine *m = x86_vm_new(native);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    if (is_recorded)
        assert_ok(x86_vm_record(m, NULL, err));
    break_at(m, "main");
    assert_stop(run_on(m, 0, 0), "point");
    return m;
}

static machine *start(const char *mode) { return start_in(mode, false); }
static machine *start_recorded(const char *mode) { return start_in(mode, true); }

/* ---- as it was recorded ----------------------------------------------------------------------- */

typedef struct change {
    ebb_position at; /* of the thread that had the turn */
    size_t to;       /* which of the threads that came by so far got it */
} change;

typedef struct delivery {
    ebb_position at;
    size_t frame_nbytes; /* of what the kernel put on the stack */
} delivery;

typedef struct schedule {
    EBB_VEC(uint64_t) threads;
    EBB_VEC(change) switches;
    EBB_VEC(delivery) deliveries;
    uint64_t race; /* what the program saw of it */
} schedule;

/* The numbers that the system gives to threads differ from run to run: which of them it is, in the order in which they came by. */
static size_t thread_index(schedule *s, uint64_t tid)
{
    size_t i = 0;
    while (i < s->threads.n && s->threads.items[i] != tid)
        i++;
    if (i == s->threads.n)
        ebb_vec_push(&s->threads, tid);
    return i;
}

static void take_switch(schedule *s, ebb_event *e)
{
    uint64_t to = ebb_values_u64(&e->values), place = ebb_values_u64(&e->values);
    change c = {{e->timestamp, place}, thread_index(s, to)};
    ebb_vec_push(&s->switches, c);
}

static void take_signal(schedule *s, ebb_event *e)
{
    delivery d = {.at = {e->timestamp, 0}};
    size_t n_regs;
    (void)ebb_values_u64(&e->values), (void)ebb_values_u64(&e->values);
    d.at.place = ebb_values_u64(&e->values);
    (void)ebb_values_bytes(&e->values, &n_regs), (void)ebb_values_u64(&e->values);
    (void)ebb_values_bytes(&e->values, &d.frame_nbytes);
    assert_true(ebb_values_done(&e->values));
    ebb_vec_push(&s->deliveries, d);
}

static schedule read_schedule(machine *m)
{
    schedule s = {0};
    ebb_recording *in;
    ebb_event e;
    assert_ok(ebb_recording_open(x86_vm_recording(m), &in, err));
    while (ebb_recording_next(in, &e, NULL) == EBB_OK)
        if (e.kind == X86_RECORDED_SWITCH)
            take_switch(&s, &e);
        else if (e.kind == X86_RECORDED_SIGNAL)
            take_signal(&s, &e);
    ebb_recording_free(in);
    return s;
}

static void schedule_fini(schedule *s)
{
    ebb_vec_fini(&s->threads);
    ebb_vec_fini(&s->switches);
    ebb_vec_fini(&s->deliveries);
}

/* ---- a walk ----------------------------------------------------------------------------------- */

typedef struct walk {
    machine *m;
    unsigned seed;
    ebb_position last;
    size_t n_moments, n_signals, n_threads;
    machine_tid thread, mover; /* of the last stop, of the request */
    machine_stop_kind kind;    /* of the last stop */
} walk;

static unsigned dice(walk *w, unsigned sides)
{
    w->seed = w->seed * 1103515245 + 12345;
    return (w->seed >> 16) % sides;
}

static bool is_over(const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_EXITED || stop->kind == MACHINE_STOP_KILLED;
}

/* A thread on its last way, or one that ended, is nowhere. */
static bool has_place(walk *w, machine_tid tid)
{
    size_t n;
    const machine_thread *threads = w->m->ops->threads(w->m, &n);
    for (size_t i = 0; i < n; i++)
        if (threads[i].tid == tid)
            return true;
    return false;
}

/* What is told before anything moves.  A thread passes the point at which it stands only if it is the one to move (MA4). */
static bool is_same_moment(const walk *w, const machine_stop *stop)
{
    bool told_only = w->kind == MACHINE_STOP_MODULES || stop->kind == MACHINE_STOP_SIGNAL || stop->kind == MACHINE_STOP_THREAD_START ||
                     (stop->kind == MACHINE_STOP_POINT && w->mover != stop->thread);
    return told_only && stop->thread == w->thread;
}

static void look(walk *w, const machine_stop *stop, const char *how)
{
    if (is_over(stop) || stop->kind == MACHINE_STOP_THREAD_END || !has_place(w, stop->thread))
        return;
    ebb_position now = {.timestamp = w->m->ops->timestamp(w->m)};
    assert_ok(w->m->ops->place(w->m, stop->thread, &now.place, err));
    int order = ebb_position_compare(w->last, now);
    if (order > 0 || (order == 0 && !is_same_moment(w, stop)))
        fail_msg("moment %zu: %s led from %lu@0x%lx (%s, thread %lld) to %lu@0x%lx (%s, thread %lld)", w->n_moments, how,
                 w->last.timestamp, w->last.place, machine_stop_word(w->kind), (long long)w->thread,
                 now.timestamp, now.place, machine_stop_word(stop->kind), (long long)stop->thread);
    w->kind = stop->kind;
    w->last = now;
    w->n_moments++;
    w->n_signals += stop->kind == MACHINE_STOP_SIGNAL;
    w->n_threads += stop->thread != w->thread;
    w->thread = stop->thread;
}

static machine_stop move(walk *w, machine_request request, const char *how)
{
    w->mover = request.thread;
    machine_stop stop = resume(w->m, request);
    look(w, &stop, how);
    return stop;
}

static machine_tid any_thread(walk *w)
{
    size_t n;
    const machine_thread *threads = w->m->ops->threads(w->m, &n);
    return threads[dice(w, (unsigned)n)].tid;
}

/* ---- by single steps -------------------------------------------------------------------------- */

/* Steps of one thread, then of another; calls that wait let the others run. */
static machine_stop walk_by_steps(walk *w, size_t n_steps)
{
    machine_stop stop = {.kind = MACHINE_STOP_STEP};
    machine_tid thread = any_thread(w);
    for (size_t i = 0; i < n_steps && !is_over(&stop); i++) {
        if (dice(w, 40) == 0 || !has_place(w, thread))
            thread = any_thread(w);
        stop = move(w, (machine_request){.move = MACHINE_STEP, .thread = thread, .signal = stop.kind == MACHINE_STOP_SIGNAL ? stop.signal : 0},
                    "a step");
    }
    return stop;
}

/* ---- by runs to points ------------------------------------------------------------------------ */

enum { N_POINTS = 3 };

static machine_stop walk_by_runs(walk *w, size_t n_runs)
{
    static const char *const places[] = {"mark", "handled", "work", "take_part", "signal_others", "main"};
    machine_stop stop = {.kind = MACHINE_STOP_STEP};
    machine_point_id points[N_POINTS] = {break_at(w->m, "mark")};
    for (size_t i = 0; i < n_runs && !is_over(&stop); i++) {
        machine_point_id *point = &points[1 + dice(w, N_POINTS - 1)];
        if (*point)
            assert_ok(w->m->ops->point_clear(w->m, *point, err));
        uint64_t at = symbol(w->m, places[dice(w, sizeof places / sizeof *places)]);
        *point = point_at(w->m, MACHINE_POINT_EXEC, at, 0);
        stop = move(w, (machine_request){.move = MACHINE_RUN, .thread = any_thread(w), .signal = stop.kind == MACHINE_STOP_SIGNAL ? stop.signal : 0},
                    "a run");
    }
    for (size_t i = 0; i < N_POINTS && !is_over(&stop); i++)
        if (points[i])
            assert_ok(w->m->ops->point_clear(w->m, points[i], err));
    return stop;
}

/* ---- by everything ---------------------------------------------------------------------------- */

/* A step through a range, with its calls: until the thread is out of it. */
static machine_stop step_out_of_range(walk *w)
{
    machine_tid thread = any_thread(w);
    uint64_t here = reg(w->m, thread, "rip");
    return move(w, (machine_request){.move = MACHINE_STEP, .thread = thread, .lo = here - dice(w, 30), .hi = here + 1 + dice(w, 60)},
                "a step through a range");
}

static machine_stop run_to_position(walk *w)
{
    machine_request until = {.move = MACHINE_RUN, .thread = w->thread, .until = true,
                             .until_time = w->last.timestamp + 1 + dice(w, 200), .until_place = 0};
    machine_stop stop = has_place(w, w->thread) ? move(w, until, "a run to a position") : (machine_stop){.kind = MACHINE_STOP_STEP};
    if (stop.kind == MACHINE_STOP_POSITION && (w->last.timestamp < until.until_time || w->last.timestamp > until.until_time + 1))
        fail_msg("wanted time %lu, came to %lu", until.until_time, w->last.timestamp);
    return stop;
}

static machine_stop walk_by_all(walk *w, size_t n_rounds)
{
    machine_stop stop = {.kind = MACHINE_STOP_STEP};
    for (size_t i = 0; i < n_rounds && !is_over(&stop); i++)
        switch (dice(w, 5)) {
        case 0: stop = walk_by_steps(w, 30); break;
        case 1: stop = step_out_of_range(w); break;
        case 2: stop = run_to_position(w); break;
        default: stop = walk_by_runs(w, 3);
        }
    return stop;
}

/* ---- the programs ----------------------------------------------------------------------------- */

static const char *const programs[] = {"threads", "signals", "timer", "crossfire", "handing"};
enum { N_PROGRAMS = sizeof programs / sizeof *programs };

/* What is still to come is as natively. */
static void end(walk *w, machine_stop stop)
{
    w->m->ops->signal_policy(w->m, 0, UINT64_MAX);
    assert_ok(w->m->ops->event_set(w->m, MACHINE_EVENT_SYSCALL, false, err));
    assert_ok(w->m->ops->event_set(w->m, MACHINE_EVENT_THREAD_START, false, err));
    while (!is_over(&stop))
        stop = resume(w->m, (machine_request){.move = MACHINE_RUN, .thread = has_place(w, stop.thread) ? stop.thread : 0,
                                              .signal = stop.kind == MACHINE_STOP_SIGNAL ? stop.signal : 0});
    assert_exits(w->m, stop, 0);
}

/* Signals and new threads are told in every other walk. */
static walk begin(const char *program, unsigned seed)
{
    walk w = {.m = start(program), .seed = seed, .kind = MACHINE_STOP_MODULES};
    w.m->ops->signal_policy(w.m, seed % 2 ? ~(1ull << (SIGCHLD - 1)) : 0, UINT64_MAX);
    assert_ok(w.m->ops->event_set(w.m, MACHINE_EVENT_THREAD_START, seed % 2, err));
    w.thread = any_thread(&w);
    w.last = (ebb_position){w.m->ops->timestamp(w.m), reg(w.m, w.thread, "rip")};
    return w;
}

static void positions_grow_by_steps(void **state)
{
    for (unsigned i = 0; i < N_PROGRAMS; i++) {
        walk w = begin(programs[i], 1 + i);
        machine_stop stop = walk_by_steps(&w, 4000);
        assert_true(w.n_moments > 1000);
        end(&w, stop);
    }
}

static void positions_grow_by_runs(void **state)
{
    for (unsigned i = 0; i < 2 * N_PROGRAMS; i++) {
        walk w = begin(programs[i / 2], 10 + i);
        assert_ok(w.m->ops->event_set(w.m, MACHINE_EVENT_SYSCALL, i % 3 == 0, err));
        machine_stop stop = walk_by_runs(&w, 150);
        assert_true(w.n_moments > 5);
        end(&w, stop);
    }
}

static void positions_grow_however_one_moves(void **state)
{
    for (unsigned i = 0; i < 3 * N_PROGRAMS; i++) {
        walk w = begin(programs[i / 3], 100 + i);
        machine_stop stop = walk_by_all(&w, 50);
        assert_true(w.n_moments > 5);
        end(&w, stop);
    }
}

/* ---- turns by the time ------------------------------------------------------------------------ */

enum { SLICE = 500 };

/* Stops, some of them, on the way to its end: they change nothing. */
static void spin_to_end(machine *m, unsigned n_stops)
{
    break_at(m, "finished");
    machine_stop stop = {.kind = MACHINE_STOP_POSITION};
    for (unsigned i = 0; i < n_stops && stop.kind == MACHINE_STOP_POSITION; i++)
        stop = resume(m, (machine_request){.move = MACHINE_RUN, .thread = stop.thread, .until = true,
                                           .until_time = m->ops->timestamp(m) + 100 + 777 * i % 1000});
    if (stop.kind == MACHINE_STOP_POSITION)
        stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
}

static const char *program = "spin";

static schedule spin(unsigned n_stops)
{
    machine *m = start_recorded(program);
    x86_vm_set_slice(m, SLICE);
    spin_to_end(m, n_stops);
    schedule s = read_schedule(m);
    s.race = read_number(m, symbol(m, "race"), sizeof s.race);
    m->ops->free(m);
    return s;
}

static void assert_same(const schedule *a, const schedule *b)
{
    for (size_t i = 0; i < a->switches.n && i < b->switches.n; i++) {
        const change *x = &a->switches.items[i], *y = &b->switches.items[i];
        if (ebb_position_compare(x->at, y->at) != 0 || x->to != y->to)
            fail_msg("switch %zu: %lu@0x%lx to %zu, or %lu@0x%lx to %zu", i, x->at.timestamp, x->at.place, x->to, y->at.timestamp, y->at.place, y->to);
    }
    assert_int_equal(a->switches.n, b->switches.n);
    assert_int_equal(a->race, b->race);
}

static void is_scheduled_alike_twice(void)
{
    schedule first = spin(0), second = spin(0), stopped = spin(40);
    assert_true(first.switches.n >= 50);
    assert_same(&first, &second);
    assert_same(&first, &stopped);
    schedule_fini(&first);
    schedule_fini(&second);
    schedule_fini(&stopped);
}

static void a_program_is_scheduled_alike_twice(void **state)
{
    is_scheduled_alike_twice();
    program = "yielding";
    is_scheduled_alike_twice();
    program = "spin";
}

/* A turn lasts as long as it should, or to the end of a string instruction and the next tick. */
static void turns_are_as_long_as_they_should_be(void **state)
{
    schedule s = spin(0);
    size_t n_right = 0;
    for (size_t i = 1; i < s.switches.n; i++) {
        uint64_t length = s.switches.items[i].at.timestamp - s.switches.items[i - 1].at.timestamp - 1;
        assert_true(length <= SLICE + 300); /* the longest string of the program has 200 */
        n_right += length >= SLICE;
    }
    assert_true(n_right > s.switches.n / 2);
    schedule_fini(&s);
}

/* ---- where signals are delivered -------------------------------------------------------------- */

enum { MIN_DELIVERIES = 60 };

typedef struct straight_code {
    uint64_t begin, end;
} straight_code;

/* Its beginning is the target of a jump that ticks. */
static void assert_not_in_the_middle(const straight_code *code, ebb_position at, const char *what)
{
    if (at.place > code->begin && at.place < code->end)
        fail_msg("%s at %lu@0x%lx, %lu bytes into code without a tick", what, at.timestamp, at.place, at.place - code->begin);
}

static void assert_times_grow(const schedule *s)
{
    for (size_t i = 1; i < s->switches.n; i++)
        assert_true(s->switches.items[i].at.timestamp > s->switches.items[i - 1].at.timestamp);
    for (size_t i = 1; i < s->deliveries.n; i++)
        assert_true(s->deliveries.items[i].at.timestamp > s->deliveries.items[i - 1].at.timestamp);
}

static void assert_at_ticks(machine *m)
{
    straight_code code = {symbol(m, "straight_begin"), symbol(m, "straight_end")};
    schedule s = read_schedule(m);
    if (s.deliveries.n < MIN_DELIVERIES)
        fail_msg("%zu signals", s.deliveries.n);
    for (size_t i = 0; i < s.deliveries.n; i++) {
        const delivery *d = &s.deliveries.items[i];
        assert_not_in_the_middle(&code, d->at, "a signal");
        assert_true(d->frame_nbytes > 1000 && d->frame_nbytes < 100000);
    }
    for (size_t i = 0; i < s.switches.n; i++)
        assert_not_in_the_middle(&code, s.switches.items[i].at, "a switch");
    assert_times_grow(&s);
    schedule_fini(&s);
}

static void signals_are_delivered_at_ticks(void **state)
{
    machine *m = start_recorded("straight");
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    assert_at_ticks(m);
    m->ops->free(m);
}

/* Also if the user is told of each. */
static void signals_are_told_at_ticks(void **state)
{
    machine *m = start_recorded("straight");
    straight_code code = {symbol(m, "straight_begin"), symbol(m, "straight_end")};
    m->ops->signal_policy(m, UINT64_MAX, UINT64_MAX);
    break_at(m, "finished");
    machine_stop stop = run_on(m, 0, 0);
    size_t n = 0;
    for (; stop.kind == MACHINE_STOP_SIGNAL; n++) {
        assert_not_in_the_middle(&code, (ebb_position){m->ops->timestamp(m), stop.place}, "a signal is told");
        stop = run_on(m, stop.thread, stop.signal);
    }
    assert_stop(stop, "point");
    assert_true(n >= MIN_DELIVERIES);
    assert_at_ticks(m);
    m->ops->free(m);
}

/* A thread loses its turn while the kernel takes it back from a handler: the vector registers are those of the frame then. */
static void a_turn_ends_in_the_return_from_a_handler(void **state)
{
    machine *m = start_recorded("returning");
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    schedule s = read_schedule(m);
    assert_true(s.switches.n > 10);
    assert_times_grow(&s);
    schedule_fini(&s);
    m->ops->free(m);
}

/* ---- busy waiting ----------------------------------------------------------------------------- */

enum { HAND_OVERS = 2 * 6 * 200 };

/* Nobody waits busily for the clock: it takes a few ticks to hand a word over, not the millions of ten milliseconds. */
static void whoever_waits_busily_gives_the_turn_away(void **state)
{
    machine *m = start("handing");
    uint64_t began = m->ops->timestamp(m);
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    uint64_t n_ticks = m->ops->timestamp(m) - began;
    if (n_ticks > 100 * HAND_OVERS)
        fail_msg("%lu ticks", n_ticks);
    m->ops->free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(positions_grow_by_steps, x86_test_setup),
        cmocka_unit_test_setup(positions_grow_by_runs, x86_test_setup),
        cmocka_unit_test_setup(positions_grow_however_one_moves, x86_test_setup),
        cmocka_unit_test_setup(a_program_is_scheduled_alike_twice, x86_test_setup),
        cmocka_unit_test_setup(turns_are_as_long_as_they_should_be, x86_test_setup),
        cmocka_unit_test_setup(signals_are_delivered_at_ticks, x86_test_setup),
        cmocka_unit_test_setup(signals_are_told_at_ticks, x86_test_setup),
        cmocka_unit_test_setup(a_turn_ends_in_the_return_from_a_handler, x86_test_setup),
        cmocka_unit_test_setup(whoever_waits_busily_gives_the_turn_away, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
