/* The instruction table against the rules of the format itself. */
#include "unit.h"

#include "jvm/engine/ops.h"
#include "jvm/engine/prepare.h"

#include <string.h>

static void every_code_has_a_row(void **state)
{
    for (int i = 0; i < JVM_NOPS; i++) {
        assert_non_null(jvm_ops[i].name);
        assert_non_null(jvm_ops[i].pops);
    }
    assert_int_equal(JVM_NOPS, 202);
    assert_string_equal(jvm_ops[0xb6].name, "invokevirtual");
    assert_string_equal(jvm_ops[0xc9].name, "jsr_w");
}

static void shufflers_only_push_what_they_pop(void **state)
{
    for (int op = JVM_OP_pop; op <= JVM_OP_swap; op++) {
        assert_true(jvm_op_is_shuffler((uint8_t)op));
        for (const char *p = jvm_ops[op].pushes; *p != '\0'; p++)
            assert_non_null(strchr(jvm_ops[op].pops, *p));
    }
    assert_int_equal(strlen(jvm_ops[JVM_OP_pop2].pops), 2);
    assert_int_equal(strlen(jvm_ops[JVM_OP_dup2_x2].pushes), 6);
}

static uint32_t length_of(const uint8_t *code, uint32_t n)
{
    return jvm_op_length(code, n, 0);
}

static void lengths(void **state)
{
    assert_int_equal(length_of((uint8_t[]){JVM_OP_nop}, 1), 1);
    assert_int_equal(length_of((uint8_t[]){JVM_OP_sipush, 1, 2}, 3), 3);
    assert_int_equal(length_of((uint8_t[]){JVM_OP_invokeinterface, 0, 1, 1, 0}, 5), 5);
    assert_int_equal(length_of((uint8_t[]){JVM_OP_wide, JVM_OP_iinc, 0, 1, 0, 1}, 6), 6);
    assert_int_equal(length_of((uint8_t[]){JVM_OP_wide, JVM_OP_aload, 0, 1}, 4), 4);
}

static void cut_off_or_unknown_has_no_length(void **state)
{
    assert_int_equal(length_of((uint8_t[]){JVM_OP_sipush, 1}, 2), 0);
    assert_int_equal(length_of((uint8_t[]){0xca}, 1), 0);
    assert_int_equal(length_of((uint8_t[]){0xff}, 1), 0);
    assert_int_equal(length_of((uint8_t[]){JVM_OP_wide}, 1), 0);
    assert_int_equal(length_of((uint8_t[]){JVM_OP_wide, JVM_OP_iadd, 0, 0}, 4), 0);
}

static void switches(void **state)
{
    uint8_t table[] = {JVM_OP_tableswitch, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 6};
    assert_int_equal(length_of(table, sizeof table), 24);
    assert_int_equal(length_of(table, sizeof table - 1), 0);
    table[11] = 3; /* low above high */
    assert_int_equal(length_of(table, sizeof table), 0);
    uint8_t lookup[] = {JVM_OP_lookupswitch, 0, 0, 0, 0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(length_of(lookup, sizeof lookup), 0);
}

static void prepared_names_follow_their_table(void **state)
{
    assert_string_equal(jvm_xop_name(JVM_X_nop), "nop");
    assert_string_equal(jvm_xop_name(JVM_X_if_icmplt_back), "if_icmplt_back");
    assert_int_equal(JVM_X_if_icmplt_back, JVM_X_if_icmplt + 1); /* engine/prepare.c counts on it */
    assert_int_equal(JVM_X_jump_back, JVM_X_jump + 1);
}

static void quickened_instructions_are_known(void **state)
{
    assert_true(jvm_xop_may_be_quickened(JVM_X_getfieldQ4));
    assert_true(jvm_xop_may_be_quickened(JVM_X_invokesiteQ));
    assert_true(jvm_xop_may_be_quickened(JVM_X_push2));
    assert_false(jvm_xop_may_be_quickened(JVM_X_getfield));
    assert_false(jvm_xop_may_be_quickened(JVM_X_load1_getfieldQ4)); /* the one after it is */
    assert_false(jvm_xop_may_be_quickened(JVM_X_push1_iadd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_row),
        cmocka_unit_test(shufflers_only_push_what_they_pop),
        cmocka_unit_test(lengths),
        cmocka_unit_test(cut_off_or_unknown_has_no_length),
        cmocka_unit_test(switches),
        cmocka_unit_test(prepared_names_follow_their_table),
        cmocka_unit_test(quickened_instructions_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
