/* Going back by the undo log: every state is the one that was there, however it is reached (UL1).
 *
 * By hand: EBB_SEED another walk, EBB_LONG all programs also with the log that they keep themselves, EBB_TELL how far logs reached,
 * EBB_STRESS_GC (heap/heap.c) with collections all the time. */
#include "jvm_debuggee.h"

#include "base/sizes.h"
#include "jvm/remote/machine_ops.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct moment {
    uint64_t time, hash;
    machine_place place;
    machine_tid thread;
} moment;

enum { MANY = 30, LOG = 64 << 20, SMALL_LOG = 1 << 17 };

typedef struct program {
    const char *main_class, *what; /* its argument */
    unsigned least;                /* per cent of the moments asked for that the log has to reach: some programs cut it all the time */
    bool live;                     /* also with the log that the program itself keeps */
} program;

static const program programs[] = {
    {"Undo", "heap", 90}, {"Undo", "deep", 90}, {"Undo", "exceptions", 90}, {"Undo", "monitors", 90}, {"Undo", "library", 25},
    {"Undo", "nested", 25}, {"Undo", "outside", 25},
    {"Undo", "spin", 25}, {"Undo", "ping", 25, true},
    {"UndoState", "basics", 90}, {"UndoState", "traces", 90}, {"UndoState", "overflows", 0}, {"UndoState", "world", 90, true}, {"UndoState", "channels", 90, true},
    {"UndoState", "zip", 0}, {"UndoState", "atomics", 90}, {"UndoState", "memory", 90, true}, {"UndoState", "sizes", 40},
    {"UndoState", "collections", 0}, {"UndoState", "reflection", 10}, {"UndoState", "classes", 0}, {"UndoState", "waits", 25},
    {"UndoState", "contend", 80}, {"UndoState", "parks", 25}, {"UndoState", "juc", 25, true},
};
enum { NPROGRAMS = sizeof programs / sizeof *programs };

static uint64_t seed;
static uint64_t random_below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static moment moment_now(machine *m, const machine_stop *stop)
{
    moment now = {.time = m->ops->timestamp(m), .thread = stop->thread};
    java_frames frames = {0};
    assert_ok(m->history->state_hash(m, &now.hash, err));
    assert_ok(jvm_remote_frames(m, stop->thread, 0, 1, &frames, err));
    now.place = frames.n > 0 ? frames.items[0].place : 0;
    ebb_vec_fini(&frames);
    return now;
}

static machine_stop run_until(machine *m, uint64_t time, machine_place place)
{
    return dbg_resume(m, (machine_request){.move = MACHINE_RUN, .until = true, .until_time = time, .until_place = place, .quiet = true});
}

static bool rewind_to(machine *m, const moment *to)
{
    bool reached = false;
    assert_ok(ebb_copies_rewind(copies_of(m), (ebb_position){to->time, to->place}, &reached, err));
    if (reached)
        assert_true(m->ops->timestamp(m) <= to->time);
    return reached;
}

/* Forward from where it stands to a moment that was seen. */
static void expect_moment(machine *m, const moment *then)
{
    machine_stop stop = {.thread = then->thread};
    if (m->ops->timestamp(m) != then->time || jvm_remote_of(m)->place != then->place)
        stop = run_until(m, then->time, then->place);
    moment now = moment_now(m, &stop);
    assert_int_equal(now.time, then->time);
    assert_int_equal(now.thread, then->thread);
    assert_int_equal(now.place, then->place);
    assert_int_equal(now.hash, then->hash);
}

/* A copy that replays from the mark "begin", in a recording that goes to "end". */
static machine *start(const program *p, moment *begin, moment *end)
{
    machine *m = dbg_start_recorded(p->main_class, "g", p->what);
    ebb_snapshot_id id;
    dbg_run_to_class(m, p->main_class);
    machine_point_id at_begin = dbg_break_mark(m, p->main_class, "begin"), at_end = dbg_break_mark(m, p->main_class, "end");
    machine_stop stop = dbg_run(m);
    *begin = moment_now(m, &stop);
    assert_ok(ebb_copies_take(copies_of(m), &id, err));
    stop = dbg_run(m);
    *end = moment_now(m, &stop);
    assert_ok(m->ops->point_clear(m, at_begin, err));
    assert_ok(m->ops->point_clear(m, at_end, err));
    assert_ok(ebb_copies_restore(copies_of(m), id, err));
    return m;
}

/* To a moment that was seen, from wherever it stands; false: the log doesn't reach it. */
static bool go_to(machine *m, const moment *to)
{
    uint64_t now = m->ops->timestamp(m);
    bool is_there = to->time == now && to->place == jvm_remote_of(m)->place;
    if (!is_there && to->time <= now && !rewind_to(m, to))
        return false;
    expect_moment(m, to);
    return true;
}

typedef struct tally {
    unsigned asked, reached;
} tally;

static void wander(machine *m, const moment *seen, size_t n, unsigned times, tally *t)
{
    for (unsigned i = 0; i < times; i++, t->asked++)
        t->reached += go_to(m, &seen[random_below(n)]);
}

static void expect_reached(const program *p, const tally *t)
{
    if (getenv("EBB_TELL") != NULL)
        printf("%s %s: the log reached %u of %u\n", p->main_class, p->what, t->reached, t->asked);
    if (getenv("EBB_STRESS_GC") == NULL && !EBB_IS_TINY) /* collections cut the log */
        assert_true(t->reached * 100 >= t->asked * p->least);
}

static moment forward(machine *m, uint64_t ticks)
{
    machine_stop stop = run_until(m, m->ops->timestamp(m) + 1 + random_below(2 * ticks), 0);
    assert_string_equal(machine_stop_word(stop.kind), "position");
    return moment_now(m, &stop);
}

/* Forward a little at a time, noting moments, and to and fro among them all the while.  The last part is left alone: the end of a thread
 * cuts the log. */
static tally walk_in(machine *m, const moment *begin, const moment *end)
{
    moment seen[MANY];
    size_t n = 0;
    tally t = {0};
    uint64_t length = end->time - begin->time;
    while (n < MANY && m->ops->timestamp(m) < begin->time + length / 10 * 9) {
        seen[n++] = forward(m, length / MANY + 1);
        wander(m, seen, n, 4, &t);
        assert_true(go_to(m, &seen[n - 1]));
    }
    assert_true(n > MANY / 2);
    return t;
}

static void finish(machine *m, const moment *end)
{
    expect_moment(m, end);
    m->ops->free(m);
    free(dbg_output());
}

static void walk(void **state)
{
    const program *p = *state;
    moment begin, end;
    machine *m = start(p, &begin, &end);
    assert_ok(m->history->undo_set(m, 0, LOG, err));
    tally t = walk_in(m, &begin, &end);
    expect_reached(p, &t);
    finish(m, &end);
}

/* The log that the program itself kept while it ran and was recorded serves a copy of it. */
static void walk_live(void **state)
{
    const program *p = *state;
    moment begin, end, seen[MANY];
    machine *m = start(p, &begin, &end); /* to know how long it takes */
    m->ops->free(m);
    free(dbg_output());
    uint64_t length = end.time - begin.time;
    m = dbg_start_recorded(p->main_class, "g", p->what);
    dbg_run_to_class(m, p->main_class);
    machine_point_id at_begin = dbg_break_mark(m, p->main_class, "begin");
    (void)dbg_run(m);
    assert_ok(m->ops->point_clear(m, at_begin, err));
    assert_ok(m->history->undo_set(m, LOG, LOG, err));
    size_t n = 0;
    while (n < MANY / 2)
        seen[n++] = forward(m, length / MANY + 1);
    tally t = {0};
    wander(m, seen, n, MANY, &t);
    expect_reached(p, &t);
    m->ops->free(m);
    free(dbg_output());
}

/* What doesn't fit is forgotten, oldest first, and the rest is as good as before. */
static void a_small_ring(void **state)
{
    static const program heap = {"Undo", "heap"};
    moment begin, end;
    machine *m = start(&heap, &begin, &end);
    assert_ok(m->history->undo_set(m, 0, SMALL_LOG, err));
    tally t = walk_in(m, &begin, &end);
    assert_true(t.reached > 0);
    assert_true(t.reached < t.asked);
    machine_history history;
    m->history->get(m, &history);
    assert_true(history.undo_nbytes <= SMALL_LOG);
    assert_true(history.undo_oldest > begin.time);
    finish(m, &end);
}

static machine *interrupted;
static void on_alarm(int signo) { interrupted->ops->interrupt(interrupted); }

/* From where no thread runs, and history ends. */
static void out_of_sleep(void **state)
{
    machine *m = dbg_start_recorded("Undo", "g", "asleep");
    ebb_snapshot_id id;
    dbg_run_to_class(m, "Undo");
    machine_point_id at = dbg_break_mark(m, "Undo", "begin");
    machine_stop stop = dbg_run(m);
    moment begin = moment_now(m, &stop);
    assert_ok(m->ops->point_clear(m, at, err));
    assert_ok(ebb_copies_take(copies_of(m), &id, err));
    interrupted = m;
    signal(SIGALRM, on_alarm);
    for (uint64_t hash = 0, last = 1; hash != last;) { /* until nothing changes any more */
        last = hash;
        ualarm(300000, 0);
        stop = dbg_run(m);
        assert_string_equal(machine_stop_word(stop.kind), "interrupted");
        assert_ok(m->history->state_hash(m, &hash, err));
    }
    moment end = moment_now(m, &stop);
    assert_ok(ebb_copies_restore(copies_of(m), id, err));
    assert_ok(m->history->undo_set(m, 0, LOG, err));
    moment half = forward(m, (end.time - begin.time) / 2);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
        moment now = moment_now(m, &stop);
        assert_int_equal(now.time, end.time);
        assert_int_equal(now.hash, end.hash);
        assert_true(go_to(m, &half));
    }
    m->ops->free(m);
    free(dbg_output());
}

/* ---- what is kept ---- */

static void only_what_was_chosen(void **state)
{
    static const program heap = {"Undo", "heap"};
    static const struct {
        const char *patterns[2], *first;
        bool reaches;
    } rows[] = {
        {{"+Undo", NULL}, NULL, true},
        {{"-java.util.*", "-java.lang.Object"}, NULL, true}, /* whose constructor does nothing */
        {{"-Undo", NULL}, NULL, false},
        {{"+Undo", "-Un*"}, NULL, false},
        {{"+java.util.*", NULL}, NULL, false},
        {{NULL}, "Undo.exceptions", false},
        {{NULL}, "Undo.heap", true},
        {{"+Undo", NULL}, "Undo.heap", true},
    };
    moment begin, end;
    machine *m = start(&heap, &begin, &end);
    size_t n;
    ebb_snapshot_id id = ebb_copies_list(copies_of(m), &n)[1].id;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t npatterns = (rows[i].patterns[0] != NULL) + (rows[i].patterns[1] != NULL);
        assert_ok(ebb_copies_restore(copies_of(m), id, err));
        assert_ok(jvm_remote_undo_choose(m, rows[i].patterns, npatterns, rows[i].first, err));
        assert_ok(m->history->undo_set(m, 0, LOG, err));
        uint64_t length = end.time - begin.time;
        machine_stop stop = run_until(m, begin.time + length / 2, 0);
        moment half = moment_now(m, &stop);
        stop = run_until(m, begin.time + length / 4 * 3, 0);
        moment later = moment_now(m, &stop);
        if (rewind_to(m, &half) != rows[i].reaches)
            fail_msg("row %zu is wrong", i);
        if (rows[i].reaches)
            expect_moment(m, &half);
        expect_moment(m, &later);
    }
    finish(m, &end);
}

/* Code that isn't logged in between: the log reaches less, but what it reaches is right. */
static void in_and_out(void **state)
{
    static const program library = {"Undo", "library"};
    moment begin, end;
    machine *m = start(&library, &begin, &end);
    const char *out = "-java.util.HashMap";
    assert_ok(jvm_remote_undo_choose(m, &out, 1, NULL, err));
    assert_ok(m->history->undo_set(m, 0, LOG, err));
    (void)walk_in(m, &begin, &end);
    finish(m, &end);
}

enum { NOTHERS = 4 }; /* tests besides */

int main(int argc, char **argv)
{
    struct CMUnitTest tests[2 * NPROGRAMS + NOTHERS] = {
        cmocka_unit_test(a_small_ring), cmocka_unit_test(out_of_sleep), cmocka_unit_test(only_what_was_chosen), cmocka_unit_test(in_and_out),
    };
    char names[2 * NPROGRAMS + NOTHERS][64];
    size_t n = NOTHERS;
    const char *given = getenv("EBB_SEED");
    seed = given != NULL ? strtoull(given, NULL, 0) : 4;
    for (size_t i = 0; i < NPROGRAMS; i++)
        for (int live = 0; live <= (programs[i].live || getenv("EBB_LONG") != NULL); live++, n++) {
            snprintf(names[n], sizeof names[n], "%s.%s%s", programs[i].main_class, programs[i].what, live ? ".live" : "");
            tests[n] = (struct CMUnitTest){names[n], live ? walk_live : walk, NULL, NULL, (void *)&programs[i]};
        }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests("undo", tests, n, NULL, NULL);
}
