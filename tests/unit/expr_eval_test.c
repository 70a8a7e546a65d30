/* Every operator on every class of operand.  The expected texts were checked against gdb 13 where gdb
 * follows C; where it doesn't (1[a], bool + bool, __int128), against the compiler. */
#include "unit.h"
#include "expr_fake.h"

#include <string.h>

typedef struct pair {
    const char *expression, *expected;
} pair;

static void check_all(fake_world *fake, const char *(*ask)(struct fake_world *fake, const char *expression), const pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = ask(fake, pairs[i].expression);
        if (strcmp(got, pairs[i].expected) != 0)
            fail_msg("%s\n  gave     %s\n  expected %s", pairs[i].expression, got, pairs[i].expected);
    }
}

#define CHECK(ask, ...)                                                                            \
    do {                                                                                           \
        const pair pairs_[] = {__VA_ARGS__};                                                       \
        check_all(*state, ask, pairs_, sizeof pairs_ / sizeof *pairs_);                            \
    } while (0)

static uint64_t call_add(const expr_value *args, size_t n_args)
{
    int a;
    memcpy(&a, args[0].bytes, sizeof a);
    return (uint64_t)(a + 1);
}

static uint64_t call_half(const expr_value *args, size_t n_args)
{
    double x;
    uint64_t bits;
    memcpy(&x, args[0].bytes, sizeof x);
    x /= 2;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The sum of the sizes of the arguments: what default promotion made of them. */
static uint64_t call_sizes(const expr_value *args, size_t n_args)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n_args; i++)
        sum = sum * 100 + sym_type_size(args[i].type);
    return sum;
}

static uint64_t call_ident(const expr_value *args, size_t n_args)
{
    uint64_t addr;
    memcpy(&addr, args[0].bytes, sizeof addr);
    return addr;
}

static uint64_t call_nothing(const expr_value *args, size_t n_args)
{
    return 0;
}

static const sym_enumerator colors[] = {{"RED", 0}, {"GREEN", 1}, {"BLUE", 2}};

static int set_up(void **state)
{
    fake_world *fake = calloc(1, sizeof *fake);
    fake_init(fake);
    *state = fake;
    fake_struct(fake, SYM_TYPE_STRUCT, "point", "int x; int y");
    fake_typedef(fake, "struct point", "point");
    fake_typedef(fake, "unsigned long", "size_t");
    fake_enum(fake, "color", colors, 3);
    fake_struct(fake, SYM_TYPE_STRUCT, "bits", "unsigned a:3; int b:5; unsigned long c:40; _Bool d:1; enum color e:3");
    fake_struct(fake, SYM_TYPE_UNION, "u", "int i; float f; char[4] c");
    fake_struct(fake, SYM_TYPE_STRUCT, "anon", "int k; union u -; int last");
    fake_struct(fake, SYM_TYPE_STRUCT, "node", "int v; struct node* next; point p");

    int five = 5, arr[5] = {1, 2, 3, 4, 5}, a2[2][3] = {{1, 2, 3}, {4, 5, 6}};
    uint64_t counter = fake_variable(fake, "int", "counter", &five);
    uint64_t arr_addr = fake_variable(fake, "int[5]", "arr", arr);
    fake_variable(fake, "int[2][3]", "a2", a2);
    fake_variable(fake, "int*", "ip", &counter);
    uint64_t third = arr_addr + 8, zero = 0, low = 0x10;
    fake_variable(fake, "int*", "ip2", &third);
    fake_variable(fake, "void*", "vp", &counter);
    fake_variable(fake, "int*", "ipn", &zero);
    fake_variable(fake, "int*", "ipbad", &low);
    fake_variable(fake, "char", "c", "a");
    fake_variable(fake, "unsigned char", "uc", "\xc8");
    fake_variable(fake, "short", "sh", (short[]){-3});
    fake_variable(fake, "unsigned short", "us", (short[]){-1});
    fake_variable(fake, "unsigned int", "u32", (int[]){7});
    fake_variable(fake, "long", "l", (long[]){-1});
    fake_variable(fake, "unsigned long", "ul", (long[]){-1});
    fake_variable(fake, "_Bool", "bt", "\1");
    fake_variable(fake, "float", "f", (float[]){3.14159265f});
    fake_variable(fake, "double", "d", (double[]){2.5});
    fake_variable(fake, "long double", "ld", (long double[]){0.1L});
    fake_variable(fake, "__int128", "i128", (__int128[]){((__int128)1 << 100) + 5});
    fake_variable(fake, "enum color", "col", (int[]){1});
    uint64_t pt = fake_variable(fake, "point", "pt", (int[]){1, 2});
    fake_variable(fake, "point[3]", "pts", (int[]){1, 2, 3, 4, 5, 6});
    fake_variable(fake, "point*", "ppt", &pt);
    uint64_t str = fake_variable(fake, "char[6]", "str", "hello");
    fake_variable(fake, "char*", "p", &str);
    fake_variable(fake, "struct bits", "bb", NULL);
    fake_variable(fake, "union u", "un", (int[]){1078530011});
    fake_variable(fake, "struct anon", "an", (int[]){1, 2, 3});
    fake_variable(fake, "struct node", "nd", NULL);
    fake_in_register(fake, "int", "reg", "rbx", 42);
    fake_in_register(fake, "point", "rpt", "r12", 0x0000000200000001);
    fake_in_register(fake, "point", "hpt", "half", 0x0000000200000001);
    fake_register(fake, "long", "rax", 7);
    uint64_t add = fake_function(fake, "int(int)", "add", call_add);
    fake_variable(fake, "int(*)(int)", "fp", &add);
    fake_function(fake, "double(double)", "half_of", call_half);
    fake_function(fake, "long(int, ...)", "sizes", call_sizes);
    fake_function(fake, "char*(char*)", "ident", call_ident);
    fake_function(fake, "void(void)", "nothing", call_nothing);
    fake_function(fake, "?", "mystery", call_add);
    fake_variable(fake, "int", "data", (int[]){77});
    fake->symbols[fake->n_symbols - 1].value.type = expr_type_without_debug_info(fake->world.types, false);
    fake->symbols[fake->n_symbols - 1].name = "unknown";
    fake_variable(fake, "float _Complex", "cf", (float[]){1.5f, 2.25f});
    fake_variable(fake, "double _Complex", "cd", (double[]){3, -4});
    return 0;
}

static int tear_down(void **state)
{
    fake_fini(*state);
    free(*state);
    return 0;
}

static void literals(void **state)
{
    CHECK(fake_print, {"1", "1"}, {"0x7f", "127"}, {"017", "15"}, {"0b101", "5"}, {"18446744073709551615", "18446744073709551615"},
          {"18446744073709551616", "! Numeric constant too large."}, {"08", "! Invalid number \"08\"."},
          {"12abc", "! Invalid number \"12abc\"."}, {"0x", "! Invalid number \"0x\"."}, {"1.5", "1.5"}, {"1.5f", "1.5"},
          {".5", "0.5"}, {"1.e2", "100"}, {"1e5", "100000"}, {"0x1.8p3", "12"}, {"1.5x", "! Invalid number \"1.5x\"."},
          {"1e400", "inf"}, {"'a'", "97 'a'"}, {"'\\n'", "10 '\\n'"}, {"'\\x41'", "65 'A'"}, {"'\\101'", "65 'A'"},
          {"'\\''", "39 '\\''"}, {"'\"'", "34 '\"'"}, {"L'a'", "97 L'a'"}, {"u'a'", "97 u'a'"}, {"U'a'", "97 U'a'"},
          {"\"abc\"", "\"abc\""}, {"\"a\" \"b\"", "\"ab\""}, {"L\"ab\"", "L\"ab\""}, {"\"abc\"[1]", "98 'b'"},
          {"\"abc\"[5]", "! no such vector element"}, {"''", "! A character constant must contain at least one character."},
          {"'a", "! Unmatched single quote."}, {"\"a", "! Unterminated string in expression."});
    CHECK(fake_whatis, {"2147483647", "int"}, {"2147483648", "long"}, {"9223372036854775808", "unsigned long"},
          {"0xffffffff", "unsigned int"}, {"0x100000000", "long"}, {"0xffffffffffffffff", "unsigned long"}, {"1u", "unsigned int"},
          {"4294967296u", "unsigned long"}, {"1l", "long"}, {"1ul", "unsigned long"}, {"1ll", "long long"},
          {"1uLL", "unsigned long long"}, {"1.5f", "float"}, {"1.5", "double"}, {"1.5L", "long double"}, {"'a'", "char"},
          {"L'a'", "wchar_t"}, {"\"abc\"", "char [4]"});
}

static void precedence(void **state)
{
    CHECK(fake_print, {"1+2*3-4/2", "5"}, {"1<2==1", "1"}, {"5-3-1", "1"}, {"2*3%4", "2"}, {"1?2:0?3:4", "2"}, {"0?2:0?3:4", "4"},
          {"1|2^3&4", "3"}, {"~0u>>28", "15"}, {"!0+1", "2"}, {"- -2", "2"}, {"1,2", "2"}, {"(1,2)+1", "3"}, {"sizeof counter+1", "5"},
          {"sizeof (int)*2", "8"}, {"sizeof(counter)+1", "5"}, {"*arr+1", "2"}, {"*&counter", "5"}, {"&*ip == ip", "1"},
          {"-(int)3.7", "-3"}, {"(int)counter+1", "6"}, {"(counter)-1", "4"}, {"(counter)+1", "6"}, {"1 << 2 + 1", "8"},
          {"*ip@1+1", "{5, 0}"}, {"5 & 3 == 3", "1"}, {"a2[1][2]*2", "12"}, {"!counter == 0", "1"}, {"((point *)&arr)->y", "2"},
          {"((point *)&arr)[1].x", "3"}, {"(*ppt).x", "1"}, {"$a = $b = 3", "3"}, {"$a + $b", "6"});
}

static void integer_arithmetic(void **state)
{
    CHECK(fake_print, {"7/2", "3"}, {"-7/2", "-3"}, {"-7%3", "-1"}, {"7u%4", "3"}, {"1/0", "! Division by zero"},
          {"1%0", "! Division by zero"}, {"(-2147483647-1)/-1", "-2147483648"}, {"(-2147483647-1)%-1", "0"}, {"1u-2", "4294967295"},
          {"ul+1", "0"}, {"2147483647+1", "-2147483648"}, {"-1 < 1u", "0"}, {"-1L < 1u", "1"}, {"1<<3", "8"}, {"1<<31", "-2147483648"},
          {"1<<32", "0"}, {"1L<<40", "1099511627776"}, {"-1>>1", "-1"}, {"-1>>40", "-1"}, {"1u>>40", "0"}, {"1<<-1", "0"},
          {"5&3", "1"}, {"5|8", "13"}, {"5^1", "4"}, {"~5", "-6"}, {"-c", "-97"}, {"+c", "97"}, {"~c", "-98"}, {"c+c", "194"},
          {"uc+uc", "400"}, {"sh*sh", "9"}, {"us+us", "131070"}, {"bt+bt", "2"}, {"-bt", "-1"}, {"!5", "0"}, {"!0", "1"},
          {"i128+1", "1267650600228229401496703205382"}, {"i128/3", "422550200076076467165567735127"}, {"-i128 < 0", "1"},
          {"col+1", "2"}, {"GREEN|BLUE", "3"}, {"col == GREEN", "1"}, {"1 == 1", "1"}, {"2 != 2", "0"}, {"3 >= 3", "1"});
    CHECK(fake_whatis, {"c+c", "int"}, {"-c", "int"}, {"c<<1", "int"}, {"1<<1L", "int"}, {"us+us", "int"}, {"u32+1", "unsigned int"},
          {"ul+1", "unsigned long"}, {"l+1u", "long"}, {"1ll+1ul", "unsigned long long"}, {"col+1", "unsigned int"}, {"-bt", "int"},
          {"1==1", "int"}, {"!1", "int"}, {"1&&1", "int"}, {"sizeof 1", "unsigned long"}, {"i128+1", "__int128"});
}

static void float_arithmetic(void **state)
{
    CHECK(fake_print, {"1.0/3", "0.33333333333333331"}, {"1.0f/3", "0.333333343"}, {"(float)1/3", "0.333333343"},
          {"1.0L/3", "0.333333333333333333342"}, {"f+f", "6.28318548"}, {"d*2", "5"}, {"f+d", "5.6415927410125732"},
          {"1.0/0", "inf"}, {"-1.0/0", "-inf"}, {"0.0/0", "-nan(0x8000000000000)"}, {"0.0/0 == 0.0/0", "0"}, {"0.0/0 != 0.0/0", "1"},
          {"1.5 < 2", "1"}, {"5.5 % 2", "! Integer-only operation on floating point number."},
          {"1.5 & 1", "! Integer-only operation on floating point number."},
          {"~d", "! Argument to complement operation not an integer, boolean."}, {"!d", "0"}, {"-d", "-2.5"}, {"-0.0", "-0"},
          {"ld+ld", "0.200000000000000000003"}, {"16777216.0f+1.0f", "16777216"}, {"0.1+0.2", "0.30000000000000004"});
    CHECK(fake_whatis, {"f+1", "float"}, {"f+d", "double"}, {"f*ld", "long double"}, {"f+f", "float"}, {"ul*f", "float"});
}

static void complex_arithmetic(void **state)
{
    CHECK(fake_print, {"cf + cd", "4.5 + -1.75i"}, {"cd * 2", "6 + -8i"}, {"cd - counter", "-2 + -4i"}, {"1/cd", "0.12 + 0.16i"},
          {"cd * ~cd", "25 + 0i"}, {"-cd", "-3 + 4i"}, {"+cd", "3 + -4i"}, {"!cd", "0"}, {"cd && 0i", "0"}, {"cd == 3 - 4i", "1"},
          {"cd == 3", "0"}, {"3 != cd", "1"}, {"0.0/0 + 1i == 0.0/0 + 1i", "0"}, {"cd ? 1 : 2", "1"}, {"0i ? 1 : 2", "2"}, {"2.5i * 2.5i", "-6.25 + 0i"},
          {"(float)cd", "3"}, {"(int)(2.75 + 9i)", "2"}, {"(_Bool)1i", "true"}, {"(double _Complex)counter", "5 + 0i"}, {"(float _Complex)cd", "3 + -4i"},
          {"__real__ cd", "3"}, {"__imag__ cd", "-4"}, {"__real__ counter", "5"}, {"__imag__ d", "0"}, {"sizeof(cf + cd)", "16"},
          {"cf / 0", "inf + infi"}, {"1.5if", "0 + 1.5i"}, {"1.5fi", "0 + 1.5i"},
          {"cd < 2", "! Invalid type combination in ordering comparison."}, {"cd % 2", "! Invalid binary operation on numbers."},
          {"2 << cd", "! Invalid binary operation on numbers."}, {"cd + p", "! Argument to arithmetic operation not a number or boolean."},
          {"cd + pt", "! Structure has no component named operator+."}, {"(char *)cd", "! Invalid cast."}, {"__real__ pt", "! Structure has no component named operator__real__."},
          {"__imag__ p", "! Argument to arithmetic operation not a number or boolean."}, {"1ii", "! Invalid number \"1ii\"."}, {"1uif", "! Invalid number \"1uif\"."});
    CHECK(fake_print, {"cd = 7", "7 + 0i"}, {"__imag__ cd = 2", "2"}, {"cd", "7 + 2i"}, {"cd += 1i", "7 + 3i"}, {"cd++", "7 + 3i"}, {"cd", "8 + 3i"},
          {"cf = cd", "8 + 3i"}, {"cf", "8 + 3i"}, {"d = cd", "8"}, {"*&__real__ cd", "8"}, {"arr[1] = cd", "8"}, {"cd = pt", "! Invalid cast."});
    CHECK(fake_whatis, {"cf + counter", "complex float"}, {"cf + d", "complex double"}, {"cf * cd", "complex double"}, {"ld * cf", "complex long double"},
          {"2i", "complex double"}, {"2.0fi", "complex float"}, {"__imag__ cf", "float"}, {"cd == cf", "int"}, {"-cf", "complex float"},
          {"1 ? cf : ld", "complex long double"});
}

static void logic(void **state)
{
    CHECK(fake_print, {"1 && 0", "0"}, {"1 || 0", "1"}, {"0 && nosuch", "0"}, {"1 || nosuch", "1"},
          {"1 && nosuch", "! No symbol \"nosuch\" in current context."}, {"ip && 1", "1"}, {"ipn || 0", "0"}, {"arr && 1", "1"},
          {"add && 1", "1"}, {"0.5 && 1", "1"}, {"1 ? 2 : 3", "2"}, {"0 ? 2 : 3.5", "3.5"}, {"1 ? 2 : 3.5", "2"},
          {"ipn ? *ipn : 7", "7"}, {"0 && *ipn", "0"}, {"1 ? 'a' : 0", "97"});
    CHECK(fake_whatis, {"1?2:3.5", "double"}, {"1?c:c", "char"});
}

static void pointers(void **state)
{
    CHECK(fake_print, {"ip2 - arr", "2"}, {"arr + 1 == &arr[1]", "1"}, {"1 + arr == &arr[1]", "1"}, {"ip2 - 1 == &arr[1]", "1"},
          {"*(arr + 2)", "3"}, {"*ip", "5"}, {"**&ip", "5"}, {"2[arr]", "3"}, {"arr[-1 + 1]", "1"}, {"ip2[-1]", "2"}, {"p[1]", "101 'e'"},
          {"a2[1][1]", "5"}, {"*a2[1]", "4"}, {"**a2", "1"}, {"ip == 0", "0"}, {"ipn == 0", "1"}, {"ip < ip2", "1"}, {"!ip", "0"},
          {"fp == add", "1"}, {"fp == &add", "1"}, {"*fp == add", "1"}, {"(long)(vp + 1) - (long)vp", "1"},
          {"ip - p", "! First argument of `-' is a pointer and second argument is neither an integer nor a pointer of the same type."},
          {"ip * 2", "! Argument to arithmetic operation not a number or boolean."},
          {"ip & 1", "! Argument to arithmetic operation not a number or boolean."},
          {"ip + ip", "! Argument to arithmetic operation not a number or boolean."},
          {"5 - ip", "! Argument to arithmetic operation not a number or boolean."},
          {"ip + 1.5", "! Argument to arithmetic operation not a number or boolean."}, {"-ip", "! Argument to negate operation not a number."},
          {"*vp", "! Attempt to dereference a generic pointer."}, {"*d", "! Attempt to take contents of a non-pointer value."},
          {"*ipn", "! Cannot access memory at address 0x0"}, {"ipn[0]", "! Cannot access memory at address 0x0"},
          {"*ipbad", "! Cannot access memory at address 0x10"}, {"*1", "! Cannot access memory at address 0x1"},
          {"counter[1]", "! cannot subscript something of type `int'"}, {"&5", "! Attempt to take address of value not located in memory."},
          {"&(1+2)", "! Attempt to take address of value not located in memory."},
          {"&reg", "! Address requested for identifier \"reg\" which is in register $rbx"},
          {"&GREEN", "! Can't take address of \"GREEN\" which isn't an lvalue."},
          {"&$rax", "! Attempt to take address of value not located in memory."}, {"&arr[2] == ip2", "1"}, {"&pt.y == &pt.x + 1", "1"},
          {"{int} &counter", "5"}, {"{point} &arr", "{x = 1, y = 2}"}, {"{char} 0", "! Cannot access memory at address 0x0"});
    CHECK(fake_whatis, {"arr+1", "int *"}, {"&arr", "int (*)[5]"}, {"arr[1]", "int"}, {"*arr", "int"}, {"ip2-ip", "long"},
          {"&add", "int (*)(int)"}, {"*fp", "int (int)"}, {"*add", "int (int)"}, {"&pt.x", "int *"}, {"*ipn", "int"}, {"ipn[5]", "int"},
          {"a2[0]", "int [3]"}, {"&a2[0]", "int (*)[3]"}, {"*counter", "long"});
}

static void repeated_values(void **state)
{
    CHECK(fake_print, {"arr[1]@2", "{2, 3}"}, {"*ip2@3", "{3, 4, 5}"}, {"pt.x@2", "{1, 2}"}, {"*p@5", "\"hello\""},
          {"3@2", "! Only values in memory can be extended with '@'."}, {"counter@0", "! Invalid number 0 of repetitions."},
          {"counter@-1", "! Invalid number -1 of repetitions."}, {"counter@pt", "! Non-integral right operand for \"@\" operator."},
          {"bb.a@2", "! Only values in memory can be extended with '@'."}, {"pts[0]@2", "{{x = 1, y = 2}, {x = 3, y = 4}}"});
    CHECK(fake_whatis, {"arr@2", "int [2][5]"}, {"*ip@1000000000", "int [1000000000]"});
}

static void members(void **state)
{
    CHECK(fake_print, {"pt.x", "1"}, {"ppt->y", "2"}, {"ppt.y", "2"}, {"pt->y", "2"}, {"pts[1].y", "4"}, {"pts->y", "2"},
          {"(pts+2)->x", "5"}, {"pt.z", "! There is no member named z."}, {"ppt->z", "! There is no member named z."},
          {"counter.x", "! Attempt to extract a component of a value that is not a structure."},
          {"counter->x", "! Attempt to extract a component of a value that is not a structure pointer."}, {"an.f", "2.80259693e-45"},
          {"an.last", "3"}, {"nd.p.x", "0"}, {"nd.next->v", "! Cannot access memory at address 0x0"}, {"rpt.y", "2"}, {"rpt", "{x = 1, y = 2}"},
          {"hpt.x", "1"}, {"hpt.y", "<optimized out>"}, {"hpt.y + 1", "! value has been optimized out"},
          {"hpt", "{x = 1, y = <optimized out>}"}, {"un.c", "\"\\333\\017I@\""}, {"&nd.p.y == (int*)((char*)&nd + 20)", "1"});
    CHECK(fake_whatis, {"hpt.y + 1", "int"}, {"nd.next->next->p", "point"}, {"nd.next->p.x + 1L", "long"}, {"bb.a", "unsigned int"}, {"bb.b + 1", "int"});
}

static void synthetic_pointers(void **state)
{
    fake_world *fake = *state;
    fake_variable(fake, "int*", "syn", NULL);
    expr_value *value = &fake->symbols[fake->n_symbols - 1].value;
    *value = expr_value_of_u64(&fake->arena, value->type, 0);
    value->is_synthetic_pointer = true;
    CHECK(fake_print, {"syn", "(int *) <synthetic pointer>"},
          {"*syn", "! The pointer has no value: what it points to was optimized out of memory"});
    CHECK(fake_whatis, {"syn", "int *"}, {"*syn", "int"}, {"syn + 1", "int *"});
}

static void structs_have_no_operators(void **state)
{
    CHECK(fake_print, {"pt + 1", "! Structure has no component named operator+."}, {"pt == pt", "! Structure has no component named operator==."},
          {"!pt", "! Structure has no component named operator!."}, {"-pt", "! Structure has no component named operator-."},
          {"*pt", "! Structure has no component named operator*."}, {"pt[1]", "! Structure has no component named operator[]."},
          {"pt && 1", "! Structure has no component named operator&&."}, {"1 || pt", "1"});
}

static void casts(void **state)
{
    CHECK(fake_print, {"(char)97", "97 'a'"}, {"(char)300", "44 ','"}, {"(short)70000", "4464"}, {"(unsigned char)-1", "255 '\\377'"},
          {"(int)3.9", "3"}, {"(int)-3.9", "-3"}, {"(unsigned)-1", "4294967295"}, {"(_Bool)5", "true"}, {"(_Bool)0.5", "true"},
          {"(enum color)1", "GREEN"}, {"(int*)0x1234", "(int *) 0x1234"}, {"(int*)-1 == (int*)0xffffffffffffffff", "1"},
          {"(long)ip == (long)&counter", "1"}, {"(char)ip2 == (char)(long)ip2", "1"}, {"*(point*)&arr", "{x = 1, y = 2}"},
          {"(int)pt", "1"}, {"(point)counter == 1", "! Structure has no component named operator==."}, {"(int[2])pt", "{1, 2}"},
          {"(void)5", "void"}, {"(long)arr == (long)&arr", "1"}, {"(unsigned long)-1.0 != 5", "1"}, {"(double)i128", "1.2676506002282294e+30"},
          {"(int*)1.5", "! Invalid cast."}, {"(float)16777217", "16777216"}, {"(unsigned __int128)-1", "340282366920938463463374607431768211455"},
          {"(point)5", "! Invalid cast."}, {"(size_t)-1", "18446744073709551615"}, {"(long double)1/3", "0.333333333333333333342"},
          {"sizeof(int[3])", "12"}, {"sizeof(struct node)", "24"}, {"sizeof arr", "20"}, {"sizeof(*ipn)", "4"}, {"sizeof(void)", "1"},
          {"sizeof(add)", "1"}, {"sizeof(1/0)", "4"}, {"sizeof(counter++)", "4"}, {"counter", "5"}, {"_Alignof(int)", "4"},
          {"_Alignof(struct node)", "8"}, {"_Alignof(char[3])", "1"});
}

static void assignments(void **state)
{
    CHECK(fake_print, {"counter = 6", "6"}, {"counter", "6"}, {"counter++", "6"}, {"counter", "7"}, {"++counter", "8"}, {"counter--", "8"},
          {"--counter", "6"}, {"counter += 3", "9"}, {"counter -= 4", "5"}, {"counter *= 2", "10"}, {"counter /= 2", "5"},
          {"counter <<= 1", "10"}, {"counter >>= 1", "5"}, {"counter |= 8", "13"}, {"counter &= 7", "5"}, {"counter ^= 1", "4"},
          {"counter %= 3", "1"}, {"counter += 1.5", "2"}, {"c = 300", "44 ','"}, {"c++", "44 ','"}, {"c", "45 '-'"}, {"d = 7", "7"},
          {"f = 0.1", "0.100000001"}, {"col = BLUE", "BLUE"}, {"col = 1", "GREEN"}, {"bt = 5", "true"}, {"pt = pts[1]", "{x = 3, y = 4}"},
          {"pt", "{x = 3, y = 4}"}, {"pt.y = 9", "9"}, {"ppt->y", "9"}, {"arr[1] = 20", "20"}, {"arr", "{1, 20, 3, 4, 5}"},
          {"*ip2++", "3"}, {"*ip2", "4"}, {"*--ip2", "3"}, {"ip2 += 2", "(int *) 0x10020 <arr+16>"}, {"ip2 = &arr[2]", "(int *) 0x10018 <arr+8>"},
          {"1 = 2", "! Left operand of assignment is not an lvalue."}, {"(int)d = 2", "! Left operand of assignment is not an lvalue."},
          {"counter++ = 2", "! Left operand of assignment is not an lvalue."}, {"add = 3", "! Invalid cast."}, {"arr = 3", "! Invalid cast."},
          {"pt = 3", "! Invalid cast."}, {"counter = pt", "! Invalid cast."}, {"*ipn = 3", "! Cannot access memory at address 0x0"},
          {"str = \"world\"", "\"world\""}, {"p", "0x101b0 <str> \"world\""}, {"$x = counter = 9", "9"}, {"counter + $x", "18"});
}

static void bit_fields(void **state)
{
    CHECK(fake_print, {"bb", "{a = 0, b = 0, c = 0, d = false, e = RED}"}, {"bb.a = 5", "5"}, {"bb.b = -3", "-3"},
          {"bb.c = 1234567890123", "135056262347"}, {"bb.d = 2", "true"}, {"bb.e = BLUE", "BLUE"},
          {"bb", "{a = 5, b = -3, c = 135056262347, d = true, e = BLUE}"}, {"bb.a = 9", "1"}, {"bb.b = -20", "12"}, {"bb.a++", "1"},
          {"bb.a", "2"}, {"bb.b -= 13", "-1"}, {"bb", "{a = 2, b = -1, c = 135056262347, d = true, e = BLUE}"}, {"sizeof(bb.a)", "4"},
          {"&bb.c == (unsigned long*)&bb", "1"});
}

static void registers_and_conveniences(void **state)
{
    CHECK(fake_print, {"reg", "42"}, {"reg = 43", "43"}, {"reg + 1", "44"}, {"$rbx", "43"}, {"$rax", "7"}, {"$rax = 5", "5"}, {"$rax++", "5"},
          {"$rax", "6"}, {"rpt.y = 5", "5"}, {"rpt", "{x = 1, y = 5}"}, {"rpt.x += 2", "3"}, {"rpt", "{x = 3, y = 5}"}, {"$nosuch", "void"},
          {"$nosuch + 1", "! Argument to arithmetic operation not a number or boolean."},
          {"$nosuch.x", "! Attempt to extract a component of a value that is not a structure."}, {"$v = 5", "5"}, {"$v + 1", "6"},
          {"$v++", "5"}, {"$v", "6"}, {"$v = 1.5", "1.5"}, {"$v", "1.5"}, {"$pt = pt", "{x = 1, y = 2}"}, {"$pt.x = 9", "9"},
          {"$pt", "{x = 9, y = 2}"}, {"pt", "{x = 1, y = 2}"});
    CHECK(fake_whatis, {"$arr = arr", "int *"}, {"$nosuch", "void"}, {"$v", "double"});
}

static void functions_of_the_debugger(void **state)
{
    CHECK(fake_print, {"$_streq(str, \"hello\")", "1"}, {"$_streq(p, \"hell\")", "0"}, {"$_streq(p, str)", "1"}, {"$_streq(\"a\", \"a\")", "1"},
          {"$_strlen(p)", "5"}, {"$_strlen(\"\")", "0"}, {"$_strlen(p + 2) + 1", "4"}, {"$_regex(p, \"h.*o\")", "1"}, {"$_regex(p, \"ello\")", "0"},
          {"$_regex(p, \"(\")", "! Not a regular expression: \"(\"."}, {"$_memeq(arr, arr, 20)", "1"}, {"$_memeq(arr, arr + 1, 4)", "0"},
          {"$_memeq(arr, arr + 1, 0)", "1"}, {"$_isvoid($nosuch)", "1"}, {"$_isvoid(1)", "0"}, {"$_isvoid(nothing())", "1"},
          {"$_creal(cd)", "3"}, {"$_cimag(cd)", "-4"}, {"$_cimag(1)", "! expected a complex number"},
          {"$_strlen(1)", "! Trying to read string with inappropriate type `int'."}, {"$_strlen(arr)", "! Trying to read string with inappropriate type `int [5]'."},
          {"$_strlen((char *)0)", "! Cannot access memory at address 0x0"}, {"$_streq(p)", "! $_streq takes 2 arguments."},
          {"$_strlen()", "! $_strlen takes 1 argument."}, {"$_caller_is(\"f\", 1, 2)", "! $_caller_is takes 1 to 2 arguments."}, {"$_memeq(arr, arr, -1)", "! Invalid length: 18446744073709551615"}, {"$_nosuch(1)", "! Invalid data type for function to be called."});
    fake_world *fake = *state;
    size_t n_reads = fake->n_reads;
    CHECK(fake_whatis, {"$_streq(p, p)", "int"}, {"$_strlen((char *)0)", "int"}, {"$_creal(cf)", "float"}, {"$_isvoid(1)", "int"});
    assert_int_equal(fake->n_reads, n_reads);
}

static void history(void **state)
{
    CHECK(fake_print, {"10", "10"}, {"20", "20"}, {"$", "20"}, {"$$", "20"}, {"$$2", "20"}, {"$1", "10"}, {"$2 + 1", "21"},
          {"$999", "! History has not yet reached $999."},
          {"$99999999999999999999", "! History has not yet reached $99999999999999999999."}, {"pt", "{x = 1, y = 2}"}, {"$.y", "2"});
}

static void calls(void **state)
{
    CHECK(fake_print, {"add(3)", "4"}, {"fp(3)", "4"}, {"(*fp)(3)", "4"}, {"(&add)(3)", "4"}, {"add(3.9)", "4"}, {"add('a')", "98"},
          {"add()", "! Too few arguments in function call."}, {"add(1, 2)", "! Too many arguments in function call."},
          {"add(add(1))", "3"}, {"half_of(3)", "1.5"}, {"half_of(1.0f)", "0.5"}, {"sizes(1, 'a', 1.5f, 2L, arr)", "404080808"},
          {"*ident(\"xyz\")@3", "\"xyz\""}, {"nothing()", "void"}, {"counter(3)", "! 'at 0x5' has unknown return type; cast the call to its declared return type"},
          {"pt(1)", "! Invalid data type for function to be called."},
          {"mystery(3)", "! 'mystery' has unknown return type; cast the call to its declared return type"}, {"(int)mystery(3)", "4"},
          {"((int (*)(int))mystery)(3)", "4"}, {"mystery", "{<text variable, no debug info>} 0x10280 <mystery>"},
          {"&mystery", "(<text variable, no debug info> *) 0x10280 <mystery>"}, {"unknown", "! 'unknown' has unknown type; cast it to its declared type"},
          {"(int)unknown", "77"}, {"*(int*)&unknown", "77"}, {"(char)unknown", "77 'M'"}, {"sizeof(unknown)", "! 'unknown' has unknown type; cast it to its declared type"});
    fake_world *fake = *state;
    size_t n_calls = fake->n_calls, n_writes = fake->n_writes;
    CHECK(fake_whatis, {"add(3)", "int"}, {"half_of(1)", "double"}, {"ident(\"abc\")", "char *"}, {"counter = 3", "int"}, {"counter++", "int"});
    assert_int_equal(fake->n_calls, n_calls); /* XE1 */
    assert_int_equal(fake->n_writes, n_writes);
}

static void scopes(void **state)
{
    CHECK(fake_print, {"::counter", "5"}, {"'file.c'::counter", "5"}, {"file.c::counter", "5"}, {"'counter'", "5"},
          {"'nosuch.c'::counter", "! No symbol \"nosuch.c\" in current context."}, {"'file.c'::nosuch", "! No symbol \"nosuch\" in specified context."},
          {"nosuch::x", "! No symbol \"nosuch\" in current context."});
}

static void a_type_question_reads_nothing(void **state)
{
    fake_world *fake = *state;
    size_t n_reads = fake->n_reads;
    CHECK(fake_whatis, {"*ipn", "int"}, {"nd.next->next->v", "int"}, {"arr[1000000000]", "int"}, {"*ip@5", "int [5]"}, {"pt", "point"});
    assert_int_equal(fake->n_reads, n_reads);
    assert_string_equal(fake_print(fake, "sizeof(*ip@100000000)"), "400000000");
    assert_string_equal(fake_print(fake, "&arr[1000000] == arr + 1000000"), "1");
    assert_int_equal(fake->n_reads, n_reads);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(literals), TEST(precedence), TEST(integer_arithmetic), TEST(float_arithmetic), TEST(complex_arithmetic), TEST(logic), TEST(pointers),
        TEST(repeated_values), TEST(members), TEST(synthetic_pointers), TEST(structs_have_no_operators), TEST(casts), TEST(assignments), TEST(bit_fields),
        TEST(registers_and_conveniences), TEST(functions_of_the_debugger), TEST(history), TEST(calls), TEST(scopes), TEST(a_type_question_reads_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
