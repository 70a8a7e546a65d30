/* The class-file parser: a small class made by hand, whole, cut off and mutated. */
#include "unit.h"

#include "jvm/classes/classfile.h"

#include <string.h>

/* class T extends java.lang.Object { static int f; static void m() { return; } }, version 52. */
static const uint8_t small_class[] = {
    0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 10,
    1, 0, 1, 'T',                               /* 1 */
    7, 0, 1,                                    /* 2: class T */
    1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e', 'c', 't', /* 3 */
    7, 0, 3,                                    /* 4: class Object */
    1, 0, 1, 'f', 1, 0, 1, 'I',                 /* 5, 6 */
    1, 0, 1, 'm', 1, 0, 3, '(', ')', 'V',       /* 7, 8 */
    1, 0, 4, 'C', 'o', 'd', 'e',                /* 9 */
    0, 0x21, 0, 2, 0, 4, 0, 0,                  /* public super; this, super, no interfaces */
    0, 1, 0, 9, 0, 5, 0, 6, 0, 0,               /* public static int f */
    0, 1, 0, 9, 0, 7, 0, 8, 0, 1,               /* public static void m() */
    0, 9, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 1, 0xb1, 0, 0, 0, 0,
    0, 0,
};

static bool parse(const uint8_t *bytes, size_t nbytes, jvm_class *cls, jvm_parse_error *error)
{
    jvm_reader r;
    memset(cls, 0, sizeof *cls);
    return jvm_classfile_parse_head(&r, cls, bytes, nbytes, (jvm_parse_options){0}, error) && jvm_classfile_parse_body(&r);
}

static void whole(void **state)
{
    jvm_class cls;
    jvm_parse_error error = {0};
    assert_true(parse(small_class, sizeof small_class, &cls, &error));
    assert_string_equal(cls.name->text, "T");
    assert_int_equal(cls.nfields, 1);
    assert_int_equal(cls.fields[0].type, 'I');
    assert_int_equal(cls.nmethods, 1);
    assert_int_equal(cls.methods[0].nbytes, 1);
    assert_int_equal(cls.methods[0].ret, 'V');
    ebb_arena_fini(&cls.arena);
}

static void every_cut_is_refused(void **state)
{
    for (size_t n = 0; n < sizeof small_class; n++) {
        jvm_class cls;
        jvm_parse_error error = {0};
        uint8_t *exact = test_malloc(n + 1); /* so that reading too far is seen */
        memcpy(exact, small_class, n);
        assert_false(parse(exact, n, &cls, &error));
        assert_non_null(error.exception);
        assert_true(error.text[0] != '\0');
        ebb_arena_fini(&cls.arena);
        test_free(exact);
    }
}

static void longer_is_refused(void **state)
{
    uint8_t longer[sizeof small_class + 1] = {0};
    jvm_class cls;
    jvm_parse_error error = {0};
    memcpy(longer, small_class, sizeof small_class);
    assert_false(parse(longer, sizeof longer, &cls, &error));
    assert_string_equal(error.exception, "java/lang/ClassFormatError");
    ebb_arena_fini(&cls.arena);
}

static void every_changed_byte_is_survived(void **state)
{
    static const uint8_t values[] = {0, 1, 2, 7, 9, 0x7f, 0x80, 0xfe, 0xff};
    uint8_t bytes[sizeof small_class];
    for (size_t i = 0; i < sizeof bytes; i++)
        for (size_t k = 0; k < sizeof values; k++) {
            jvm_class cls;
            jvm_parse_error error = {0};
            memcpy(bytes, small_class, sizeof bytes);
            bytes[i] = values[k];
            bool ok = parse(bytes, sizeof bytes, &cls, &error);
            assert_true(ok == (error.exception == NULL));
            ebb_arena_fini(&cls.arena);
        }
}

static void versions(void **state)
{
    uint8_t bytes[sizeof small_class];
    jvm_class cls;
    jvm_parse_error error = {0};
    memcpy(bytes, small_class, sizeof bytes);
    bytes[7] = 62;
    assert_false(parse(bytes, sizeof bytes, &cls, &error));
    assert_string_equal(error.exception, "java/lang/UnsupportedClassVersionError");
    ebb_arena_fini(&cls.arena);
}

static void grammar(void **state)
{
    assert_true(jvm_is_class_name("java/lang/Object", 16));
    assert_true(jvm_is_class_name("[[I", 3));
    assert_false(jvm_is_class_name("java//Object", 12));
    assert_false(jvm_is_class_name("", 0));
    assert_true(jvm_is_field_descriptor("[Ljava/lang/String;", 19));
    assert_false(jvm_is_field_descriptor("V", 1));
    assert_false(jvm_is_field_descriptor("Lx", 2));
    assert_true(jvm_is_method_descriptor("(IJ[D)V", 7));
    assert_false(jvm_is_method_descriptor("(V)V", 4));
    assert_true(jvm_is_member_name("<init>", 6, true));
    assert_false(jvm_is_member_name("a<b", 3, true));
    assert_true(jvm_is_member_name("a<b", 3, false));
    assert_true(jvm_is_modified_utf8((const uint8_t *)"\xc0\x80", 2, false));
    assert_false(jvm_is_modified_utf8((const uint8_t *)"\xf0\x9f", 2, false));
    assert_false(jvm_is_modified_utf8((const uint8_t *)"\xc1\x81", 2, false));
    assert_true(jvm_is_modified_utf8((const uint8_t *)"\xc1\x81", 2, true));
    assert_true(jvm_is_modified_utf8((const uint8_t *)"\xc2\x80", 2, false));
    assert_false(jvm_is_modified_utf8((const uint8_t *)"\xe0\x9f\xbf", 3, false));
    assert_true(jvm_is_modified_utf8((const uint8_t *)"\xe0\xa0\x80", 3, false));
}

static void old_identifiers(void **state)
{
    assert_true(jvm_is_identifier("a1_$", 4, false));
    assert_false(jvm_is_identifier("1a", 2, false));
    assert_false(jvm_is_identifier("a-b", 3, false));
    assert_false(jvm_is_identifier("a/b", 3, false));
    assert_false(jvm_is_identifier("", 0, false));
    assert_true(jvm_is_identifier("a/1", 3, true));
    assert_false(jvm_is_identifier("a//b", 4, true));
    assert_false(jvm_is_identifier("/a", 2, true));
    assert_false(jvm_is_identifier("a/", 2, true));
}

/* class T { static void m() { return; } } with one row in a table of local variables, whose name, type and range are given. */
static bool with_local(const char *table, const char *name, const char *sig, uint8_t start, uint8_t length, uint8_t slot, char *said)
{
    uint8_t bytes[400];
    size_t n = 0;
#define PUT(...) do { const uint8_t put[] = {__VA_ARGS__}; memcpy(bytes + n, put, sizeof put); n += sizeof put; } while (0)
#define TEXT(text) do { PUT(1, 0, (uint8_t)strlen(text)); memcpy(bytes + n, text, strlen(text)); n += strlen(text); } while (0)
    PUT(0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 11);
    TEXT("T");
    PUT(7, 0, 1);
    TEXT("java/lang/Object");
    PUT(7, 0, 3);
    TEXT("m");
    TEXT("()V");
    TEXT("Code");
    TEXT(table);
    TEXT(name);
    TEXT(sig);
    PUT(0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 9, 0, 5, 0, 6, 0, 1); /* no fields, one method with one attribute */
    PUT(0, 7, 0, 0, 0, 31, 0, 0, 0, 1, 0, 0, 0, 1, 0xb1, 0, 0, 0, 1);
    PUT(0, 8, 0, 0, 0, 12, 0, 1, 0, start, 0, length, 0, 9, 0, 10, 0, slot);
    PUT(0, 0);
#undef TEXT
#undef PUT
    jvm_class cls;
    jvm_parse_error error = {0};
    bool ok = parse(bytes, n, &cls, &error);
    strcpy(said, error.text);
    ebb_arena_fini(&cls.arena);
    return ok;
}

static void local_variables(void **state)
{
    static const struct {
        const char *table, *name, *sig;
        uint8_t start, length, slot;
        const char *said; /* NULL: nothing is wrong */
    } rows[] = {
        {"LocalVariableTable", "x", "I", 0, 1, 0, NULL},
        {"LocalVariableTable", "x", "V", 0, 1, 0, "Field \"x\" has illegal signature \"V\" in class file T"},
        {"LocalVariableTable", "x;", "I", 0, 1, 0, "Illegal field name \"x;\" in class file T"},
        {"LocalVariableTable", "x", "J", 0, 1, 0, "Invalid index 0 in LocalVariableTable in class file T"},
        {"LocalVariableTable", "x", "I", 1, 0, 0, "Invalid start_pc 1 in LocalVariableTable in class file T"},
        {"LocalVariableTable", "x", "I", 0, 2, 0, "Invalid length 2 in LocalVariableTable in class file T"},
        {"LocalVariableTypeTable", "x", "TT;", 0, 1, 0, NULL},
        {"LocalVariableTypeTable", "x", "TT;", 0, 1, 1, "Invalid index 1 in LocalVariableTypeTable in class file T"},
        {"LocalVariableTypeTable", "[x", "TT;", 0, 1, 0, "Illegal field name \"[x\" in class file T"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[400];
        bool ok = with_local(rows[i].table, rows[i].name, rows[i].sig, rows[i].start, rows[i].length, rows[i].slot, said);
        assert_true(ok == (rows[i].said == NULL));
        assert_string_equal(said, ok ? "" : rows[i].said);
    }
}

/* The first constant of small_class, at byte 10, becomes another kind. */
static void constant_kinds(void **state)
{
    static const struct {
        uint8_t major, tag;
        const char *said;
    } rows[] = {
        {50, 15, "Class file version does not support constant tag 15"},
        {50, 16, "Class file version does not support constant tag 16"},
        {54, 17, "Class file version does not support constant tag 17"},
        {50, 18, "Class file version does not support constant tag 18"},
        {52, 19, "Unknown constant tag 19"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[sizeof small_class];
        jvm_class cls;
        jvm_parse_error error = {0};
        memcpy(bytes, small_class, sizeof bytes);
        bytes[7] = rows[i].major;
        bytes[10] = rows[i].tag;
        assert_false(parse(bytes, sizeof bytes, &cls, &error));
        assert_string_equal(error.text, rows[i].said);
        ebb_arena_fini(&cls.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(longer_is_refused),
        cmocka_unit_test(every_changed_byte_is_survived),
        cmocka_unit_test(versions),
        cmocka_unit_test(grammar),
        cmocka_unit_test(old_identifiers),
        cmocka_unit_test(local_variables),
        cmocka_unit_test(constant_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
