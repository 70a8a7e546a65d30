/* schedule_fuzz.c - hostile text for schedules and traces: SCH1, and what is converted obeys the rules (SCV1).
 * driver.h says how it is run. */
#include "../driver.h"
#include "base/check.h"
#include "schedule/convert.h"
#include "schedule/trace.h"

static ebb_status read_all(sched_schedule *s, const char *bytes, size_t nbytes)
{
    sched_complaints all = {0};
    ebb_status status = sched_parse_text(s, bytes, nbytes, &all);
    if (status == EBB_OK)
        status = sched_check(s, &all);
    ebb_check((status == EBB_OK) == (all.list.n == 0));
    sched_complaints_fini(&all);
    return status;
}

static void try_writing(const sched_schedule *s)
{
    ebb_buf once = {0}, twice = {0};
    sched_schedule again = {0};
    sched_write(&once, s);
    ebb_check(read_all(&again, ebb_buf_text(&once), once.n) == EBB_OK);
    sched_write(&twice, &again);
    ebb_check(once.n == twice.n && memcmp(ebb_buf_text(&once), ebb_buf_text(&twice), once.n) == 0);
    sched_fini(&again);
    ebb_buf_fini(&once);
    ebb_buf_fini(&twice);
}

static void try_order(const sched_schedule *s, bool must_work)
{
    sched_schedule switches = {0};
    sched_complaints all = {0};
    ebb_status status = sched_to_switches(s, &switches, &all, NULL);
    ebb_check(!must_work || status != EBB_BAD_FILE);
    if (status == EBB_OK)
        ebb_check(sched_check(&switches, &all) == EBB_OK || !must_work);
    sched_fini(&switches);
    sched_complaints_fini(&all);
}

static void try_converting(const sched_schedule *s)
{
    sched_schedule messages = {0};
    ebb_buf svg = {0};
    if (s->is_messages) {
        try_order(s, false);
        return;
    }
    sched_draw(&svg, s);
    ebb_buf_fini(&svg);
    if (sched_to_messages(s, &messages, NULL) == EBB_OK) {
        try_writing(&messages);
        try_order(&messages, true);
    }
    sched_fini(&messages);
}

static void try_input(const char *bytes, size_t nbytes)
{
    sched_schedule s = {0}, made = {0};
    sched_complaints all = {0};
    if (read_all(&s, bytes, nbytes) == EBB_OK) {
        try_writing(&s);
        try_converting(&s);
    }
    if (sched_import_trace(&made, bytes, nbytes, &all) == EBB_OK)
        ebb_check(all.list.n == 0);
    sched_complaints_fini(&all);
    sched_fini(&s);
    sched_fini(&made);
}

#ifndef EBB_LIBFUZZER
/* Most lines make sense, so that most texts get past the parser. */
static void add_line(uint64_t *state, ebb_buf *input, unsigned *depth)
{
    static const char *const odd[] = {"switch", "before A m 1", "log 9 x", "in none 3", "send 0 0", "loopend -1", "\t#", "die x", "thread 0 %zz %00 %2", "0 A m 1", "next 1 A m 2", "1 A m 5 dies"};
    unsigned kind = (unsigned)(next_random(state) % 24), thread = (unsigned)(next_random(state) % 4), n = (unsigned)(next_random(state) % 5) + 1;
    if (kind == 0)
        ebb_buf_adds(input, odd[next_random(state) % (sizeof odd / sizeof odd[0])]);
    else if (kind < 8)
        ebb_buf_addf(input, "%s a.B$%u %s %u %u", kind < 6 ? "before" : "in", n, kind % 2 ? "run()V" : "3", thread, n);
    else if (kind < 14)
        ebb_buf_addf(input, "switch %u", thread);
    else if (kind < 16)
        ebb_buf_addf(input, "%s %u", kind == 14 ? "notify" : "timeout", thread);
    else if (kind < 18 && ++*depth)
        ebb_buf_adds(input, "loopbegin");
    else if (kind < 20 && *depth && (*depth)--)
        ebb_buf_addf(input, next_random(state) % 8 ? "loopend %u" : "loopend inf", n);
    else if (kind == 20 && next_random(state) % 8 == 0)
        ebb_buf_addf(input, "die %u", thread);
    else if (kind == 21 && next_random(state) % 16 == 0)
        ebb_buf_addf(input, "%s %u %u", n % 2 ? "send" : "receive", thread, n);
    else
        ebb_buf_addf(input, "log %u a  b # c", n);
    ebb_buf_addc(input, '\n');
}

static void add_random(uint64_t *state, ebb_buf *input)
{
    unsigned depth = 0;
    for (uint64_t n = next_random(state) % 24; n; n--)
        add_line(state, input, &depth);
    while (depth--)
        ebb_buf_adds(input, "loopend 2\n");
    if (input->n && next_random(state) % 8 == 0)
        input->data[next_random(state) % input->n] = (char)next_random(state);
}
#endif
