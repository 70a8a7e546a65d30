/* Thinning: gaps stay in proportion to age, and the number logarithmic. */
#include "base/mem.h"
#include "time/snapshots.h"
#include "unit.h"

#include <string.h>

typedef struct pile {
    ebb_snapshot items[4096];
    size_t n, most;
} pile;

static void thin(pile *p, const ebb_thinning *how)
{
    bool drop[4096];
    ebb_snapshots_thin(p->items, p->n, how, drop);
    size_t kept = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!drop[i])
            p->items[kept++] = p->items[i];
    p->n = kept;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void assert_gaps(const pile *p, const ebb_thinning *how, uint64_t step)
{
    for (size_t i = 1; i < p->n; i++) {
        uint64_t at = p->items[i].at.timestamp, gap = at - p->items[i - 1].at.timestamp;
        uint64_t age = distance(how->newest, at) < distance(how->now, at) ? distance(how->newest, at) : distance(how->now, at);
        uint64_t allowed = (age + gap) / EBB_SNAPSHOT_DENSITY;
        assert_true(gap <= step || gap <= allowed || gap <= how->smallest_gap);
    }
}

/* Taken one by one as time passes, thinned each time. */
static void gaps_and_numbers(void **state)
{
    for (uint64_t step = 1; step <= 1000; step *= 10) {
        pile p = {0};
        for (uint64_t t = 0; t < 200000 * step; t += step) {
            p.items[p.n++] = (ebb_snapshot){.at.timestamp = t};
            ebb_thinning how = {.newest = t, .now = t, .smallest_gap = step};
            thin(&p, &how);
            if (p.n > p.most)
                p.most = p.n;
            if (t % (1000 * step) == 0)
                assert_gaps(&p, &how, step);
        }
        assert_int_equal(p.items[0].at.timestamp, 0); /* SN2 */
        assert_in_range(p.most, 20, 4 * EBB_SNAPSHOT_DENSITY * 18); /* SN3: 2^18 > 200000 */
    }
}

/* Somebody who looks at the middle keeps what is around it. */
static void two_anchors(void **state)
{
    pile p = {0};
    for (uint64_t t = 0; t < 4000; t++)
        p.items[p.n++] = (ebb_snapshot){.at.timestamp = t * 10};
    ebb_thinning how = {.newest = 40000, .now = 15000, .smallest_gap = 10};
    thin(&p, &how);
    assert_gaps(&p, &how, 10);
    assert_in_range(p.n, 20, 300);
    unsigned near_now = 0, far = 0;
    for (size_t i = 0; i < p.n; i++) {
        near_now += distance(p.items[i].at.timestamp, 15000) < 300;
        far += distance(p.items[i].at.timestamp, 27000) < 300;
    }
    assert_true(near_now > 8 && far <= 2);
}

static void few_stay(void **state)
{
    ebb_snapshot s[2] = {{.at.timestamp = 5}, {.at.timestamp = 5}};
    ebb_thinning how = {.newest = 1000000, .now = 1000000, .smallest_gap = 1000};
    bool drop[2] = {true, true};
    ebb_snapshots_thin(s, 0, &how, drop);
    ebb_snapshots_thin(s, 1, &how, drop);
    assert_false(drop[0]);
    ebb_snapshots_thin(s, 2, &how, drop);
    assert_false(drop[0] || drop[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_and_numbers),
        cmocka_unit_test(two_anchors),
        cmocka_unit_test(few_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
