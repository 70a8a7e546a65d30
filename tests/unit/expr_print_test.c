/* Values as gdb 13 prints them: every expected text was printed by gdb for the same variable. */
#include "unit.h"
#include "expr_fake.h"

#include <locale.h>
#include <string.h>

typedef struct pair {
    const char *expression, *expected;
} pair;

static void check_all(fake_world *fake, const pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = fake_print(fake, pairs[i].expression);
        if (strcmp(got, pairs[i].expected) != 0)
            fail_msg("%s\n  gave     %s\n  expected %s", pairs[i].expression, got, pairs[i].expected);
    }
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        const pair pairs_[] = {__VA_ARGS__};                                                       \
        check_all(*state, pairs_, sizeof pairs_ / sizeof *pairs_);                                 \
    } while (0)

static const sym_enumerator colors[] = {{"RED", 0}, {"GREEN", 1}, {"BLUE", 2}};
static const sym_enumerator flags[] = {{"A", 1}, {"B", 2}, {"C", 4}};
static const sym_enumerator twins[] = {{"E4A", 1}, {"E4B", 2}, {"E4C", 2}, {"E4D", 4}};
static const sym_enumerator mixed[] = {{"M0", 0}, {"M1", 1}, {"M2", 2}, {"M3", 3}, {"M8", 8}};
static const sym_enumerator negative[] = {{"NEG", -1}, {"ZERO", 0}, {"POS", 1}};

static uint64_t call_nothing(const expr_value *args, size_t n_args)
{
    return 0;
}

static int set_up(void **state)
{
    fake_world *fake = calloc(1, sizeof *fake);
    fake_init(fake);
    *state = fake;
    fake_struct(fake, SYM_TYPE_STRUCT, "point", "int x; int y");
    fake_typedef(fake, "struct point", "point");
    fake_typedef(fake, "int", "wchar_t");
    fake_typedef(fake, "unsigned short", "char16_t");
    fake_typedef(fake, "signed char", "int8_t");
    fake_typedef(fake, "char*", "string");
    fake_typedef(fake, "int(*)(int)", "binop");
    fake_enum(fake, "color", colors, 3);
    fake_enum(fake, "flags", flags, 3);
    fake_enum(fake, "twins", twins, 4);
    fake_enum(fake, "mixed", mixed, 5);
    fake_enum(fake, "negative", negative, 3);
    fake_struct(fake, SYM_TYPE_UNION, "u", "int i; float f; char[4] c");
    fake_struct(fake, SYM_TYPE_UNION, "pq", "int p; float q");
    fake_struct(fake, SYM_TYPE_STRUCT, "rs", "short r; short s");
    fake_struct(fake, SYM_TYPE_STRUCT, "anon", "int k; union pq -; struct rs -; int last");
    fake_struct(fake, SYM_TYPE_STRUCT, "empty", "");
    fake_struct(fake, SYM_TYPE_STRUCT, "hasarr", "int n; point[2] ps; char[8] nm; int[2][2] m");
    fake_struct(fake, SYM_TYPE_STRUCT, "fam", "int n; int[] data");
    fake_struct(fake, SYM_TYPE_STRUCT, "node", "int v; struct node* next; int(*)(int) fn; char* name");

    uint64_t add = fake_function(fake, "int(int)", "add", call_nothing);
    uint64_t counter = fake_variable(fake, "int", "counter", (int[]){5}), one = 1, zero = 0;
    fake_variable(fake, "int*", "ip", &counter);
    fake_variable(fake, "void*", "vp", &counter);
    fake_variable(fake, "int*", "ipn", &zero);
    fake_variable(fake, "binop", "bo", &add);
    fake_variable(fake, "int(*)(int)", "fp", &add);
    fake_variable(fake, "int(*[2])(int)", "fps", (uint64_t[]){add, 0});
    fake_variable(fake, "int[5]", "arr", (int[]){1, 2, 3, 4, 5});
    fake_variable(fake, "int[20]", "zero", NULL);
    fake_variable(fake, "int[10]", "i10", NULL);
    fake_variable(fake, "int[30]", "rep", (int[30]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3});
    fake_variable(fake, "int[2][3]", "a2", (int[]){1, 2, 3, 4, 5, 6});
    fake_variable(fake, "int[2][2][2]", "a3", (int[]){1, 2, 3, 4, 5, 6, 7, 8});
    int big[300];
    char big_str[300];
    for (int i = 0; i < 300; i++) {
        big[i] = i;
        big_str[i] = (char)('a' + i % 26);
    }
    fake_variable(fake, "int[300]", "big", big);
    uint64_t big_str_addr = fake_variable(fake, "char[300]", "big_str", big_str);
    fake_variable(fake, "char*", "plong", &big_str_addr);
    fake_variable(fake, "char[500]", "lng", NULL);
    memset(fake->memory + fake->used - 500, 'x', 499);
    fake_variable(fake, "char[6]", "str", "hello");
    fake_variable(fake, "char[20]", "str20", "hello\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    fake_variable(fake, "char[3]", "strfull", "abc");
    fake_variable(fake, "char[10]", "stremb", "ab\0cd\0\0\0\0");
    fake_variable(fake, "char[40]", "strrep", "aaaaaaaaaaaaaaaaaaaabc\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    fake_variable(fake, "char[13]", "s10b", "xaaaaaaaaaay");
    fake_variable(fake, "char[14]", "s11b", "xaaaaaaaaaaay");
    fake_variable(fake, "char[8]", "strz", NULL);
    fake_variable(fake, "char[16]", "nul16", NULL);
    fake_variable(fake, "char[11]", "esc", "a\n\t\"q\\\x01\x80""1\033");
    fake_variable(fake, "char[2][6]", "strs", "ab\0\0\0\0cd\0\0\0");
    fake_variable(fake, "unsigned char[4]", "ub", "\1\2\377A");
    fake_variable(fake, "wchar_t", "wc", (int[]){'x'});
    uint64_t ws = fake_variable(fake, "wchar_t[5]", "ws", (int[]){'w', 'i', 'd', 'e', 0});
    fake_variable(fake, "wchar_t*", "wp", &ws);
    fake_variable(fake, "char16_t[4]", "s16", (short[]){'u', '1', '6', 0});
    uint64_t hello = fake_variable(fake, "char[6]", "hello_", "hello");
    fake->symbols[fake->n_symbols - 1].nbytes = 0; /* a literal has no symbol */
    fake_variable(fake, "char*", "p", &hello);
    fake_variable(fake, "const char*", "cp", &hello);
    fake_variable(fake, "unsigned char*", "up", &hello);
    fake_variable(fake, "int8_t*", "i8p", &hello);
    fake_variable(fake, "string", "sstr", &hello);
    fake_variable(fake, "char*const", "ccp", &hello);
    fake_variable(fake, "char*", "pnull", &zero);
    fake_variable(fake, "char*", "pbad", &one);
    fake_variable(fake, "char*[3]", "ps", (uint64_t[]){hello, hello + 2, 0});
    uint64_t pt = fake_variable(fake, "point", "pt", (int[]){1, 2});
    fake_variable(fake, "point*", "ppt", &pt);
    fake_variable(fake, "point[3]", "pts", (int[]){1, 2, 3, 4, 5, 6});
    int same[24];
    for (int i = 0; i < 24; i++)
        same[i] = 1 + i % 2;
    fake_variable(fake, "point[12]", "ptsame", same);
    fake_variable(fake, "union u", "un", (int[]){1078530011});
    fake_variable(fake, "struct anon", "an", (int[]){1, 2, 3 | 4 << 16, 5});
    fake_variable(fake, "struct empty", "em", NULL);
    struct {
        int n, ps[4];
        char nm[8];
        int m[4];
    } ha = {1, {1, 2, 3, 4}, "hi", {1, 2, 3, 4}};
    fake_variable(fake, "struct hasarr", "ha", &ha);
    struct {
        uint64_t v, next, fn, name;
    } nd = {1, counter, add, hello};
    fake_variable(fake, "struct node", "nd", &nd);
    fake_variable(fake, "struct fam", "fam", (int[]){3});
    fake_variable(fake, "char", "c", "a");
    fake_variable(fake, "signed char", "sc", "\xfb");
    fake_variable(fake, "unsigned char", "uc", "\xc8");
    fake_variable(fake, "short", "sh", (short[]){-3});
    fake_variable(fake, "unsigned long", "ul", (long[]){-1});
    fake_variable(fake, "long", "l", (long[]){-1});
    fake_variable(fake, "_Bool", "bt", "\1");
    fake_variable(fake, "float", "f", (float[]){3.14159265f});
    fake_variable(fake, "double", "d", (double[]){3.141592653589793});
    fake_variable(fake, "double[3]", "darr", (double[]){1.5, 2.5, 0});
    fake_variable(fake, "float", "fnan", (int[]){(int)0xffc00000});
    fake_variable(fake, "long double", "ld", "\xc3\xf5\x28\x5c\x8f\xc2\xf5\xc8\x00\x40\0\0\0\0\0");
    fake_variable(fake, "__int128", "i128", (__int128[]){((__int128)1 << 100) + 5});
    fake_variable(fake, "enum color", "col", (int[]){1});
    fake_variable(fake, "enum color", "colbad", (int[]){7});
    fake_variable(fake, "enum flags", "fl", (int[]){5});
    fake_variable(fake, "enum flags", "fl0", (int[]){0});
    fake_variable(fake, "enum flags", "flbad", (int[]){9});
    fake_variable(fake, "enum flags", "fl8", (int[]){8});
    fake_variable(fake, "enum twins", "e4", (int[]){6});
    fake_variable(fake, "enum twins", "e4b", (int[]){2});
    fake_variable(fake, "enum mixed", "mx", (int[]){2});
    fake_variable(fake, "enum mixed", "mxb", (int[]){5});
    fake_variable(fake, "enum negative", "ng", (int[]){-1});
    return 0;
}

static int tear_down(void **state)
{
    fake_fini(*state);
    free(*state);
    return 0;
}

static void scalars(void **state)
{
    CHECK({"c", "97 'a'"}, {"sc", "-5 '\\373'"}, {"uc", "200 '\\310'"}, {"sh", "-3"}, {"ul", "18446744073709551615"}, {"bt", "true"},
          {"i128", "1267650600228229401496703205381"}, {"(char)0", "0 '\\000'"}, {"'\\a'", "7 '\\a'"}, {"'\\177'", "127 '\\177'"},
          {"'\\033'", "27 '\\033'"}, {"'\\\\'", "92 '\\\\'"}, {"wc", "120 L'x'"}, {"(int8_t)65", "65 'A'"}, {"f", "3.14159274"},
          {"d", "3.1415926535897931"}, {"ld", "3.1400000000000000001"}, {"1e16", "10000000000000000"}, {"1e17", "1e+17"},
          {"1e-5", "1.0000000000000001e-05"}, {"1e300", "1.0000000000000001e+300"}, {"fnan", "-nan(0x400000)"},
          {"-(float)fnan", "nan(0x400000)"}, {"(void)0", "void"}, {"*(double *)\"\\xff\\0\\x43\\x61\\0\\0\\xf0\\xff\" == 0", "0"},
          {"*(double *)\"\\377\\0\\x43\\x61\\0\\0\\xf0\\xff\"", "-nan(0x0614300ff)"},
          {"*(long double *)\"\\1\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\"", "<invalid float value>"},
          {"u\"\\xffd1\\141z\"", "u\"\\xffd1\\141z\""},
          {"(long)1e20", "9223372036854775807"}, {"(int)1e10", "1410065408"}, {"(unsigned long)1e19", "10000000000000000000"});
}

static void enums(void **state)
{
    CHECK({"col", "GREEN"}, {"colbad", "(GREEN | BLUE | unknown: 0x4)"}, {"fl", "(A | C)"}, {"fl0", "0"}, {"flbad", "(A | unknown: 0x8)"},
          {"fl8", "(unknown: 0x8)"}, {"e4", "(E4B | E4D)"}, {"e4b", "E4B"}, {"mx", "M2"}, {"mxb", "5"}, {"ng", "NEG"},
          {"(enum negative)5", "5"});
}

static void pointers(void **state)
{
    CHECK({"ip", "(int *) 0x10010 <counter>"}, {"vp", "(void *) 0x10010 <counter>"}, {"ipn", "(int *) 0x0"}, {"ip + 100", "(int *) 0x101a0 <a2>"},
          {"(char *)ip + 2", "0x10012 <counter+2> \"\""}, {"fp", "(int (*)(int)) 0x10000 <add>"}, {"bo", "(binop) 0x10000 <add>"},
          {"add", "{int (int)} 0x10000 <add>"}, {"*add", "{int (int)} 0x10000 <add>"}, {"&add", "(int (*)(int)) 0x10000 <add>"},
          {"fps", "{0x10000 <add>, 0x0}"}, {"&arr[2]", "(int *) 0x10088 <arr+8>"}, {"&arr", "(int (*)[5]) 0x10080 <arr>"},
          {"ppt == &pt", "1"}, {"pnull", "0x0"}, {"pbad", "0x1 <error: Cannot access memory at address 0x1>"},
          {"(int **)&ip == &ip", "1"}, {"(struct node *)0", "(struct node *) 0x0"}, {"(const volatile int *)0", "(const volatile int *) 0x0"});
}

static void strings(void **state)
{
    setlocale(LC_CTYPE, "C");
    CHECK({"str", "\"hello\""}, {"str20", "\"hello\", '\\000' <repeats 14 times>"}, {"strfull", "\"abc\""}, {"stremb", "\"ab\\000cd\\000\\000\\000\\000\""},
          {"strrep", "'a' <repeats 20 times>, \"bc\", '\\000' <repeats 17 times>"}, {"s10b", "\"xaaaaaaaaaay\""},
          {"s11b", "\"x\", 'a' <repeats 11 times>, \"y\""}, {"strz", "\"\\000\\000\\000\\000\\000\\000\\000\""}, {"nul16", "'\\000' <repeats 15 times>"},
          {"esc", "\"a\\n\\t\\\"q\\\\\\001\\2001\\033\""}, {"strs", "{\"ab\\000\\000\\000\", \"cd\\000\\000\\000\"}"}, {"ub", "\"\\001\\002\\377A\""},
          {"ws", "L\"wide\""}, {"s16", "u\"u16\""}, {"lng", "'x' <repeats 499 times>"}, {"*p@6 == 0", "0"}, {"\"\"", "\"\""});
    fake_world *fake = *state;
    const char *got = fake_print(fake, "big_str");
    assert_int_equal(strlen(got), 200 + strlen("\"\"..."));
    assert_string_equal(got + 199, "qr\"...");
    got = fake_print(fake, "plong");
    assert_int_equal(strlen(got), strlen("0x10000 <big_str> ") + 200 + strlen("\"\"..."));
    fake->format.elements_limit = 4;
    CHECK({"arr", "{1, 2, 3, 4...}"}, {"str", "\"hell\"..."}, {"strrep", "'a' <repeats 20 times>..."}, {"zero", "{0 <repeats 20 times>}"},
          {"big_str", "\"abcd\"..."}, {"*ws@5", "L\"wide\""});
}

static void utf8(void **state)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    fake_world *fake = *state;
    fake_variable(fake, "char[7]", "utf", "h\303\251llo");
    fake_variable(fake, "char[7]", "bad", "h\303llo\351");
    fake_variable(fake, "wchar_t[4]", "wl", (int[]){'a', 0x20ac, 'z', 0});
    fake_variable(fake, "char16_t[3]", "smile", (unsigned short[]){0xd83d, 0xde00, 0});
    CHECK({"utf", "\"h\303\251llo\""}, {"utf[1]", "-61 '\\303'"}, {"bad", "\"h\\303llo\", <incomplete sequence \\351>"},
          {"wl", "L\"a\342\202\254z\""}, {"wl[1]", "8364 L'\342\202\254'"}, {"smile", "u\"\360\237\230\200\""});
    setlocale(LC_CTYPE, "C");
    CHECK({"utf", "\"h\\303\\251llo\""}, {"wl[1]", "8364 L'\\x20ac'"});
}

static void string_pointers(void **state)
{
    fake_world *fake = *state;
    const char *got = fake_print(fake, "p");
    assert_true(strstr(got, "0x") == got && strstr(got, " \"hello\""));
    got = fake_print(fake, "cp");
    assert_true(strstr(got, "0x") == got && strstr(got, " \"hello\""));
    got = fake_print(fake, "ccp");
    assert_true(strstr(got, "0x") == got && strstr(got, " \"hello\""));
    got = fake_print(fake, "up");
    assert_true(strstr(got, "(unsigned char *) 0x") == got && strstr(got, " \"hello\""));
    got = fake_print(fake, "i8p");
    assert_true(strstr(got, "(int8_t *) 0x") == got && strstr(got, " \"hello\""));
    got = fake_print(fake, "sstr");
    assert_true(strstr(got, "(string) 0x") == got && strstr(got, " \"hello\""));
    got = fake_print(fake, "wp");
    assert_true(strstr(got, "0x") == got && strstr(got, " <ws> L\"wide\""));
}

static void arrays(void **state)
{
    CHECK({"arr", "{1, 2, 3, 4, 5}"}, {"zero", "{0 <repeats 20 times>}"}, {"i10", "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"},
          {"rep", "{1 <repeats 12 times>, 2, 3, 3, 3, 0 <repeats 14 times>}"}, {"a2", "{{1, 2, 3}, {4, 5, 6}}"},
          {"a3", "{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}"}, {"pts", "{{x = 1, y = 2}, {x = 3, y = 4}, {x = 5, y = 6}}"},
          {"ptsame", "{{x = 1, y = 2} <repeats 12 times>}"}, {"darr", "{1.5, 2.5, 0}"}, {"a2[1]", "{4, 5, 6}"});
    fake_world *fake = *state;
    const char *got = fake_print(fake, "big");
    assert_non_null(strstr(got, "198, 199...}"));
    fake->format.repeats_limit = 3;
    CHECK({"zero", "{0 <repeats 20 times>}"}, {"arr", "{1, 2, 3, 4, 5}"}, {"i10", "{0 <repeats 10 times>}"},
          {"s11b", "\"x\", 'a' <repeats 11 times>, \"y\""});
    fake->format.repeats_limit = 10;
    fake->format.array_indexes = true;
    CHECK({"arr", "{[0] = 1, [1] = 2, [2] = 3, [3] = 4, [4] = 5}"}, {"a2", "{[0] = {[0] = 1, [1] = 2, [2] = 3}, [1] = {[0] = 4, [1] = 5, [2] = 6}}"},
          {"zero", "{[0] = 0 <repeats 20 times>}"}, {"str", "\"hello\""});
}

static void structs(void **state)
{
    CHECK({"pt", "{x = 1, y = 2}"}, {"*ppt", "{x = 1, y = 2}"}, {"un", "{i = 1078530011, f = 3.14159274, c = \"\\333\\017I@\"}"},
          {"an", "{k = 1, {p = 2, q = 2.80259693e-45}, {r = 3, s = 4}, last = 5}"}, {"em", "{<No data fields>}"},
          {"ha", "{n = 1, ps = {{x = 1, y = 2}, {x = 3, y = 4}}, nm = \"hi\\000\\000\\000\\000\\000\", m = {{1, 2}, {3, 4}}}"});
    fake_world *fake = *state;
    const char *got = fake_print(fake, "nd");
    assert_true(strstr(got, "{v = 1, next = 0x10010 <counter>, fn = 0x10000 <add>, name = 0x") == got);
    got = fake_print(fake, "fam");
    assert_true(strstr(got, "{n = 3, data = 0x") == got);
    fake->format.union_members = false;
    CHECK({"an", "{k = 1, {...}, {r = 3, s = 4}, last = 5}"}, {"un", "{i = 1078530011, f = 3.14159274, c = \"\\333\\017I@\"}"});
    fake->format.union_members = true;
    fake->format.depth_limit = 1;
    CHECK({"ha", "{n = 1, ps = {...}, nm = \"hi\\000\\000\\000\\000\\000\", m = {...}}"}, {"a2", "{{...}, {...}}"}, {"pt", "{x = 1, y = 2}"});
    fake->format.depth_limit = 2;
    CHECK({"ha", "{n = 1, ps = {{...}, {...}}, nm = \"hi\\000\\000\\000\\000\\000\", m = {{...}, {...}}}"}, {"a3", "{{{...}, {...}}, {{...}, {...}}}"});
}

static void pretty(void **state)
{
    fake_world *fake = *state;
    fake->format.pretty = true;
    CHECK({"pt", "{\n  x = 1,\n  y = 2\n}"}, {"arr", "{1, 2, 3, 4, 5}"}, {"em", "{<No data fields>}"},
          {"pts[1]@2", "{{\n    x = 3,\n    y = 4\n  }, {\n    x = 5,\n    y = 6\n  }}"},
          {"ha", "{\n  n = 1,\n  ps = {{\n      x = 1,\n      y = 2\n    }, {\n      x = 3,\n      y = 4\n    }},\n  nm = "
                 "\"hi\\000\\000\\000\\000\\000\",\n  m = {{1, 2}, {3, 4}}\n}"},
          {"an", "{\n  k = 1,\n  {\n    p = 2,\n    q = 2.80259693e-45\n  },\n  {\n    r = 3,\n    s = 4\n  },\n  last = 5\n}"},
          {"ptsame", "{{\n    x = 1,\n    y = 2\n  } <repeats 12 times>}"});
}

static void settings(void **state)
{
    fake_world *fake = *state;
    fake->format.null_stop = true;
    CHECK({"str20", "\"hello\""}, {"stremb", "\"ab\""}, {"strz", "\"\""});
    fake->format.null_stop = false;
    fake->format.address = false;
    CHECK({"ip", "(int *) <counter>"}, {"fp", "(int (*)(int)) <add>"}, {"add", "{int (int)} <add>"}, {"ps", "{\"hello\", \"llo\", }"}, {"p", "\"hello\""});
    fake->format.address = true;
    fake->format.symbol = false;
    CHECK({"ip", "(int *) 0x10010"}, {"fp", "(int (*)(int)) 0x10000 <add>"}, {"add", "{int (int)} 0x10000 <add>"});
}

static void formats(void **state)
{
    CHECK({"/x 10", "0xa"}, {"/x -1", "0xffffffff"}, {"/x c", "0x61"}, {"/x arr", "{0x1, 0x2, 0x3, 0x4, 0x5}"}, {"/x pt", "{x = 0x1, y = 0x2}"},
          {"/x f", "0x40490fdb"}, {"/x d", "0x400921fb54442d18"}, {"/x darr", "{0x3ff8000000000000, 0x4004000000000000, 0x0}"}, {"/x ip", "0x10010"},
          {"/x bt", "0x1"}, {"/x col", "0x1"}, {"/x str", "{0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x0}"}, {"/x fp", "0x10000"},
          {"/x un", "{i = 0x40490fdb, f = 0x40490fdb, c = {0xdb, 0xf, 0x49, 0x40}}"}, {"/x i128", "0x10000000000000000000000005"},
          {"/x zero", "{0x0 <repeats 20 times>}"}, {"/x ld", "0x4000c8f5c28f5c28f5c3"}, {"/x ws", "{0x77, 0x69, 0x64, 0x65, 0x0}"},
          {"/d ul", "-1"}, {"/d uc", "-56"}, {"/d f", "1078530011"}, {"/d ld", "302245935597755155674563"}, {"/d col", "1"}, {"/d bt", "1"},
          {"/u l", "18446744073709551615"}, {"/u sc", "251"}, {"/u -2.5", "13836183955189006336"}, {"/o 8", "010"}, {"/o 0", "0"},
          {"/o -1", "037777777777"}, {"/o d", "0400111037552421026430"}, {"/t 10", "1010"}, {"/t 0", "0"}, {"/t sc", "11111011"},
          {"/t f", "1000000010010010000111111011011"}, {"/z 5", "0x00000005"}, {"/z sh", "0xfffd"}, {"/z i128", "0x00000010000000000000000000000005"},
          {"/c 65", "65 'A'"}, {"/c 300", "44 ','"}, {"/c sh", "-3 '\\375'"}, {"/c ul", "255 '\\377'"},
          {"/c arr", "{1 '\\001', 2 '\\002', 3 '\\003', 4 '\\004', 5 '\\005'}"}, {"/c d", "3 '\\003'"}, {"/c col", "1 '\\001'"}, {"/c wc", "120 'x'"},
          {"/s str", "\"hello\""}, {"/s arr", "{1, 2, 3, 4, 5}"}, {"/s 65", "65"}, {"/s c", "97 'a'"}, {"/s ip", "(int *) 0x10010 <counter>"},
          {"/a ip", "0x10010 <counter>"}, {"/a fp", "0x10000 <add>"}, {"/a 5", "0x5"}, {"/a d", "0x3"}, {"/a add", "! Value can't be converted to integer."},
          {"/f 1", "1.40129846e-45"}, {"/f f", "3.14159274"}, {"/f 1078530011", "3.14159274"}, {"/f l", "-nan(0xfffffffffffff)"}, {"/f c", "97"},
          {"/f sh", "-3"}, {"/f bt", "1"}, {"/f un", "{i = 3.14159274, f = 3.14159274, c = {-37, 15, 73, 64}}"},
          {"/f i128", "1.82259976594123730126e-4950"}, {"/y 5", "! Undefined output format \"y\"."}, {"/xw 5", "0x00000005"}, {"/tb (char)5", "00000101"},
          {"/i 5", "! Format letter \"i\" is meaningless in \"print\" command."});
}

static void reads_only_what_it_prints(void **state)
{
    fake_world *fake = *state;
    size_t n_bytes = fake->n_bytes_read;
    const char *got = fake_print(fake, "*big@1000000000");
    assert_non_null(strstr(got, "198, 199...}"));
    got = fake_print(fake, "big@1000000000");
    assert_non_null(strstr(got, "{{0, 1, 2"));
    assert_true(strlen(got) < 1 << 20);
    got = fake_print(fake, "*big_str@2000000000");
    assert_non_null(strstr(got, "opqr\"..."));
    assert_true(fake->n_bytes_read - n_bytes < 4 << 20);
}

static void unreadable_parts(void **state)
{
    CHECK({"*(int *)16", "! Cannot access memory at address 0x10"}, {"*(point *)16", "! Cannot access memory at address 0x10"},
          {"*(int *)16@1000000", "! Cannot access memory at address 0x10"},
          {"*(int *)0x10fff8@1000000", "{0, 0, <error: Cannot access memory at address 0x110000>}"},
          {"*(char **)&pbad@1", "{0x1 <error: Cannot access memory at address 0x1>}"});
}

static void brief(void **state)
{
    fake_world *fake = *state;
    static const pair pairs[] = {{"arr", "..."}, {"pt", "..."}, {"str", "..."}, {"ip", "0x10010 <counter>"}, {"c", "97 'a'"}, {"fp", "0x10000 <add>"}, {"d", "3.1415926535897931"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ebb_buf out = {0};
        expr_value value;
        assert_int_equal(expr_evaluate(&fake->arena, &fake->world, pairs[i].expression, &value, NULL), EBB_OK);
        assert_int_equal(expr_print_brief(&fake->arena, &fake->world, &fake->format, &value, &out, NULL), EBB_OK);
        assert_string_equal(ebb_buf_text(&out), pairs[i].expected);
        ebb_buf_fini(&out);
    }
    ebb_buf out = {0};
    expr_value lost = {.type = fake_type(fake, "point"), .is_optimized_out = true};
    assert_int_equal(expr_print_brief(&fake->arena, &fake->world, &fake->format, &lost, &out, NULL), EBB_OK);
    assert_string_equal(ebb_buf_text(&out), "...");
    ebb_buf_fini(&out);
}

static void keeps_values(void **state)
{
    fake_world *fake = *state;
    expr_value value, again;
    assert_int_equal(expr_evaluate(&fake->arena, &fake->world, "pt", &value, NULL), EBB_OK);
    assert_int_equal(expr_value_fetch(&fake->arena, &fake->world, &value, NULL), EBB_OK);
    again = expr_value_keep(&value);
    memset(value.bytes, 0xee, 8);
    fake->n_history = 0;
    fake->history[fake->n_history++] = again;
    assert_string_equal(fake_print(fake, "$1"), "{x = 1, y = 2}");
    expr_value_drop(&again);
    assert_null(again.bytes);
}

static void format_letters(void **state)
{
    expr_format format = expr_format_default();
    long count;
    const char *rest;
    assert_int_equal(expr_format_parse("/4xw  foo", &format, &count, &rest, NULL), EBB_OK);
    assert_true(count == 4 && format.letter == 'x' && format.size == 'w');
    assert_string_equal(rest, "foo");
    assert_int_equal(expr_format_parse("/-3i $pc", &format, &count, &rest, NULL), EBB_OK);
    assert_true(count == -3 && format.letter == 'i');
    assert_int_equal(expr_format_parse("/xs", &format, &count, &rest, NULL), EBB_OK);
    assert_string_equal(rest, "");
    assert_int_equal(expr_format_parse("/q", &format, &count, &rest, NULL), EBB_BAD_INPUT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(scalars), TEST(enums), TEST(pointers), TEST(strings), TEST(string_pointers), TEST(utf8), TEST(arrays), TEST(structs), TEST(pretty),
        TEST(settings), TEST(formats), TEST(reads_only_what_it_prints), TEST(unreadable_parts), TEST(brief), TEST(keeps_values),
        TEST(format_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
