/* Pace: when a snapshot is due, whatever the last one cost. */
#include "time/pace.h"
#include "unit.h"

enum { MS = 1000, INTERVAL = 100 * MS };

static const ebb_pace_rule rule = {.interval_ms = 100, .share = 20};

/* From now on until one is due, to the microsecond. */
static uint64_t gap_after(ebb_pace *pace, uint64_t copying_us, uint64_t pages, uint64_t now)
{
    ebb_pace_taken(pace, &(ebb_pace_cost){.copying_us = copying_us, .pages = pages}, now);
    uint64_t due = pace->due_us;
    assert_false(ebb_pace_is_due(pace, due - 1));
    assert_true(ebb_pace_is_due(pace, due));
    assert_true(ebb_pace_is_due(pace, due + 12345678));
    return due - now;
}

static void cheap_ones_come_at_the_interval(void **state)
{
    ebb_pace pace;
    ebb_pace_begin(&pace, rule, 777);
    assert_false(ebb_pace_is_due(&pace, 777 + INTERVAL - 1));
    assert_true(ebb_pace_is_due(&pace, 777 + INTERVAL));
    assert_int_equal(gap_after(&pace, 0, 0, 500000), INTERVAL); /* PC1 */
    assert_int_equal(gap_after(&pace, INTERVAL / 20, 0, 500000), INTERVAL);
}

static void dear_ones_are_put_off(void **state)
{
    ebb_pace pace;
    ebb_pace_begin(&pace, rule, 0);
    assert_int_equal(gap_after(&pace, 20 * MS, 0, 9), 20 * 20 * MS); /* PC2 */
    uint64_t by_pages = gap_after(&pace, 0, 50000, 9), by_both = gap_after(&pace, 20 * MS, 50000, 9);
    assert_true(by_pages > INTERVAL);
    assert_int_equal(by_both, by_pages + 20 * 20 * MS);
}

/* PC3 */
static void none_is_put_off_for_ever(void **state)
{
    ebb_pace pace;
    ebb_pace_begin(&pace, rule, 0);
    uint64_t most = (uint64_t)EBB_PACE_MOST_INTERVALS * INTERVAL;
    assert_int_equal(gap_after(&pace, UINT64_MAX / 2, 0, 5), most);
    assert_int_equal(gap_after(&pace, 0, UINT64_MAX / 2, 5), most);
    assert_int_equal(gap_after(&pace, most / 20, 0, 5), most);
    assert_true(gap_after(&pace, most / 20 - 1, 0, 5) < most);
}

static void cost_may_not_matter(void **state)
{
    ebb_pace pace;
    ebb_pace_begin(&pace, (ebb_pace_rule){.interval_ms = 100}, 0);
    assert_int_equal(gap_after(&pace, UINT64_MAX / 2, UINT64_MAX / 2, 5), INTERVAL);
}

static void none_is_due(void **state)
{
    ebb_pace pace;
    ebb_pace_begin(&pace, (ebb_pace_rule){0}, 0);
    assert_false(ebb_pace_is_due(&pace, 0));
    assert_false(ebb_pace_is_due(&pace, UINT64_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheap_ones_come_at_the_interval),
        cmocka_unit_test(dear_ones_are_put_off),
        cmocka_unit_test(none_is_put_off_for_ever),
        cmocka_unit_test(cost_may_not_matter),
        cmocka_unit_test(none_is_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
