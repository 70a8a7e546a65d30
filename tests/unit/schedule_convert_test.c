/* schedule_convert_test.c - switches to messages and back: the same commands by the same threads in the same order. */
#include "unit.h"

#include "schedule/convert.h"

#include <string.h>

enum { ENOUGH = 400 };

static void parse(sched_schedule *s, const char *text)
{
    sched_complaints all = {0};
    *s = (sched_schedule){0};
    assert_int_equal(sched_parse_text(s, text, strlen(text), &all), EBB_OK);
    assert_int_equal(sched_check(s, &all), EBB_OK);
}

static size_t end_of_loop(const sched_schedule *s, size_t begin)
{
    size_t depth = 1, i = begin;
    while (depth) {
        i++;
        depth += s->commands.items[i].kind == SCHED_LOOPBEGIN;
        depth -= s->commands.items[i].kind == SCHED_LOOPEND;
    }
    return i;
}

typedef struct unrolled {
    ebb_buf text;    /* "RUNNER COMMAND" lines of events and actions, without switches of a thread to itself */
    uint32_t runner;
    size_t n;
} unrolled;

/* The oracle: what a schedule with switches means, round by round, up to ENOUGH commands. */
static void unroll(unrolled *u, const sched_schedule *s, size_t begin, size_t end)
{
    for (size_t i = begin; i < end && u->n < ENOUGH; i++) {
        const sched_command *c = &s->commands.items[i];
        if (c->kind == SCHED_LOOPBEGIN) {
            size_t last = end_of_loop(s, i);
            for (uint64_t n = 0; n < s->commands.items[last].count && u->n < ENOUGH; n++)
                unroll(u, s, i + 1, last);
            i = last;
        } else if (c->kind != SCHED_THREAD && !(c->kind == SCHED_SWITCH && c->thread == u->runner)) {
            ebb_buf_addf(&u->text, "%u ", u->runner);
            sched_write_command(&u->text, c);
            ebb_buf_addc(&u->text, '\n');
            u->n++;
            if (sched_rows[c->kind].role == SCHED_IS_LAST && c->kind != SCHED_TERMINATE && c->thread != SCHED_NONE)
                u->runner = c->thread;
        }
    }
}

static void assert_same_both_ways(const char *text)
{
    sched_schedule s, messages = {0}, again, switches = {0};
    sched_complaints all = {0};
    ebb_buf written = {0};
    unrolled a = {0}, b = {0};
    parse(&s, text);
    assert_ok(sched_to_messages(&s, &messages, err));
    sched_write(&written, &messages);
    parse(&again, ebb_buf_text(&written)); /* what was made obeys the rules */
    assert_ok(sched_to_switches(&again, &switches, &all, err));
    assert_int_equal(sched_check(&switches, &all), EBB_OK);
    unroll(&a, &s, 0, s.commands.n);
    unroll(&b, &switches, 0, switches.commands.n);
    assert_string_equal(ebb_buf_text(&a.text), ebb_buf_text(&b.text)); /* SCV1 */
    ebb_buf_fini(&a.text);
    ebb_buf_fini(&b.text);
    ebb_buf_fini(&written);
    sched_fini(&s);
    sched_fini(&messages);
    sched_fini(&again);
    sched_fini(&switches);
}

static void test_a_failing_schedule(void **state)
{
    sched_schedule s, messages = {0};
    ebb_buf written = {0};
    const char *text = "thread 2 c\nbefore M main 20 1\nswitch 1\nbefore P run 13 1\nswitch 2\nbefore C run 9 1\nswitch 3\nbefore C run 13 1\nswitch 2\nbefore C run 12 1\ndie 0\n";
    parse(&s, text);
    assert_ok(sched_to_messages(&s, &messages, err));
    sched_write(&written, &messages);
    assert_string_equal(ebb_buf_text(&written),
                        "messages\n"
                        "thread 0\nbefore M main 20 1\nsend 1 1\nreceive 2 5\n"
                        "thread 1\nreceive 0 1\nbefore P run 13 1\nsend 2 2\n"
                        "thread 2 c\nreceive 1 2\nbefore C run 9 1\nsend 3 3\nreceive 3 4\nbefore C run 12 1\nsend 0 5\ndie none\n"
                        "thread 3\nreceive 2 3\nbefore C run 13 1\nsend 2 4\n");
    ebb_buf_fini(&written);
    sched_fini(&s);
    sched_fini(&messages);
    assert_same_both_ways(text);
}

static void test_loops(void **state)
{
    assert_same_both_ways("before M m 1 1\nswitch 1\nloopbegin\nbefore P m 2 1\nswitch 2\nbefore C m 3 1\nnotify 1\nswitch 1\nloopend 3\nbefore P m 9 1\nterminate\n");
    assert_same_both_ways("before M m 1 1\nswitch 1\nloopbegin\nbefore P m 2 2\nswitch 2\nbefore C m 3 2\nswitch 1\nloopend inf\n");
    /* the body is begun by another thread from the second round on */
    assert_same_both_ways("before M m 1 1\nswitch 1\nloopbegin\nbefore P m 2 1\nswitch 2\nbefore C m 3 1\nswitch 3\nloopend 4\nbefore Q m 1 1\ndie 0\n");
    assert_same_both_ways("loopbegin\nbefore P m 2 1\nswitch 1\nloopbegin\nbefore C m 3 2\nswitch 0\nloopend inf\nloopend 1\n");
    assert_same_both_ways("loopbegin\nloopbegin\nbefore P m 2 1\nswitch 1\nbefore C m 3 1\nswitch 0\nloopend 2\nbefore P m 4 1\nlog 1 x\nloopend inf\n");
}

static void test_deadlock_and_death(void **state)
{
    assert_same_both_ways("before A m 1 1\nswitch 1\nbefore B m 1 1\nswitch none\n");
    assert_same_both_ways("before A m 1 1\nswitch 1\nbefore B m 1 1\ndie none\n");
    assert_same_both_ways("in A m 1 1\nswitch 0\nbefore A m 1 1\nswitch 1\nin none\ntimeout 0\nswitch 0\n");
}

static void test_messages_that_order_less(void **state)
{
    sched_schedule s, out = {0};
    sched_complaints all = {0};
    ebb_buf written = {0};
    parse(&s, "before M m 1 1\nsend 1 1\nsend 2 1\nreceive 1 9\nbefore M m 2 1\nterminate\n"
              "thread 1\nreceive 0 1\nbefore A m 1 1\nreceive 2 3\nbefore A m 2 1\nsend 0 9\nthread 2\nreceive 0 1\nbefore B m 1 1\nsend 1 3\n");
    assert_ok(sched_to_switches(&s, &out, &all, err));
    sched_write(&written, &out);
    assert_string_equal(ebb_buf_text(&written), "before M m 1 1\nswitch 2\nbefore B m 1 1\nswitch 1\nbefore A m 1 1\nbefore A m 2 1\nswitch 0\nbefore M m 2 1\nterminate\n");
    ebb_buf_fini(&written);
    sched_fini(&s);
    sched_fini(&out);
}

static void test_messages_that_never_come(void **state)
{
    sched_schedule s, out = {0};
    sched_complaints all = {0};
    ebb_error err;
    parse(&s, "receive 1 1\nsend 1 2\nthread 1\nreceive 0 2\nsend 0 1\nthread 2\nreceive 0 4\n");
    assert_int_equal(sched_to_switches(&s, &out, &all, &err), EBB_BAD_FILE);
    assert_int_equal(all.list.n, 3);
    assert_string_equal(err.text, "line 1: thread 0 waits for ever: thread 1 never gets to send it 1");
    assert_int_equal(all.list.items[2].line, 7);
    sched_complaints_fini(&all);
    sched_fini(&s);
    sched_fini(&out);
}

static void test_what_would_get_too_long(void **state)
{
    sched_schedule s, out = {0}, huge = {0};
    sched_complaints all = {0};
    ebb_error err;
    parse(&s, "messages\nloopbegin\nbefore A m 1 2\nloopend 9223372036854775807\n");
    assert_int_equal(sched_to_switches(&s, &out, &all, &err), EBB_UNSUPPORTED);
    sched_fini(&s);
    sched_fini(&out);
    /* each depth doubles what is made */
    ebb_buf text = {0};
    for (int i = 0; i < 40; i++)
        ebb_buf_addf(&text, "loopbegin\nbefore A m 1 1\nswitch %d\n", i + 1);
    for (int i = 0; i < 40; i++)
        ebb_buf_addf(&text, "before A m 1 1\nswitch %d\nloopend 2\n", i + 50);
    parse(&s, ebb_buf_text(&text));
    assert_int_equal(sched_to_messages(&s, &huge, &err), EBB_UNSUPPORTED);
    ebb_buf_fini(&text);
    sched_fini(&s);
    sched_fini(&huge);
}

static void test_picture(void **state)
{
    sched_schedule s;
    ebb_buf svg = {0};
    parse(&s, "thread 1 <a & \"b\">\nbefore M <init> 1 1\nswitch 1\nloopbegin\nbefore A m 1 1\nswitch 0\nbefore M m 3 1\nswitch 1\nloopend 2\n");
    sched_draw(&svg, &s);
    const char *text = ebb_buf_text(&svg);
    assert_non_null(strstr(text, "1 &lt;a &amp; &quot;b&quot;>"));
    assert_non_null(strstr(text, "before M &lt;init> 1 1"));
    assert_non_null(strstr(text, "2 times"));
    unsigned arrows = 0;
    for (const char *at = text; (at = strstr(at, "class=\"arrow\"")); at++)
        arrows++;
    assert_int_equal(arrows, 3);
    ebb_buf_fini(&svg);
    sched_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_failing_schedule),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_deadlock_and_death),
        cmocka_unit_test(test_messages_that_order_less),
        cmocka_unit_test(test_messages_that_never_come),
        cmocka_unit_test(test_what_would_get_too_long),
        cmocka_unit_test(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
