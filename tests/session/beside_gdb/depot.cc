// A depot of goods with orders, a small language of rules, and reports: classes, templates, lambdas, exceptions and the library's containers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace depot {

enum class Grade : std::uint8_t { low = 1, middle, high = 9 };
enum Flags { FRAGILE = 1, HEAVY = 2, COLD = 4 };

struct Point {
    int x, y;
    Point operator+(const Point &other) const { return {x + other.x, y + other.y}; }
    Point &operator+=(const Point &other)
    {
        x += other.x;
        y += other.y;
        return *this;
    }
    bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};

struct Size {
    unsigned width : 6;
    unsigned height : 6;
    signed tilt : 4;
    bool is_round : 1;
};

class Good {
  public:
    Good(std::string name, long price) : name_(std::move(name)), price_(price) { ++n_made; }
    virtual ~Good() { --n_made; }
    virtual long price(int n) const { return price_ * n; }
    virtual const char *kind() const = 0;
    const std::string &name() const { return name_; }
    static int n_made;

  protected:
    std::string name_;
    long price_;
};

int Good::n_made = 0;

class Bulk : public Good {
  public:
    Bulk(std::string name, long price, double discount) : Good(std::move(name), price), discount_(discount) {}
    long price(int n) const override
    {
        long full = Good::price(n);
        return n > 10 ? static_cast<long>(full * (1 - discount_)) : full;
    }
    const char *kind() const override { return "bulk"; }

  private:
    double discount_;
};

struct Tracked {
    virtual ~Tracked() = default;
    virtual int track() const { return serial; }
    int serial = next_serial++;
    static int next_serial;
};

int Tracked::next_serial = 100;

class Machine : public Good, public Tracked {
  public:
    Machine(std::string name, long price, Grade grade) : Good(std::move(name), price), grade_(grade) {}
    const char *kind() const override { return "machine"; }
    int track() const override { return serial * 10 + static_cast<int>(grade_); }
    Grade grade() const { return grade_; }

  private:
    Grade grade_;
    Size size_ = {12, 30, -3, true};
};

template <typename T, int N> class Ring {
  public:
    void push(const T &value)
    {
        items_[static_cast<std::size_t>(next_ % N)] = value;
        next_++;
    }
    T sum() const
    {
        T total{};
        for (const T &item : items_)
            total += item;
        return total;
    }
    int count() const { return next_ < N ? next_ : N; }
    template <typename F> int count_if(F predicate) const
    {
        int n = 0;
        for (const T &item : items_)
            n += predicate(item) ? 1 : 0;
        return n;
    }

  private:
    std::array<T, N> items_{};
    int next_ = 0;
};

struct Order {
    int number;
    std::vector<std::pair<std::shared_ptr<Good>, int>> lines;
    std::optional<std::string> note;
    std::variant<int, std::string, Point> target;
};

class Refused : public std::runtime_error {
  public:
    Refused(const Order &order, const std::string &why) : std::runtime_error(why), number(order.number) {}
    int number;
};

namespace rules {

using Rule = std::function<bool(const Order &)>;

struct Named {
    const char *name;
    Rule rule;
};

inline int evaluate(const std::vector<Named> &rules, const Order &order)
{
    int n_failed = 0;
    for (const auto &one : rules)
        if (!one.rule(order))
            ++n_failed;
    return n_failed;
}

}

class Depot {
  public:
    explicit Depot(std::string where) : where_(std::move(where)) {}

    template <typename T, typename... Args> std::shared_ptr<T> add(Args &&...args)
    {
        auto good = std::make_shared<T>(std::forward<Args>(args)...);
        stock_[good->name()] = good;
        return good;
    }

    long total(const Order &order) const
    {
        long sum = 0;
        for (const auto &[good, n] : order.lines) {
            long price = good->price(n);
            sum += price;
        }
        return sum;
    }

    void accept(Order order)
    {
        if (order.lines.empty())
            throw Refused(order, "nothing in it");
        by_number_.emplace(order.number, std::move(order));
    }

    long accept_all(std::vector<Order> orders)
    {
        long sum = 0;
        for (auto &order : orders) {
            try {
                sum += total(order);
                accept(order);
            } catch (const Refused &refused) {
                refused_.insert(refused.number);
            }
        }
        return sum;
    }

    const Order *find(int number) const
    {
        auto at = by_number_.find(number);
        return at == by_number_.end() ? nullptr : &at->second;
    }

    std::size_t n_refused() const { return refused_.size(); }
    friend void report(const Depot &depot, const char *title);

  private:
    std::string where_;
    std::map<std::string, std::shared_ptr<Good>> stock_;
    std::map<int, Order> by_number_;
    std::set<int> refused_;
};

void report(const Depot &depot, const char *title)
{
    std::printf("%s %s: %zu goods, %zu orders, %zu refused\n", title, depot.where_.c_str(), depot.stock_.size(), depot.by_number_.size(),
                depot.refused_.size());
}

static int weigh(int n) { return n * 2; }
static int weigh(double n) { return static_cast<int>(n * 3); }
static int weigh(const Point &at) { return at.x + at.y; }

union Raw {
    std::uint32_t word;
    unsigned char bytes[4];
    float real;
};

template <typename T> T clamp(T value, T low, T high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

long fold(const std::vector<long> &values, long (*combine)(long, long))
{
    long result = values.empty() ? 0 : values[0];
    for (std::size_t i = 1; i < values.size(); i++)
        result = combine(result, values[i]);
    return result;
}

}

using namespace depot;

static long larger(long a, long b) { return a > b ? a : b; }

static int walk(int depth, const Point &from)
{
    Point here = from + Point{depth, -depth};
    if (depth == 0)
        return here.x * 100 + here.y;
    int below = walk(depth - 1, here);
    return below + weigh(here);
}

int main(int argc, char **)
{
    Depot shop("Kiel");
    auto nails = shop.add<Bulk>("nails", 3L, 0.25);
    auto lathe = shop.add<Machine>("lathe", 12000L, Grade::high);
    Good &any = *lathe;
    const Tracked *tracked = lathe.get();
    Ring<long, 4> ring;
    for (long i = 1; i <= 6; i++)
        ring.push(i * i);
    std::vector<Order> orders;
    orders.push_back({1, {{nails, 100}, {lathe, 1}}, "with care", 7});
    orders.push_back({2, {}, std::nullopt, std::string("shelf")});
    orders.push_back({3, {{nails, 5}}, std::nullopt, Point{3, 4}});
    int limit = 50 * argc;
    std::vector<rules::Named> all = {{"small", [limit](const Order &o) { return o.number < limit; }},
                                     {"noted", [](const Order &o) { return o.note.has_value(); }}};
    int failed = 0;
    for (const Order &order : orders)
        failed += rules::evaluate(all, order);
    long sum = shop.accept_all(orders);
    std::unordered_map<int, std::string> names = {{1, "one"}};
    std::tuple<int, double, std::string> triple{1, 2.5, "three"};
    std::unique_ptr<Point> corner = std::make_unique<Point>(Point{8, 9});
    *corner += {1, 1};
    Raw raw = {0x40490fdb};
    long most = fold({3, 9, 4}, larger);
    int even = ring.count_if([](long v) { return v % 2 == 0; });
    int walked = walk(3, *corner);
    int weighed = weigh(2) + weigh(2.5) + weigh(*corner);
    double held = depot::clamp(2.75, 0.0, 2.0);
    report(shop, "depot");
    std::printf("%d %ld %ld %d %d %d %g %ld %s %d\n", failed, sum, most, even, walked, weighed, held, any.price(2), any.kind(), tracked->track());
    std::printf("%g %zu %zu %d\n", static_cast<double>(raw.real), names.size(), std::get<2>(triple).size(), Good::n_made);
    return shop.find(2) ? 1 : 0;
}
