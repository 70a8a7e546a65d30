/* base_text_test.c - numbers and sizes as people write them. */
#include "unit.h"
#include "base/text.h"

static void reads_numbers(void **state)
{
    uint64_t v;
    assert_true(ebb_text_to_u64("0x10", &v) && v == 16);
    assert_true(ebb_text_to_u64("18446744073709551615", &v) && v == UINT64_MAX);
    assert_false(ebb_text_to_u64("18446744073709551616", &v));
    assert_false(ebb_text_to_u64("-1", &v));
    assert_false(ebb_text_to_u64("12x", &v));
    assert_false(ebb_text_to_u64("", &v));
}

static void reads_sizes(void **state)
{
    uint64_t v;
    assert_true(ebb_text_to_size("64M", &v) && v == 64u << 20);
    assert_true(ebb_text_to_size("4096", &v) && v == 4096);
    assert_false(ebb_text_to_size("64MB", &v));
    assert_false(ebb_text_to_size("99999999999G", &v));
}

static void writes_numbers(void **state)
{
    char text[EBB_U64_DIGITS + 1] = {0}, *end = text + EBB_U64_DIGITS;
    assert_string_equal(ebb_text_of_u64(0, end), "0");
    assert_string_equal(ebb_text_of_u64(907, end), "907");
    assert_string_equal(ebb_text_of_u64(UINT64_MAX, end), "18446744073709551615");
}

static void trims(void **state)
{
    char text[] = "a b \t\n";
    assert_string_equal(ebb_text_rtrim(text), "a b");
    assert_true(ebb_text_is_blank(" \t"));
    assert_string_equal(ebb_path_base("/a/b.c"), "b.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_numbers),
        cmocka_unit_test(reads_sizes),
        cmocka_unit_test(writes_numbers),
        cmocka_unit_test(trims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
