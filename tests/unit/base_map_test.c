/* base_map_test.c - the map against what was put into it. */
#include "unit.h"
#include "base/map.h"

#include <stdio.h>

static void finds_what_was_set(void **state)
{
    ebb_map *map = ebb_map_new();
    int one, two;
    ebb_map_set(map, "one", &one);
    ebb_map_set(map, "two", &two);
    assert_ptr_equal(ebb_map_get(map, "one"), &one);
    assert_ptr_equal(ebb_map_getn(map, "two and more", 3), &two);
    assert_null(ebb_map_get(map, "three"));
    ebb_map_free(map);
}

static void survives_growth_and_removal(void **state)
{
    enum { N = 5000 };
    static int values[N];
    ebb_map *map = ebb_map_new();
    for (uint64_t i = 0; i < N; i++)
        ebb_map_set_u64(map, i * 4096, &values[i]);
    for (uint64_t i = 0; i < N; i += 2)
        assert_true(ebb_map_remove_u64(map, i * 4096));
    assert_int_equal(ebb_map_count(map), N / 2);
    for (uint64_t i = 0; i < N; i++)
        assert_ptr_equal(ebb_map_get_u64(map, i * 4096), i % 2 ? &values[i] : NULL);
    ebb_map_free(map);
}

static void iterates_in_order_of_insertion(void **state)
{
    ebb_map *map = ebb_map_new();
    int v;
    char key[16];
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "k%d", i);
        ebb_map_set(map, key, &v);
    }
    ebb_map_remove(map, "k50");
    int expect = 0;
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(map, &at, &entry); expect++) {
        if (expect == 50)
            expect++;
        snprintf(key, sizeof key, "k%d", expect);
        assert_string_equal(entry.text, key);
    }
    assert_int_equal(expect, 100);
    ebb_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_set),
        cmocka_unit_test(survives_growth_and_removal),
        cmocka_unit_test(iterates_in_order_of_insertion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
