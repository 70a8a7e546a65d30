/* 2000 random expressions (expr_random.py): the compiler and src/expr agree on type and bits. */
#include "unit.h"
#include "expr_fake.h"

#include <string.h>

enum sample { SAMPLE_A = 3, SAMPLE_B = 100 };

#define VARIABLES(X)                                                                               \
    X(_Bool, bool, 1)                                                                              \
    X(char, char, -7)                                                                              \
    X(signed char, schar, -128)                                                                    \
    X(unsigned char, uchar, 200)                                                                   \
    X(short, short, -32768)                                                                        \
    X(unsigned short, ushort, 65535)                                                               \
    X(int, int, -2147483647 - 1)                                                                   \
    X(unsigned int, uint, 4000000000u)                                                             \
    X(long, long, -1234567890123456789)                                                            \
    X(unsigned long, ulong, 0xfedcba9876543210)                                                    \
    X(long long, llong, 42)                                                                        \
    X(unsigned long long, ullong, 0x8000000000000000)                                              \
    X(enum sample, enum, SAMPLE_B)                                                                 \
    X(__int128, int128, -((__int128)1 << 100))                                                     \
    X(unsigned __int128, uint128, ((unsigned __int128)1 << 127) + 12345)                           \
    X(float, float, 3.14159274f)                                                                   \
    X(double, double, -1e100)                                                                      \
    X(long double, ldouble, 0.1L)                                                                  \
    X(float _Complex, cfloat, 3.14159274f - 2.5if)                                                 \
    X(double _Complex, cdouble, -0.0 + 1e100i)                                                     \
    X(long double _Complex, cldouble, 0.1L + 7e-30Li)                                              \
    X(double _Complex, cinf, __builtin_complex(__builtin_inf(), -1.5))

#define X(type, name, value) static volatile type v_##name = value;
VARIABLES(X)
#undef X

#define TYPE_NAME(e)                                                                               \
    _Generic((e), _Bool: "_Bool", char: "char", signed char: "signed char", unsigned char: "unsigned char", short: "short",    \
        unsigned short: "unsigned short", int: "int", unsigned int: "unsigned int", long: "long",                              \
        unsigned long: "unsigned long", long long: "long long", unsigned long long: "unsigned long long", __int128: "__int128", \
        unsigned __int128: "unsigned __int128", float: "float", double: "double", long double: "long double",                                  \
        float _Complex: "complex float", double _Complex: "complex double", long double _Complex: "complex long double")

static const sym_enumerator samples[] = {{"SAMPLE_A", 3}, {"SAMPLE_B", 100}};

/* The padding of a long double is whatever was there: only its ten bytes count. */
static bool same_bits(const char *type_name, const uint8_t *ours, const uint8_t *theirs, size_t nbytes)
{
    return memcmp(ours, theirs, strcmp(type_name, "long double") == 0 ? 10 : nbytes) == 0;
}

static long double number_at(const char *type_name, const void *bytes)
{
    return strcmp(type_name, "float") == 0    ? *(const float *)bytes
           : strcmp(type_name, "double") == 0 ? *(const double *)bytes
                                              : *(const long double *)bytes;
}

/* Where complex numbers are computed with, the sign of a zero, and so of an infinity, depends on how a compiler happens to
 * rearrange the parts (gcc: 2.5i - n has the real part -0 for n = 0), and so does which NaN it is. */
static bool same_but_for_signs(const char *type_name, const void *ours, const void *theirs)
{
    if (strcmp(type_name, "float") != 0 && strstr(type_name, "double") == NULL)
        return false;
    long double a = number_at(type_name, ours), b = number_at(type_name, theirs);
    return (a == 0 && b == 0) || (__builtin_isnan(a) && __builtin_isnan(b)) || (__builtin_isinf(a) && __builtin_isinf(b));
}

static bool has_complex(const char *text)
{
    static const char *const marks[] = {"v_cf", "v_cd", "v_cl", "v_cinf", "2.5i", "1e3if", "7.25Li"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(text, marks[i]))
            return true;
    return false;
}

static bool same(const char *text, const char *type_name, const uint8_t *ours, const uint8_t *theirs, size_t nbytes)
{
    static const char complex[] = "complex ";
    bool is_complex = strncmp(type_name, complex, strlen(complex)) == 0, same = true;
    const char *part = is_complex ? type_name + strlen(complex) : type_name;
    size_t n = is_complex ? nbytes / 2 : nbytes;
    for (size_t at = 0; at < nbytes; at += n)
        same = same && (same_bits(part, ours + at, theirs + at, n) ||
                        (has_complex(text) && same_but_for_signs(part, ours + at, theirs + at)));
    return same;
}

static void check(fake_world *fake, const char *text, const char *type_name, const void *bytes, size_t nbytes)
{
    expr_value value;
    ebb_error err;
    ebb_status status = expr_evaluate(&fake->arena, &fake->world, text, &value, &err);
    if (!status)
        status = expr_value_fetch(&fake->arena, &fake->world, &value, &err);
    if (status)
        fail_msg("%s: %s", text, err.text);
    ebb_buf name = {0};
    sym_type_print(sym_type_strip(value.type), &name);
    bool is_enum = strcmp(ebb_buf_text(&name), "enum sample") == 0; /* which _Generic takes for its integer type */
    if (!is_enum && strcmp(ebb_buf_text(&name), type_name) != 0)
        fail_msg("%s\n  is of type %s, not %s", text, type_name, ebb_buf_text(&name));
    ebb_buf_fini(&name);
    if (!same(text, type_name, value.bytes, bytes, nbytes))
        fail_msg("%s\n  (%s) has other bits", text, type_name);
    assert_string_equal(fake_whatis(fake, text), is_enum ? "enum sample" : type_name);
    ebb_arena_fini(&fake->arena);
}

#define CASE(e)                                                                                    \
    {                                                                                              \
        __typeof__((e)) result_ = (e);                                                             \
        check(fake, #e, TYPE_NAME(e), &result_, sizeof result_);                                   \
    }

static void agrees_with_the_compiler(void **state)
{
    fake_world *fake = calloc(1, sizeof *fake);
    fake_init(fake);
    fake_enum(fake, "sample", samples, 2);
#define X(type, name, value) fake_variable(fake, #type, "v_" #name, (const void *)&v_##name);
    VARIABLES(X)
#undef X
#include "expr_random_cases.h"
    fake_fini(fake);
    free(fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_compiler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
