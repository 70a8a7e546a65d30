/* Names: types, variables, functions, lines and scopes, in every variant of the same program. */
#include "unit.h"
#include "symbols_live.h"

#include <stdlib.h>
#include <string.h>

static sym_table *table;

static int open_table(void **state)
{
    table = sym_table_new();
    return sym_table_add(table, live_path(live_fixture), 0, NULL, NULL) != EBB_OK;
}

static int close_table(void **state)
{
    sym_table_free(table);
    return 0;
}

static void check_text(ebb_buf *text, const char *wanted)
{
    assert_string_equal(ebb_buf_text(text), wanted);
    ebb_buf_fini(text);
}

static void check_variable(const char *name, const char *wanted)
{
    ebb_buf text = {0};
    const sym_variable *variable = sym_variable_find(table, NULL, name, 0);
    if (!variable)
        fail_msg("no %s", name);
    sym_type_print(sym_variable_get_info(variable)->type, &text);
    check_text(&text, wanted);
}

static void types_of_variables(void **state)
{
    check_variable("head", "struct list *");
    check_variable("volatile_pointer", "volatile int * const");
    check_variable("complex_number", "complex double");
    check_variable("long_number", "long double");
    check_variable("wide_number", "__int128 unsigned");
    check_variable("flag", "_Bool");
    check_variable("vector", "float __attribute__ ((vector_size(4)))");
    check_variable("table_of_functions", "int (*[4])(int, char **)");
    check_variable("returns_array_pointer", "int (*(*)(void))[5]");
    const sym_variable *number = sym_variable_find(table, NULL, "complex_number", 0);
    assert_int_equal(sym_type_size(sym_variable_get_info(number)->type), 16);
}

static void a_struct_in_full(void **state)
{
    ebb_buf text = {0};
    sym_type *list = sym_type_find(table, SYM_TYPE_STRUCT, "list", 0);
    assert_non_null(list);
    sym_type_describe(list, 0, &text);
    check_text(&text, "struct list {\n"
                      "    struct list *next;\n"
                      "    const char * const name;\n"
                      "    int grid[2][3];\n"
                      "    union {\n"
                      "        int as_int;\n"
                      "        float as_float;\n"
                      "    };\n"
                      "    unsigned int low : 3;\n"
                      "    unsigned int high : 13;\n"
                      "    visitor visit;\n"
                      "    enum mood mood;\n"
                      "    enum {LOCAL_A, LOCAL_B} kind;\n"
                      "    char tail[];\n"
                      "}");
    sym_member member;
    assert_true(sym_type_find_member(list, "as_float", &member));
    assert_int_equal(member.offset, 40);
    assert_true(sym_type_find_member(list, "high", &member));
    assert_int_equal(member.offset * 8 + member.bit_offset, 44 * 8 + 3);
    assert_int_equal(member.nbits, 13);
    sym_type *mood = sym_type_find(table, SYM_TYPE_ENUM, "mood", 0);
    sym_type_describe(mood, 0, &text);
    check_text(&text, "enum mood {SAD = -1, CALM, GLAD = 7}");
    sym_type_describe(sym_type_find(table, SYM_TYPE_TYPEDEF, "visitor", 0), 0, &text);
    check_text(&text, "int (*)(struct hidden *, const char *, ...)");
    sym_type_describe(sym_type_find(table, SYM_TYPE_TYPEDEF, "size_type", 0), 0, &text);
    check_text(&text, "struct {\n    int width;\n    int height;\n}");
    assert_null(sym_type_find(table, SYM_TYPE_UNION, "list", 0));
}

/* `struct hidden;` of one unit is the struct of the other. */
static void a_declaration_finds_its_definition(void **state)
{
    const sym_variable *pointer = sym_variable_find(table, NULL, "hidden_pointer", 0);
    sym_type *hidden = sym_type_strip(sym_variable_get_info(pointer)->type)->target;
    sym_member member;
    assert_true(sym_type_find_member(hidden, "secret", &member));
    assert_int_equal(sym_type_size(hidden), 12);
    assert_false(sym_type_strip(hidden)->is_declared_only);
}

static void statics_of_two_files(void **state)
{
    const sym_variable *one = sym_variable_find(table, "shapes.c", "same_name", 0);
    const sym_variable *other = sym_variable_find(table, "shapes_other.c", "same_name", 0);
    assert_non_null(one);
    assert_non_null(other);
    assert_ptr_not_equal(one, other);
    uint64_t near_other, near_one;
    assert_true(sym_function_entry(table, "use_hidden", &near_other, NULL));
    assert_true(sym_function_entry(table, "main", &near_one, NULL));
    assert_ptr_equal(sym_variable_find(table, NULL, "same_name", near_other), other);
    assert_ptr_equal(sym_variable_find(table, NULL, "same_name", near_one), one);
    assert_null(sym_variable_find(table, "nowhere.c", "same_name", 0));
}

static size_t count_spots(const char *file, const char *name)
{
    sym_spots spots = {0};
    ebb_error err = {0};
    ebb_status status = sym_spots_of_function(table, file, name, &spots, &err);
    size_t n = spots.n;
    ebb_vec_fini(&spots);
    assert_true(status == EBB_OK ||
                (status == EBB_NOT_FOUND && n == 0 && strstr(err.text, "not defined")));
    return n;
}

static void spots_of_functions(void **state)
{
    if (!live_is_optimised)
        assert_int_equal(count_spots(NULL, "helper"), 2);
    size_t n_instances =
        live_is_optimised ? 2 : 3; /* each inlined one; an optimiser computes a value once */
    assert_int_equal(count_spots(NULL, "area"), n_instances);
    assert_int_equal(count_spots("shapes_other.c", "area"), 0);
    assert_int_equal(count_spots("shapes.h", "area"), n_instances);
    assert_int_equal(count_spots("shapes.c", "make_hidden"), 0);
    assert_int_equal(count_spots("shapes_other.c", "make_hidden"), 1);
    assert_int_equal(count_spots(NULL, "no_such_function"), 0);
}

static void spots_of_lines(void **state)
{
    sym_spots spots = {0};
    ebb_error err = {0};
    assert_int_equal(sym_spots_of_line(table, "shapes.c", 40, &spots, NULL), EBB_OK);
    for (size_t i = 0; i < spots.n; i++)
        assert_int_equal(spots.items[i].line, 40);
    ebb_vec_fini(&spots);
    /* A line without code goes on to the next one with some: the head of main. */
    assert_int_equal(sym_spots_of_line(table, "symbols/shapes.c", 63, &spots, NULL), EBB_OK);
    assert_int_equal(spots.n, 1);
    assert_string_equal(spots.items[0].function, "main");
    assert_true(spots.items[0].line >= 64 && spots.items[0].line <= 68);
    ebb_vec_fini(&spots);
    assert_int_equal(sym_spots_of_line(table, "shapes.c", 5000, &spots, &err), EBB_NOT_FOUND);
    assert_non_null(strstr(err.text, "No line 5000"));
    assert_int_equal(sym_spots_of_line(table, "apes.c", 40, &spots, &err), EBB_NOT_FOUND);
    assert_non_null(strstr(err.text, "No source file named apes.c"));
}

static void scopes(void **state)
{
    if (live_is_optimised)
        skip();
    sym_spots spots = {0};
    const sym_function *functions[4];
    size_t n;
    assert_int_equal(sym_spots_of_line(table, "shapes.c", 56, &spots, NULL), EBB_OK);
    uint64_t addr = spots.items[0].addr;
    ebb_vec_fini(&spots);
    assert_int_equal(sym_functions_at(table, addr, functions, 4), 1);
    const char *wanted[] = {"cube", "square", "i", "n"};
    const sym_block *block = sym_block_at(functions[0], addr);
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(block);
        const sym_variable *const *variables = sym_block_variables(block, &n);
        assert_string_equal(sym_variable_get_info(variables[0])->name, wanted[i]);
        block = sym_block_parent(block);
    }
    assert_null(block);
    /* Names that are declared in a function are seen from inside it only. */
    sym_type *type;
    int64_t value;
    assert_true(sym_enumerator_find(table, "ONLY_HERE", addr, &type, &value) && value == 3);
    assert_non_null(sym_type_find(table, SYM_TYPE_STRUCT, "inside", addr));
    assert_null(sym_type_find(table, SYM_TYPE_STRUCT, "inside", 0));
}

static void lines_cover_the_code(void **state)
{
    uint64_t entry;
    const sym_function *functions[8];
    assert_true(sym_function_entry(table, "many_blocks", &entry, NULL));
    size_t n = sym_functions_at(table, entry, functions, 8);
    const sym_function_info *info = sym_function_get_info(functions[n - 1]);
    for (uint64_t addr = info->lo; addr < info->hi;) {
        sym_line line;
        assert_true(sym_line_at(table, addr, &line));
        assert_true(line.lo <= addr && addr < line.hi);
        assert_non_null(strstr(line.file, "symbols/shapes.c"));
        assert_true(line.line >= 46 && line.line <= 62);
        addr = line.hi;
    }
    assert_int_equal(info->decl_line, 46);
    assert_true(sym_function_covers(functions[n - 1], info->lo));
    assert_false(sym_function_covers(functions[n - 1], info->lo - 1));
}

static void add_listed(void *text, const sym_listed *listed)
{
    ebb_buf_addf(text, "%s:%u: %s\n", listed->file ? listed->file : "", listed->line, listed->declaration);
}

static void completion_and_search(void **state)
{
    sym_names names = {0};
    sym_complete(table, "ma", SYM_NAMES_FUNCTIONS, 10, &names);
    assert_int_equal(names.n, 3);
    assert_string_equal(names.items[0], "main");
    assert_string_equal(names.items[1], "make_hidden");
    assert_string_equal(names.items[2], "many_blocks");
    ebb_vec_fini(&names);
    sym_complete(table, "shapes", SYM_NAMES_FILES, 10, &names);
    assert_int_equal(names.n, 3);
    ebb_vec_fini(&names);
    sym_source_files(table, "shapes.h", &names);
    assert_int_equal(names.n, 1);
    ebb_vec_fini(&names);
    ebb_buf text = {0};
    const sym_searcher searcher = {&text, add_listed, SIZE_MAX}, brief = {&text, add_listed, 1};
    size_t n_left_out;
    assert_int_equal(sym_search(table, "^use_", SYM_NAMES_FUNCTIONS, &searcher, &n_left_out, NULL), EBB_OK);
    assert_non_null(
        strstr(ebb_buf_text(&text), "shapes_other.c:26: int use_hidden(struct hidden *);\n"));
    ebb_buf_truncate(&text, 0);
    assert_int_equal(sym_search(table, "^same_name$", SYM_NAMES_VARIABLES, &searcher, &n_left_out, NULL), EBB_OK);
    assert_non_null(strstr(ebb_buf_text(&text), "shapes.c:6: static int same_name;\n"));
    assert_int_equal(n_left_out, 0);
    ebb_buf_truncate(&text, 0);
    assert_int_equal(sym_search(table, "^ma", SYM_NAMES_FUNCTIONS, &brief, &n_left_out, NULL), EBB_OK);
    assert_int_equal(n_left_out, 2);
    assert_ptr_equal(strchr(ebb_buf_text(&text), '\n') + 1, ebb_buf_text(&text) + text.n);
    ebb_buf_fini(&text);
    ebb_error err;
    assert_int_equal(sym_search(table, "(", SYM_NAMES_TYPES, &searcher, &n_left_out, &err), EBB_BAD_INPUT);
}

static void stubs_have_names(void **state)
{
    uint64_t addr, nbytes, offset;
    bool is_function;
    assert_true(sym_symbol_address(table, "calloc@plt", &addr, &nbytes, &is_function));
    assert_true(is_function);
    assert_string_equal(sym_symbol_at(table, addr + 4, &offset), "calloc@plt");
    assert_int_equal(offset, 4);
    assert_int_equal(count_spots(NULL, "calloc"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(types_of_variables, open_table, close_table),
        cmocka_unit_test_setup_teardown(a_struct_in_full, open_table, close_table),
        cmocka_unit_test_setup_teardown(a_declaration_finds_its_definition, open_table,
                                        close_table),
        cmocka_unit_test_setup_teardown(statics_of_two_files, open_table, close_table),
        cmocka_unit_test_setup_teardown(spots_of_functions, open_table, close_table),
        cmocka_unit_test_setup_teardown(spots_of_lines, open_table, close_table),
        cmocka_unit_test_setup_teardown(scopes, open_table, close_table),
        cmocka_unit_test_setup_teardown(lines_cover_the_code, open_table, close_table),
        cmocka_unit_test_setup_teardown(completion_and_search, open_table, close_table),
        cmocka_unit_test_setup_teardown(stubs_have_names, open_table, close_table),
    };
    return live_run_variants("shapes", true, tests, sizeof tests / sizeof *tests);
}
