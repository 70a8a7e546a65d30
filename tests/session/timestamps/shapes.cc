/* Templates of the library, inlined as far as the compiler likes; virtual functions and exceptions. */
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct shape {
    virtual ~shape() {}
    virtual int area() const = 0;
};
struct square : shape {
    int side;
    explicit square(int s) : side(s) {
        if (s > 8)
            throw std::out_of_range("side");
    }
    int area() const override { return side * side; }
};

template <class T> T total(const std::vector<T> &all)
{
    T s = 0;
    for (const T &x : all)
        s += x;
    return s;
}

int main()
{
    std::map<std::string, int> names;
    std::vector<int> areas;
    for (int i = 0; i < 12; i++) {
        try {
            square q(i);
            areas.push_back(q.area());
            names["n" + std::to_string(i % 5)]++;
        } catch (const std::out_of_range &e) {
            names[e.what()] += i;
        }
    }
    for (const auto &n : names)
        std::printf("%s %d\n", n.first.c_str(), n.second);
    std::printf("%d\n", total(areas));
}
