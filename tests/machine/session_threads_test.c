/* Threads: numbers, selection, steps that stay in their thread, variables of their own. */
#include "session_test.h"

static void every_call_is_hit_once(void **state)
{
    session *s = debug("threads0");
    int number = break_at(s, "work");
    unsigned hits[5] = {0};
    ses_stop stop = run(s);
    for (; stop.kind == SES_STOP_BREAKPOINT; stop = go_on(s)) {
        uint64_t id, round;
        assert_ok(ses_evaluate_u64(s, "id", &id, err));
        assert_ok(ses_evaluate_u64(s, "round", &round, err));
        assert_int_equal(hits[id]++, round);
        assert_int_equal(ses_thread_selected(s), stop.thread);
    }
    assert_int_equal(stop.kind, SES_STOP_EXITED);
    assert_int_equal(stop.machine.exit_status, 0);
    assert_int_equal(ses_bp_get(s, number)->hits, 200);
    assert_int_equal(said.n[SES_NOTICE_THREAD_START], 4);
    ses_free(s);
}

static void threads_have_numbers_and_frames(void **state)
{
    session *s = debug("threads0");
    break_at(s, "work");
    ses_stop stop = run(s);
    ses_threads threads = {0};
    ses_thread_list(s, &threads);
    assert_true(threads.n >= 2);
    assert_int_equal(threads.items[0].number, 1);
    assert_true(stop.thread_changed);
    unsigned hitter = ses_thread_number(s, stop.thread);
    assert_true(hitter >= 2);
    assert_in(s, 1, "run");
    assert_ok(ses_thread_select(s, 1, err));
    unsigned level = 0;
    while (strcmp(frame(s, level)->name ? frame(s, level)->name : "", "main") != 0)
        level++;
    assert_ok(ses_thread_select(s, hitter, err));
    assert_in(s, 0, "work");
    assert_fails(ses_thread_select(s, 99, err), EBB_NOT_FOUND);
    ebb_vec_fini(&threads);
    ses_free(s);
}

/* Another thread may reach the breakpoint first; then the step is over, and that is told. */
static void steps_stay_in_their_thread(void **state)
{
    session *s = debug("threads0");
    int number = break_at(s, "work");
    ses_stop stop = run(s);
    machine_tid thread = stop.thread;
    assert_ok(ses_bp_delete(s, number, err));
    const char *const lines[] = {"work lock", "work shared", "work unlock", "work returns"};
    for (int i = 0; i < 4; i++) {
        stop = next(s);
        assert_int_equal(stop.thread, thread);
        assert_int_equal(frame(s, 0)->line.line, line_of(s, "threads.c", lines[i]));
    }
    uint64_t own, id;
    assert_ok(ses_evaluate_u64(s, "own / 1000", &own, err));
    assert_ok(ses_evaluate_u64(s, "id", &id, err));
    assert_int_equal(own, id);
    stop = finish(s);
    assert_int_equal(stop.thread, thread);
    assert_in(s, 0, "run");
    ses_free(s);
}

static void a_breakpoint_of_one_thread(void **state)
{
    session *s = debug("threads0");
    int number = break_at(s, "work");
    ses_stop stop = run(s);
    machine_tid thread = stop.thread;
    ebb_arena arena = {0};
    char text[64];
    snprintf(text, sizeof text, "work thread %u", ses_thread_number(s, thread));
    ses_break_request request = {0};
    assert_ok(ses_break_parse(s, &arena, text, &request, err));
    assert_int_equal(request.thread, thread);
    assert_ok(ses_bp_delete(s, number, err));
    assert_ok(ses_break(s, &request, &number, err));
    unsigned n = 0;
    for (stop = go_on(s); stop.kind == SES_STOP_BREAKPOINT; stop = go_on(s), n++)
        assert_int_equal(stop.thread, thread);
    assert_int_equal(n, 49);
    ebb_arena_fini(&arena);
    ses_free(s);
}

static void starts_and_ends_are_caught(void **state)
{
    session *s = debug("threads0");
    int number;
    assert_ok(ses_catch(s, "thread", false, &number, err));
    unsigned n = 0;
    ses_stop stop = run(s);
    for (; stop.kind == SES_STOP_CATCH; stop = go_on(s))
        n++;
    assert_int_equal(stop.kind, SES_STOP_EXITED);
    assert_true(n >= 8);
    ses_free(s);
}

static void a_locked_scheduler(void **state)
{
    session *s = debug("threads0");
    break_at(s, "work");
    ses_stop stop = run(s);
    assert_ok(ses_bp_delete(s, 1, err));
    assert_ok(ses_setting_set(s, "scheduler-locking", "on", err));
    machine_tid thread = stop.thread;
    for (int i = 0; i < 3; i++)
        assert_int_equal(next(s).thread, thread);
    ses_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_call_is_hit_once),     TEST(threads_have_numbers_and_frames),
        TEST(steps_stay_in_their_thread), TEST(a_breakpoint_of_one_thread),
        TEST(starts_and_ends_are_caught), TEST(a_locked_scheduler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
