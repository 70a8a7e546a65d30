/* time_position_test.c - the order of positions. */
#include "unit.h"
#include "time/position.h"

static void time_comes_before_place(void **state)
{
    ebb_position early = {1, 900}, late = {2, 100};
    assert_true(ebb_position_compare(early, late) < 0);
    assert_true(ebb_position_compare(late, early) > 0);
}

static void place_orders_within_a_tick(void **state)
{
    ebb_position a = {7, UINT64_MAX - 1}, b = {7, UINT64_MAX};
    assert_true(ebb_position_compare(a, b) < 0);
    assert_int_equal(ebb_position_compare(b, b), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_comes_before_place),
        cmocka_unit_test(place_orders_within_a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
