/* Searches: what the machine finds by itself, and what a run back makes of it, against a walk over everything that ever happened. */
#include "time_fake_machine.h"
#include "base/mem.h"
#include "time/timeline_private.h"
#include "unit.h"

enum { MAX_POINTS = 8, MAX_HITS = 100000 };

typedef struct world {
    machine *m;
    ebb_timeline *tl;
    fake_moment *trace;
    size_t n, at; /* at == n: after the end */
    uint64_t seed;

    machine_point points[MAX_POINTS];
    machine_noted noted[MAX_POINTS]; /* of the first n_noted points */
    machine_point_id ids[MAX_POINTS];
    size_t n_points, n_noted;
    bool only_even; /* the judge's condition, of which the machine knows nothing */
    size_t kept;    /* the last moment that the judge kept aside; SIZE_MAX: none */
} world;

static size_t below(world *w, size_t n)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return (size_t)(w->seed % n);
}

static void must(ebb_status status, const ebb_error *err)
{
    if (status != EBB_OK)
        fail_msg("%s", err->text);
}

static void begin(world *w, uint64_t seed)
{
    fake_options options = {
        .seed = seed,
        .loops = 4 + (unsigned)(seed % 9),
        .snapshot_every = 10 + (unsigned)(seed * 13 % 170),
        .tells_toucher = seed % 3 != 0,
        .undo_every = seed % 3 ? 1 + (unsigned)(seed * 7 % 40) : 0,
        .undo_keeps = 1 + (size_t)(seed * 11 % 60),
        .undo_is_cut = seed % 2,
    };
    *w = (world){.seed = seed * 0x9e3779b97f4a7c15u + 1};
    w->trace = fake_trace(&options, &w->n);
    w->m = fake_new(&options);
    w->tl = ebb_timeline_new(w->m);
    w->tl->ticks_per_ms = 1 + seed % 3;
    w->tl->patience = 1 + seed % 11;
    machine_stop stop;
    ebb_error err;
    must(ebb_timeline_run(w->tl, &(machine_request){.move = MACHINE_RUN}, &stop, &err), &err);
    w->at = w->n;
}

static void end(world *w)
{
    ebb_timeline_free(w->tl);
    w->m->ops->free(w->m);
    free(w->trace);
}

static void go(world *w, size_t i)
{
    machine_stop stop;
    ebb_error err;
    must(ebb_timeline_seek(w->tl, w->trace[i].at, &stop, &err), &err);
    w->at = i;
}

/* ---- points --------------------------------------------------------------------------------------- */

static void clear_points(world *w)
{
    for (size_t k = 0; k < w->n_points; k++)
        assert_int_equal(w->m->ops->point_clear(w->m, w->ids[k], NULL), EBB_OK);
    w->n_points = w->n_noted = 0;
}

static void set_point_as(world *w, machine_point point, bool is_noted, uint32_t group, machine_note as)
{
    size_t k = w->n_points++;
    w->points[k] = point;
    assert_int_equal(w->m->ops->point_set(w->m, &point, &w->ids[k], NULL), EBB_OK);
    if (is_noted)
        w->noted[w->n_noted++] = (machine_noted){w->ids[k], group, as};
}

static void set_point(world *w, machine_point point, bool is_noted, uint32_t group)
{
    set_point_as(w, point, is_noted, group, MACHINE_NOTE_HIT);
}

/* Those that are noted first. */
static void set_random_points(world *w)
{
    clear_points(w);
    const fake_moment *near = &w->trace[below(w, w->n)]; /* its frame has lines */
    for (size_t k = below(w, 5); k > 0; k--) {
        const fake_moment *of = &w->trace[below(w, w->n)];
        uint32_t group = below(w, 6) == 0 ? MACHINE_GROUP_FRESH : 1 + (uint32_t)below(w, 3);
        uint64_t frame = of->frame == near->frame || below(w, 4) == 0 ? near->frame : of->frame;
        set_point(w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = of->at.place, .frame = frame}, true, group);
    }
    for (size_t k = below(w, 4); k > 0 && w->n_points < MAX_POINTS; k--) {
        machine_note as = below(w, 2) ? MACHINE_NOTE_HIT : below(w, 3) ? MACHINE_NOTE_ASIDE : MACHINE_NOTE_NOTHING;
        if (below(w, 2))
            set_point_as(w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w->trace[below(w, w->n)].at.place}, true, 0, as);
        else
            set_point_as(w, (machine_point){.kind = MACHINE_POINT_WRITE, .addr = FAKE_CELL_BYTES * below(w, FAKE_CELLS),
                                            .nbytes = FAKE_CELL_BYTES}, true, 0, as);
    }
    if (below(w, 3) == 0 && w->n_points < MAX_POINTS)
        set_point(w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w->trace[below(w, w->n)].at.place}, false, 0);
}

/* ---- the truth ------------------------------------------------------------------------------------ */

static bool is_reached(const world *w, size_t k, size_t i)
{
    const machine_point *p = &w->points[k];
    if (p->kind == MACHINE_POINT_EXEC)
        return p->addr == w->trace[i].at.place && (!p->frame || p->frame == w->trace[i].frame);
    return i > 0 && w->trace[i - 1].wrote >= 0 && (uint64_t)w->trace[i - 1].wrote == p->addr / FAKE_CELL_BYTES;
}

typedef struct truth {
    uint64_t n_hits;
    size_t last, first, aside; /* indices; SIZE_MAX: none */
    uint32_t first_group, last_group;
    uint64_t fingerprint; /* of the indices of all hits */
} truth;

/* All that instructions from..to-1 hit, as far as it is noted. */
static truth look(const world *w, size_t from, size_t to)
{
    truth t = {.last = SIZE_MAX, .first = SIZE_MAX, .aside = SIZE_MAX};
    for (size_t i = from; i <= to && i < w->n; i++) {
        bool counts = false;
        for (size_t k = 0; k < w->n_noted; k++) {
            bool is_exec = w->points[k].kind == MACHINE_POINT_EXEC;
            uint32_t group = w->noted[k].group;
            if ((is_exec ? i == to : i == from) || !is_reached(w, k, i))
                continue;
            if (w->noted[k].as == MACHINE_NOTE_ASIDE)
                t.aside = i;
            if (w->noted[k].as != MACHINE_NOTE_HIT)
                continue;
            counts |= group == MACHINE_UNGROUPED || group == MACHINE_GROUP_FRESH || (t.last_group && t.last_group != group);
            if (group != MACHINE_UNGROUPED && group != MACHINE_GROUP_FRESH && !t.last_group) {
                t.first = i;
                t.first_group = group;
            }
            if (group != MACHINE_UNGROUPED)
                t.last_group = group;
        }
        if (counts) {
            t.n_hits++;
            t.last = i;
            t.fingerprint = t.fingerprint * 31 + i;
        }
    }
    return t;
}

static size_t index_of(const world *w, uint64_t time, machine_place place)
{
    size_t i = 0;
    while (i < w->n && ebb_position_compare(w->trace[i].at, (ebb_position){time, place}) != 0)
        i++;
    assert_true(i < w->n);
    return i;
}

/* ---- the machine by itself ------------------------------------------------------------------------ */

static void assert_found(const world *w, const truth *t, const machine_found *f)
{
    assert_int_equal(f->n_hits, t->n_hits);
    assert_int_equal(f->has_first, t->first != SIZE_MAX);
    assert_int_equal(f->last_group, t->last_group);
    if (f->n_hits)
        assert_int_equal(index_of(w, f->last_time, f->last.place), t->last);
    assert_int_equal(f->has_aside, t->aside != SIZE_MAX);
    if (f->has_aside)
        assert_int_equal(index_of(w, f->aside_time, f->aside.place), t->aside);
    if (f->has_first) {
        assert_int_equal(index_of(w, f->first_time, f->first.place), t->first);
        assert_int_equal(f->first_group, t->first_group);
    }
}

static machine_found search(world *w, size_t to, size_t n_listed)
{
    machine_found found;
    ebb_error err;
    machine_search s = {.until_time = w->trace[to].at.timestamp, .until_place = w->trace[to].at.place, .noted = w->noted,
                        .n_noted = w->n_noted, .n_listed = n_listed};
    must(tl_search(w->tl, &s, &found, &err), &err);
    return found;
}

static void what_a_search_finds(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        begin(&w, seed);
        for (int k = 0; k < 25; k++) {
            size_t from = below(&w, w.n - 1), to = from + 1 + below(&w, w.n - from - 1);
            set_random_points(&w);
            go(&w, from);
            if (ebb_timeline_get_state(w.tl) != EBB_TIMELINE_REPLAYING)
                continue;
            machine_found found = search(&w, to, 0);
            size_t end = index_of(&w, w.m->ops->timestamp(w.m), found.end.place);
            assert_int_equal(found.end.kind, end == to && found.end.n_points == 0 ? MACHINE_STOP_POSITION : MACHINE_STOP_POINT);
            if (found.end.kind == MACHINE_STOP_POINT) {
                assert_int_equal(found.end.points[0], w.ids[w.n_points - 1]); /* SR4 */
                assert_int_equal(w.n_points, w.n_noted + 1);
            }
            for (size_t i = from + 1; i < end && w.n_points > w.n_noted; i++)
                assert_false(is_reached(&w, w.n_points - 1, i));
            if (found.end.kind == MACHINE_STOP_POINT && end < to)
                continue; /* what is noted at the same moment is noted already */
            truth t = look(&w, from, to);
            assert_found(&w, &t, &found);
            go(&w, from);
        }
        end(&w);
    }
}

/* A list that is full ends the search; going on finds the rest, each hit once (SR2). */
static void lists_in_pieces(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        begin(&w, seed);
        for (int k = 0; k < 10; k++) {
            size_t from = below(&w, w.n - 1), to = from + 1 + below(&w, w.n - from - 1), room = 1 + below(&w, 20);
            int cell = (int)below(&w, FAKE_CELLS);
            clear_points(&w);
            set_point(&w, (machine_point){.kind = MACHINE_POINT_WRITE, .addr = FAKE_CELL_BYTES * (uint64_t)cell, .nbytes = FAKE_CELL_BYTES}, true, 0);
            go(&w, from);
            truth t = look(&w, from, to);
            uint64_t n = 0, fingerprint = 0;
            for (size_t at = from; at < to;) {
                machine_found found = search(&w, to, room);
                assert_true(found.n_listed <= room && found.n_listed == found.n_hits);
                for (size_t i = 0; i < found.n_listed; i++, n++) {
                    size_t index = index_of(&w, found.listed[i].time, found.listed[i].place);
                    fingerprint = fingerprint * 31 + index;
                    assert_true(found.listed[i].has_is && found.listed[i].is == w.trace[index].cells[cell]);
                }
                at = index_of(&w, w.m->ops->timestamp(w.m), found.end.place);
                assert_true(at == to || found.n_listed == room);
            }
            assert_int_equal(n, t.n_hits);
            assert_true(fingerprint == t.fingerprint);
        }
        end(&w);
    }
}

/* ---- a run back ----------------------------------------------------------------------------------- */

static machine_note noted_as(const world *w, size_t k)
{
    return k < w->n_noted ? w->noted[k].as : MACHINE_NOTE_HIT;
}

static unsigned verdict_of(const world *w, size_t k, bool is_even)
{
    bool is_grouped = k < w->n_noted && w->noted[k].group;
    if ((w->only_even && !is_even && !is_grouped) || noted_as(w, k) == MACHINE_NOTE_NOTHING)
        return EBB_PASS;
    if (noted_as(w, k) == MACHINE_NOTE_ASIDE)
        return EBB_STOP_ASIDE;
    return w->points[k].kind == MACHINE_POINT_EXEC ? EBB_STOP_HERE : EBB_STOP_BEFORE;
}

static bool is_at_or_after(const world *w, size_t i)
{
    return w->kept == SIZE_MAX || i >= w->kept;
}

static ebb_status judge(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    world *w = self;
    uint32_t first;
    assert_int_equal(w->m->ops->read(w->m, 0, 0, &first, sizeof first, err), EBB_OK);
    size_t here = index_of(w, w->m->ops->timestamp(w->m), stop->place);
    for (size_t i = 0; i < stop->n_points; i++)
        for (size_t k = 0; k < w->n_points; k++) {
            unsigned own = w->ids[k] == stop->points[i] ? verdict_of(w, k, first % 2 == 0) : EBB_PASS;
            bool counts = here < w->at || w->points[k].kind != MACHINE_POINT_EXEC;
            *verdict |= own;
            if (own == EBB_STOP_ASIDE && counts && is_at_or_after(w, here))
                w->kept = here;
        }
    return EBB_OK;
}

static bool is_accepted(const world *w, size_t i)
{
    return !w->only_even || w->trace[i].cells[0] % 2 == 0;
}

/* Where it ends; SIZE_MAX: at the beginning.  *aside: the last hit that is to be kept, if that is not before the one that ends it. */
static size_t last_before(const world *w, size_t *aside)
{
    size_t best = SIZE_MAX, found = 0;
    *aside = SIZE_MAX;
    uint32_t last = MACHINE_UNGROUPED;
    for (size_t i = 0; i <= w->at && i < w->n; i++) {
        bool here = false, before = false;
        for (size_t k = 0; k < w->n_points; k++) {
            bool is_exec = w->points[k].kind == MACHINE_POINT_EXEC;
            uint32_t group = k < w->n_noted ? w->noted[k].group : MACHINE_UNGROUPED;
            if (!is_reached(w, k, i) || (is_exec && i == w->at))
                continue;
            if (noted_as(w, k) == MACHINE_NOTE_ASIDE && is_accepted(w, i))
                *aside = i;
            if (noted_as(w, k) != MACHINE_NOTE_HIT)
                continue;
            bool counts = group == MACHINE_UNGROUPED || group == MACHINE_GROUP_FRESH || group != last;
            counts &= group != MACHINE_UNGROUPED || is_accepted(w, i);
            here |= is_exec && counts;
            before |= !is_exec && counts;
            last = group ? group : last;
        }
        if (here || before) {
            best = here ? i : i - 1;
            found = i;
        }
    }
    if (*aside != SIZE_MAX && *aside < found)
        *aside = SIZE_MAX;
    return best;
}

static void run_back(world *w)
{
    machine_stop stop;
    ebb_error err;
    ebb_judge how = {.self = w, .accept = judge, .noted = w->noted, .n_noted = w->n_noted, .notes_all = w->seed % 2};
    size_t aside, expected = last_before(w, &aside);
    w->kept = SIZE_MAX;
    must(ebb_timeline_run_back(w->tl, &how, &stop, &err), &err);
    assert_int_equal(stop.kind, expected == SIZE_MAX ? MACHINE_STOP_HISTORY_START : MACHINE_STOP_POINT);
    if (aside != SIZE_MAX)
        assert_int_equal(w->kept, aside);
    w->at = expected == SIZE_MAX ? 0 : expected;
    ebb_position now;
    must(ebb_timeline_now(w->tl, 0, &now, &err), &err);
    assert_int_equal(now.timestamp, w->trace[w->at].at.timestamp);
    assert_int_equal(now.place, w->trace[w->at].at.place);
    assert_true(fake_hash(w->m) == w->trace[w->at].hash);
}

static void back_to_the_last_hit(void **state)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        world w;
        begin(&w, seed);
        for (int k = 0; k < 25; k++) {
            set_random_points(&w);
            go(&w, below(&w, w.n));
            for (int again = 0; again < 4 && w.at > 0; again++)
                run_back(&w);
        }
        end(&w);
    }
}

/* Whoever asked knows better: then every hit without a group is judged. */
static void back_where_the_machine_said_too_much(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        begin(&w, seed);
        w.only_even = true;
        for (int k = 0; k < 15; k++) {
            set_random_points(&w);
            go(&w, below(&w, w.n));
            run_back(&w);
        }
        end(&w);
    }
}

/* A loop whose turns are all of one group costs few requests, and little more than its length. */
static void a_group_costs_nothing(void **state)
{
    world w = {0};
    fake_options options = {.seed = 3, .loops = 4000, .snapshot_every = 5000, .tells_toucher = true};
    w.trace = fake_trace(&options, &w.n);
    w.m = fake_new(&options);
    w.tl = ebb_timeline_new(w.m);
    w.tl->ticks_per_ms = 50;
    machine_stop stop;
    ebb_error err;
    must(ebb_timeline_run(w.tl, &(machine_request){.move = MACHINE_RUN}, &stop, &err), &err);
    w.at = w.n;
    size_t most = 0, of = 0;
    for (size_t i = 0; i < 400; i++) { /* a place that is reached often */
        size_t n = 0;
        for (size_t k = 0; k < w.n; k++)
            n += w.trace[k].at.place == w.trace[i].at.place && w.trace[k].frame == w.trace[i].frame;
        if (n > most) {
            most = n;
            of = i;
        }
    }
    assert_true(most > 3000);
    set_point(&w, (machine_point){.kind = MACHINE_POINT_EXEC, .addr = w.trace[of].at.place, .frame = w.trace[of].frame}, true, 1);
    uint64_t cost = fake_executed(w.m), searches = fake_searches(w.m);
    run_back(&w);
    assert_true(fake_executed(w.m) - cost < w.n + w.n / 2);
    assert_true(fake_searches(w.m) - searches < 100);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_search_finds),
        cmocka_unit_test(lists_in_pieces),
        cmocka_unit_test(back_to_the_last_hit),
        cmocka_unit_test(back_where_the_machine_said_too_much),
        cmocka_unit_test(a_group_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
