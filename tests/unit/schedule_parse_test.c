/* schedule_parse_test.c - what is read is written the same, and what is wrong is told with its line. */
#include "unit.h"

#include "schedule/schedule.h"

#include <string.h>

static ebb_status parse(sched_schedule *s, const char *text, sched_complaints *all)
{
    *s = (sched_schedule){0};
    ebb_status status = sched_parse_text(s, text, strlen(text), all);
    return status == EBB_OK ? sched_check(s, all) : status;
}

/* Read, written, read and written: `want`, both times. */
static void assert_written(const char *text, const char *want)
{
    ebb_buf once = {0}, twice = {0};
    sched_schedule s, again;
    sched_complaints all = {0};
    assert_int_equal(parse(&s, text, &all), EBB_OK);
    sched_write(&once, &s);
    assert_string_equal(ebb_buf_text(&once), want);
    assert_int_equal(parse(&again, ebb_buf_text(&once), &all), EBB_OK);
    sched_write(&twice, &again);
    assert_string_equal(ebb_buf_text(&twice), want); /* SCH1 */
    sched_fini(&s);
    sched_fini(&again);
    sched_complaints_fini(&all);
    ebb_buf_fini(&once);
    ebb_buf_fini(&twice);
}

/* `wants`: "LINE: TEXT" of each complaint, each with a newline. */
static void assert_complaints(const char *text, const char *wants)
{
    sched_schedule s;
    sched_complaints all = {0};
    ebb_buf told = {0};
    assert_int_equal(parse(&s, text, &all), EBB_BAD_FILE);
    for (size_t i = 0; i < all.list.n; i++)
        ebb_buf_addf(&told, "%u: %s\n", all.list.items[i].line, all.list.items[i].text);
    assert_string_equal(ebb_buf_text(&told), wants);
    ebb_buf_fini(&told);
    sched_fini(&s);
    sched_complaints_fini(&all);
}

static void test_every_command(void **state)
{
    assert_written("# a comment\n\n  before\ta/b/C$D 3 17 2 # why\n switch 1\nin Main run()V line:12 9223372036854775807\nnotify 0\ntimeout 1\n"
                   "log 4   two   words # not this\nlog 1\ndie 0\nin none\nterminate",
                   "before a.b.C$D 3 17 2\nswitch 1\nin Main run()V line:12 9223372036854775807\nnotify 0\ntimeout 1\n"
                   "log 4 two words\nlog 1\ndie 0\nin none\nterminate\n");
}

static void test_who_waits_had_a_turn(void **state)
{
    assert_complaints("before A m 1 1\nnotify 9\ntimeout 1\nswitch 1\nbefore A m 2 1\nnotify 0\nswitch 0\n",
                      "2: thread 9 can't be waiting: it has not had a turn\n"
                      "3: thread 1 can't be waiting: it has not had a turn\n");
    assert_complaints("loopbegin\nbefore A m 1 2\nnotify 1\nswitch 1\nbefore A m 2 2\nswitch 0\nloopend 3\n", "3: thread 1 can't be waiting: it has not had a turn\n");
    assert_written("thread 3 pool\nbefore A m 1 1\ntimeout 3\n", "thread 3 pool\nbefore A m 1 1\ntimeout 3\n");
}

/* Whoever stands before a bytecode is before its first execution already, and would be for ever. */
static void test_loops_in_which_nothing_is_executed(void **state)
{
    assert_complaints("loopbegin\nbefore A m 1 1\nloopend inf\n", "3: in the loop from line 1 no thread would execute anything\n");
    assert_complaints("loopbegin\nbefore A m 1 1\nloopend 1000000\n", "3: in the loop from line 1 no thread would execute anything\n");
    assert_complaints("before A m 1 1\nloopbegin\nbefore A m 1 1\nswitch 1\nbefore B m 2 1\nswitch 0\nloopend inf\n",
                      "7: in the loop from line 2 no thread would execute anything\n");
    assert_complaints("loopbegin\nbefore A m 1 1\nswitch 1\nloopend inf\n", "4: in the loop from line 1 no thread would execute anything\n");
    assert_written("loopbegin\nbefore A m 1 2\nloopend inf\n", "loopbegin\n  before A m 1 2\nloopend inf\n");
    assert_written("loopbegin\nbefore A m 1 1\nbefore A m 2 1\nloopend inf\n", "loopbegin\n  before A m 1 1\n  before A m 2 1\nloopend inf\n");
    assert_written("loopbegin\nin A m 1 1\nswitch 1\nloopend inf\n", "loopbegin\n  in A m 1 1\n  switch 1\nloopend inf\n");
}

static void test_words_in_complaints_are_harmless(void **state)
{
    assert_complaints("\x1b[2Jx\n", "1: there is no command \"\\x1b[2Jx\"\n");
    assert_complaints("die 0\n", "1: thread 0 ends here, and can't go on after that\n");
}

static void test_loops_are_indented(void **state)
{
    assert_written("loopbegin\nbefore A m 1 1\nloopbegin\nbefore A <init> 2 1\nswitch 0\nloopend 2\nloopend inf\n",
                   "loopbegin\n  before A m 1 1\n  loopbegin\n    before A <init> 2 1\n    switch 0\n  loopend 2\nloopend inf\n");
}

static void test_names_of_threads(void **state)
{
    assert_written("thread 0 main\nthread 1 pool 1%23 100%25%20 x%20 # a comment\nthread 2\n", "thread 0 main\nthread 1 pool 1%23 100%25%20 x%20\nthread 2\n");
    sched_schedule s = {0};
    ebb_buf out = {0};
    sched_add_thread(&s, 1, "two  blanks # and\n%41 ");
    sched_write(&out, &s);
    sched_schedule again;
    sched_complaints all = {0};
    assert_int_equal(parse(&again, ebb_buf_text(&out), &all), EBB_OK);
    assert_string_equal(sched_name_of(&again, 1), "two  blanks # and\n%41 ");
    assert_null(sched_name_of(&again, 0));
    ebb_buf_fini(&out);
    sched_fini(&s);
    sched_fini(&again);
}

static void test_messages(void **state)
{
    assert_written("before A m 1 1\nsend 1 -7\nthread 1 one\nreceive 0 -7\nbefore A m 2 1\ndie none\n",
                   "before A m 1 1\nsend 1 -7\nthread 1 one\nreceive 0 -7\nbefore A m 2 1\ndie none\n");
    sched_schedule s;
    sched_complaints all = {0};
    assert_int_equal(parse(&s, "send 1 5\nthread 1\nreceive 0 5\n", &all), EBB_OK);
    assert_true(s.is_messages);
    assert_int_equal(s.commands.items[0].owner, 0);
    assert_int_equal(s.commands.items[2].owner, 1);
    assert_int_equal(sched_nthreads(&s), 2);
    sched_fini(&s);
}

static void test_operands_that_make_no_sense(void **state)
{
    assert_complaints("befor A 1 2 3\nbefore A 1 2\nbefore A 1 2 0\nbefore A 65536 2 1\nbefore A m -1 1\nbefore A m line:0 1\nbefore A m 1 9223372036854775808\n"
                      "switch\nswitch -1\nswitch 0x1\nswitch 65536\nnotify none\nlog 5 x\nlog\nloopend 0\nsend 1\nthread none\nin none 1\nterminate now\nbefore none\n",
                      "1: there is no command \"befor\"\n"
                      "2: before takes a class, a method, an offset and a count\n"
                      "3: \"0\" is no count of executions: 1 to 9223372036854775807\n"
                      "4: \"65536\" is no index of a method: 0 to 65535, or its name\n"
                      "5: \"-1\" is no place of a bytecode: 0 to 65535, or line:N\n"
                      "6: \"line:0\" is no place of a bytecode: 0 to 65535, or line:N\n"
                      "7: \"9223372036854775808\" is no count of executions: 1 to 9223372036854775807\n"
                      "8: switch takes the number of a thread, or none\n"
                      "9: \"-1\" is no number of a thread, nor none\n"
                      "10: \"0x1\" is no number of a thread, nor none\n"
                      "11: \"65536\" is no number of a thread, nor none\n"
                      "12: \"none\" is no number of a thread\n"
                      "13: log takes a level, 1 to 4, and a message\n"
                      "14: log takes a level, 1 to 4, and a message\n"
                      "15: \"0\" is no number of rounds, nor inf: 1 to 9223372036854775807\n"
                      "16: send takes a thread and a number\n"
                      "17: \"none\" is no number of a thread\n"
                      "18: in takes a class, a method, an offset and a count\n"
                      "19: terminate takes nothing\n"
                      "20: before takes a class, a method, an offset and a count\n");
}

static void test_orders_that_are_impossible(void **state)
{
    assert_complaints("loopend 2\nloopbegin\nlog 1 x\nloopend inf\n",
                      "1: loopend without a loopbegin\n4: the loop from line 2 would go round for ever without an event\n");
    assert_complaints("loopbegin\nloopbegin\nbefore A m 1 1\nloopend 3\n", "1: loopbegin without a loopend\n");
    assert_complaints("before A m 1 1\nterminate\nbefore A m 1 1\nswitch 1\n", "3: this is never reached: nothing runs after line 2\n");
    assert_complaints("before A m 1 1\nswitch none\nnotify 0\n", "3: this is never reached: nothing runs after line 2\n");
    assert_complaints("loopbegin\nbefore A m 1 1\nloopend inf\nlog 1 x\n", "4: this is never reached: nothing runs after line 3\n");
    assert_complaints("before A m 1 1\nswitch 1\nbefore B m 1 1\ndie 0\nbefore A m 2 1\nnotify 1\nswitch 1\n",
                      "6: thread 1 has died at line 4\n7: thread 1 has died at line 4\n");
    assert_complaints("loopbegin\nbefore A m 1 1\nloopbegin\nbefore A m 2 1\ndie 1\nloopend 1\nloopend 2\n",
                      "5: this can be done once only, and the loop from line 1 repeats it\n");
    assert_complaints("thread 1 a\nthread 1 b\n", "2: thread 1 is at line 1 already\n");
}

static void test_formats_do_not_mix(void **state)
{
    assert_complaints("messages\nbefore A m 1 1\nswitch 1\ndie 1\nsend 0 4\n",
                      "3: a schedule with messages has `switch none` only: a message says who goes on\n"
                      "4: a schedule with messages has `die none` only: a message says who goes on\n"
                      "5: thread 0 and itself have nothing to tell each other\n");
    assert_complaints("loopbegin\nsend 1 1\nthread 1\nreceive 0 1\nloopend 2\n", "1: loopbegin without a loopend\n5: loopend without a loopbegin\n");
}

static void test_bytes_that_are_no_text(void **state)
{
    sched_schedule s = {0};
    sched_complaints all = {0};
    assert_int_equal(sched_parse_text(&s, "log 1 a\0b\nfoo\n", 14, &all), EBB_BAD_FILE);
    assert_int_equal(all.list.n, 2);
    assert_string_equal(all.list.items[0].text, "this line has a zero byte in it");
    assert_int_equal(all.list.items[1].line, 2);
    sched_complaints_fini(&all);
    sched_fini(&s);
    assert_complaints("\n\nfoo", "3: there is no command \"foo\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_command),
        cmocka_unit_test(test_who_waits_had_a_turn),
        cmocka_unit_test(test_loops_are_indented),
        cmocka_unit_test(test_loops_in_which_nothing_is_executed),
        cmocka_unit_test(test_words_in_complaints_are_harmless),
        cmocka_unit_test(test_names_of_threads),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_operands_that_make_no_sense),
        cmocka_unit_test(test_orders_that_are_impossible),
        cmocka_unit_test(test_formats_do_not_mix),
        cmocka_unit_test(test_bytes_that_are_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
