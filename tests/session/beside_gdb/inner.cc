// Functions that stand inside of others: lambdas, members of classes of a function; and functions that only their parameters tell apart.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

using Names = std::vector<std::string>;
typedef unsigned int u32;

static int seen;
static int see(int what) { seen += what; return seen; }

namespace pick {
int one(u32 n) { return see(static_cast<int>(n)); }
int one(const std::string &s) { return see(static_cast<int>(s.size())); }
int one(std::string_view s, int more) { return see(static_cast<int>(s.size()) + more); }
int one(const Names &names) { return see(static_cast<int>(names.size())); }
int one(const char *const *words) { return see(words[0][0]); }
struct Box {
    int held = 4;
    int out(u32 by) const { return held * static_cast<int>(by); }
    int out(const char *text) { return held + text[0]; }
    int inner(int by)
    {
        auto add = [this](int n) { int sum = held + n; return see(sum); };
        return add(by) + add(by + 1);
    }
};
}

static int apply(const std::function<int(int)> &f, int x) { return f(x); }

static int totals(int base)
{
    int total = 1;
    auto add = [&total, base](int n) {
        total += n + base;
        return total;
    };
    add(2);
    for (int i = 0; i < 2; i++) {
        auto scaled = [&](int by) {
            int product = i * by;
            see(product);
            return product + total;
        };
        total += scaled(5);
    }
    return total;
}

static int locals(int start)
{
    struct Counter {
        int n, step;
        int next(int more)
        {
            n += step + more;
            return see(n);
        }
        static int twice(int x) { return see(x * 2); }
    };
    Counter c{start, 3};
    int first = c.next(1);
    struct Deep : Counter {
        int go() { return next(7); }
    } d{{1, 2}};
    return first + Counter::twice(5) + d.go();
}

int main()
{
    int r = totals(10) + locals(2);
    r += apply([r](int y) { return y + (r > 0); }, 5);
    std::vector<int> v{3, 1, 2};
    std::sort(v.begin(), v.end(), [](int left, int right) { return left > right; });
    auto generic = [](auto a, auto b) { return a + b; };
    r += generic(1, 2) + static_cast<int>(generic(1.5, 2.5));
    pick::Box box;
    const char *words[] = {"w"};
    r += box.inner(3) + box.out(2u) + box.out("x");
    r += pick::one(3u) + pick::one(std::string("abc")) + pick::one("de", 4) + pick::one(Names{"f"}) + pick::one(words);
    return r & 1;
}
