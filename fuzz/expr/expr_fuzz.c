/* expr_fuzz.c - hostile text for the expression engine (X2): it answers with a value or one line.
 *
 *   expr_fuzz FILE...          each file is one input
 *   expr_fuzz --random N SEED  N inputs made of the language's own tokens
 * Built with -fsanitize=fuzzer -DEBB_LIBFUZZER it is a libFuzzer target instead. */
#include "base/check.h"
#include "base/mem.h"
#include "expr_fake.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    char *text = ebb_strndup((const char *)data, nbytes);
    run_one(text);
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
        run_one(ebb_buf_text(&text));
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
    run_one(ebb_buf_text(&text));
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
