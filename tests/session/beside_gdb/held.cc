/* held.cc - what an optional, a variant or an any holds. */
#include <any>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
#include <iostream>
#include <array>
#include <forward_list>
struct P { int x, y; };
int main() {
    using V = std::vector<int>;
    std::variant<int, V, std::map<int, std::string>, std::unique_ptr<int>, std::pair<int, int>, std::tuple<int, char>, P, std::shared_ptr<P>> v1 = V{1, 2}, v2 = std::map<int, std::string>{{1, "a"}},
        v3 = std::make_unique<int>(3), v4 = std::pair<int, int>{1, 2}, v5 = std::tuple<int, char>{1, 'x'}, v6 = P{1, 2}, v7 = std::make_shared<P>();
    std::optional<V> o1 = V{3, 4}, o2;
    std::optional<std::string> o3 = "text";
    std::optional<std::unique_ptr<int>> o4 = std::make_unique<int>(4);
    std::optional<std::pair<int, int>> o5 = std::pair<int, int>{5, 6};
    std::optional<P> o6 = P{7, 8};
    std::optional<std::list<int>> o7 = std::list<int>{1};
    std::optional<std::deque<int>> o8 = std::deque<int>{1};
    std::optional<std::set<int>> o9 = std::set<int>{1};
    std::optional<std::stack<int>> o10 = std::stack<int>{};
    std::optional<std::array<int, 2>> o11 = std::array<int, 2>{1, 2};
    std::optional<std::optional<int>> o12 = std::optional<int>{1};
    std::optional<std::unordered_map<int, int>> o13 = std::unordered_map<int, int>{{1, 2}};
    std::optional<std::vector<bool>> o14 = std::vector<bool>{true};
    std::unique_ptr<V> up = std::make_unique<V>();
    std::shared_ptr<V> sp = std::make_shared<V>();
    std::any a1 = 5, a2, a3 = std::string("any"), a4 = V{1, 2, 3}, a5 = P{1, 2}, a6 = 2.5, a7 = "literal";
    std::vector<std::optional<V>> vo{V{1}, std::nullopt};
    std::cout << v1.index() << o1->size() << a1.has_value() << vo.size() << std::endl; /* here */
    return int(v2.index() + v3.index() + v4.index() + v5.index() + v6.index() + v7.index()) + o2.has_value() + o3.has_value() == 0;
}
