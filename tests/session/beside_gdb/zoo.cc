// A program of some length, with what C++ programs are made of: hierarchies, templates, containers, closures, exceptions.
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace zoo {

enum class Diet { Plants, Meat, Both = 7 };
enum Size : unsigned char { Small, Middle = 3, Large };

struct Point {
    double x = 0, y = 0;
    Point operator+(const Point &other) const { return {x + other.x, y + other.y}; }
    bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};

class Animal {
public:
    Animal(std::string name, Diet diet) : name_(std::move(name)), diet_(diet) { ++count; }
    virtual ~Animal() { --count; }
    virtual int legs() const { return 4; }
    virtual std::string sound() const = 0;
    const std::string &name() const { return name_; }
    Diet diet() const { return diet_; }
    static int count;
    static constexpr int max_age = 80;

protected:
    std::string name_;
    Diet diet_;
    int age_ = 1;
};

int Animal::count = 0;

class Swimmer {
public:
    virtual ~Swimmer() = default;
    virtual int depth() const { return 10; }
    int speed = 5;
};

class Flyer {
public:
    virtual ~Flyer() = default;
    double wingspan = 1.5;
};

class Lion : public Animal {
public:
    explicit Lion(const std::string &name) : Animal(name, Diet::Meat) {}
    std::string sound() const override { return "roar"; }

private:
    std::vector<int> prey_{3, 1, 4};
};

class Duck : public Animal, public Swimmer, protected Flyer {
public:
    explicit Duck(const std::string &name) : Animal(name, Diet::Both) {}
    int legs() const override { return 2; }
    std::string sound() const override { return "quack"; }
    int depth() const override { return 1; }
};

struct Base0 {
    int zero = 0;
    virtual ~Base0() = default;
};
struct Left : virtual Base0 {
    int left = 1;
};
struct Right : virtual Base0 {
    int right = 2;
};
struct Diamond : Left, Right {
    int bottom = 3;
};

template <typename T, int N = 4> class Ring {
public:
    using value_type = T;
    void push(const T &value)
    {
        items_[at_ % N] = value;
        ++at_;
    }
    const T &operator[](int i) const { return items_[i % N]; }
    int size() const { return at_ < N ? at_ : N; }

private:
    T items_[N] = {};
    int at_ = 0;
};

template <typename T> T largest(T a, T b)
{
    return a < b ? b : a;
}

template <> std::string largest(std::string a, std::string b)
{
    return a.size() < b.size() ? b : a;
}

struct Outer {
    struct Inner {
        int value = 9;
        enum Kind { First, Second } kind = Second;
    } inner;
    typedef std::map<int, Inner> Index;
    Index index;
    union {
        int as_int;
        float as_float;
    };
    unsigned low : 4, high : 12;
    int Inner::*member = &Inner::value;
    int (Outer::*method)(int) const = &Outer::twice;
    int twice(int n) const { return 2 * n + inner.value; }
};

namespace {
int hidden = 17;
int helper(int n)
{
    return n + hidden;
}
} // namespace

inline namespace v2 {
int versioned(int n)
{
    return n * 2;
}
} // namespace v2

} // namespace zoo

using namespace zoo;

static int sum_legs(const std::vector<std::unique_ptr<Animal>> &animals)
{
    int legs = 0;
    for (const auto &animal : animals)
        legs += animal->legs();
    return legs;
}

static int checked(int n)
{
    if (n > 3)
        throw std::out_of_range("too many: " + std::to_string(n));
    return n;
}

static int risky(int n)
{
    try {
        return checked(n);
    } catch (const std::exception &problem) {
        std::string why = problem.what();
        return -(int)why.size();
    }
}

static long call_it(const std::function<long(long)> &f, long n)
{
    return f(n);
}

static int by_reference(int &n, const Point &p, Point &&q, const std::string &text)
{
    n += (int)(p.x + q.y);
    return n + (int)text.size();
}

struct Visitor {
    int operator()(int n) const { return n; }
    int operator()(const std::string &s) const { return (int)s.size(); }
    int operator()(double d) const { return (int)d; }
};

static int containers()
{
    std::vector<int> numbers{5, 3, 8};
    std::vector<bool> flags{true, false, true};
    std::vector<Point> points{{1, 2}, {3, 4}};
    std::vector<std::vector<int>> nested{{1}, {2, 3}, {}};
    std::deque<int> queue{1, 2, 3};
    std::list<std::string> words{"one", "two"};
    std::map<std::string, int> ages{{"leo", 7}, {"donald", 3}};
    std::multimap<int, char> letters{{1, 'a'}, {1, 'b'}};
    std::set<int> unique{4, 2, 4};
    std::unordered_map<int, std::string> names{{1, "one"}};
    std::unordered_set<char> chars{'x'};
    std::pair<int, std::string> pair{1, "first"};
    std::tuple<int, double, char> tuple{1, 2.5, 'c'};
    std::array<short, 3> array{{7, 8, 9}};
    std::optional<int> some = 5, none;
    std::optional<std::string> text = "there";
    std::variant<int, std::string, double> variant = std::string("held");
    std::unique_ptr<Point> single(new Point{5, 6});
    std::shared_ptr<Point> shared = std::make_shared<Point>(Point{7, 8});
    std::weak_ptr<Point> weak = shared;
    std::shared_ptr<int> nothing;
    std::stack<int> stack;
    std::queue<int> line;
    std::priority_queue<int> best;
    std::string empty, longer = "a string that is too long for the small buffer";
    std::string_view view = "viewed text";
    std::wstring wide = L"wide";
    std::ostringstream out;
    Ring<int> ring;
    Ring<std::string, 2> texts;
    stack.push(1);
    line.push(2);
    best.push(3);
    best.push(9);
    ring.push(10);
    ring.push(11);
    texts.push("ring");
    out << numbers.size();
    auto found = std::find(numbers.begin(), numbers.end(), 3);
    auto first = ages.begin();
    int sum = std::accumulate(numbers.begin(), numbers.end(), 0);
    sum += std::visit(Visitor{}, variant) + *found + first->second + ring.size() + (int)view.size();
    return sum; // containers are full
}

int main()
{
    std::vector<std::unique_ptr<Animal>> animals;
    animals.emplace_back(new Lion("leo"));
    animals.emplace_back(new Duck("donald"));
    Duck duck("daisy");
    Animal &as_animal = duck;
    Animal *pointer = animals[0].get();
    Swimmer *swimmer = &duck;
    Diamond diamond;
    Left *left = &diamond;
    Outer outer;
    outer.as_int = 1;
    outer.low = 5;
    outer.high = 1000;
    outer.index[3] = Outer::Inner();
    Point p{1, 2}, q = p + Point{0.5, 0.25};
    Size size = Large;
    Diet diet = Diet::Both;
    int captured = 6;
    auto closure = [captured, &p](long n) { return n * captured + (long)p.x; };
    std::function<long(long)> function = closure;
    std::initializer_list<int> list = {1, 2, 3};
    int legs = sum_legs(animals);
    int total = containers() + risky(2) + risky(5);
    total += (int)call_it(function, 7);
    total += by_reference(legs, p, Point{1, 2}, duck.name());
    total += helper(1) + versioned(2) + largest(3, 4) + (int)largest<std::string>("a", "bb").size();
    total += outer.twice(3) + swimmer->depth() + left->zero + (int)list.size() + (q == p) + size + (diet == Diet::Meat);
    total += (int)as_animal.sound().size() + pointer->legs();
    std::cout << total << " " << Animal::count << std::endl;
    return total == 0;
}
