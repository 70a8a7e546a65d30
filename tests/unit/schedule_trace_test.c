/* schedule_trace_test.c - schedules from traces of bytecodes. */
#include "unit.h"

#include "schedule/trace.h"

#include <string.h>

static void assert_schedule(const char *trace, const char *want)
{
    sched_schedule s = {0};
    sched_complaints all = {0};
    ebb_buf out = {0};
    ebb_status status = sched_import_trace(&s, trace, strlen(trace), &all);
    if (status == EBB_OK)
        sched_write(&out, &s);
    for (size_t i = 0; i < all.list.n; i++)
        ebb_buf_addf(&out, "%u: %s\n", all.list.items[i].line, all.list.items[i].text);
    assert_string_equal(ebb_buf_text(&out), want);
    ebb_buf_fini(&out);
    sched_complaints_fini(&all);
    sched_fini(&s);
}

static void test_the_next_bytecode_and_its_count(void **state)
{
    /* thread 0 comes to 1 twice in its turn, and would come there a third time */
    assert_schedule("# a trace\n0 A m 0\n0 A m 1\n0 A m 2\n0 A m 1\n0 A m 2\n1 B r 0\n1 B r 3\n0 A m 1\n0 A m 5 dies\n1 B r 4 dies\n",
                    "before A m 1 3\nswitch 1\nbefore B r 4 1\nswitch 0\nbefore A m 5 1\ndie 1\n");
}

static void test_blocked_and_notified(void **state)
{
    assert_schedule("thread 1 w\n0 A m 0 blocks\n1 B r 0\nnotify 0\n1 B r 3 dies\n0 A m 4\n",
                    "thread 1 w\nin A m 0 1\nswitch 1\nbefore B r 3 1\nnotify 0\nbefore B r 3 1\ndie 0\n");
    assert_schedule("0 A m 0 blocks\n1 B r 0 blocks\ntimeout 0\n0 A m 1\n", "in A m 0 1\nswitch 1\nin B r 0 1\ntimeout 0\nswitch 0\n");
}

static void test_the_ends(void **state)
{
    assert_schedule("0 A m 0\n1 B r 0 blocks\ndeadlock\nnext 0 A m 7\n", "before A m 7 1\nswitch 1\nin B r 0 1\nswitch none\n");
    assert_schedule("2 A m 0\n", "switch 2\n");
    assert_schedule("", "");
}

static void test_what_is_wrong(void **state)
{
    assert_schedule("0 A m 0\n1 B r 0\n",
                    "1: what thread 0 would execute after this is not known: say blocks or dies, or add a line `next 0 CLASS METHOD OFFSET`\n");
    assert_schedule("0 A m\nx A m 0\n0 A m 70000\n0 A m 1 sleeps\nnotify\n",
                    "1: a bytecode is a thread, a class, a method and an offset\n2: \"x\" is no number of a thread\n"
                    "3: \"70000\" is no place of a bytecode: 0 to 65535, or line:N\n4: after the offset there is nothing, blocks or dies\n"
                    "5: notify takes the number of a thread\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_next_bytecode_and_its_count),
        cmocka_unit_test(test_blocked_and_notified),
        cmocka_unit_test(test_the_ends),
        cmocka_unit_test(test_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
