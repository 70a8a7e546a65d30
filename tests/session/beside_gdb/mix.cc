#include <algorithm>
#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <forward_list>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <stack>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>
#include <any>
#include <atomic>
#include <cstdio>
namespace {
struct Hidden { int a = 3; long b[2] = {4, 5}; };
Hidden hidden;
int helper(int n) { return n + hidden.a; }
}
inline namespace v2 { struct Versioned { short s = 7; const char *text = "seven"; }; }
template <typename... T> int count(T...) { return sizeof...(T); }
template <typename T> concept Small = sizeof(T) <= 4;
template <Small T> T twice(T v) { return v + v; }
class Counter {
    mutable int n_reads = 0;
    static constexpr int limit = 12;
    std::atomic<int> hits{0};
public:
    int read() const { return ++n_reads; }
    Counter &operator++() { hits++; return *this; }
    int operator[](int i) const { return i * limit; }
    explicit operator bool() const { return hits > 0; }
    int operator()(int a, int b) const { return a * b; }
};
struct Base { virtual ~Base() {} virtual int id() const { return 1; } int base_member = 10; };
struct Left : virtual Base { int left = 20; int id() const override { return 2; } };
struct Right : virtual Base { int right = 30; };
struct Both final : Left, Right { int both = 40; int id() const override { return 4; } };
enum class Colour { red, green, blue };
enum Mask { A = 1, B = 2, C = 4 };
struct Matrix { double cells[2][3] = {{1, 2, 3}, {4, 5, 6}}; };
union Value { int i; float f; char c[8]; };
int sum(std::span<const int> values) { int total = 0; for (int v : values) total += v; return total; }
int length(std::string_view text) { return (int)text.size(); }
long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main()
{
    std::array<int, 4> four{1, 2, 3, 4};
    std::vector<bool> bits{true, false, true};
    std::bitset<10> set10("1010101");
    std::complex<double> z(1.5, -2);
    std::deque<int> dq{5, 6, 7};
    std::list<std::string> words{"one", "two"};
    std::forward_list<int> fl{9, 8};
    std::set<char> letters{'c', 'a', 'b'};
    std::multimap<int, const char *> mm{{1, "x"}, {1, "y"}};
    std::unordered_set<int> us{42};
    std::stack<int> st; st.push(3); st.push(4);
    std::queue<int> qu; qu.push(1);
    std::priority_queue<int> pq; pq.push(2); pq.push(9);
    std::any anything = 5;
    std::optional<int> nothing, something = 3;
    std::pair<int, std::string> pr{1, "p"};
    std::unique_ptr<int[]> arr(new int[3]{7, 8, 9});
    std::weak_ptr<Both> weak;
    std::shared_ptr<Both> both = std::make_shared<Both>();
    weak = both;
    std::string longer(40, 'x'), empty;
    std::string_view view = longer;
    std::wstring wide = L"wide";
    std::u16string u16 = u"sixteen";
    std::chrono::milliseconds ms(1500);
    auto lambda = [&longer, n = 5](int k) { return (int)longer.size() + n + k; };
    int (*fp)(int) = helper;
    int (Counter::*mp)() const = &Counter::read;
    int Both::*dm = &Both::both;
    Counter counter; ++counter;
    Versioned version;
    Colour colour = Colour::blue;
    Mask mask = (Mask)(A | C);
    Matrix matrix;
    Value value{.i = 65};
    Base *base = both.get();
    const Left &left = *both;
    int vla_n = 3;
    std::initializer_list<int> il{1, 2};
    bool yes = true; char ch = '\n'; signed char sc = -3; unsigned char uc = 200; wchar_t wc = L'w'; char16_t c16 = u'q';
    float fl1 = 1.1f; long double ld = 2.5L; unsigned long long big = ~0ull; __int128 huge = 1;
    const char *null_text = nullptr; void *vp = &value; int **pp = nullptr;
    int total = sum(four) + length(view) + count(1, 2.0, 'c') + twice(4) + lambda(1) + fp(2) + counter(2, 3) + counter[2];
    total += (int)fib(6) + vla_n + (int)il.size();
    std::printf("%d %d %d %d\n", total, base->id(), left.id(), (counter.*mp)() + both.get()->*dm);
    return (int)(yes + ch + sc + uc + wc + c16 + fl1 + ld + big + huge) * 0 + (null_text == vp) + (pp != nullptr);
}
