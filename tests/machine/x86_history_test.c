/* Native programs go back: the state at a position is the same however it was reached (time/timeline.h, T1).
 *
 * The oracle is the execution itself: it is walked forward once, live, and at many stops the position and a hash of all that the
 * program can see are noted.  Then the timeline goes to them in any order.
 *
 * Without arguments it walks through fixtures.  `x86_history_test SEED MOVES PROGRAM ARGS...` walks through any program
 * (tests/session/test_native_wander.py has a list). */
#include "x86_test.h"

#include "base/mem.h"
#include "base/sizes.h"
#include "time/copies.h"
#include "time/timeline.h"

typedef struct moment {
    ebb_position at;
    uint64_t hash;
} moment;

typedef struct walk {
    machine *m;
    ebb_timeline *tl;
    unsigned seed;
    bool has_threads;
    EBB_VEC(moment) seen;
} walk;

static unsigned dice(walk *w, unsigned sides)
{
    w->seed = w->seed * 1103515245 + 12345;
    return (w->seed >> 16) % sides;
}

/* A log that is full now and then, one that has room for all, none. */
static void set_undo(const walk *w)
{
    static const uint64_t sizes[] = {16 << 10, 4 << 20, 0, 256 << 10};
    assert_ok(w->m->history->undo_set(w->m, 0, sizes[w->seed % 4], err));
}

static walk begin(char **args, unsigned seed)
{
    x86_launch launch = {.program = args[0], .args = args};
    machine *native = NULL;
    assert_ok(x86_native_launch(&launch, &native, err));
    walk w = {.m = x86_vm_new(native), .seed = seed};
    w.m->ops->signal_policy(w.m, 0, UINT64_MAX);
    assert_ok(x86_vm_keep_history(w.m, err));
    set_undo(&w);
    w.tl = ebb_timeline_new(w.m);
    assert_true(ebb_timeline_has_history(w.tl));
    return w;
}

static void end(walk *w)
{
    ebb_vec_fini(&w->seen);
    ebb_timeline_free(w->tl);
    w->m->ops->free(w->m);
}

static moment look(walk *w)
{
    moment now;
    assert_ok(ebb_timeline_now(w->tl, 0, &now.at, err));
    assert_ok(w->m->history->state_hash(w->m, &now.hash, err));
    size_t n_threads;
    w->m->ops->threads(w->m, &n_threads);
    w->has_threads |= n_threads > 1;
    return now;
}

static machine_stop go_on(walk *w, machine_request request)
{
    machine_stop stop;
    request.thread = ebb_timeline_get_thread(w->tl);
    assert_ok(ebb_timeline_run(w->tl, &request, &stop, err));
    return stop;
}

static bool is_over(const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_EXITED || stop->kind == MACHINE_STOP_KILLED;
}

/* One that is taken while threads are inside of calls, or have just come out. */
static void snapshot(walk *w)
{
    ebb_snapshot_id id;
    assert_ok(ebb_copies_take(w->m->history->copies(w->m), &id, err));
}

/* Some hundred ticks, or a few instructions, at a time; to the end, or until there are `most` moments. */
static machine_stop walk_forward(walk *w, size_t most)
{
    machine_stop stop = {0};
    while (w->seen.n < most) {
        moment now = look(w);
        ebb_vec_push(&w->seen, now);
        if (w->has_threads && !dice(w, 4))
            snapshot(w);
        machine_request step = {.move = MACHINE_STEP};
        machine_request run = {.move = MACHINE_RUN, .until = true, .until_time = now.at.timestamp + 1 + dice(w, 4000)};
        stop = go_on(w, dice(w, 3) ? run : step);
        if (is_over(&stop))
            break;
    }
    return stop;
}

/* What the kernel writes for a call while another thread has the turn is there at once, in a copy when the caller goes on: where threads read, only
 * positions are compared. */
static bool is_same(walk *w, const moment *a, const moment *b)
{
    return ebb_position_compare(a->at, b->at) == 0 && (a->hash == b->hash || w->has_threads);
}

static void check(walk *w, const moment *wanted)
{
    moment now = look(w);
    if (!is_same(w, &now, wanted))
        fail_msg("at %lu@0x%lx with hash %lx; live it was %lu@0x%lx with hash %lx", now.at.timestamp, now.at.place, now.hash,
                 wanted->at.timestamp, wanted->at.place, wanted->hash);
}

static void seek(walk *w, const moment *to)
{
    machine_stop stop;
    assert_ok(ebb_timeline_seek(w->tl, to->at, &stop, err));
    check(w, to);
}

/* Anywhere, in any order; and from there an instruction back and forth. */
static void walk_about(walk *w, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const moment *there = &w->seen.items[dice(w, (unsigned)w->seen.n)];
        seek(w, there);
        if (there == w->seen.items || dice(w, 3))
            continue;
        machine_stop stop = go_on(w, (machine_request){.direction = MACHINE_BACKWARD, .move = MACHINE_STEP});
        moment before = look(w);
        assert_true(ebb_position_compare(before.at, there->at) < 0);
        stop = go_on(w, (machine_request){.move = MACHINE_STEP});
        (void)stop;
        seek(w, there);
        seek(w, &before);
    }
}

/* ---- from the file ---- */

/* Of what was recorded up to now. */
static walk open_file(walk *live)
{
    walk w = {.seed = live->seed, .has_threads = live->has_threads};
    assert_ok(x86_vm_open(live->m->history->recording(live->m), &w.m, err));
    w.m->ops->signal_policy(w.m, 0, UINT64_MAX);
    set_undo(&w);
    w.tl = ebb_timeline_new(w.m);
    assert_true(ebb_timeline_has_history(w.tl));
    return w;
}

/* A copy of the program and a process that was made out of the file are in the same states: threads that wait, too. */
static void compare_with_file(walk *live, unsigned n)
{
    machine_stop stop;
    walk file = open_file(live);
    uint64_t end_of_file = ebb_copies_newest(file.m->history->copies(file.m)).at.timestamp; /* as which the last timestamp that is known begins */
    for (unsigned i = 0; i < n; i++) {
        const moment *there = &live->seen.items[dice(live, (unsigned)live->seen.n)];
        if (there->at.timestamp >= end_of_file)
            continue;
        seek(live, there);
        moment in_copy = look(live);
        assert_ok(ebb_timeline_seek(file.tl, there->at, &stop, err));
        check(&(walk){.m = file.m, .tl = file.tl}, &in_copy);
    }
    end(&file);
}

/* ---- from the past on ---- */

/* Bytes that were in a pipe are not had again, as `branch` says: whoever reads them there waits for good. */
static bool may_wait_for_ever(ebb_buf *undone)
{
    return strstr(ebb_buf_text(undone), "bytes in a pipe") != NULL;
}

/* From somewhere in the first half the program runs live again: the state there is what it was, and another future is walked. */
static void branch(walk *w, size_t n_moves)
{
    ebb_error err;
    size_t at = dice(w, (unsigned)(w->seen.n + 1) / 2);
    ebb_buf undone = {0};
    seek(w, &w->seen.items[at]);
    ebb_status status = ebb_timeline_branch(w->tl, &undone, &err);
    if (status != EBB_OK) {
        print_message("no branch at %lu: %s\n", w->seen.items[at].at.timestamp, err.text);
        assert_true(status == EBB_UNSUPPORTED || at + 1 == w->seen.n);
        check(w, &w->seen.items[at]);
    } else {
        check(w, &w->seen.items[at]);
        w->seen.n = may_wait_for_ever(&undone) ? at + 1 : at;
        if (!may_wait_for_ever(&undone))
            walk_forward(w, at + 2 * n_moves);
        print_message("branched: %zu moments; %s", w->seen.n, ebb_buf_text(&undone));
    }
    ebb_buf_fini(&undone);
}

static void test_program(char **args, unsigned seed, unsigned n_moves)
{
    walk w = begin(args, seed);
    machine_stop stop = walk_forward(&w, 3 * n_moves);
    print_message("%s %s: %zu moments, %s\n", args[0], args[1] ? args[1] : "", w.seen.n, machine_stop_word(stop.kind));
    walk_about(&w, n_moves);
    compare_with_file(&w, n_moves / 2);
    for (unsigned i = 0; i < n_moves / 25; i++) {
        branch(&w, n_moves);
        walk_about(&w, n_moves / 2);
    }
    compare_with_file(&w, n_moves / 4);
    end(&w);
}

static void test(const char *fixture, const char *mode)
{
    char path[512];
    fixture_path(fixture, path, sizeof path);
    char *args[] = {path, (char *)mode, NULL};
    test_program(args, 7, 25);
}

static void test_files(void **state) { test("x86_recorded", "files"); }
static void test_clocks(void **state) { test("x86_recorded", "clocks"); }
static void test_pipes(void **state) { test("x86_recorded", "pipes"); }
static void test_maps(void **state) { test("x86_recorded", "maps"); }
static void test_children(void **state) { test("x86_recorded", "children"); }
static void test_signals(void **state) { test("x86_recorded", "signals"); }
static void test_suspended(void **state) { test("x86_recorded", "suspended"); }
static void test_strings(void **state) { test("x86_recorded", "strings"); }
static void test_stores(void **state) { test("x86_recorded", "stores"); }
static void test_threads(void **state) { test("x86_recorded", "threads"); }
static void test_turns(void **state) { test("x86_recorded", "turns"); }
static void test_busy_waits(void **state) { test("x86_turns", "handing"); }

static machine_history history_of(walk *w)
{
    machine_history now = {0};
    w->m->history->get(w->m, &now);
    return now;
}

/* Between two checkpoints what is overwritten is kept once, so a log of a megabyte reaches over many times as much: the program makes several stores a timestamp. */
static void test_overwritten(void **state)
{
    enum { LOG_BYTES = 1 << 20, FIRST = 60000, RUNS = 40, TICKS = 10000 };
    char path[512];
    fixture_path("x86_recorded", path, sizeof path);
    char *args[] = {path, "stores", NULL};
    walk w = begin(args, 1);
    assert_ok(w.m->history->undo_set(w.m, 0, LOG_BYTES, err));
    for (unsigned i = 0; i <= RUNS; i++) {
        go_on(&w, (machine_request){.move = MACHINE_RUN, .until = true, .until_time = FIRST + i * TICKS});
        moment now = look(&w);
        ebb_vec_push(&w.seen, now);
    }
    for (unsigned i = 0; i < RUNS; i++) /* the last one is live */
        seek(&w, &w.seen.items[i]);
    bool reaches = history_of(&w).undo_oldest <= w.seen.items[1].at.timestamp;
    assert_true(reaches || (unsigned)X86_UNDO_INTERVAL < (unsigned)TICKS); /* with tiny sizes there is a checkpoint every few timestamps, and each line is kept for each */
    for (unsigned i = RUNS - 1; i > 0; i--)
        seek(&w, &w.seen.items[i]);
    end(&w);
}

/* The program is stopped for snapshots all the time.  A stop for one, and a signal that comes at the same moment, are told apart: the signal is told and
 * delivered, and nobody hears of the other. */
static void test_signals_among_snapshots(void **state)
{
    char path[512];
    fixture_path("x86_recorded", path, sizeof path);
    walk w = begin((char *[]){path, "raises", NULL}, 1);
    ebb_copies_set_pace(w.m->history->copies(w.m), (ebb_pace_rule){.interval_ms = 1}, NULL, NULL);
    w.m->ops->signal_policy(w.m, UINT64_MAX, UINT64_MAX);
    machine_stop stop = run_on(w.m, 0, 0);
    while (!is_over(&stop)) {
        assert_stop(stop, "signal");
        stop = run_on(w.m, stop.thread, stop.signal);
    }
    assert_stop(stop, "exited");
    assert_int_equal(stop.exit_status, 0);
    end(&w);
}

static struct {
    unsigned seed, n_moves;
    char **args;
} chosen;

static void test_chosen(void **state)
{
    alarm(600);
    test_program(chosen.args, chosen.seed, chosen.n_moves);
}

static int walk_through(char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_chosen, x86_test_setup)};
    chosen.seed = (unsigned)atoi(argv[1]);
    chosen.n_moves = (unsigned)atoi(argv[2]);
    chosen.args = argv + 3;
    return cmocka_run_group_tests_name("wander", tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    if (argc > 3)
        return walk_through(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_files, x86_test_setup),
        cmocka_unit_test_setup(test_clocks, x86_test_setup),
        cmocka_unit_test_setup(test_pipes, x86_test_setup),
        cmocka_unit_test_setup(test_maps, x86_test_setup),
        cmocka_unit_test_setup(test_children, x86_test_setup),
        cmocka_unit_test_setup(test_signals, x86_test_setup),
        cmocka_unit_test_setup(test_signals_among_snapshots, x86_test_setup),
        cmocka_unit_test_setup(test_suspended, x86_test_setup),
        cmocka_unit_test_setup(test_strings, x86_test_setup),
        cmocka_unit_test_setup(test_stores, x86_test_setup),
        cmocka_unit_test_setup(test_overwritten, x86_test_setup),
        cmocka_unit_test_setup(test_threads, x86_test_setup),
        cmocka_unit_test_setup(test_turns, x86_test_setup),
        cmocka_unit_test_setup(test_busy_waits, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
