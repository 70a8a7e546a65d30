/* The editor of class files: instructions put in, jumps and tables that follow, jumps that get too long, broken input. */
#include "unit.h"

#include "jvm/engine/ops.h"
#include "weave/classfile.h"
#include "weave/code.h"

#include <string.h>

/* class T { static void m() }, version 52; its code comes between these. */
static const uint8_t head[] = {
    0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 10,
    1, 0, 1, 'T',                               /* 1 */
    7, 0, 1,                                    /* 2: class T */
    1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e', 'c', 't', /* 3 */
    7, 0, 3,                                    /* 4: class Object */
    1, 0, 1, 'm', 1, 0, 3, '(', ')', 'V',       /* 5, 6 */
    1, 0, 4, 'C', 'o', 'd', 'e',                /* 7 */
    1, 0, 13, 'S', 't', 'a', 'c', 'k', 'M', 'a', 'p', 'T', 'a', 'b', 'l', 'e', /* 8 */
    1, 0, 15, 'L', 'i', 'n', 'e', 'N', 'u', 'm', 'b', 'e', 'r', 'T', 'a', 'b', 'l', 'e', /* 9 */
    0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0,            /* public super; this, super, no interfaces, no fields */
    0, 1, 0, 9, 0, 5, 0, 6, 0, 1,               /* public static void m() with one attribute */
};

typedef struct fixture {
    ebb_buf bytes;
    weave_class cls;
} fixture;

/* A class whose only method has this code, no handlers, and these attributes of Code. */
static void make(fixture *f, const uint8_t *code, uint32_t ncode, const uint8_t *attributes, uint32_t nattributes, uint16_t count)
{
    ebb_error err;
    *f = (fixture){0};
    ebb_buf_add(&f->bytes, head, sizeof head);
    weave_put_u2(&f->bytes, 7);
    weave_put_u4(&f->bytes, 12 + ncode + nattributes);
    weave_put_u2(&f->bytes, 2);
    weave_put_u2(&f->bytes, 1);
    weave_put_u4(&f->bytes, ncode);
    ebb_buf_add(&f->bytes, code, ncode);
    weave_put_u2(&f->bytes, 0);
    weave_put_u2(&f->bytes, count);
    ebb_buf_add(&f->bytes, attributes, nattributes);
    weave_put_u2(&f->bytes, 0);
    weave_span all = {(const uint8_t *)f->bytes.data, (uint32_t)f->bytes.n};
    assert_int_equal(weave_class_read(&f->cls, all, &err), EBB_OK);
    assert_int_equal(weave_method_open(&f->cls, &f->cls.methods[0], &err), EBB_OK);
}

static void drop(fixture *f)
{
    weave_class_fini(&f->cls);
    ebb_buf_fini(&f->bytes);
}

/* iconst_0; istore_0; L: iinc 0 1; iload_0; ifeq L; return, with a frame and a line at L. */
static const uint8_t loop_code[] = {0x03, 0x3b, 0x84, 0, 1, 0x1a, 0x99, 0xff, 0xfc, 0xb1};
static const uint8_t loop_tables[] = {
    0, 8, 0, 0, 0, 6, 0, 1, 0xfc, 0, 2, 1,          /* StackMapTable: at 2 an int is appended */
    0, 9, 0, 0, 0, 10, 0, 2, 0, 0, 0, 1, 0, 2, 0, 2, /* lines 1 at 0, 2 at 2 */
};

static void make_loop(fixture *f)
{
    make(f, loop_code, sizeof loop_code, loop_tables, sizeof loop_tables, 2);
}

/* The bytes of the written Code from max_stack on. */
static ebb_buf written_code(fixture *f)
{
    ebb_buf out = {0};
    ebb_error err;
    assert_int_equal(weave_code_write(f->cls.methods[0].code, &out, &err), EBB_OK);
    return out;
}

static void nothing_changes_by_itself(void **state)
{
    fixture f;
    ebb_buf out = {0};
    ebb_error err;
    make_loop(&f);
    assert_int_equal(weave_class_write(&f.cls, &out, &err), EBB_OK);
    assert_int_equal(out.n, f.bytes.n);
    assert_memory_equal(out.data, f.bytes.data, out.n);
    ebb_buf_fini(&out);
    drop(&f);
}

static void code_before_a_target_is_on_every_way(void **state)
{
    fixture f;
    make_loop(&f);
    weave_code *code = f.cls.methods[0].code;
    weave_insert_before(code, weave_code_at(code, 2), weave_insn_plain(code, JVM_OP_nop));
    ebb_buf out = written_code(&f);
    static const uint8_t expected[] = {0x03, 0x3b, 0x00, 0x84, 0, 1, 0x1a, 0x99, 0xff, 0xfb, 0xb1};
    assert_memory_equal(out.data + 8, expected, sizeof expected);
    assert_int_equal(out.data[8 + sizeof expected + 4 + 6 + 4], 2); /* the frame stands where the jump arrives */
    ebb_buf_fini(&out);
    drop(&f);
}

static void entry_code_is_executed_once(void **state)
{
    static const uint8_t spin[] = {0xa7, 0, 0}; /* goto itself */
    static const uint8_t frame[] = {0, 8, 0, 0, 0, 3, 0, 1, 0};
    fixture f;
    make(&f, spin, sizeof spin, frame, sizeof frame, 1);
    weave_code *code = f.cls.methods[0].code;
    weave_insert_before(code, code->first_read, weave_insn_plain(code, JVM_OP_nop));
    weave_insert_at_entry(code, weave_insn_plain(code, JVM_OP_iconst_0));
    weave_insert_at_entry(code, weave_insn_plain(code, JVM_OP_pop));
    ebb_buf out = written_code(&f);
    static const uint8_t expected[] = {0x03, 0x57, 0x00, 0xa7, 0xff, 0xff};
    assert_memory_equal(out.data + 8, expected, sizeof expected);
    ebb_buf_fini(&out);
    drop(&f);
}

static void a_conditional_jump_steps_on_a_goto_w(void **state)
{
    enum { FAR = 40000 };
    uint8_t *code = test_malloc(FAR + 10);
    memset(code, JVM_OP_nop, FAR);
    memcpy(code, (const uint8_t[]){0x03, 0x99, 0x7f, 0x00, 0xb1}, 5); /* iconst_0; ifeq 1 + 0x7f00; return */
    code[1 + 0x7f00] = JVM_OP_nop;
    code[0x7000] = JVM_OP_return;
    code[FAR - 1] = JVM_OP_return;
    static const uint8_t frames[] = {0, 8, 0, 0, 0, 11, 0, 3, 251, 0, 5, 251, 0x6f, 0xfa, 251, 0x0e, 0xff};
    fixture f;
    make(&f, code, FAR, frames, sizeof frames, 1);
    weave_code *woven = f.cls.methods[0].code;
    for (int i = 0; i < 400; i++)
        weave_insert_before(woven, weave_code_at(woven, 0x7001), weave_insn_plain(woven, JVM_OP_nop));
    ebb_buf out = written_code(&f);
    const uint8_t *bytes = (const uint8_t *)out.data + 8;
    int16_t offset = jvm_s2(bytes + 2);
    assert_int_equal(bytes[1], 0x99);
    assert_int_equal(bytes[1 + offset], JVM_OP_goto_w);
    assert_int_equal(1 + offset + jvm_s4(bytes + 1 + offset + 1), 1 + 0x7f00 + 400 + 5);
    ebb_buf_fini(&out);
    drop(&f);
    test_free(code);
}

static void code_over_65535_bytes_is_refused(void **state)
{
    fixture f;
    ebb_buf out = {0};
    ebb_error err;
    make_loop(&f);
    weave_code *code = f.cls.methods[0].code;
    for (int i = 0; i < 65535; i++)
        weave_insert_at_entry(code, weave_insn_plain(code, JVM_OP_nop));
    assert_int_equal(weave_code_write(code, &out, &err), EBB_UNSUPPORTED);
    ebb_buf_fini(&out);
    drop(&f);
}

static void the_pool_has_each_entry_once(void **state)
{
    fixture f;
    make_loop(&f);
    uint16_t first = weave_pool_add_method(&f.cls.pool, "a/B", "c", "()V");
    assert_int_equal(weave_pool_add_method(&f.cls.pool, "a/B", "c", "()V"), first);
    assert_int_equal(weave_pool_add_utf8(&f.cls.pool, "m"), 5);
    assert_int_equal(weave_pool_add_class(&f.cls.pool, "T"), 2);
    drop(&f);
}

static ebb_status try_all(const uint8_t *bytes, size_t nbytes)
{
    weave_class cls;
    ebb_error err;
    ebb_buf out = {0};
    ebb_status status = weave_class_read(&cls, (weave_span){bytes, (uint32_t)nbytes}, &err);
    if (status != EBB_OK)
        return status;
    for (uint32_t i = 0; i < cls.nmethods && status == EBB_OK; i++)
        if (cls.methods[i].code_bytes.bytes)
            status = weave_method_open(&cls, &cls.methods[i], &err);
    if (status == EBB_OK)
        status = weave_class_write(&cls, &out, &err);
    ebb_buf_fini(&out);
    weave_class_fini(&cls);
    return status;
}

static void every_cut_is_refused(void **state)
{
    fixture f;
    make_loop(&f);
    for (size_t n = 0; n < f.bytes.n; n++) {
        uint8_t *exact = test_malloc(n + 1); /* so that reading too far is seen */
        memcpy(exact, f.bytes.data, n);
        assert_int_equal(try_all(exact, n), EBB_BAD_FILE);
        test_free(exact);
    }
    drop(&f);
}

static void every_changed_byte_is_survived(void **state)
{
    fixture f;
    make_loop(&f);
    size_t n = f.bytes.n;
    uint8_t *bytes = test_malloc(n);
    for (size_t i = 0; i < n; i++)
        for (int value = 0; value < 256; value += 5) {
            memcpy(bytes, f.bytes.data, n);
            bytes[i] = (uint8_t)value;
            (void)!try_all(bytes, n);
        }
    test_free(bytes);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_by_itself),
        cmocka_unit_test(code_before_a_target_is_on_every_way),
        cmocka_unit_test(entry_code_is_executed_once),
        cmocka_unit_test(a_conditional_jump_steps_on_a_goto_w),
        cmocka_unit_test(code_over_65535_bytes_is_refused),
        cmocka_unit_test(the_pool_has_each_entry_once),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(every_changed_byte_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
