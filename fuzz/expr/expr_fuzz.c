/* expr_fuzz.c - hostile text for the expression engine (XE2), by C's rules and by Java's: it answers with a value or one line.
 *
 *   expr_fuzz FILE...          each file is one input
 *   expr_fuzz --random N SEED  N inputs made of the languages' own tokens
 * Built with -fsanitize=fuzzer -DEBB_LIBFUZZER it is a libFuzzer target instead. */
#include "base/check.h"
#include "base/mem.h"
#include "expr_fake.h"
#include "expr_java_fake.h"

#include <stdio.h>
#include <string.h>

static const sym_enumerator colors[] = {{"RED", 0}, {"GREEN", 1}, {"BLUE", 2}};

static uint64_t call_seven(const expr_value *args, size_t n_args)
{
    return 7;
}

/* A little of everything, with pointers that go round in circles and nowhere. */
static void furnish(fake_world *fake)
{
    fake_init(fake);
    fake_struct(fake, SYM_TYPE_STRUCT, "point", "int x; int y");
    fake_typedef(fake, "struct point", "point");
    fake_enum(fake, "color", colors, 3);
    fake_struct(fake, SYM_TYPE_UNION, "u", "int i; float f; char[4] c");
    fake_struct(fake, SYM_TYPE_STRUCT, "node", "unsigned a:3; long b:40; struct node* next; union u -; enum color e; point[2] ps; char[] tail");
    fake_variable(fake, "int", "i", (int[]){5});
    fake_variable(fake, "char", "c", "a");
    fake_variable(fake, "double", "d", (double[]){2.5});
    fake_variable(fake, "long double", "ld", NULL);
    fake_variable(fake, "__int128", "big", (__int128[]){(__int128)1 << 100});
    fake_variable(fake, "enum color", "col", (int[]){1});
    uint64_t arr = fake_variable(fake, "int[5]", "arr", (int[]){1, 2, 3, 4, 5});
    uint64_t str = fake_variable(fake, "char[16]", "str", "hello\0\1\2\377xxxxxx"), wild = 0xdead0000;
    fake_variable(fake, "int*", "ip", &arr);
    fake_variable(fake, "char*", "p", &str);
    fake_variable(fake, "void*", "vp", &arr);
    fake_variable(fake, "int*", "wild", &wild);
    uint64_t nd = fake_variable(fake, "struct node", "nd", NULL);
    memcpy(fake->memory + (nd - FAKE_BASE) + 8, &nd, sizeof nd);
    fake_variable(fake, "struct node*", "np", &nd);
    fake_in_register(fake, "point", "rpt", "r12", 0x200000001);
    fake_in_register(fake, "point", "hpt", "half", 0x200000001);
    fake_register(fake, "long", "rax", 7);
    uint64_t f = fake_function(fake, "int(int)", "f", call_seven);
    fake_variable(fake, "int(*)(int)", "fp", &f);
    fake_function(fake, "?", "mystery", call_seven);
    fake->n_history = 0;
}

static void check_line(const char *text)
{
    ebb_check(strncmp(text, "! ", 2) != 0 || !strchr(text, '\n'));
}

static void run_one(const char *text)
{
    static const char *const formats[] = {"/x ", "/c ", "/s ", "/f ", "/z ", "/a ", "/t "};
    fake_world *fake = EBB_NEW(fake_world);
    furnish(fake);
    size_t n_symbols = fake->n_symbols;
    check_line(fake_print(fake, text));
    check_line(fake_whatis(fake, text));
    char *with_format = ebb_asprintf("%s%s", formats[strlen(text) % 7], text);
    fake->n_symbols = n_symbols;
    fake->used = FAKE_NBYTES / 2;
    fake->format.pretty = true;
    check_line(fake_print(fake, with_format));
    free(with_format);
    const expr_node *tree;
    const char *rest = text;
    if (expr_parse_prefix(&fake->arena, &fake->world, text, &tree, &rest, NULL) == EBB_OK)
        ebb_check(rest >= text && rest <= text + strlen(text));
    fake_fini(fake);
    free(fake);
}

/* ---- Java ------------------------------------------------------------------------------------------------ */

static void furnish_java(fake_java *fake)
{
    fake_java_init(fake);
    fake_java_class(fake, "class java.util.ArrayList", "[Ljava/lang/Object; elementData | I size", "get(I)Ljava/lang/Object; | add(Ljava/lang/Object;)Z");
    fake_java_class(fake, "class Outer", "I w | static LOuter; self | [LOuter; all", "f(I)I | f(J)J | varargs static f(Ljava/lang/Object;[Ljava/lang/Object;)LOuter; | <init>()V | <init>(I)V");
    fake_java_class(fake, "class Outer$Inner implements java.lang.Runnable", "synthetic LOuter; this$0 | synthetic D val$v", "run()V");
    uint64_t outer = fake_java_new(fake, "LOuter;"), inner = fake_java_new(fake, "LOuter$Inner;"), all = fake_java_array(fake, "[LOuter;", 3);
    uint64_t list = fake_java_new(fake, "Ljava/util/ArrayList;"), data = fake_java_array(fake, "[Ljava/lang/Object;", 4);
    fake_java_set_element(fake, all, 1, FAKE_REF(outer));
    fake_java_set(fake, outer, "all", FAKE_REF(all));
    fake_java_set_static(fake, "LOuter;", "self", FAKE_REF(outer));
    fake_java_set(fake, inner, "this$0", FAKE_REF(outer));
    fake_java_set_element(fake, data, 0, FAKE_REF(list)); /* in itself */
    fake_java_set_element(fake, data, 1, FAKE_REF(0xdead));
    fake_java_set(fake, list, "elementData", FAKE_REF(data));
    fake_java_set(fake, list, "size", FAKE_INT(1 << 30));
    fake->this_ = inner;
    fake->scope = fake_java_type(fake, "LOuter$Inner;");
    fake_java_local(fake, "I", "i", FAKE_INT(5));
    fake_java_local(fake, "J", "j", FAKE_INT(INT64_MIN));
    fake_java_local(fake, "C", "c", FAKE_INT(0xd800));
    fake_java_local(fake, "D", "d", FAKE_REAL(-0.0));
    fake_java_local(fake, "Z", "z", FAKE_INT(1));
    fake_java_local(fake, "Ljava/lang/String;", "s", FAKE_REF(fake_java_string(fake, "a\xc0\x80z")));
    fake_java_local(fake, "Ljava/lang/Object;", "o", FAKE_REF(list));
    fake_java_local(fake, "Ljava/lang/Object;", "wild", FAKE_REF(0xbad));
    fake_java_local(fake, "Ljava/lang/Integer;", "boxed", FAKE_REF(fake_java_box(fake, 'I', FAKE_INT(-1))));
    fake_java_local(fake, "[LOuter;", "all", FAKE_REF(all));
    fake_java_local(fake, "LOuter;", "none", FAKE_REF(0));
}

static void run_one_as_java(const char *text)
{
    static const char *const formats[] = {"/x ", "/c ", "/r ", "/f ", "/z ", "/d ", "/t "};
    fake_java *fake = EBB_NEW(fake_java);
    furnish_java(fake);
    check_line(fake_java_print(fake, text));
    check_line(fake_java_whatis(fake, text));
    char *with_format = ebb_asprintf("%s%s", formats[strlen(text) % 7], text);
    fake->format.pretty = true;
    check_line(fake_java_print(fake, with_format));
    free(with_format);
    const expr_node *tree;
    const char *rest = text;
    java_value place;
    if (expr_java_parse_prefix(&fake->arena, text, &tree, &rest, NULL) == EBB_OK) {
        ebb_check(rest >= text && rest <= text + strlen(text));
        size_t n_calls = fake->calls.n;
        ebb_status status = expr_java_place(&fake->arena, &fake->world, tree, &place, NULL);
        ebb_check(fake->calls.n == n_calls && (status || place.type));
    }
    fake_java_fini(fake);
    free(fake);
}

static void run_both(const char *text)
{
    run_one(text);
    run_one_as_java(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    char *text = ebb_strndup((const char *)data, nbytes);
    run_both(text);
    free(text);
    return 0;
}

#ifndef EBB_LIBFUZZER

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Text that gets further than noise would: tokens in random order, now and then a random byte. */
static void make_random(uint64_t *state, ebb_buf *text)
{
    static const char *const tokens[] = {
#define EXPR_OPERATOR(name, token, place, precedence, associativity, dialect) token,
#include "expr/operators.def"
#undef EXPR_OPERATOR
        ")", "]", "{", "}", "?", ":", "::", "...", "(", ")", "(", ")", "i", "c", "d", "ld", "big", "col", "arr", "str", "ip", "p", "vp",
        "wild", "nd", "np", "rpt", "hpt", "f", "fp", "mystery", "point", "struct node", "union u", "enum color", "RED", "x", "y", "next",
        "ps", "tail", "a", "b", "e", "int", "char", "unsigned", "long", "double", "_Bool", "void", "const", "*", "&", "0", "1", "-1", "2.5", "1e400",
        "0xffffffffffffffff", "1000000000", "'a'", "L'x'", "\"abc\"", "L\"w\"", "$", "$$", "$1", "$rax", "$v", "$half", "'", "\"", "0x", "1.5f",
        "j", "s", "o", "all", "none", "boxed", "z", "Outer", "Outer.Inner", "this", "super.", "Outer.this", "new ", "new int[", "new Outer(", "null", "true", ".class", ".length",
        ".all", ".w", "f(", "get(", "String", "Object", "Integer", "(Outer)", "(int)", "(int[])", "(Comparable<Outer>)", "instanceof ", "\"\\ud800\"", "'\\uffff'", "1L", "0b1", "1_0",
        "self", "val$v", "v", "w", ".elementData", ".toString()", "[1]", "$p",
    };
    size_t n = 1 + next_random(state) % 14;
    for (size_t i = 0; i < n; i++) {
        uint64_t pick = next_random(state);
        if (pick % 101 == 0)
            ebb_buf_addc(text, (char)(1 + (pick >> 8) % 255));
        else
            ebb_buf_adds(text, tokens[(pick >> 8) % (sizeof tokens / sizeof *tokens)]);
        if (pick % 3 == 0)
            ebb_buf_addc(text, ' ');
    }
}

static void run_random(long n, uint64_t seed)
{
    uint64_t state = seed * 2654435761u + 1;
    for (long i = 0; i < n; i++) {
        ebb_buf text = {0};
        make_random(&state, &text);
        run_both(ebb_buf_text(&text));
        ebb_buf_fini(&text);
    }
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    ebb_buf text = {0};
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        ebb_buf_add(&text, chunk, n);
    fclose(file);
    run_both(ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--random") == 0) {
        run_random(atol(argv[2]), strtoull(argv[3], NULL, 10));
        return 0;
    }
    int status = 0;
    for (int i = 1; i < argc; i++)
        status |= run_file(argv[i]);
    return status;
}

#endif
