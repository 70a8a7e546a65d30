/* What is an expression, what is a type, and what is neither. */
#include "unit.h"
#include "expr_fake.h"

#include <stdlib.h>
#include <string.h>

static int set_up(void **state)
{
    fake_world *fake = calloc(1, sizeof *fake);
    fake_init(fake);
    *state = fake;
    fake_struct(fake, SYM_TYPE_STRUCT, "node", "int v; struct node* next");
    fake_struct(fake, SYM_TYPE_UNION, "u", "int i; float f");
    fake_typedef(fake, "unsigned int", "uint");
    fake_typedef(fake, "int", "hidden");
    fake_variable(fake, "int", "hidden", (int[]){3});
    fake_variable(fake, "int", "x", (int[]){4});
    fake_variable(fake, "struct node", "nd", NULL);
    return 0;
}

static int tear_down(void **state)
{
    fake_fini(*state);
    free(*state);
    return 0;
}

static void types(void **state)
{
    static const char *const pairs[][2] = {
        {"int", "int"}, {"unsigned", "unsigned int"}, {"signed", "int"}, {"long unsigned", "unsigned long"}, {"char unsigned", "unsigned char"},
        {"short int", "short"}, {"int short unsigned", "unsigned short"}, {"long long unsigned int", "unsigned long long"},
        {"long int long", "long long"}, {"double long", "long double"}, {"signed char", "signed char"}, {"__int128 unsigned", "unsigned __int128"},
        {"_Bool", "_Bool"}, {"void", "void"}, {"int*", "int *"}, {"int **", "int **"}, {"char const*", "const char *"}, {"const char*", "const char *"},
        {"char*const", "char * const"}, {"const volatile int", "const volatile int"}, {"volatile int const", "const volatile int"},
        {"int[3]", "int [3]"}, {"int[2][3]", "int [2][3]"}, {"int*[3]", "int *[3]"}, {"int(*)[3]", "int (*)[3]"}, {"int[]", "int []"},
        {"int(int,char*)", "int (int, char *)"}, {"int(*)(char *, double)", "int (*)(char *, double)"}, {"int(*[3])(void)", "int (*[3])(void)"},
        {"int()", "int ()"}, {"int(*)(int,...)", "int (*)(int, ...)"}, {"int (*(*)(void))[4]", "int (*(*)(void))[4]"},
        {"void (*(*)(int))(char)", "void (*(*)(int))(char)"}, {"struct node *[3]", "struct node *[3]"}, {"union u", "union u"}, {"uint *", "uint *"},
        {"const uint", "const uint"}, {"int (*)(struct node *, union u)", "int (*)(struct node *, union u)"}, {"char *(*)(const char *)", "char *(*)(const char *)"},
        {"struct node const *", "const struct node *"},
    };
    fake_world *fake = *state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ebb_buf out = {0};
        sym_type *type;
        ebb_status status = expr_parse_type(&fake->arena, &fake->world, pairs[i][0], &type, &fake->err);
        if (status)
            fail_msg("%s: %s", pairs[i][0], fake->err.text);
        sym_type_print(type, &out);
        assert_string_equal(ebb_buf_text(&out), pairs[i][1]);
        ebb_buf_fini(&out);
    }
}

static void bad_types(void **state)
{
    static const char *const texts[] = {"nosuch", "struct nosuch", "unsigned signed", "unsigned float", "long char", "int int", "int*)", "int(*", "int[", "int[2",
                                        "struct", "x", "5", "int(x)", "int(...)", "", "hidden", "char[99999999999999999999]", "char[9999999999999999999]",
                                        "long[4611686018427387904]"};
    fake_world *fake = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sym_type *type;
        fake->err = (ebb_error){0};
        assert_int_not_equal(expr_parse_type(&fake->arena, &fake->world, texts[i], &type, &fake->err), EBB_OK);
        assert_true(fake->err.text[0] != '\0' && !strchr(fake->err.text, '\n'));
    }
}

static void errors(void **state)
{
    static const char *const pairs[][2] = {
        {"", "A syntax error in expression, near `'."}, {"1 +", "A syntax error in expression, near `'."}, {"1 2", "A syntax error in expression, near `2'."},
        {"1 # 2", "Invalid character '#' in expression."}, {"=5", "A syntax error in expression, near `=5'."}, {")", "A syntax error in expression, near `)'."},
        {"()", "A syntax error in expression, near `)'."}, {"(1", "A syntax error in expression, near `'."}, {"[1]", "A syntax error in expression, near `[1]'."},
        {"1)", "Junk after end of expression."}, {"1]", "Junk after end of expression."}, {"nd.", "A syntax error in expression, near `'."},
        {"nd.1", "A syntax error in expression, near `.1'."}, {"nd.(x)", "A syntax error in expression, near `(x)'."}, {"*", "A syntax error in expression, near `'."},
        {"sizeof()", "A syntax error in expression, near `)'."}, {"(int", "A syntax error in expression, near `'."}, {"{int 5", "A syntax error in expression, near `5'."},
        {"1?2", "A syntax error in expression, near `'."}, {"1:2", "A syntax error in expression, near `:2'."}, {"x(1,", "A syntax error in expression, near `'."},
        {"'", "Unmatched single quote."}, {"int", "Attempt to use a type name as an expression"}, {"struct nosuch", "No struct type named nosuch."},
        {"(struct nosuch *)0", "No struct type named nosuch."}, {"(nosuch)1", "No symbol \"nosuch\" in current context."},
        {"a b c", "No symbol \"a\" in current context."}, {"1;2", "Invalid character ';' in expression."}, {"sizeof(nosuch)", "No symbol \"nosuch\" in current context."}, {"'\\x'", "\\x escape without a following hex digit"},
    };
    fake_world *fake = *state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *got = fake_print(fake, pairs[i][0]);
        assert_true(strncmp(got, "! ", 2) == 0);
        assert_string_equal(got + 2, pairs[i][1]);
    }
}

static void a_variable_hides_a_typedef(void **state)
{
    assert_string_equal(fake_print(*state, "(hidden) - 1"), "2");
    assert_string_equal(fake_print(*state, "(uint) - 1"), "4294967295");
    assert_string_equal(fake_print(*state, "sizeof(hidden)"), "4");
}

static void prefixes(void **state)
{
    static const char *const cases[][3] = {
        {"x if y", "4", "if y"}, {"x, 5", "4", ", 5"}, {"x + 1 thread 3", "5", "thread 3"}, {"x 'abc", "4", "'abc"}, {"(x, 7) # nonsense", "7", "# nonsense"}, {"x", "4", ""},
    };
    fake_world *fake = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const expr_node *tree;
        const char *rest;
        expr_value value;
        uint64_t number;
        assert_int_equal(expr_parse_prefix(&fake->arena, &fake->world, cases[i][0], &tree, &rest, NULL), EBB_OK);
        assert_int_equal(expr_eval(&fake->arena, &fake->world, tree, &value, NULL), EBB_OK);
        assert_int_equal(expr_value_to_u64(&fake->arena, &fake->world, &value, &number, NULL), EBB_OK);
        assert_int_equal(number, atoi(cases[i][1]));
        assert_string_equal(rest, cases[i][2]);
    }
}

/* `unit` as often as fits into a megabyte, between `first` and `last`. */
static char *long_line(const char *first, const char *unit, const char *last)
{
    size_t n = (1 << 20) / strlen(unit), unit_n = strlen(unit);
    char *line = malloc(strlen(first) + n * unit_n + strlen(last) + 1);
    char *at = stpcpy(line, first);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, unit);
    strcpy(at, last);
    return line;
}

static void long_lines(void **state)
{
    static const char *const cases[][4] = {
        {"1", "+1", "", "524289"},
        {"((", "(", "", "! The expression is nested more than 500 levels deep."},
        {"", "-", "1", "! The expression is nested more than 500 levels deep."},
        {"", "!", "1", "! The expression is nested more than 500 levels deep."},
        {"", "(int)", "1", "! The expression is nested more than 500 levels deep."},
        {"", "{int}", "1", "! The expression is nested more than 500 levels deep."},
        {"nd", ".next", "", "! The expression is nested more than 500 levels deep."},
        {"", "x=", "1", "! The expression is nested more than 500 levels deep."},
        {"", "1?", "1", "! The expression is nested more than 500 levels deep."},
        {"", "1?1:", "1", "! The expression is nested more than 500 levels deep."},
        {"x", "[x", "]", "! The expression is nested more than 500 levels deep."},
        {"1", ",1", "", "1"},
        {"1", "&&1", "", "1"},
        {"(int", "*", ")0", "! The type has more than 64 pointers, arrays and functions in it."},
        {"(int", "[1]", ")0", "! The type has more than 64 pointers, arrays and functions in it."},
        {"sizeof(int", "(", "", NULL},
        {"(int", "(*", "", NULL},
        {"(int(*)(int", ",int", "))0", NULL},
        {"sizeof ", "const ", "int", "4"},
        {"", "a", "", NULL},
        {"", "9", "", "! Numeric constant too large."},
        {"sizeof \"", "ab", "\"", "1048577"},
        {"sizeof ", "\"\" ", "", "1"},
        {"", "'", "", "! A character constant must contain at least one character."},
        {"1", " ", "+1", "2"},
        {"", "#", "", "! Invalid character '#' in expression."},
    };
    fake_world *fake = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *line = long_line(cases[i][0], cases[i][1], cases[i][2]);
        const char *got = fake_print(fake, line);
        if (cases[i][3])
            assert_string_equal(got, cases[i][3]);
        else
            assert_true(strncmp(got, "! ", 2) == 0);
        free(line);
        ebb_arena_fini(&fake->arena);
        fake->n_history = 0;
    }
}

static void deep_but_allowed(void **state)
{
    char line[1200];
    memset(line, '(', 450);
    line[450] = '7';
    memset(line + 451, ')', 450);
    line[901] = '\0';
    assert_string_equal(fake_print(*state, line), "7");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(types), TEST(bad_types), TEST(errors), TEST(a_variable_hides_a_typedef), TEST(prefixes), TEST(long_lines), TEST(deep_but_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
