/* Looking back over longer and longer stretches (time/widen.h). */
#include "base/sizes.h"
#include "time/widen.h"
#include "unit.h"

/* One that looks for a timestamp, and can begin only at multiples of `grid`. */
typedef struct looker {
    ebb_widening w; /* first */
    uint64_t wanted, grid;
    bool begins_later; /* than asked, rather than earlier */
    uint64_t covered_from; /* all stretches so far began there */
    uint64_t n_ticks;                  /* run in all of them */
    unsigned n;
} looker;

static ebb_status look(ebb_widening *w, ebb_error *err)
{
    looker *l = (looker *)w;
    uint64_t from = w->from.timestamp / l->grid * l->grid;
    (void)err;
    if (l->begins_later && from < w->from.timestamp && from + l->grid < w->to.timestamp)
        from += l->grid;
    if (from > w->oldest.timestamp)
        w->from = (ebb_position){.timestamp = from};
    from = w->from.timestamp;
    assert_true(from >= w->oldest.timestamp);
    if (l->n++ > 0)
        assert_int_equal(w->to.timestamp, l->covered_from); /* right before the last one: nothing twice, nothing left out */
    l->covered_from = from;
    l->n_ticks += w->to.timestamp - from;
    w->is_done = l->wanted >= from && l->wanted < w->to.timestamp;
    return EBB_OK;
}

static looker look_for(uint64_t wanted, uint64_t oldest, uint64_t to, uint64_t grid, bool begins_later)
{
    looker l = {.w = {.oldest = {oldest, 0}, .to = {to, 0}, .look = look}, .wanted = wanted, .grid = grid, .begins_later = begins_later};
    assert_ok(ebb_widen(&l.w, err));
    return l;
}

static void everything_is_found(void **state)
{
    (void)state;
    static const uint64_t grids[] = {1, 7, 1000};
    for (uint64_t wanted = 100; wanted < 100000; wanted = wanted * 3 / 2)
        for (size_t i = 0; i < 3; i++)
            for (unsigned later = 0; later < 2; later++)
                assert_true(look_for(wanted, 100, 100000, grids[i], later).w.is_done);
}

/* WD1 */
static void what_is_near_is_found_at_once(void **state)
{
    (void)state;
    looker l = look_for(1000000000 - 1, 0, 1000000000, 1, false);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.n_ticks, EBB_FIRST_LOOK_BACK);
}

/* WD2 */
static void what_is_not_there_costs_little(void **state)
{
    (void)state;
    looker l = look_for(UINT64_MAX, 5, 1000000000, 1, false);
    assert_false(l.w.is_done);
    assert_true(ebb_widening_is_last(&l.w));
    assert_int_equal(l.n_ticks, 1000000000 - 5);
    assert_true(l.n < 16);
}

static void a_short_past_is_one_stretch(void **state)
{
    (void)state;
    assert_int_equal(look_for(UINT64_MAX, 10, 11, 1, false).n, 1);
    assert_int_equal(look_for(UINT64_MAX, 10, 10, 1, false).n, 1);
}

static ebb_status look_in_vain(ebb_widening *w, ebb_error *err)
{
    (void)w;
    return ebb_fail(err, EBB_INTERRUPTED, "no more");
}

static void a_failure_ends_it(void **state)
{
    (void)state;
    ebb_error err;
    ebb_widening w = {.to = {1000, 0}, .look = look_in_vain};
    assert_int_equal(ebb_widen(&w, &err), EBB_INTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_found),
        cmocka_unit_test(what_is_near_is_found_at_once),
        cmocka_unit_test(what_is_not_there_costs_little),
        cmocka_unit_test(a_short_past_is_one_stretch),
        cmocka_unit_test(a_failure_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
