/* symbols_type_test.c - types as they are printed and declared, compared with how their sources spell them. */
#include "unit.h"

#include "symbols/type.h"

#include <string.h>

static void check_print(sym_type *type, const char *wanted)
{
    ebb_buf out = {0};
    sym_type_print(type, &out);
    assert_string_equal(ebb_buf_text(&out), wanted);
    ebb_buf_fini(&out);
}

static void check_declare(sym_type *type, const char *name, const char *wanted)
{
    ebb_buf out = {0};
    sym_type_declare(type, name, &out);
    assert_string_equal(ebb_buf_text(&out), wanted);
    ebb_buf_fini(&out);
}

static void basic_types_have_one_name(void **state)
{
    sym_types *pool = *state;
    const char *spellings[][2] = {
        {"unsigned", "unsigned int"},
        {"long unsigned int", "unsigned long"},
        {"int long long", "long long"},
        {"short int", "short"},
        {"signed", "int"},
        {"char signed", "signed char"},
        {"long double", "long double"},
        {"__int128 unsigned", "unsigned __int128"},
        {"complex double", "complex double"},
        {"bool", "_Bool"},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        sym_type *type = sym_types_basic(pool, spellings[i][0]);
        assert_non_null(type);
        assert_string_equal(type->name, spellings[i][1]);
        assert_ptr_equal(type, sym_types_basic(pool, spellings[i][1]));
    }
    const char *nonsense[] = {"",    "int int",        "long char",      "unsigned double",
                              "foo", "long long long", "signed unsigned"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        assert_null(sym_types_basic(pool, nonsense[i]));
    assert_int_equal(sym_types_basic(pool, "long double")->nbytes, 16);
    assert_true(sym_types_basic(pool, "char")->is_signed);
    assert_false(sym_types_basic(pool, "unsigned long")->is_signed);
}

static void derived_types_are_made_once(void **state)
{
    sym_types *pool = *state;
    sym_type *i = sym_types_basic(pool, "int");
    assert_ptr_equal(sym_type_pointer_to(pool, i), sym_type_pointer_to(pool, i));
    assert_ptr_equal(sym_type_array_of(pool, i, 3), sym_type_array_of(pool, i, 3));
    assert_ptr_not_equal(sym_type_array_of(pool, i, 3), sym_type_array_of(pool, i, 4));
    assert_int_equal(sym_type_array_of(pool, i, 3)->nbytes, 12);
    assert_ptr_equal(sym_type_qualified(pool, i, SYM_TYPE_CONST),
                     sym_type_qualified(pool, i, SYM_TYPE_CONST));
    assert_ptr_not_equal(sym_type_qualified(pool, i, SYM_TYPE_CONST),
                         sym_type_qualified(pool, i, SYM_TYPE_VOLATILE));
}

static void declarators_nest_as_in_c(void **state)
{
    sym_types *pool = *state;
    sym_type *c = sym_types_basic(pool, "char"), *i = sym_types_basic(pool, "int");
    sym_type *const_char = sym_type_qualified(pool, c, SYM_TYPE_CONST);
    sym_type *text = sym_type_pointer_to(pool, const_char);
    check_print(text, "const char *");
    check_print(sym_type_qualified(pool, text, SYM_TYPE_CONST), "const char * const");
    check_declare(sym_type_qualified(pool, text, SYM_TYPE_CONST), "p", "const char * const p");
    check_print(sym_type_pointer_to(pool, sym_type_array_of(pool, text, 3)), "const char *(*)[3]");
    check_print(sym_type_array_of(pool, sym_type_array_of(pool, i, 3), 2), "int [2][3]");
    sym_type *function = sym_type_function_of(pool, i);
    check_print(function, "int ()");
    check_declare(sym_type_pointer_to(pool, function), "f", "int (*f)()");
    check_declare(sym_type_array_of(pool, sym_type_pointer_to(pool, function), 4), "f",
                  "int (*f[4])()");
    check_print(sym_type_pointer_to(pool, NULL), "void *");
}

static sym_type *struct_with(sym_types *pool, const char *name, const sym_member *members, size_t n)
{
    sym_type *type = sym_types_add(pool, SYM_TYPE_STRUCT);
    type->name = name;
    type->members = members;
    type->n_members = n;
    type->nbytes = 16;
    return type;
}

static void members_of_anonymous_parts_are_found(void **state)
{
    sym_types *pool = *state;
    sym_type *i = sym_types_basic(pool, "int");
    const sym_member inner_members[] = {{"x", i, 0, 0, 0}, {"y", i, 4, 0, 0}};
    sym_type *inner = struct_with(pool, NULL, inner_members, 2);
    const sym_member members[] = {{"tag", i, 0, 0, 0}, {NULL, inner, 8, 0, 0}};
    sym_type *outer = struct_with(pool, "outer", members, 2);
    sym_member found;
    assert_true(sym_type_find_member(outer, "y", &found));
    assert_int_equal(found.offset, 12);
    assert_false(sym_type_find_member(outer, "z", &found));
    ebb_buf out = {0};
    sym_type_describe(outer, 0, &out);
    assert_string_equal(
        ebb_buf_text(&out),
        "struct outer {\n    int tag;\n    struct {\n        int x;\n        int y;\n    };\n}");
    ebb_buf_fini(&out);
}

/* Broken debug information can make a type its own parameter or member. */
static void circular_types_end(void **state)
{
    sym_types *pool = *state;
    sym_type *function = sym_types_add(pool, SYM_TYPE_FUNCTION);
    sym_type *params[] = {function, function, function};
    function->params = params;
    function->n_params = 3;
    function->target = function;
    ebb_buf out = {0};
    sym_type_print(function, &out);
    assert_true(out.n < 10 * 1000 * 1000);
    ebb_buf_fini(&out);

    sym_member member = {NULL, NULL, 0, 0, 0};
    sym_type *self = struct_with(pool, NULL, &member, 1);
    member.type = self;
    sym_type_describe(self, 0, &out);
    ebb_buf_fini(&out);
    sym_member found;
    assert_false(sym_type_find_member(self, "x", &found));

    sym_type *alias = sym_types_add(pool, SYM_TYPE_TYPEDEF);
    alias->target = alias;
    assert_int_equal(sym_type_strip(alias)->kind, SYM_TYPE_VOID);
}

static int setup(void **state)
{
    *state = sym_types_new();
    return 0;
}

static int teardown(void **state)
{
    sym_types_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(basic_types_have_one_name, setup, teardown),
        cmocka_unit_test_setup_teardown(derived_types_are_made_once, setup, teardown),
        cmocka_unit_test_setup_teardown(declarators_nest_as_in_c, setup, teardown),
        cmocka_unit_test_setup_teardown(members_of_anonymous_parts_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(circular_types_end, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
