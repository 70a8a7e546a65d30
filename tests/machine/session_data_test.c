/* Looking at things: memory, code, source, registers, displays, printf, types, history, settings.
 */
#include "session_test.h"

static session *stopped(void)
{
    session *s = debug("values0");
    break_at(s, "accumulate");
    run(s);
    assert_ok(ses_frame_select(s, 1, err)); /* main, its locals set */
    return s;
}

#define assert_says(call, expected)                                                                \
    do {                                                                                           \
        ebb_buf text_ = {0};                                                                       \
        ebb_buf *text = &text_;                                                                    \
        assert_ok(call);                                                                           \
        assert_string_equal(ebb_buf_text(text), expected);                                         \
        ebb_buf_fini(text);                                                                        \
    } while (0)

/* What `x` shows, without the addresses in front. */
static void assert_examines(session *s, const char *arguments, const char *expected)
{
    ebb_buf text = {0};
    assert_ok(ses_examine(s, arguments, &text, err));
    ebb_buf bare = {0};
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
        char *tab = strchr(line, '\t');
        assert_non_null(tab);
        assert_true(tab > line && tab[-1] == ':');
        ebb_buf_addf(&bare, "%s\n", tab + 1);
    }
    assert_string_equal(ebb_buf_text(&bare), expected);
    ebb_buf_fini(&bare);
    ebb_buf_fini(&text);
}

static void memory_in_every_format(void **state)
{
    session *s = stopped();
    assert_examines(s, "/3dg &b", "10\t11\n12\n");
    assert_examines(s, "/2xw &s", "0x00000001\t0x00000002\n");
    assert_examines(s, "/2cb greeting", "104 'h'\t101 'e'\n");
    assert_examines(s, "", "108 'l'\t108 'l'\n"); /* goes on behind, as before */
    assert_examines(s, "/2ob &s", "01\t0\n");
    assert_examines(s, "/2tb &s", "00000001\t00000000\n");
    assert_examines(s, "/4cb greeting", "104 'h'\t101 'e'\t108 'l'\t108 'l'\n");
    assert_examines(s, "/2s greeting", "\"hello\"\n\"%d %ld %d\\n\"\n");
    assert_examines(s, "/2uh &u", "65\t0\n");
    ses_free(s);
}

static void memory_examination_fails_clearly(void **state)
{
    session *s = stopped();
    ebb_buf text = {0};
    assert_fails(ses_examine(s, "/4x 0", &text, err), EBB_NO_MEMORY_AT);
    assert_fails(ses_examine(s, "/99999999x $sp", &text, err), EBB_BAD_INPUT);
    assert_fails(ses_examine(s, "/q $sp", &text, err), EBB_BAD_INPUT);
    assert_fails(ses_examine(s, "no_such", &text, err), EBB_NOT_FOUND);
    ebb_buf_fini(&text);
    ses_free(s);
}

static void history_and_convenience(void **state)
{
    session *s = stopped();
    expr_format format = ses_default_format(s);
    ebb_buf text = {0};
    int number;
    assert_ok(ses_print(s, &(ses_print_request){"s", &format, true}, &number, &text, err));
    assert_int_equal(number, 1);
    assert_ok(ses_print(s, &(ses_print_request){"$1.y * 5", &format, true}, &number, &text, err));
    assert_int_equal(number, 2);
    assert_prints(s, "$", "10");
    assert_prints(s, "$$.x", "1");
    assert_prints(s, "$$1", "{x = 1, y = 2}");
    assert_ok(ses_assign(s, "$mine = $2 + 1", err));
    assert_prints(s, "$mine", "11");
    assert_prints(s, "$never_set", "void");
    assert_prints(s, "$bpnum", "1");
    assert_prints(s, "$_thread", "1");
    assert_ok(ses_print(s, &(ses_print_request){"nothing()", &format, false}, &number, &text, err));
    assert_int_equal(number, 0);
    assert_fails(ses_print(s, &(ses_print_request){"$77", &format, true}, &number, &text, err), EBB_NOT_FOUND);
    go_on(s); /* values outlive the debuggee */
    assert_prints(s, "$1", "{x = 1, y = 2}");
    run(s);
    assert_prints(s, "$1.y", "2");
    ebb_buf_fini(&text);
    ses_free(s);
}

/* A position-independent program moves when it starts, and another one may come after it. */
static void values_outlive_their_modules(void **state)
{
    session *s = debug("values0");
    expr_format format = ses_default_format(s);
    ebb_buf text = {0};
    int number;
    assert_ok(ses_print(s, &(ses_print_request){"*(struct small *)&table", &format, true}, &number, &text, err));
    assert_ok(ses_print(s, &(ses_print_request){"sizeof(struct big)", &format, true}, &number, &text, err));
    assert_ok(ses_assign(s, "$kept = (char)65", err));
    break_at(s, "main");
    run(s);
    assert_prints(s, "$1", "{x = 0, y = 0}");
    char path[512];
    fixture_path("steps0", path, sizeof path);
    char *args[] = {path, NULL};
    assert_ok(ses_kill(s, err));
    assert_ok(ses_set_program(s, args, err));
    assert_prints(s, "$1", "{x = 0, y = 0}");
    assert_prints(s, "$2 + 1", "49");
    assert_prints(s, "$kept + 0", "65");
    assert_int_equal(run(s).kind, SES_STOP_BREAKPOINT); /* main is another one */
    assert_at(s, "main first");
    ebb_buf_fini(&text);
    ses_free(s);
}

static void types(void **state)
{
    session *s = stopped();
    assert_says(ses_type(s, "s", false, text, err), "struct small");
    assert_says(ses_type(s, "s", true, text, err), "struct small {\n    int x;\n    int y;\n}");
    assert_says(ses_type(s, "struct mixed *", false, text, err), "struct mixed *");
    assert_says(ses_type(s, "&b.items[1]", false, text, err), "long *");
    assert_says(ses_type(s, "half", false, text, err), "double (double)");
    assert_says(ses_type(s, "$rip", false, text, err), "void (*)()");
    assert_says(ses_type(s, "$rax", false, text, err), "int64_t");
    ses_free(s);
}

static void frames_and_variables(void **state)
{
    session *s = stopped();
    ebb_arena arena = {0};
    ses_named_values values = {0};
    assert_ok(ses_frame_args(s, &arena, 0, true, &values, err));
    assert_int_equal(values.n, 1);
    assert_string_equal(values.items[0].name, "n");
    assert_string_equal(values.items[0].value, "4");
    values.n = 0;
    assert_ok(ses_frame_locals(s, &arena, 1, &values, err));
    assert_int_equal(values.n, 4);
    assert_string_equal(values.items[0].name, "s");
    assert_string_equal(values.items[0].value, "{x = 1, y = 2}");
    assert_string_equal(values.items[1].type, "struct big");
    assert_int_equal(ses_frame_depth(s, 10), 2);
    const ses_frame *f;
    assert_fails(ses_frame_get(s, 2, &f, err), EBB_NOT_FOUND);
    assert_ok(ses_setting_set(s, "backtrace past-main", "on", err));
    assert_true(ses_frame_depth(s, 10) > 2);
    ebb_vec_fini(&values);
    ebb_arena_fini(&arena);
    ses_free(s);
}

static void registers_by_name(void **state)
{
    session *s = stopped();
    ebb_arena arena = {0};
    ses_registers regs = {0};
    assert_ok(ses_registers_get(s, &arena, NULL, &regs, err));
    assert_string_equal(regs.items[0].name, "rax");
    regs.n = 0;
    assert_ok(ses_registers_get(s, &arena, "$rip eflags", &regs, err));
    assert_int_equal(regs.n, 2);
    assert_non_null(strstr(regs.items[0].natural, "<main+"));
    assert_int_equal(regs.items[1].natural[0], '[');
    assert_fails(ses_registers_get(s, &arena, "r99", &regs, err), EBB_NOT_FOUND);
    regs.n = 0;
    assert_ok(ses_registers_get(s, &arena, "all", &regs, err));
    assert_true(regs.n > 60);
    assert_ok(ses_frame_select(s, 0, err));
    assert_ok(ses_assign(s, "$rax = 0x1122334455667788", err));
    assert_prints(s, "$eax", "1432778632");
    assert_prints(s, "$ax", "30600");
    assert_prints(s, "$al", "-120");
    assert_prints(s, "$ah", "119");
    assert_ok(ses_assign(s, "$eax = 1", err));
    assert_prints(s, "$rax", "1234605615003729921");
    assert_prints(s, "$sp == $rsp && $pc == $rip && $fp == $rbp", "1");
    ebb_vec_fini(&regs);
    ebb_arena_fini(&arena);
    ses_free(s);
}

static ses_source_lines list(session *s, ebb_arena *arena, const char *arguments)
{
    ses_source_lines lines = {0};
    const char *file;
    assert_ok(ses_list(s, arena, arguments, &file, &lines, err));
    return lines;
}

static void assert_lists(session *s, const char *arguments, unsigned first, unsigned last)
{
    ebb_arena arena = {0};
    ses_source_lines lines = list(s, &arena, arguments);
    if (lines.items[0].number != first || lines.items[lines.n - 1].number != last)
        print_message("list %s: %u to %u\n", arguments, lines.items[0].number,
                      lines.items[lines.n - 1].number);
    assert_int_equal(lines.items[0].number, first);
    assert_int_equal(lines.items[lines.n - 1].number, last);
    ebb_vec_fini(&lines);
    ebb_arena_fini(&arena);
}

static void source_is_listed(void **state)
{
    session *s = debug("values0");
    unsigned first = line_of(s, "values.c", "accumulate first");
    break_at(s, "accumulate");
    run(s);
    assert_lists(s, "", first - 5, first + 4);
    assert_lists(s, "", first + 5, first + 14);
    assert_lists(s, "-", first - 5, first + 4);
    assert_lists(s, "3,5", 3, 5);
    assert_lists(s, "", 6, 15);
    assert_lists(s, "values.c:10", 5, 14);
    assert_lists(s, "accumulate", first - 6, first + 3);
    assert_lists(s, "7,", 7, 16);
    assert_lists(s, ",12", 3, 12);
    assert_ok(ses_setting_set(s, "listsize", "4", err));
    assert_lists(s, "10", 8, 11);
    ebb_arena arena = {0};
    ses_source_lines lines = {0};
    const char *file;
    assert_fails(ses_list(s, &arena, "9999", &file, &lines, err), EBB_NOT_FOUND);
    assert_fails(ses_list(s, &arena, "no_such_function", &file, &lines, err), EBB_NOT_FOUND);
    assert_null(ses_source_text(s, "/no/such/file.c", 1));
    ebb_vec_fini(&lines);
    ebb_arena_fini(&arena);
    ses_free(s);
}

static void code_is_disassembled(void **state)
{
    session *s = stopped();
    ebb_arena arena = {0};
    ses_code_lines code = {0};
    const char *function;
    assert_ok(ses_disassemble(s, &arena, "", &function, &code, err));
    assert_string_equal(function, "main");
    size_t n_current = 0, n_calls = 0;
    for (size_t i = 0; i < code.n; i++) {
        n_current += code.items[i].is_current;
        n_calls += strstr(code.items[i].text, "<accumulate>") != NULL;
    }
    assert_int_equal(n_current, 1);
    assert_int_equal(n_calls, 1);
    code.n = 0;
    assert_ok(ses_disassemble(s, &arena, "half,+8", &function, &code, err));
    assert_null(function);
    assert_true(code.n >= 2);
    assert_string_equal(code.items[0].symbol, "half");
    assert_fails(ses_disassemble(s, &arena, "0,+8", &function, &code, err), EBB_NO_MEMORY_AT);
    ebb_vec_fini(&code);
    ebb_arena_fini(&arena);
    ses_free(s);
}

static void displays(void **state)
{
    session *s = stopped();
    int number;
    assert_ok(ses_display_add(s, "/x s.y + 14", &number, err));
    assert_ok(ses_display_add(s, "greeting", &number, err));
    assert_fails(ses_display_add(s, "no_such", &number, err), EBB_NOT_FOUND);
    assert_int_equal(ses_display_count(s), 2);
    ebb_buf text = {0};
    assert_true(ses_display_text(s, 0, &text));
    assert_string_equal(ebb_buf_text(&text), "1: /x s.y + 14 = 0x10");
    ebb_buf_truncate(&text, 0);
    assert_ok(ses_frame_select(s, 0, err));
    assert_false(ses_display_text(s, 0, &text)); /* no `s` in this frame */
    assert_ok(ses_display_enable(s, 2, false, err));
    assert_false(ses_display_text(s, 1, &text));
    assert_ok(ses_display_delete(s, 1, err));
    assert_fails(ses_display_delete(s, 1, err), EBB_NOT_FOUND);
    ebb_buf_fini(&text);
    ses_free(s);
}

static void printf_prints(void **state)
{
    session *s = stopped();
    assert_says(ses_printf(s,
                           "\"%d|%5d|%-3d|%lu|%x|%c|%s|%5.2f|%%|%hhd\\n\", s.x, -42, 7, 8ul, 255, "
                           "'A', greeting, 3.14159, 300",
                           text, err),
                "1|  -42|7  |8|ff|A|hello| 3.14|%|44\n");
    assert_says(ses_printf(s, "\"%s %s\", \"lit\", u.letters", text, err), "lit A");
    ebb_buf text = {0};
    assert_fails(ses_printf(s, "\"%d\"", &text, err), EBB_BAD_INPUT);
    assert_fails(ses_printf(s, "\"%d\", 1, 2", &text, err), EBB_BAD_INPUT);
    assert_fails(ses_printf(s, "\"%n\", 1", &text, err), EBB_BAD_INPUT);
    assert_fails(ses_printf(s, "\"%s\", 1", &text, err), EBB_NO_MEMORY_AT);
    assert_fails(ses_printf(s, "\"unfinished", &text, err), EBB_BAD_INPUT);
    assert_fails(ses_printf(s, "", &text, err), EBB_BAD_INPUT);
    assert_int_equal(text.n, 0);
    ebb_buf_fini(&text);
    ses_free(s);
}

static void settings_are_checked(void **state)
{
    session *s = debug("values0");
    assert_says(ses_setting_show(s, "print elements", text, err), "200");
    assert_ok(ses_setting_set(s, "pr el", "3", err));
    assert_ok(ses_setting_set(s, "disassembly-flavor", "int", err));
    assert_says(ses_setting_show(s, "disassembly-flavor", text, err), "intel");
    assert_ok(ses_setting_set(s, "print pretty", "", err));
    assert_says(ses_setting_show(s, "print pretty", text, err), "on");
    assert_ok(ses_setting_set(s, "listsize", "unlimited", err));
    assert_fails(ses_setting_set(s, "print pretty", "perhaps", err), EBB_BAD_INPUT);
    assert_fails(ses_setting_set(s, "print elements", "many", err), EBB_BAD_INPUT);
    assert_fails(ses_setting_set(s, "unit", "mile", err), EBB_BAD_INPUT);
    assert_fails(ses_setting_set(s, "nonsense", "1", err), EBB_NOT_FOUND);
    assert_null(ses_setting_find("print"));
    for (size_t i = 0; i < ses_setting_count(); i++) /* every row takes its own initial value */
        if (strcmp(ses_setting_at(i)->name, "args") != 0)
            assert_ok(ses_setting_set(s, ses_setting_at(i)->name, ses_setting_at(i)->initial, err));
    ses_free(s);
}

/* Before the program runs, and after it ended, its file answers. */
static void without_a_process(void **state)
{
    session *s = debug("values0");
    const ses_frame *f;
    ebb_buf text = {0};
    for (int i = 0; i < 2; i++) {
        assert_prints(s, "watched", "0");
        if (i == 0) /* later its place would be the relocated one */
            assert_prints(s, "*greeting@5", "\"hello\"");
        assert_prints(s, "sizeof(struct big) + 1", "49");
        assert_ok(ses_examine(s, "/2i half", &text, err));
        assert_fails(ses_frame_get(s, 0, &f, err), EBB_GONE);
        assert_fails(ses_assign(s, "watched = 1", err), EBB_GONE);
        assert_fails(ses_assign(s, "half(1)", err), EBB_GONE);
        if (i == 0)
            assert_int_equal(run(s).kind, SES_STOP_EXITED);
    }
    ebb_buf_fini(&text);
    ses_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(memory_in_every_format),
        TEST(memory_examination_fails_clearly),
        TEST(history_and_convenience),
        TEST(values_outlive_their_modules),
        TEST(types),
        TEST(frames_and_variables),
        TEST(registers_by_name),
        TEST(source_is_listed),
        TEST(code_is_disassembled),
        TEST(displays),
        TEST(printf_prints),
        TEST(settings_are_checked),
        TEST(without_a_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
