/* symbols_demangle_test.c - which functions a person means. */
#include "unit.h"
#include "symbols/demangle.h"

#include <stdlib.h>

static void demangles(void **state)
{
    static const char *const cases[][3] = {
        {"_ZNK4shop4Item4costEi", "shop::Item::cost(int) const", "shop::Item::cost"},
        {"_ZN4shop5twiceIiEET_RKS1_", "int shop::twice<int>(int const&)", "shop::twice<int>"},
        {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()", "(anonymous namespace)::foo"},
        {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str", "core::fmt::Formatter::write_str"},
        {"_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *full = sym_demangle(cases[i][0], true), *bare = sym_demangle(cases[i][0], false);
        assert_string_equal(full, cases[i][1]);
        assert_string_equal(bare, cases[i][2]);
        free(full);
        free(bare);
    }
    assert_null(sym_demangle("main", true));
    assert_null(sym_demangle("_Zebra", true));
}

static void means(void **state)
{
    static const char *const yes[][2] = {
        {"cost", "shop::Item::cost(int) const"}, {"Item::cost", "shop::Item::cost(int) const"},
        {"shop::Item::cost", "shop::Item::cost(int) const"}, {"cost(int)", "shop::Item::cost(int) const"},
        {"Item::cost( int ) const", "shop::Item::cost(int) const"}, {"::shop::Item::cost", "shop::Item::cost(int) const"},
        {"twice", "int shop::twice<int>(int const&)"}, {"twice<int>", "int shop::twice<int>(int const&)"},
        {"twice<int>(int const &)", "int shop::twice<int>(int const&)"}, {"Box::get", "shop::Box<std::pair<int, long> >::get() const"},
        {"Box<std::pair<int,long>>::get", "shop::Box<std::pair<int, long> >::get() const"},
        {"operator<", "shop::operator<(shop::Item const&, shop::Item const&)"}, {"Item::operator()", "shop::Item::operator()(int) const"},
        {"Item::operator()(int)", "shop::Item::operator()(int) const"}, {"f(void)", "f()"}, {"foo", "(anonymous namespace)::foo()"},
        {"(anonymous namespace)::foo", "(anonymous namespace)::foo()"}, {"f", "std::vector<int, std::allocator<int> > shop::f<int>(int (*)(int))"},
        {"main", "main"},
    };
    static const char *const no[][2] = {
        {"tem::cost", "shop::Item::cost(int) const"}, {"cost(long)", "shop::Item::cost(int) const"}, {"shop::cost", "shop::Item::cost(int) const"},
        {"::Item::cost", "shop::Item::cost(int) const"}, {"twice<long>", "int shop::twice<int>(int const&)"}, {"int", "int shop::twice<int>(int const&)"},
        {"Item", "shop::Item::cost(int) const"}, {"operator<", "shop::operator<<(shop::Item const&, int)"}, {"cos", "shop::Item::cost(int) const"},
    };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!sym_name_means(yes[i][0], yes[i][1]))
            fail_msg("%s is no %s", yes[i][0], yes[i][1]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (sym_name_means(no[i][0], no[i][1]))
            fail_msg("%s is %s", no[i][0], no[i][1]);
}

static void finds_the_base(void **state)
{
    static const char *const cases[][2] = {
        {"shop::Item::cost(int) const", "cost"}, {"twice<int>", "twice"}, {"Box<a::b>::get", "get"}, {"operator<", "operator<"},
        {"operator()", "operator()"}, {"shop::operator<< ", "operator<<"}, {"main", "main"}, {"", ""}, {"::", ""}, {"Item::~Item", "~Item"},
        {"<", "<"}, {"a<(b", "a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *base = sym_name_base(cases[i][0]);
        assert_string_equal(base, cases[i][1]);
        free(base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demangles),
        cmocka_unit_test(means),
        cmocka_unit_test(finds_the_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
