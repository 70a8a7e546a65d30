/* Delta debugging over turns: what has to stay stays, and nothing else. */
#include "session/explore/internal.h"
#include "unit.h"

#include <stdlib.h>

typedef struct need {
    uint32_t needed[4];
    size_t n, ntests;
} need;

static bool has(const explore_turns *turns, uint32_t nth)
{
    for (size_t i = 0; i < turns->n; i++)
        if (turns->items[i].nth == nth)
            return true;
    return false;
}

static bool has_all(void *self, const explore_turns *turns)
{
    need *n = self;
    n->ntests++;
    for (size_t i = 0; i < n->n; i++)
        if (!has(turns, n->needed[i]))
            return false;
    return true;
}

static void check(size_t nturns, need n)
{
    explore_turns turns = {0};
    for (uint32_t i = 0; i < nturns; i++)
        ebb_vec_push(&turns, ((jvm_turn){.thread = 1, .nth = i}));
    explore_minimise(&turns, &(explore_test){has_all, &n});
    assert_int_equal(turns.n, n.n);
    assert_true(has_all(&n, &turns));
    for (size_t i = 1; i < turns.n; i++)
        assert_true(turns.items[i - 1].nth < turns.items[i].nth); /* in their order */
    assert_true(n.ntests < 50 + 40 * (n.n + 1));
    ebb_vec_fini(&turns);
}

static void what_is_needed_stays(void **state)
{
    check(0, (need){.n = 0});
    check(1, (need){.n = 0});
    check(1, (need){.needed = {0}, .n = 1});
    check(1000, (need){.n = 0});
    check(1000, (need){.needed = {0}, .n = 1});
    check(1000, (need){.needed = {999}, .n = 1});
    check(1000, (need){.needed = {17, 18, 500}, .n = 3});
    check(777, (need){.needed = {0, 300, 301, 776}, .n = 4});
}

static void random_needs(void **state)
{
    srand(1);
    for (int i = 0; i < 200; i++) {
        size_t nturns = 1 + (size_t)rand() % 300;
        uint32_t a = (uint32_t)((size_t)rand() % nturns), b = (uint32_t)((size_t)rand() % nturns);
        check(nturns, a == b ? (need){.needed = {a}, .n = 1} : (need){.needed = {a, b}, .n = 2});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_needed_stays), cmocka_unit_test(random_needs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
