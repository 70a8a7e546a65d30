/* Verbs in any order, on programs that make it hard: nothing hangs, nothing crashes, and the
 * program still ends as it should.  EBB_STRESS=N makes N rounds with seeds of their own. */
#include "session_test.h"

static uint64_t seed;
static unsigned pick(unsigned n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (unsigned)(seed % n);
}

static const char *const places[] = {"main",  "work",      "run",        "add",        "factorial",
                                     "twice", "leap",      "catch_leap", "accumulate", "make_big",
                                     "spin",  "on_signal", "in_child",   "printf",     "*main",
                                     "12",    ""};
static const char *const expressions[] = {
    "$rip", "$sp", "argc",      "sum",  "watched",  "*pointer",  "table",   "shared", "id + round",
    "own",  "1/0", "*(int *)0", "main", "\"text\"", "add(1, 2)", "half(3)", "$",      "$_exitcode"};
#define ANY(list) list[pick(sizeof list / sizeof *list)]

static void look_around(session *s)
{
    ebb_arena arena = {0};
    ebb_buf text = {0};
    ses_named_values values = {0};
    expr_format format = ses_default_format(s);
    int number;
    unsigned depth = ses_frame_depth(s, 20);
    if (depth)
        (void)!ses_frame_select(s, pick(depth), NULL);
    (void)!ses_frame_locals(s, &arena, pick(3), &values, NULL);
    (void)!ses_frame_args(s, &arena, pick(3), pick(2), &values, NULL);
    (void)!ses_print(s, &(ses_print_request){ANY(expressions), &format, true}, &number, &text, NULL);
    (void)!ses_examine(s, pick(2) ? "/3i $pc" : "/4xg $sp", &text, NULL);
    ebb_vec_fini(&values);
    ebb_buf_fini(&text);
    ebb_arena_fini(&arena);
}

static void change_points(session *s)
{
    int number;
    ses_break_request request = {.where = ANY(places),
                                 .temporary = pick(2),
                                 .allow_pending = pick(2),
                                 .condition = pick(4) ? NULL : ANY(expressions)};
    switch (pick(5)) {
    case 0:
        (void)!ses_watch(s, &(ses_watch_request){.expression = ANY(expressions), .kind = SES_BP_WATCH, .location = pick(2)}, &number, NULL);
        break;
    case 1: (void)!ses_bp_delete(s, 1 + (int)pick(10), NULL); break;
    case 2: (void)!ses_bp_enable(s, 1 + (int)pick(10), 0, pick(2), NULL); break;
    default: (void)!ses_break(s, &request, &number, NULL);
    }
}

static void make_move(session *s)
{
    ses_stop stop;
    switch (pick(12)) {
    case 0: (void)!ses_finish(s, &stop, NULL); break;
    case 1: (void)!ses_until(s, &stop, NULL); break;
    case 2: (void)!ses_advance(s, ANY(places), pick(2), &stop, NULL); break;
    case 3: (void)!ses_continue(s, pick(3), &stop, NULL); break;
    case 4: (void)!ses_thread_select(s, 1 + pick(5), NULL); break;
    case 5: (void)!ses_signal(s, pick(3) ? 0 : SIGUSR1, &stop, NULL); break;
    default: (void)!ses_step(s, (ses_step_kind)pick(4), 1 + pick(5), &stop, NULL);
    }
}

static void one_round(const char *fixture)
{
    session *s = debug(fixture);
    ses_stop stop;
    change_points(s);
    if (ses_start(s, &stop, NULL) == EBB_OK)
        for (int i = 0; i < 40 && ses_get_state(s) == SES_STOPPED; i++) {
            look_around(s);
            if (pick(4) == 0)
                change_points(s);
            make_move(s);
        }
    /* Left alone, it goes to its end: nothing of ours is left in its way. */
    ses_bp_delete_all(s);
    (void)!ses_handle(s, "all nostop noprint pass", NULL);
    for (int i = 0; i < 5 && ses_get_state(s) == SES_STOPPED; i++)
        (void)!ses_continue(s, 0, &stop, NULL);
    assert_int_equal(ses_get_state(s), SES_ENDED);
    ses_free(s);
}

static void any_order(void **state)
{
    static const char *const fixtures[] = {"steps0",   "steps2",   "values0",
                                           "values2",  "signals0", "signals2",
                                           "threads0", "threads2", "processes0"};
    const char *rounds = getenv("EBB_STRESS");
    int n = rounds ? atoi(rounds) : 18;
    for (int i = 0; i < n; i++) {
        seed = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
        if (rounds)
            print_message("round %d\n", i);
        alarm(60);
        one_round(fixtures[i % (sizeof fixtures / sizeof *fixtures)]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_order, session_setup, session_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
