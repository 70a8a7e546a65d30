/* symbols_unwind_test.c - backtraces of programs that stop themselves, through libc, handlers and code without frames. */
#include "unit.h"
#include "symbols_live.h"

#include <stdlib.h>
#include <string.h>

static void check_backtrace(int stop, const char *begin, const char *wanted_end)
{
    live l;
    live_start(&l, live_fixture, stop);
    char *text = live_backtrace(&l, NULL, 0, NULL);
    if (strncmp(text, begin, strlen(begin)) != 0)
        fail_msg("%s, stop %d: '%s' instead of '%s...'", live_fixture, stop, text, begin);
    if (!strstr(text, wanted_end))
        fail_msg("%s, stop %d: '%s' without '%s'", live_fixture, stop, text, wanted_end);
    free(text);
    live_finish(&l);
}

/* The stack ends in the C library's start and _start, whose return address is undefined. */
static void plain_frames(void **state)
{
    check_backtrace(1, "inner middle main ", " _start");
}

static void through_libc(void **state)
{
    check_backtrace(2, "compare ", " sort main ");
}

static void through_a_signal_handler(void **state)
{
    check_backtrace(3, "handler <signal> ", " interrupted main ");
}

static void inlined_functions(void **state)
{
    check_backtrace(4, "(innermost_inline) (outer_inline) holds_inlined main ", " _start");
}

static void without_call_frame_information(void **state)
{
    check_backtrace(8, "bare calls_bare main ", " _start");
    check_backtrace(9, "barest calls_bare main ", " _start");
}

/* At every instruction from one stop to the next, the way to main is found: through prologues,
 * epilogues, procedure linkage stubs (whose common first one has no name) and the inside of libc. */
static void at_every_instruction(void **state)
{
    live l;
    live_start(&l, live_fixture, 1);
    for (int i = 0; i < 1500; i++) {
        char *text = live_backtrace(&l, NULL, 0, NULL);
        if (!strstr(text, "main") || strstr(text + 1, "??"))
            fail_msg("%s, %d instructions on, pc 0x%lx: '%s'", live_fixture, i,
                     l.frame.regs[SYM_REG_RIP].value, text);
        free(text);
        if (!live_step(&l))
            break;
    }
    live_finish(&l);
}

static void callers_registers(void **state)
{
    live l;
    sym_frame frames[8];
    size_t n = 0;
    live_start(&l, live_fixture, 1);
    free(live_backtrace(&l, frames, 8, &n));
    assert_true(n >= 2);
    assert_true(frames[0].cfa != 0 && frames[0].cfa < frames[1].cfa);
    assert_int_equal(frames[1].regs[SYM_REG_RSP].kind, SYM_REG_VALUE);
    assert_int_equal(frames[1].regs[SYM_REG_RSP].value, frames[0].cfa);
    assert_int_equal(frames[1].regs[SYM_REG_RIP].kind, SYM_REG_SAVED);
    assert_int_equal(frames[1].regs[SYM_REG_RIP].addr, frames[0].cfa - 8);
    assert_true(frames[0].pc_is_exact);
    assert_false(frames[1].pc_is_exact);
    live_finish(&l);
}

/* A jump to nowhere: the return address is on top of the stack. */
static void at_a_wild_jump(void **state)
{
    live l;
    live_start(&l, live_fixture, 9);
    l.frame.regs[SYM_REG_RIP].value = 0x10;
    char *text = live_backtrace(&l, NULL, 0, NULL);
    assert_true(strncmp(text, "?? calls_bare main ", 19) == 0);
    free(text);
    live_finish(&l);
}

static void no_stack_at_all(void **state)
{
    live l;
    sym_frame caller;
    live_start(&l, live_fixture, 1);
    l.frame.regs[SYM_REG_RSP].value = 8;
    l.frame.regs[SYM_REG_RBP].value = 16;
    assert_int_not_equal(sym_unwind(l.table, &l.target, &l.frame, &caller, NULL), EBB_OK);
    live_finish(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_frames),
        cmocka_unit_test(through_libc),
        cmocka_unit_test(through_a_signal_handler),
        cmocka_unit_test(inlined_functions),
        cmocka_unit_test(without_call_frame_information),
        cmocka_unit_test(at_every_instruction),
        cmocka_unit_test(callers_registers),
        cmocka_unit_test(at_a_wild_jump),
        cmocka_unit_test(no_stack_at_all),
    };
    return live_run_variants("frames", false, tests, sizeof tests / sizeof *tests);
}
