/* Going back by the undo log: every state is the one that was there, however it is reached (UL1). */
#include "jvm_debuggee.h"

#include "jvm/remote/machine_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct moment {
    uint64_t time, hash;
    machine_place place;
    machine_tid thread;
} moment;

enum { MANY = 60, LOG = 64 << 20 };

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
    assert_ok(m->ops->state_hash(m, &now.hash, err));
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
    machine_stop stop;
    assert_ok(m->ops->rewind(m, to->time, to->place, &stop, &reached, err));
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
static machine *start(const char *what, moment *begin, moment *end)
{
    machine *m = dbg_start_recorded("Undo", "g", what);
    machine_snapshot_id id;
    dbg_run_to_class(m, "Undo");
    machine_point_id at_begin = dbg_break_mark(m, "Undo", "begin"), at_end = dbg_break_mark(m, "Undo", "end");
    machine_stop stop = dbg_run(m);
    *begin = moment_now(m, &stop);
    assert_ok(m->ops->snapshot_take(m, &id, err));
    stop = dbg_run(m);
    *end = moment_now(m, &stop);
    assert_ok(m->ops->point_clear(m, at_begin, err));
    assert_ok(m->ops->point_clear(m, at_end, err));
    assert_ok(m->ops->snapshot_restore(m, id, err));
    return m;
}

/* To a moment that was seen, from wherever it stands; false: the log doesn't reach it. */
static bool go_to(machine *m, const moment *to)
{
    if (to->time <= m->ops->timestamp(m) && !rewind_to(m, to))
        return false;
    expect_moment(m, to);
    return true;
}

/* Forward a little at a time, noting moments, and to and fro among them all the while.  The last part is left alone: the end of a thread
 * cuts the log. */
static void walk(const char *what)
{
    moment begin, end, seen[MANY];
    size_t n = 0;
    unsigned reached = 0, asked = 0;
    machine *m = start(what, &begin, &end);
    assert_ok(m->ops->undo_set(m, 0, LOG, err));
    uint64_t length = end.time - begin.time, step = length / MANY + 1;
    while (n < MANY && m->ops->timestamp(m) < begin.time + length / 10 * 9) {
        machine_stop stop = run_until(m, m->ops->timestamp(m) + 1 + random_below(2 * step), 0);
        assert_string_equal(machine_stop_word(stop.kind), "position");
        seen[n++] = moment_now(m, &stop);
        for (unsigned i = 0; i < 4; i++, asked++)
            reached += go_to(m, &seen[random_below(n)]);
        assert_true(go_to(m, &seen[n - 1]));
    }
    assert_true(n > MANY / 2);
    assert_true(reached > asked / 4);
    expect_moment(m, &end);
    m->ops->free(m);
    free(dbg_output());
}

static void walks(void **state)
{
    walk(*state);
}

int main(int argc, char **argv)
{
    static const char *const programs[] = {"heap", "deep", "exceptions", "monitors", "library", "spin", "ping"};
    enum { N = sizeof programs / sizeof *programs };
    struct CMUnitTest tests[N];
    const char *given = getenv("EBB_SEED");
    seed = given != NULL ? strtoull(given, NULL, 0) : 4;
    for (size_t i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){programs[i], walks, NULL, NULL, (void *)programs[i]};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
