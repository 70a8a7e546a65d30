/* symbols_module_test.c - lines, functions and separate debug files, looked up in fixtures that were built in many ways. */
#include "unit.h"
#include "symbols_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sym_table *table;
static sym_module *module;

static void open_fixture(const char *name)
{
    ebb_error err;
    table = sym_table_new();
    if (sym_table_add(table, live_path(name), 0, &module, &err) != EBB_OK)
        fail_msg("%s", err.text);
}

static sym_spot first_spot(sym_table *in, const char *function)
{
    sym_spots spots = {0};
    ebb_error err;
    if (sym_spots_of_function(in, NULL, function, &spots, &err) != EBB_OK)
        fail_msg("%s", err.text);
    sym_spot first = spots.items[0];
    ebb_vec_fini(&spots);
    return first;
}

/* The function is found where the program with everything in one file has it. */
static void check_spot(const char *function)
{
    sym_table *whole = sym_table_new();
    assert_int_equal(sym_table_add(whole, live_path("symbols_shapes_O2"), 0, NULL, NULL), EBB_OK);
    sym_spot wanted = first_spot(whole, function), found = first_spot(table, function);
    assert_true(wanted.line > 0);
    assert_int_equal(found.line, wanted.line);
    assert_int_equal(found.addr, wanted.addr);
    assert_string_equal(found.file, wanted.file);
    sym_table_free(whole);
}

static void copy_file(const char *from, const char *to)
{
    char bytes[4096];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void debug_information_in_a_file_of_its_own(void **state)
{
    open_fixture("symbols_shapes_apart");
    assert_true(sym_module_has_debug_info(module));
    assert_non_null(strstr(sym_module_debug_path(module), "symbols_shapes_apart.debug"));
    check_spot("many_blocks");
    uint64_t offset;
    uint64_t entry;
    assert_true(
        sym_function_entry(table, "many_blocks", &entry, NULL)); /* known to the debug file only */
    assert_string_equal(sym_symbol_at(table, entry + 1, &offset), "many_blocks");
    assert_int_equal(offset, 1);
    sym_table_free(table);
}

/* Another program's debug information under the right name: neither build id nor checksum agree. */
static void a_debug_file_that_does_not_match(void **state)
{
    char folder[] = "/tmp/ebb_symbols_XXXXXX", path[128], debug_path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/program", folder);
    snprintf(debug_path, sizeof debug_path, "%s/symbols_shapes_apart.debug", folder);
    char program[4096];
    assert_non_null(realpath(live_path("symbols_shapes_apart"), program));
    assert_int_equal(symlink(live_path("symbols_frames_O2"), debug_path), 0);
    copy_file(program, path);
    table = sym_table_new();
    assert_int_equal(sym_table_add(table, path, 0, &module, NULL), EBB_OK);
    assert_null(sym_module_debug_path(module));
    assert_false(sym_module_has_debug_info(module));
    sym_table_free(table);
    unlink(path);
    unlink(debug_path);
    rmdir(folder);
}

static void compressed_sections(void **state)
{
    open_fixture("symbols_shapes_compressed");
    check_spot("many_blocks");
    assert_null(sym_module_warning(module));
    sym_table_free(table);
}

static void no_debug_information(void **state)
{
    const sym_function *functions[4];
    sym_spots spots = {0};
    sym_line line;
    uint64_t entry;
    sym_type *type = (sym_type *)1;
    open_fixture("symbols_shapes_bare");
    assert_false(sym_module_has_debug_info(module));
    assert_true(sym_function_entry(table, "many_blocks", &entry, &type));
    assert_null(type);
    assert_int_equal(sym_spots_of_function(table, NULL, "many_blocks", &spots, NULL), EBB_OK);
    assert_int_equal(spots.items[0].addr, entry);
    assert_string_equal(spots.items[0].function, "many_blocks");
    assert_int_equal(spots.items[0].line, 0);
    ebb_vec_fini(&spots);
    assert_false(sym_line_at(table, entry, &line));
    assert_int_equal(sym_functions_at(table, entry, functions, 4), 0);
    sym_table_free(table);
}

static void the_c_library(void **state)
{
    ebb_error err;
    table = sym_table_new();
    if (sym_table_add(table, "/lib/x86_64-linux-gnu/libc.so.6", 0x10000, &module, &err) != EBB_OK)
        skip();
    uint64_t entry, offset;
    assert_true(sym_function_entry(table, "puts", &entry, NULL));
    assert_true(entry > 0x10000);
    assert_non_null(sym_symbol_at(table, entry, &offset));
    assert_int_equal(offset, 0);
    assert_ptr_equal(sym_module_at(table, entry), module);
    sym_table_free(table);
}

static void a_module_moves(void **state)
{
    uint64_t before, after, lo, hi;
    const sym_function *functions[4];
    open_fixture("symbols_shapes_O0");
    assert_true(sym_function_entry(table, "main", &before, NULL));
    assert_int_equal(sym_functions_at(table, before, functions, 4), 1);
    assert_int_equal(sym_function_get_info(functions[0])->lo, before);
    sym_module_rebase(module, 0x555555554000);
    assert_true(sym_function_entry(table, "main", &after, NULL));
    assert_int_equal(after, before + 0x555555554000);
    assert_int_equal(sym_functions_at(table, before, functions, 4), 0);
    assert_int_equal(sym_functions_at(table, after, functions, 4), 1);
    assert_int_equal(sym_function_get_info(functions[0])->lo, after);
    sym_module_span(module, &lo, &hi);
    assert_true(lo == 0x555555554000 && after > lo && after < hi);
    sym_table_free(table);
}

/* A value in the history may have a type of a library that is gone. */
static void types_outlive_their_module(void **state)
{
    open_fixture("symbols_shapes_O0");
    sym_type *list = sym_type_find(table, SYM_TYPE_STRUCT, "list", 0);
    sym_type *untouched = sym_type_find(table, SYM_TYPE_ENUM, "mood", 0);
    sym_type_complete(list);
    sym_table_remove(table, module);
    ebb_buf text = {0};
    sym_type_describe(list, 0, &text);
    assert_non_null(strstr(ebb_buf_text(&text), "const char * const name;"));
    sym_type_describe(untouched, 0, &text);
    assert_int_equal(sym_table_n_modules(table), 0);
    assert_null(sym_type_find(table, SYM_TYPE_STRUCT, "list", 0));
    ebb_buf_fini(&text);
    sym_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debug_information_in_a_file_of_its_own),
        cmocka_unit_test(a_debug_file_that_does_not_match),
        cmocka_unit_test(compressed_sections),
        cmocka_unit_test(no_debug_information),
        cmocka_unit_test(the_c_library),
        cmocka_unit_test(a_module_moves),
        cmocka_unit_test(types_outlive_their_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
