/* Replies: text with spans, fields that are valid JSON whatever the debuggee's bytes are; inputs. */
#include "unit.h"

#include "front/cli/input.h"
#include "front/cli/reply.h"

#include <string.h>
#include <unistd.h>

static void bad_bytes_become_replacement_characters(void **state)
{
    static const char *const texts[][2] = {
        {"plain", "plain"},
        {"\xc3\xa4", "\xc3\xa4"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"}, /* cut off */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *string = cli_json_string(texts[i][0]);
        assert_string_equal(json_string_value(string), texts[i][1]);
        json_decref(string);
    }
}

/* Rows are written by hand: what a parser reads of them is what the fields would have told. */
static void rows_are_read_as_the_fields_would_be(void **state)
{
    struct cli_reply reply = {0};
    cli_rows_begin(&reply, "rows");
    for (int c = 1; c < 256; c++) {
        char text[] = {'<', (char)c, (char)(c ^ 0x80), '"', (char)c, '\0'};
        cli_row_begin(&reply);
        cli_row_text(&reply, "text", text);
        cli_row_bool(&reply, "odd", c % 2);
        cli_row_end(&reply);
    }
    char *json = ebb_asprintf("[%s]", ebb_buf_text(&reply.rows));
    json_t *list = json_loads(json, 0, NULL);
    assert_int_equal(json_array_size(list), 255);
    for (int c = 1; c < 256; c++) {
        char text[] = {'<', (char)c, (char)(c ^ 0x80), '"', (char)c, '\0'};
        const json_t *row = json_array_get(list, (size_t)c - 1);
        json_t *field = cli_json_string(text);
        assert_true(json_equal(json_object_get(row, "text"), field));
        assert_int_equal(json_is_true(json_object_get(row, "odd")), c % 2);
        json_decref(field);
    }
    json_decref(list);
    free(json);
    cli_reply_fini(&reply);
}

static void colours_stand_around_spans_only(void **state)
{
    cli_text text = {0};
    cli_put(&text, "in ");
    cli_put_style(&text, CLI_STYLE_FUNCTION, "main");
    cli_putf(&text, " (%d)\n", 3);
    ebb_buf coloured = {0};
    cli_text_colour(&text, &coloured);
    assert_string_equal(ebb_buf_text(&text.bytes), "in main (3)\n");
    assert_string_equal(ebb_buf_text(&coloured), "in \033[33mmain\033[m (3)\n");
    ebb_buf_fini(&coloured);
    cli_text_fini(&text);
}

static void an_empty_text_has_no_colours(void **state)
{
    cli_text text = {0};
    ebb_buf coloured = {0};
    cli_text_colour(&text, &coloured);
    assert_string_equal(ebb_buf_text(&coloured), "");
    ebb_buf_fini(&coloured);
}

static void lines_of_a_text(void **state)
{
    cli_lines_input input;
    ebb_buf line = {0};
    cli_lines_input_init(&input, "t", "one\r\n\ntwo");
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_LINE);
    assert_string_equal(ebb_buf_text(&line), "one");
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_LINE);
    assert_string_equal(ebb_buf_text(&line), "");
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_LINE);
    assert_string_equal(ebb_buf_text(&line), "two");
    assert_int_equal(input.input.line, 3);
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_END);
    ebb_buf_fini(&line);
}

/* The debuggee reads from the same pipe: what follows the line must still be there. */
static void an_exact_input_takes_no_byte_too_many(void **state)
{
    int ends[2];
    char rest[16] = "";
    ebb_buf line = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "run\nfor it\n", 11), 11);
    cli_fd_input input;
    cli_fd_input_init(&input, NULL, ends[0], true, NULL);
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_LINE);
    assert_string_equal(ebb_buf_text(&line), "run");
    assert_int_equal(read(ends[0], rest, sizeof rest), 7);
    assert_string_equal(rest, "for it\n");
    ebb_buf_fini(&line);
    close(ends[0]);
    close(ends[1]);
}

static int n_waits;

static bool wait_with_interrupt(int fd)
{
    return n_waits++ != 2;
}

/* Ctrl-C while a line comes in through a pipe: the rest of the line is not taken for another one. */
static void an_interrupt_does_not_cut_a_line(void **state)
{
    int ends[2];
    ebb_buf line = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "delete 1\nrun\n", 13), 13);
    cli_fd_input input;
    cli_fd_input_init(&input, NULL, ends[0], true, wait_with_interrupt);
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_INTERRUPTED);
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_LINE);
    assert_string_equal(ebb_buf_text(&line), "delete 1");
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_LINE);
    assert_string_equal(ebb_buf_text(&line), "run");
    ebb_buf_fini(&line);
    close(ends[0]);
    close(ends[1]);
}

static void nul_bytes_and_missing_newlines(void **state)
{
    int ends[2];
    ebb_buf line = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a\0b\nlast", 8), 8);
    close(ends[1]);
    cli_fd_input input;
    cli_fd_input_init(&input, NULL, ends[0], false, NULL);
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_BAD);
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_LINE);
    assert_string_equal(ebb_buf_text(&line), "last");
    assert_int_equal(cli_input_next(&input.input, NULL, &line), CLI_READ_END);
    ebb_buf_fini(&line);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_bytes_become_replacement_characters),
        cmocka_unit_test(rows_are_read_as_the_fields_would_be),
        cmocka_unit_test(colours_stand_around_spans_only),
        cmocka_unit_test(an_empty_text_has_no_colours),
        cmocka_unit_test(lines_of_a_text),
        cmocka_unit_test(an_exact_input_takes_no_byte_too_many),
        cmocka_unit_test(an_interrupt_does_not_cut_a_line),
        cmocka_unit_test(nul_bytes_and_missing_newlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
