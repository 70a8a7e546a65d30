/* The timeline over a machine whose whole execution is known: after every move the state has to be the one that the execution
 * had there (T1), and a move has to end exactly where a look at the whole trace says. */
#include "time_fake_machine.h"
#include "base/mem.h"
#include "time/timeline_private.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

enum { MAX_POINTS = 6 };

typedef struct walk {
    fake_options options;
    machine *m;
    ebb_timeline *tl;
    fake_moment *trace;
    size_t n;
    size_t at;   /* index of now; n: behind the end */
    size_t live; /* index of the newest state; n: behind the end */
    uint64_t seed;

    machine_point points[MAX_POINTS];
    machine_point_id ids[MAX_POINTS];
    size_t n_points;
    bool only_even; /* the judge's condition: the first cell is even */
} walk;

static uint64_t draw(walk *w)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return w->seed;
}

static size_t below(walk *w, size_t n)
{
    return (size_t)(draw(w) % n);
}

static void begin(walk *w, fake_options options)
{
    *w = (walk){.options = options, .seed = options.seed * 0x9e3779b97f4a7c15u + 1};
    w->trace = fake_trace(&options, &w->n);
    w->m = fake_new(&options);
    w->tl = ebb_timeline_new(w->m);
    w->tl->ticks_per_ms = 1 + options.seed % 3; /* what is near is small here, so that there are snapshots of all ages */
    if (options.is_recording)
        w->live = w->n;
}

static void end(walk *w)
{
    ebb_timeline_free(w->tl);
    w->m->ops->free(w->m);
    free(w->trace);
}

static const fake_options plain = {.seed = 1, .loops = 30, .snapshot_every = 50, .tells_toucher = true};

/* ---- the truth ------------------------------------------------------------------------------------ */

static bool has_exec(const walk *w, size_t i)
{
    for (size_t k = 0; k < w->n_points; k++)
        if (w->points[k].kind == MACHINE_POINT_EXEC && w->points[k].addr == w->trace[i].at.place)
            return true;
    return false;
}

static bool has_write(const walk *w, size_t i) /* by the instruction at i */
{
    for (size_t k = 0; k < w->n_points; k++)
        if (w->points[k].kind == MACHINE_POINT_WRITE && w->trace[i].wrote >= 0 &&
            (uint64_t)w->trace[i].wrote == w->points[k].addr / FAKE_CELL_BYTES)
            return true;
    return false;
}

static bool stops_at(const walk *w, size_t i)
{
    return has_exec(w, i) || (i > 0 && has_write(w, i - 1));
}

static bool is_accepted(const walk *w, size_t i)
{
    return !w->only_even || w->trace[i].cells[0] % 2 == 0;
}

/* Where a run back from w->at ends; SIZE_MAX: at the beginning of history. */
static size_t last_stop_before(const walk *w)
{
    size_t from = w->at < w->n ? w->at : w->n - 1;
    for (size_t i = from + 1; i-- > 0;) {
        if (!stops_at(w, i) || !is_accepted(w, i))
            continue;
        if (i < w->at && has_exec(w, i))
            return i;
        if (i > 0 && has_write(w, i - 1))
            return i - 1;
    }
    return SIZE_MAX;
}

/* ---- moving and comparing ------------------------------------------------------------------------- */

static void must(ebb_status status, const ebb_error *err)
{
    if (status != EBB_OK)
        fail_msg("%s", err->text);
}

static void assert_is_at(walk *w, size_t i)
{
    ebb_position now;
    ebb_error err;
    w->at = i;
    must(ebb_timeline_now(w->tl, 0, &now, &err), &err);
    assert_int_equal(now.timestamp, w->trace[i].at.timestamp);
    assert_int_equal(now.place, w->trace[i].at.place);
    assert_true(fake_hash(w->m) == w->trace[i].hash);
    bool is_live = ebb_timeline_get_state(w->tl) == EBB_TIMELINE_LIVE;
    assert_true(ebb_timeline_get_state(w->tl) == EBB_TIMELINE_REPLAYING || (is_live && w->live == i));
}

static void assert_ended(walk *w, const machine_stop *stop)
{
    assert_int_equal(stop->kind, MACHINE_STOP_EXITED);
    assert_int_equal(ebb_timeline_get_state(w->tl), EBB_TIMELINE_ENDED);
    w->at = w->live = w->n;
}

static void clear_points(walk *w)
{
    for (size_t k = 0; k < w->n_points; k++)
        assert_int_equal(w->m->ops->point_clear(w->m, w->ids[k], NULL), EBB_OK);
    w->n_points = 0;
}

static void set_point(walk *w, machine_point point)
{
    w->points[w->n_points] = point;
    assert_int_equal(w->m->ops->point_set(w->m, &point, &w->ids[w->n_points], NULL), EBB_OK);
    w->n_points++;
}

static void set_random_points(walk *w)
{
    clear_points(w);
    size_t n_places;
    const machine_place *places = fake_places(w->m, &n_places);
    for (size_t k = below(w, MAX_POINTS + 1); k > 0; k--) {
        if (below(w, 3))
            set_point(w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = places[below(w, n_places)]});
        else
            set_point(w, (machine_point){.kind = MACHINE_POINT_WRITE, .addr = FAKE_CELL_BYTES * below(w, FAKE_CELLS),
                                         .nbytes = FAKE_CELL_BYTES});
    }
    w->only_even = below(w, 2);
}

static ebb_status judge(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    walk *w = self;
    uint32_t first;
    assert_int_equal(stop->kind, MACHINE_STOP_POINT);
    assert_int_equal(w->m->ops->read(w->m, 0, 0, &first, sizeof first, err), EBB_OK);
    if (w->only_even && first % 2)
        return EBB_OK;
    for (size_t i = 0; i < stop->n_points; i++)
        for (size_t k = 0; k < w->n_points; k++)
            if (w->ids[k] == stop->points[i])
                *verdict |= w->points[k].kind != MACHINE_POINT_EXEC ? EBB_STOP_BEFORE : EBB_STOP_HERE;
    return EBB_OK;
}

static void run_back(walk *w)
{
    machine_stop stop;
    ebb_error err;
    size_t expected = last_stop_before(w);
    must(ebb_timeline_run_back(w->tl, &(ebb_judge){w, judge}, &stop, &err), &err);
    assert_int_equal(stop.kind, expected == SIZE_MAX ? MACHINE_STOP_HISTORY_START : MACHINE_STOP_POINT);
    assert_is_at(w, expected == SIZE_MAX ? 0 : expected);
}

static void step_back(walk *w)
{
    machine_stop stop;
    ebb_error err;
    machine_request request = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    must(ebb_timeline_run(w->tl, &request, &stop, &err), &err);
    assert_int_equal(stop.kind, w->at == 0 ? MACHINE_STOP_HISTORY_START : MACHINE_STOP_STEP);
    assert_is_at(w, w->at == 0 ? 0 : w->at - 1);
}

/* Forward with the points that are set, or until `until`. */
static void run_on(walk *w, size_t until)
{
    machine_stop stop;
    ebb_error err;
    bool is_live = ebb_timeline_get_state(w->tl) == EBB_TIMELINE_LIVE;
    size_t limit = is_live ? w->n : w->live, i = w->at + 1;
    machine_request request = {.move = MACHINE_RUN};
    if (until < w->n) {
        request.until = true;
        request.until_time = w->trace[until].at.timestamp;
        request.until_place = w->trace[until].at.place;
    }
    while (i < limit && i < w->n && i != until && !stops_at(w, i))
        i++;
    must(ebb_timeline_run(w->tl, &request, &stop, &err), &err);
    if (!is_live && w->at == w->live) { /* stood there in replay: told before anything moves */
        assert_int_equal(stop.kind, MACHINE_STOP_HISTORY_END);
        assert_is_at(w, w->live);
        return;
    }
    if (i >= w->n) {
        assert_ended(w, &stop);
        return;
    }
    if (is_live)
        w->live = i;
    if (stops_at(w, i))
        assert_int_equal(stop.kind, MACHINE_STOP_POINT);
    else
        assert_true(stop.kind == MACHINE_STOP_POSITION || (i == limit && stop.kind == MACHINE_STOP_HISTORY_END));
    assert_is_at(w, i);
}

static void step_on(walk *w)
{
    machine_stop stop;
    ebb_error err;
    machine_tid thread = w->trace[w->at].thread;
    machine_request request = {.move = MACHINE_STEP, .thread = thread};
    bool is_live = ebb_timeline_get_state(w->tl) == EBB_TIMELINE_LIVE;
    size_t limit = is_live ? w->n : w->live, i = w->at + 1;
    clear_points(w);
    while (i < limit && i < w->n && w->trace[i].thread != thread)
        i++;
    bool was_at_end = !is_live && w->at == w->live;
    must(ebb_timeline_run(w->tl, &request, &stop, &err), &err);
    if (was_at_end) {
        assert_int_equal(stop.kind, MACHINE_STOP_HISTORY_END);
        assert_is_at(w, w->live);
    } else if (i >= w->n) {
        assert_ended(w, &stop);
    } else {
        if (is_live)
            w->live = i;
        assert_is_at(w, i);
        assert_int_equal(stop.kind, !is_live && i == limit ? MACHINE_STOP_HISTORY_END : MACHINE_STOP_STEP);
    }
}

static void seek(walk *w, size_t i)
{
    machine_stop stop;
    ebb_error err;
    must(ebb_timeline_seek(w->tl, w->trace[i].at, &stop, &err), &err);
    assert_int_equal(stop.kind, MACHINE_STOP_POSITION);
    assert_is_at(w, i);
}

static void seek_random(walk *w)
{
    seek(w, below(w, w->live < w->n ? w->live + 1 : w->n));
}

static void seek_end(walk *w)
{
    machine_stop stop;
    ebb_error err;
    must(ebb_timeline_seek_end(w->tl, &stop, &err), &err);
    if (w->live == w->n) {
        assert_ended(w, &stop);
    } else {
        assert_int_equal(stop.kind, MACHINE_STOP_HISTORY_END);
        assert_is_at(w, w->live);
    }
}

static void seek_start(walk *w)
{
    machine_stop stop;
    ebb_error err;
    must(ebb_timeline_seek_start(w->tl, &stop, &err), &err);
    assert_int_equal(stop.kind, MACHINE_STOP_HISTORY_START);
    assert_is_at(w, 0);
}

/* ---- tests ---------------------------------------------------------------------------------------- */

static void the_trace_is_one(void **state)
{
    size_t n;
    fake_moment *trace = fake_trace(&plain, &n);
    assert_true(n > 2000);
    for (size_t i = 1; i < n; i++)
        assert_true(ebb_position_compare(trace[i - 1].at, trace[i].at) < 0); /* P1, P2 */
    free(trace);
}

static void to_the_end_and_back(void **state)
{
    walk w;
    begin(&w, plain);
    run_on(&w, SIZE_MAX);
    assert_int_equal(w.at, w.n);
    for (size_t i = 0; i < 200; i++) {
        machine_stop stop;
        ebb_error err;
        machine_request request = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
        must(ebb_timeline_run(w.tl, &request, &stop, &err), &err);
        assert_is_at(&w, w.n - 1 - i);
    }
    seek_start(&w);
    step_back(&w); /* stays */
    run_back(&w);
    run_on(&w, SIZE_MAX);
    assert_int_equal(w.at, w.n);
    end(&w);
}

static void one_random_move(walk *w)
{
    switch (below(w, 10)) {
    case 0: set_random_points(w); break;
    case 1: seek_random(w); break;
    case 2: seek_end(w); break;
    case 3: if (below(w, 10) == 0) seek_start(w); break;
    case 4: case 5: step_back(w); break;
    case 6: run_back(w); break;
    case 7:
        if (w->at < w->n && w->at + 1 < w->n)
            run_on(w, w->at + 1 + below(w, w->n / 8 < w->n - w->at - 1 ? w->n / 8 : w->n - w->at - 1));
        break;
    case 8: if (w->at < w->n) step_on(w); break;
    case 9: if (w->at < w->n && w->n_points) run_on(w, SIZE_MAX); break;
    }
}

static void random_walks(void **state)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        fake_options options = {
            .seed = seed,
            .loops = 3 + (unsigned)(seed % 20),
            .snapshot_every = 1 + (unsigned)(seed * 13 % 170),
            .tells_toucher = seed % 2,
            .is_loud = seed % 5 == 0,
            .end_comes_first = seed % 4 == 3,
            .is_recording = seed % 7 == 0,
            .undo_every = seed % 3 ? 1 + (unsigned)(seed * 7 % 40) : 0,
            .undo_keeps = 1 + (size_t)(seed * 11 % 60),
            .undo_is_cut = seed % 2,
        };
        walk w;
        begin(&w, options);
        for (int k = 0; k < 120; k++)
            one_random_move(&w);
        end(&w);
    }
}

/* SN3 where it counts: however long it runs, few snapshots stay, and moves near the end stay cheap. */
static void snapshots_stay_few(void **state)
{
    walk w;
    fake_options options = plain;
    options.loops = 3000;
    options.snapshot_every = 20;
    begin(&w, options);
    run_on(&w, w.n - 10);
    ebb_timeline_history history;
    assert_int_equal(ebb_timeline_get_history(w.tl, &history, NULL), EBB_OK);
    assert_true(w.n / options.snapshot_every > 5000);
    assert_in_range(history.n_snapshots, 2, 400);
    assert_true(history.snapshot_nbytes > 0);
    end(&w);
}

static void outside_of_history(void **state)
{
    walk w;
    begin(&w, plain);
    run_on(&w, 500);
    machine_stop stop;
    ebb_error err;
    assert_int_equal(ebb_timeline_seek(w.tl, (ebb_position){w.trace[501].at.timestamp + 20, 0}, &stop, &err), EBB_NO_HISTORY);
    assert_int_equal(ebb_timeline_seek(w.tl, (ebb_position){3, 0}, &stop, &err), EBB_NO_HISTORY);
    assert_is_at(&w, 500);
    must(ebb_timeline_seek(w.tl, (ebb_position){w.trace[0].at.timestamp, 0}, &stop, &err), &err);
    assert_is_at(&w, 0);
    end(&w);
}

/* T5 */
static void interrupted(void **state)
{
    walk w;
    machine_stop stop;
    ebb_error err;
    begin(&w, plain);
    run_on(&w, 1500);
    for (uint64_t after = 1; after < 1500; after += 101) {
        fake_interrupt_after(w.m, after);
        must(ebb_timeline_run_back(w.tl, &(ebb_judge){&w, judge}, &stop, &err), &err);
        if (stop.kind == MACHINE_STOP_HISTORY_START)
            break;
        assert_int_equal(stop.kind, MACHINE_STOP_INTERRUPTED);
        assert_is_at(&w, 1500);
        assert_int_equal(ebb_timeline_get_state(w.tl), EBB_TIMELINE_LIVE);
    }
    seek(&w, 1200);
    fake_interrupt_after(w.m, 30);
    must(ebb_timeline_run_back(w.tl, &(ebb_judge){&w, judge}, &stop, &err), &err);
    assert_int_equal(stop.kind, MACHINE_STOP_INTERRUPTED);
    assert_is_at(&w, 1200);
    seek_start(&w);
    fake_interrupt_after(w.m, 10);
    must(ebb_timeline_seek(w.tl, w.trace[45].at, &stop, &err), &err);
    assert_int_equal(stop.kind, MACHINE_STOP_INTERRUPTED);
    seek(&w, 45);
    end(&w);
}

static ebb_status bad_judge(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_INPUT, "no such variable");
}

/* T2 */
static void failures_leave_it_where_it_was(void **state)
{
    walk w;
    machine_stop stop;
    ebb_error err;
    begin(&w, plain);
    run_on(&w, 1500);
    set_point(&w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w.trace[700].at.place});
    assert_int_equal(ebb_timeline_run_back(w.tl, &(ebb_judge){&w, bad_judge}, &stop, &err), EBB_BAD_INPUT);
    assert_string_equal(err.text, "no such variable");
    assert_is_at(&w, 1500);
    fake_fail_restore(w.m, 0);
    assert_int_equal(ebb_timeline_run_back(w.tl, &(ebb_judge){&w, judge}, &stop, &err), EBB_SYSTEM);
    assert_int_equal(ebb_timeline_seek(w.tl, w.trace[10].at, &stop, &err), EBB_SYSTEM);
    assert_is_at(&w, 1500);
    fake_fail_restore(w.m, -1);
    seek(&w, 10);
    end(&w);
}

/* T2 */
static void a_broken_replay_leaves_the_newest_state(void **state)
{
    walk w;
    machine_stop stop;
    ebb_error err;
    begin(&w, plain);
    run_on(&w, 1500);
    fake_break_replay(w.m, 900);
    seek(&w, 10);
    for (int from_past = 0; from_past < 2; from_past++) {
        assert_int_equal(ebb_timeline_seek(w.tl, w.trace[1203].at, &stop, &err), EBB_SYSTEM);
        assert_string_equal(err.text, "the recording ends here");
        assert_int_equal(ebb_timeline_get_state(w.tl), EBB_TIMELINE_LIVE);
        assert_is_at(&w, 1500);
        seek(&w, 899);
    }
    fake_break_replay(w.m, 800);
    set_point(&w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w.trace[5].at.place});
    assert_int_equal(ebb_timeline_run_back(w.tl, &(ebb_judge){&w, judge}, &stop, &err), EBB_SYSTEM);
    assert_is_at(&w, 1500);
    run_on(&w, 1600);
    end(&w);
}

/* A copy can die: somebody kills it, or memory runs out.  The one before it serves as well. */
static void dead_copies_are_passed_over(void **state)
{
    walk w;
    machine_stop stop;
    ebb_error err;
    begin(&w, plain);
    run_on(&w, 1500);
    fake_kill_copies(w.m, 3);
    seek(&w, 1203);
    set_point(&w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w.trace[7].at.place});
    fake_kill_copies(w.m, 2);
    run_back(&w);
    step_back(&w);
    fake_kill_copies(w.m, 1);
    must(ebb_timeline_seek_start(w.tl, &stop, &err), &err); /* history begins later now */
    assert_int_equal(stop.kind, MACHINE_STOP_HISTORY_START);
    assert_true(w.tl->here.timestamp > w.trace[0].at.timestamp);
    seek_end(&w);
    fake_kill_copies(w.m, UINT32_MAX);
    assert_int_equal(ebb_timeline_seek(w.tl, w.trace[1203].at, &stop, &err), EBB_NOT_FOUND);
    assert_is_at(&w, 1500);
    ebb_snapshot none;
    assert_false(tl_snapshot_before(w.tl, w.trace[1203].at, true, &none)); /* those after it were not asked for */
    end(&w);
}

static void branches(void **state)
{
    walk w;
    begin(&w, plain);
    ebb_buf undone = {0};
    run_on(&w, 900);
    assert_int_equal(ebb_timeline_branch(w.tl, &undone, NULL), EBB_BAD_INPUT); /* nothing to leave */
    seek(&w, 400);
    assert_int_equal(ebb_timeline_branch(w.tl, &undone, NULL), EBB_OK);
    assert_string_equal(ebb_buf_text(&undone), "a thing\n");
    fake_options branched = plain;
    branched.branch_at = 400;
    uint64_t dropped = w.trace[600].hash;
    free(w.trace);
    w.trace = fake_trace(&branched, &w.n);
    assert_true(w.trace[600].hash != dropped);
    w.live = 400;
    assert_is_at(&w, 400);
    run_on(&w, 600);
    step_back(&w);
    seek(&w, 100);
    seek_end(&w);
    assert_int_equal(w.at, 600);
    ebb_buf_fini(&undone);
    end(&w);
}

/* Looking back over all of history replays it about once, plus the way to what was found. */
static void cost_of_looking_back(void **state)
{
    walk w;
    fake_options options = plain;
    options.loops = 1000;
    begin(&w, options);
    run_on(&w, w.n - 2);
    uint64_t before = fake_executed(w.m);
    run_back(&w); /* no points: to the beginning */
    assert_in_range(fake_executed(w.m) - before, 1, w.n + w.n / 1000);
    end(&w);
}

/* Where the log reaches, a debuggee isn't copied for a step back, nor for a look back that ends near. */
static void the_undo_log_spares_copies(void **state)
{
    walk w;
    fake_options options = plain;
    options.undo_keeps = 10000;
    uint64_t restores[2];
    for (int with_log = 0; with_log < 2; with_log++) {
        options.undo_every = with_log ? 10 : 0;
        begin(&w, options);
        w.tl->ticks_per_ms = 1000;
        run_on(&w, 1500);
        seek(&w, 1400);
        uint64_t before = fake_restores(w.m);
        for (int i = 0; i < 100; i++)
            step_back(&w);
        set_point(&w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w.trace[1290].at.place});
        run_back(&w);
        seek(&w, w.at - 20);
        restores[with_log] = fake_restores(w.m) - before;
        assert_true((fake_rewinds(w.m) > 100) == with_log);
        end(&w);
    }
    assert_true(restores[0] >= 100);
    assert_int_equal(restores[1], 0);
}

/* A live debuggee that keeps a log isn't touched when one steps back from it. */
static void back_from_live_in_the_log(void **state)
{
    walk w;
    fake_options options = plain;
    options.undo_every = 1;
    options.undo_keeps = 10000;
    begin(&w, options);
    run_on(&w, 700);
    uint64_t restores = fake_restores(w.m);
    for (size_t at = 700; at < 1000; at += 50) {
        step_back(&w);
        step_back(&w);
        assert_int_equal(ebb_timeline_get_state(w.tl), EBB_TIMELINE_REPLAYING);
        seek_end(&w);
        assert_int_equal(w.at, at);
        assert_int_equal(ebb_timeline_get_state(w.tl), EBB_TIMELINE_LIVE);
        run_on(&w, at + 50);
    }
    assert_int_equal(fake_restores(w.m), restores);
    end(&w);
}

/* From what is shown apart there is no way back, and it leaves the history as it was. */
static void apart_from_history(void **state)
{
    walk w;
    machine_stop stop;
    ebb_error err;
    machine_request back = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    begin(&w, plain);
    run_on(&w, 900);
    must(ebb_timeline_hold(w.tl, &err), &err);
    assert_int_equal(ebb_timeline_get_state(w.tl), EBB_TIMELINE_REPLAYING);
    assert_is_at(&w, 900);
    step_back(&w);
    ebb_timeline_part(w.tl);
    assert_int_equal(ebb_timeline_run(w.tl, &back, &stop, &err), EBB_NO_HISTORY);
    assert_int_equal(ebb_timeline_seek(w.tl, w.trace[3].at, &stop, &err), EBB_NO_HISTORY);
    ebb_timeline_rejoin(w.tl);
    seek(&w, 899);
    seek_end(&w);
    assert_int_equal(w.at, 900);
    assert_int_equal(ebb_timeline_get_state(w.tl), EBB_TIMELINE_LIVE);
    end(&w);
}

static uint64_t told_done, told_total;
static void progress(void *self, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    told_done = done;
    told_total = total;
}

static void progress_is_told(void **state)
{
    walk w;
    fake_options options = plain;
    options.loops = 2000;
    options.snapshot_every = 1000000000;
    begin(&w, options);
    ebb_timeline_on_progress(w.tl, progress, NULL);
    run_on(&w, w.n - 2);
    seek(&w, w.n - 100);
    assert_true(told_total > 0 && told_done == told_total);
    end(&w);
}

static void never_back(void *self, uint64_t done, uint64_t total)
{
    assert_true(done * told_total >= told_done * total);
    progress(self, done, total);
}

/* A look back takes several passes, each of which runs forward. */
static void progress_never_goes_back(void **state)
{
    walk w;
    machine_stop stop;
    ebb_error err;
    fake_options options = plain;
    options.loops = 2000;
    begin(&w, options);
    run_on(&w, w.n - 2);
    ebb_timeline_on_progress(w.tl, never_back, NULL);
    set_point(&w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w.trace[2].at.place + 12345});
    told_done = 0;
    told_total = 1;
    must(ebb_timeline_run_back(w.tl, &(ebb_judge){&w, judge}, &stop, &err), &err);
    assert_true(told_total > 1 && told_done > 0);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_is_one),
        cmocka_unit_test(to_the_end_and_back),
        cmocka_unit_test(random_walks),
        cmocka_unit_test(snapshots_stay_few),
        cmocka_unit_test(outside_of_history),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(failures_leave_it_where_it_was),
        cmocka_unit_test(a_broken_replay_leaves_the_newest_state),
        cmocka_unit_test(dead_copies_are_passed_over),
        cmocka_unit_test(branches),
        cmocka_unit_test(cost_of_looking_back),
        cmocka_unit_test(the_undo_log_spares_copies),
        cmocka_unit_test(back_from_live_in_the_log),
        cmocka_unit_test(apart_from_history),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(progress_never_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
