/* Queries, against a look at everything that ever happened. */
#include "time_fake_machine.h"
#include "base/mem.h"
#include "time/queries.h"
#include "time/timeline_private.h"
#include "unit.h"

#include <string.h>

typedef struct world {
    machine *m;
    ebb_timeline *tl;
    fake_moment *trace;
    size_t n, at; /* at == n: behind the end */
    uint64_t seed;
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
    fake_options options = {.seed = seed, .loops = 4 + (unsigned)(seed % 9), .snapshot_every = 40, .tells_toucher = seed % 3 != 0};
    *w = (world){.seed = seed * 0x9e3779b97f4a7c15u + 1};
    w->trace = fake_trace(&options, &w->n);
    w->m = fake_new(&options);
    w->tl = ebb_timeline_new(w->m);
    w->tl->ticks_per_ms = 1;
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

static void assert_is_at(world *w, size_t i)
{
    if (i == w->n) {
        assert_int_equal(ebb_timeline_get_state(w->tl), EBB_TIMELINE_ENDED);
        return;
    }
    ebb_position now;
    assert_int_equal(ebb_timeline_now(w->tl, 0, &now, NULL), EBB_OK);
    assert_int_equal(now.timestamp, w->trace[i].at.timestamp);
    assert_int_equal(now.place, w->trace[i].at.place);
    assert_true(fake_hash(w->m) == w->trace[i].hash);
}

static ebb_data cell_data(int cell)
{
    return (ebb_data){.addr = (machine_addr)cell * FAKE_CELL_BYTES, .nbytes = FAKE_CELL_BYTES};
}

static uint32_t read_cell(world *w, int cell)
{
    uint32_t value;
    assert_int_equal(w->m->ops->read(w->m, 0, (machine_addr)cell * FAKE_CELL_BYTES, &value, sizeof value, NULL), EBB_OK);
    return value;
}

/* A point that has nothing to do with it: Q2. */
static machine_point_id disturb(world *w)
{
    machine_point_id id;
    machine_point p = {.kind = MACHINE_POINT_EXEC, .addr = w->trace[below(w, w->n)].at.place};
    assert_int_equal(w->m->ops->point_set(w->m, &p, &id, NULL), EBB_OK);
    return id;
}

/* ---- last write ----------------------------------------------------------------------------------- */

static ebb_status is_odd(void *self, bool *is_it, ebb_error *err)
{
    *is_it = read_cell(self, 1) % 2 == 1;
    return EBB_OK;
}

static void last_writes(void **state)
{
    for (uint64_t seed = 1; seed <= 25; seed++) {
        world w;
        begin(&w, seed);
        machine_point_id other = disturb(&w);
        for (int k = 0; k < 25; k++) {
            int cell = (int)below(&w, FAKE_CELLS);
            bool filtered = below(&w, 3) == 0;
            if (k)
                go(&w, below(&w, w.n));
            size_t expected = w.at;
            while (expected-- > 0)
                if (w.trace[expected].wrote == cell && (!filtered || w.trace[expected + 1].cells[1] % 2 == 1))
                    break;
            machine_stop stop;
            ebb_error err;
            ebb_data data = cell_data(cell);
            ebb_status status = ebb_query_last_write(w.tl, &data, filtered ? &(ebb_data_filter){&w, is_odd} : NULL, &stop, &err);
            if (expected == SIZE_MAX) {
                assert_int_equal(status, EBB_NOT_FOUND);
                assert_is_at(&w, w.at);
            } else {
                must(status, &err);
                assert_int_equal(stop.kind, MACHINE_STOP_POINT);
                assert_is_at(&w, expected);
            }
        }
        assert_int_equal(w.m->ops->point_clear(w.m, other, NULL), EBB_OK);
        end(&w);
    }
}

/* ---- values --------------------------------------------------------------------------------------- */

typedef struct found {
    world *w;
    int cell;
    EBB_VEC(uint32_t) values;
    EBB_VEC(ebb_position) positions;
    bool by_bytes; /* after the first one */
} found;

static ebb_status note_bytes(void *self, ebb_position at, ebb_value_from from, const machine_listed *hit, ebb_error *err)
{
    found *f = self;
    assert_int_equal(from, EBB_VALUE_WRITTEN);
    assert_true(hit->has_is);
    ebb_vec_push(&f->values, (uint32_t)hit->is);
    ebb_vec_push(&f->positions, at);
    return EBB_OK;
}

static ebb_status note_value(void *self, ebb_position at, ebb_value_from from, ebb_error *err)
{
    found *f = self;
    assert_int_equal(from, f->values.n == 0 ? EBB_VALUE_OLDEST : EBB_VALUE_WRITTEN);
    assert_true(!f->by_bytes || from == EBB_VALUE_OLDEST);
    ebb_vec_push(&f->values, read_cell(f->w, f->cell));
    ebb_vec_push(&f->positions, at);
    return f->values.n == 100000 ? ebb_fail(err, EBB_UNSUPPORTED, "too many") : EBB_OK;
}

static void assert_values(found *f)
{
    world *w = f->w;
    size_t k = 1;
    assert_int_equal(f->values.items[0], w->trace[0].cells[f->cell]);
    for (size_t i = 0; i < w->at && i + 1 < w->n; i++) {
        if (w->trace[i].wrote != f->cell)
            continue;
        assert_true(k < f->values.n);
        assert_int_equal(f->values.items[k], w->trace[i + 1].cells[f->cell]);
        bool is_exact = ebb_position_compare(f->positions.items[k], w->trace[i].at) == 0;
        assert_true(is_exact || ebb_position_compare(f->positions.items[k], w->trace[i + 1].at) == 0);
        k++;
    }
    assert_int_equal(k, f->values.n);
}

static void all_values(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        begin(&w, seed);
        disturb(&w);
        for (int k = 0; k < 6; k++) {
            if (k)
                go(&w, below(&w, w.n));
            found f = {.w = &w, .cell = (int)below(&w, FAKE_CELLS), .by_bytes = k % 2};
            ebb_value_visitor visitor = {.self = &f, .value = note_value, .bytes = f.by_bytes ? note_bytes : NULL};
            ebb_error err;
            ebb_data data = cell_data(f.cell);
            must(ebb_query_values(w.tl, &data, NULL, &visitor, &err), &err);
            assert_values(&f);
            assert_is_at(&w, w.at); /* Q1 */
            ebb_vec_fini(&f.values);
            ebb_vec_fini(&f.positions);
        }
        end(&w);
    }
}

/* ---- bisect --------------------------------------------------------------------------------------- */

typedef struct limit {
    world *w;
    uint64_t inputs; /* holds while fewer instructions than this were executed: monotone */
    unsigned asked;
} limit;

static ebb_status is_early(void *self, bool *holds, ebb_error *err)
{
    limit *l = self;
    ebb_position now;
    l->asked++;
    assert_int_equal(ebb_timeline_now(l->w->tl, 0, &now, NULL), EBB_OK);
    *holds = ebb_position_compare(now, l->w->trace[l->inputs].at) < 0;
    return EBB_OK;
}

static void bisections(void **state)
{
    for (uint64_t seed = 1; seed <= 25; seed++) {
        world w;
        begin(&w, seed);
        disturb(&w);
        for (int k = 0; k < 12; k++) {
            if (k)
                go(&w, below(&w, w.n));
            limit l = {.w = &w, .inputs = below(&w, w.n)};
            machine_stop stop;
            ebb_error err;
            ebb_status status = ebb_query_bisect(w.tl, &(ebb_condition){&l, is_early}, &stop, &err);
            if (w.at < w.n && l.inputs > w.at) {
                assert_int_equal(status, EBB_BAD_INPUT);
                assert_is_at(&w, w.at);
                continue;
            }
            must(status, &err);
            assert_int_equal(stop.kind, l.inputs == 0 ? MACHINE_STOP_HISTORY_START : MACHINE_STOP_POSITION);
            assert_is_at(&w, l.inputs);
            assert_in_range(l.asked, 0, 80);
        }
        end(&w);
    }
}

/* A condition that comes and goes: what is found is a moment at which it becomes false. */
static ebb_status is_even(void *self, bool *holds, ebb_error *err)
{
    *holds = read_cell(self, 2) % 2 == 0;
    return EBB_OK;
}

static void bisecting_what_comes_and_goes(void **state)
{
    unsigned n_found = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        world w;
        begin(&w, seed);
        size_t i = w.n - 1;
        while (i > 0 && w.trace[i].cells[2] % 2 == 0)
            i--;
        if (i > 0) {
            machine_stop stop;
            ebb_error err;
            go(&w, i);
            must(ebb_query_bisect(w.tl, &(ebb_condition){&w, is_even}, &stop, &err), &err);
            size_t at = 0;
            while (ebb_position_compare(w.trace[at].at, w.tl->here) != 0)
                at++;
            assert_true(at <= i && w.trace[at].cells[2] % 2 == 1 && w.trace[at - 1].cells[2] % 2 == 0);
            assert_is_at(&w, at);
            n_found++;
        }
        end(&w);
    }
    assert_true(n_found > 5);
}

/* ---- Q3 ------------------------------------------------------------------------------------------- */

static void interrupted(void **state)
{
    world w;
    begin(&w, 5);
    go(&w, w.n / 2);
    ebb_error err;
    machine_stop stop;
    found f = {.w = &w, .cell = 3};
    ebb_data data = cell_data(3), never = cell_data(100);
    fake_interrupt_after(w.m, 20);
    assert_int_equal(ebb_query_values(w.tl, &data, NULL, &(ebb_value_visitor){.self = &f, .value = note_value}, &err), EBB_INTERRUPTED);
    assert_is_at(&w, w.at);
    fake_interrupt_after(w.m, 60);
    assert_int_equal(ebb_query_last_write(w.tl, &never, NULL, &stop, &err), EBB_INTERRUPTED);
    assert_is_at(&w, w.at);
    limit l = {.w = &w, .inputs = w.n / 3};
    fake_interrupt_after(w.m, 3);
    assert_int_equal(ebb_query_bisect(w.tl, &(ebb_condition){&l, is_early}, &stop, &err), EBB_INTERRUPTED);
    assert_is_at(&w, w.at);
    ebb_vec_fini(&f.values);
    ebb_vec_fini(&f.positions);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_writes),
        cmocka_unit_test(all_values),
        cmocka_unit_test(bisections),
        cmocka_unit_test(bisecting_what_comes_and_goes),
        cmocka_unit_test(interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
