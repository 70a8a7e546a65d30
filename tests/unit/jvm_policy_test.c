/* Policies: turns that are asked for, habit, and what each strategy promises. */
#include "jvm/explore/policy.h"
#include "unit.h"

#include <string.h>

enum { THREADS = 3, STEPS = 200 };

/* A world in which every thread can always run: who ran, as one letter a decision. */
static void run(const jvm_explore_request *how, const jvm_turn *turns, size_t n, char *out)
{
    jvm_policy p;
    jvm_candidate c[THREADS];
    for (uint32_t i = 0; i < THREADS; i++)
        c[i] = (jvm_candidate){.thread = 10 + i, .place = 100 + i / 2, .kind = 1, .writes = true};
    jvm_policy_init(&p, how, turns, n);
    size_t at = 0;
    for (size_t i = 0; i < STEPS; i++) {
        jvm_policy_arrive(&p, c[at].thread);
        at = jvm_policy_choose(&p, c, THREADS, at, c[at].thread);
        assert_true(at < THREADS);
        out[i] = (char)('a' + at);
    }
    out[STEPS] = '\0';
}

static void the_same_seed_chooses_the_same(void **state)
{
    char first[STEPS + 1], again[STEPS + 1], other[STEPS + 1];
    for (uint32_t s = JVM_STRATEGY_RANDOM; s < JVM_STRATEGY_BOUNDED; s++) {
        jvm_explore_request how = {.strategy = s, .seed = 7, .depth = 3, .steps = STEPS};
        run(&how, NULL, 0, first);
        run(&how, NULL, 0, again);
        assert_string_equal(first, again);
        bool differs = false;
        for (how.seed = 8; how.seed < 20; how.seed++) {
            run(&how, NULL, 0, other);
            differs |= strcmp(first, other) != 0;
        }
        assert_true(differs);
    }
}

static void by_habit_who_runs_goes_on(void **state)
{
    char order[STEPS + 1];
    run(&(jvm_explore_request){.strategy = JVM_STRATEGY_KEEP}, NULL, 0, order);
    assert_int_equal(strspn(order, "a"), STEPS);
}

static void turns_come_first(void **state)
{
    char order[STEPS + 1];
    const jvm_turn turns[] = {{10, 5, 12, 0}, {10, 9, 99, 0}, {12, 2, 10, 0}}; /* the second can't be taken */
    run(&(jvm_explore_request){.strategy = JVM_STRATEGY_KEEP}, turns, 3, order);
    assert_true(strstr(order, "aaaacca") == order);
    assert_int_equal(strspn(order + 6, "a"), STEPS - 6);
}

/* PO2 */
static void nobody_starves(void **state)
{
    jvm_policy p;
    jvm_candidate c[2] = {{.thread = 1}, {.thread = 2}};
    for (uint32_t s = 0; s < JVM_NSTRATEGIES; s++) {
        jvm_policy_init(&p, &(jvm_explore_request){.strategy = s, .seed = 3, .depth = 1, .steps = 10}, NULL, 0);
        size_t at = 0, ran[2] = {0, 0};
        for (size_t i = 0; i < 4 * JVM_POLICY_PATIENCE; i++) {
            jvm_policy_arrive(&p, c[at].thread);
            at = jvm_policy_choose(&p, c, 2, at, c[at].thread);
            ran[at]++;
        }
        assert_true(ran[0] > 0 && ran[1] > 0);
    }
}

/* PO2: two that wait busily for a third give each other the turn. */
static void nobody_starves_beside_others_who_wait(void **state)
{
    jvm_policy p;
    for (uint32_t s = 0; s < JVM_NSTRATEGIES; s++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            jvm_candidate c[3] = {{.thread = 1, .place = 5}, {.thread = 2, .place = 5}, {.thread = 3, .place = 5, .writes = true}};
            jvm_policy_init(&p, &(jvm_explore_request){.strategy = s, .seed = seed, .depth = 3, .steps = 10}, NULL, 0);
            size_t at = seed % 3, ran = 0;
            for (size_t i = 0; i < 5 * JVM_POLICY_PATIENCE; i++) {
                jvm_policy_arrive(&p, c[at].thread);
                c[at].yields = at != 2 && i % 2;
                size_t next = jvm_policy_choose(&p, c, 3, at, c[at].thread);
                c[at].yields = false;
                at = next;
                ran += at == 2;
            }
            assert_true(ran >= JVM_POLICY_STINT);
        }
}

/* PO1 */
static void time_is_over_when_nobody_else_can_run(void **state)
{
    jvm_policy p;
    jvm_candidate c[2] = {{.thread = 1, .readiness = JVM_READY_TIMED}, {.thread = 2}};
    jvm_policy_init(&p, &(jvm_explore_request){.strategy = JVM_STRATEGY_KEEP}, NULL, 0);
    assert_int_equal(jvm_policy_choose(&p, c, 2, 2, 9), 1);
    assert_int_equal(jvm_policy_choose(&p, c, 1, 1, 9), 0);
    jvm_policy_init(&p, &(jvm_explore_request){.strategy = JVM_STRATEGY_RANDOM, .seed = 1}, NULL, 0);
    size_t early = 0;
    for (int i = 0; i < 1000; i++)
        early += jvm_policy_choose(&p, c, 2, 2, 9) == 0;
    assert_in_range(early, 10, 200);
}

/* The second of two orderings of two accesses is as likely as the first, whoever is asked first. */
static void pos_orders_what_races(void **state)
{
    size_t first = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        jvm_policy p;
        jvm_candidate c[2] = {{.thread = 1, .place = 5, .writes = true}, {.thread = 2, .place = 5}};
        jvm_policy_init(&p, &(jvm_explore_request){.strategy = JVM_STRATEGY_POS, .seed = seed}, NULL, 0);
        first += jvm_policy_choose(&p, c, 2, 0, 1) == 0;
    }
    assert_in_range(first, 400, 600);
}

/* Whoever has three times as much to do is drawn three times as often. */
static void surw_goes_by_what_is_left(void **state)
{
    size_t first = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        jvm_policy p;
        jvm_candidate c[2] = {{.thread = 1, .kind = 1, .writes = true}, {.thread = 2, .kind = 1, .writes = true}};
        jvm_explore_request how = {.strategy = JVM_STRATEGY_SURW, .seed = seed};
        how.todo[1] = 30;
        how.todo[2] = 10;
        jvm_policy_init(&p, &how, NULL, 0);
        first += jvm_policy_choose(&p, c, 2, 0, 1) == 0;
    }
    assert_in_range(first, 680, 820);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_chooses_the_same), cmocka_unit_test(by_habit_who_runs_goes_on),
        cmocka_unit_test(turns_come_first), cmocka_unit_test(nobody_starves),
        cmocka_unit_test(nobody_starves_beside_others_who_wait),
        cmocka_unit_test(time_is_over_when_nobody_else_can_run), cmocka_unit_test(pos_orders_what_races),
        cmocka_unit_test(surw_goes_by_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
