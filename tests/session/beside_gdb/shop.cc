/* shop.cc - C++ of many kinds: namespaces, overloads, templates, base classes, references, exceptions, the containers of the library. */
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>
#include <set>
#include <list>
#include <deque>
#include <tuple>
#include <variant>
#include <array>

namespace shop {
enum class Color { Red, Green = 5, Blue };
struct Item {
    std::string name;
    int price;
    Item(std::string n, int p) : name(std::move(n)), price(p) {}
    virtual ~Item() = default;
    virtual int cost() const { return price; }
    int cost(int n) const { return price * n; }
    static int count;
};
int Item::count = 3;
class Discounted : public Item {
public:
    Discounted(std::string n, int p, double r) : Item(std::move(n), p), rate(r) {}
    int cost() const override { return int(price * (1 - rate)); }
private:
    double rate;
protected:
    Color color = Color::Green;
};
template <typename T> T twice(const T &x) { T y = x + x; return y; }
int total(const std::vector<std::unique_ptr<Item>> &items)
{
    int sum = 0;
    for (const auto &item : items)
        sum += item->cost();
    return sum;
}
namespace detail {
int helper(int x) { return x + 1; }
int helper(double x) { return int(x) + 2; }
}
template <typename T> class Box {
public:
    explicit Box(T v) : value(v) {}
    T get() const { return value; }
    void put(T v) { value = v; }
private:
    T value;
};
}

static void thrower(int n)
{
    if (n > 2)
        throw std::runtime_error("too many");
}

int main()
{
    std::vector<std::unique_ptr<shop::Item>> items;
    items.push_back(std::make_unique<shop::Item>("pen", 10));
    items.push_back(std::make_unique<shop::Discounted>("book", 100, 0.25));
    std::map<std::string, int> stock{{"pen", 5}, {"book", 7}};
    std::unordered_map<int, std::string> names{{1, "one"}};
    std::optional<int> maybe = 42, none;
    std::vector<int> numbers{1, 2, 3, 5, 8};
    std::string text = "hello world", longer(50, 'x');
    int n = shop::total(items);
    int &ref = n;
    const shop::Item &first = *items[0];
    shop::Box<int> box(7);
    auto pair = std::make_pair(1, 2.5);
    std::tuple<int, char, double> tup{1, 'c', 2.5};
    std::shared_ptr<int> shared = std::make_shared<int>(9);
    std::set<int> set{3, 1, 2};
    std::list<int> list{1, 2};
    std::array<int, 3> arr{1, 2, 3};
    std::vector<bool> bits{true, false, true};
    shop::Color color = shop::Color::Blue;
    int t = shop::twice(21) + shop::detail::helper(1) + shop::detail::helper(1.5);
    ref += box.get();
    try {
        thrower(3);
    } catch (const std::exception &e) {
        std::cout << e.what() << " " << first.name << "\n";
    }
    std::cout << n << " " << t << " " << text << longer.size() << *maybe << "\n";
    return 0;
}
