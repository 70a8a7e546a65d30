/* symbols_variables_test.c - values of variables at a stop, read where their debug information says they are. */
#include "unit.h"
#include "symbols_live.h"

#include <string.h>

static live l;

static int stop_at(int stop)
{
    live_start(&l, live_fixture, stop);
    return 0;
}

static sym_frame frame_of(const char *function)
{
    sym_frame frame = l.frame, caller;
    for (int i = 0; i < 32; i++) {
        const sym_function *functions[16];
        uint64_t pc = frame.regs[SYM_REG_RIP].value - (frame.pc_is_exact ? 0 : 1);
        size_t n = sym_functions_at(l.table, pc, functions, 16);
        for (size_t k = 0; k < n; k++)
            if (strcmp(sym_function_get_info(functions[k])->name, function) == 0)
                return frame;
        if (sym_unwind(l.table, &l.target, &frame, &caller, NULL) != EBB_OK)
            break;
        frame = caller;
    }
    fail_msg("no frame of %s", function);
    return frame;
}

static void check_type(const char *name, sym_frame *frame, const char *wanted)
{
    ebb_buf text = {0};
    sym_type_print(sym_variable_get_info(live_variable(&l, frame, name))->type, &text);
    assert_string_equal(ebb_buf_text(&text), wanted);
    ebb_buf_fini(&text);
}

static void parameters_and_locals(void **state)
{
    stop_at(1);
    sym_frame inner = l.frame, middle = frame_of("middle");
    assert_int_equal(live_value(&l, &inner, "a"), 11);
    assert_int_equal(live_value(&l, &inner, "local"), 22);
    assert_int_equal(live_value(&l, &inner, "local_in_block"), 25);
    assert_int_equal(live_value(&l, &inner, "paint"), 40);
    check_type("paint", &inner, "enum colour");
    check_type("p", &inner, "struct point *");
    if (!live_is_optimised)
        assert_int_equal(live_value(&l, &middle, "depth"), 10);
    check_type("ratio", &middle, "double");
    live_finish(&l);
}

static void statics_and_globals(void **state)
{
    stop_at(1);
    sym_frame inner = l.frame;
    assert_int_equal(live_value(&l, &inner, "calls"), 5);
    assert_true(sym_variable_get_info(live_variable(&l, &inner, "calls"))->is_static);
    assert_false(sym_variable_get_info(live_variable(&l, &inner, "local"))->is_static);
    assert_int_equal(live_value(&l, &inner, "file_static"), 41);
    assert_int_equal(live_value(&l, &inner, "global_counter"), 7);
    assert_int_equal(live_value(&l, &inner, "per_thread"), 100); /* thread-local: 99 + argc */
    sym_location location;
    const sym_variable *global = sym_variable_find(l.table, NULL, "global_counter", 0);
    assert_int_equal(sym_variable_locate(global, &l.target, NULL, &location, NULL), EBB_OK);
    assert_int_equal(location.pieces[0].kind, SYM_PIECE_MEMORY);
    const sym_variable *in_function = sym_variable_in_function(l.table, "inner", "calls");
    assert_ptr_equal(in_function, live_variable(&l, &inner, "calls"));
    assert_null(sym_variable_find(l.table, NULL, "no_such_variable", 0));
    live_finish(&l);
}

static void members(void **state)
{
    stop_at(1);
    sym_frame inner = l.frame;
    uint64_t at = (uint64_t)live_value(&l, &inner, "p");
    sym_type *type =
        sym_type_strip(sym_variable_get_info(live_variable(&l, &inner, "p"))->type)->target;
    const struct {
        const char *name;
        long value;
    } wanted[] = {{"x", 3}, {"y", 4}, {"flags", 5}, {"mode", 100}, {"delta", -7}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        sym_member m;
        uint64_t word = 0;
        assert_true(sym_type_find_member(type, wanted[i].name, &m));
        assert_int_equal(l.target.read(&l, at + m.offset, &word, 8, NULL), EBB_OK);
        unsigned nbits = m.nbits ? m.nbits : 32;
        word = word >> m.bit_offset << (64 - nbits);
        long value = sym_type_strip(m.type)->is_signed ? (long)word >> (64 - nbits)
                                                       : (long)(word >> (64 - nbits));
        assert_int_equal(value, wanted[i].value);
    }
    live_finish(&l);
}

static void enumerators(void **state)
{
    stop_at(1);
    sym_type *type;
    int64_t value;
    assert_true(sym_enumerator_find(l.table, "RED", 0, &type, &value));
    assert_int_equal(value, -2);
    assert_true(type->is_signed);
    assert_true(
        sym_enumerator_find(l.table, "BLUE", l.frame.regs[SYM_REG_RIP].value, &type, &value));
    assert_int_equal(value, 40);
    assert_string_equal(type->name, "colour");
    assert_false(sym_enumerator_find(l.table, "MAUVE", 0, &type, &value));
    live_finish(&l);
}

static void inlined_frames(void **state)
{
    stop_at(4);
    const sym_function *functions[4];
    uint64_t pc = l.frame.regs[SYM_REG_RIP].value;
    assert_int_equal(sym_functions_at(l.table, pc, functions, 4), 3);
    const sym_function_info *info = sym_function_get_info(functions[0]);
    assert_true(info->is_inlined);
    assert_true(info->call_line > 0 && strstr(info->call_file, "frames.c"));
    assert_false(sym_function_get_info(functions[2])->is_inlined);
    long doubled = live_value(&l, &l.frame, "doubled");
    assert_int_equal(doubled, 2 * live_value(&l, &l.frame, "q"));
    live_finish(&l);
}

static void variable_length_arrays(void **state)
{
    stop_at(5);
    sym_frame frame = l.frame;
    const sym_variable *numbers = live_variable(&l, &frame, "numbers"),
                       *grid = live_variable(&l, &frame, "grid");
    check_type("numbers", &frame, "int [variable length]");
    ebb_buf text = {0};
    sym_type *resolved =
        sym_type_resolve_dynamic(sym_variable_get_info(numbers)->type, &l.target, &frame);
    sym_type_print(resolved, &text);
    assert_string_equal(ebb_buf_text(&text), "int [5]");
    assert_int_equal(sym_type_size(resolved), 20);
    ebb_buf_truncate(&text, 0);
    sym_type_print(sym_type_resolve_dynamic(sym_variable_get_info(grid)->type, &l.target, &frame),
                   &text);
    assert_string_equal(ebb_buf_text(&text), "char [5][6]");
    ebb_buf_fini(&text);
    sym_location location = live_location(&l, &frame, "numbers");
    int32_t fourth;
    assert_int_equal(location.pieces[0].kind, SYM_PIECE_MEMORY);
    assert_int_equal(l.target.read(&l, location.pieces[0].addr + 16, &fourth, 4, NULL), EBB_OK);
    assert_int_equal(fourth, 16);
    live_finish(&l);
}

/* gcc -O2 tells that `given` is the value its register had at entry; the caller tells which. */
static void values_at_entry(void **state)
{
    uint64_t value;
    if (!live_is_optimised)
        skip();
    stop_at(7);
    sym_frame frame = l.frame;
    const sym_variable *given = live_variable(&l, &frame, "given");
    assert_int_equal(sym_variable_entry_value(given, &l.target, &frame, &value, NULL), EBB_OK);
    assert_int_equal(value, 1234);
    assert_int_equal(live_value(&l, &frame, "given"), 1234);
    assert_int_equal(live_value(&l, &frame, "other"), 5678);
    live_finish(&l);
}

/* What main knew of argc is lost in the frames below, or not: but never a wrong value. */
static void values_in_main(void **state)
{
    stop_at(7);
    sym_frame frame = frame_of("main");
    sym_location location = live_location(&l, &frame, "argc");
    if (location.pieces[0].kind != SYM_PIECE_OPTIMIZED_OUT)
        assert_int_equal(live_value(&l, &frame, "argc"), 1);
    live_finish(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_and_locals),
        cmocka_unit_test(statics_and_globals),
        cmocka_unit_test(members),
        cmocka_unit_test(enumerators),
        cmocka_unit_test(inlined_frames),
        cmocka_unit_test(variable_length_arrays),
        cmocka_unit_test(values_at_entry),
        cmocka_unit_test(values_in_main),
    };
    return live_run_variants("frames", true, tests, sizeof tests / sizeof *tests);
}
