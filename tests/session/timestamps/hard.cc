/* Exceptions, destructors, templates and lambdas. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct guard {
    int &n;
    ~guard() { n++; }
};

static int thrower(int n)
{
    if (n == 0)
        throw std::runtime_error("x");
    int k = 0;
    guard g{k};
    return thrower(n - 1) + k;
}

template <class T> T total(const std::vector<T> &all)
{
    T s{};
    for (const T &one : all)
        s += one;
    return s;
}

int main()
{
    int caught = 0;
    for (int i = 0; i < 5; i++)
        try {
            thrower(i);
        } catch (const std::exception &e) {
            caught += (int)std::string(e.what()).size();
        } catch (...) {
            caught += 100;
        }
    std::vector<int> all;
    for (int i = 0; i < 100; i++)
        all.push_back(i * 37 % 64);
    std::sort(all.begin(), all.end(), [](int a, int b) { return a > b; });
    std::map<int, int> counts;
    for (int x : all)
        counts[x]++;
    std::printf("%d %d %zu %d\n", caught, total(all), counts.size(), all[3]);
}
