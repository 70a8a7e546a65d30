/* P1 and P2 for programs with threads and signals: every moment that is seen has a position after all those before it. */
#include "x86_test.h"

#include "time/position.h"

static machine *start(const char *mode)
{
    char path[512];
    fixture_path("x86_turns", path, sizeof path);
    char *args[] = {path, (char *)mode, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *native = NULL;
    assert_ok(x86_native_launch(&launch, &native, err));
    machine *m = x86_vm_new(native);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    break_at(m, "main");
    assert_stop(run_on(m, 0, 0), "point");
    return m;
}

/* ---- a walk ----------------------------------------------------------------------------------- */

typedef struct walk {
    machine *m;
    unsigned seed;
    ebb_position last;
    size_t n_moments, n_signals, n_threads;
    machine_tid thread;
    machine_stop_kind kind; /* of the last stop */
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

static void look(walk *w, const machine_stop *stop, const char *how)
{
    if (is_over(stop) || stop->kind == MACHINE_STOP_THREAD_END || !has_place(w, stop->thread))
        return;
    ebb_position now = {w->m->ops->timestamp(w->m), reg(w->m, stop->thread, "rip")};
    int order = ebb_position_compare(w->last, now);
    /* What is told before anything moves is about the same moment. */
    bool same = order == 0 && (w->kind == MACHINE_STOP_MODULES || stop->kind == MACHINE_STOP_SIGNAL || stop->kind == MACHINE_STOP_THREAD_START) && stop->thread == w->thread;
    if (order > 0 || (order == 0 && !same))
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

static const char *const programs[] = {"threads", "signals", "timer", "crossfire"};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(positions_grow_by_steps, x86_test_setup),
        cmocka_unit_test_setup(positions_grow_by_runs, x86_test_setup),
        cmocka_unit_test_setup(positions_grow_however_one_moves, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
