/* guard.cc - exceptions, paths, tagged names, classes with virtual functions. */
#include <string>
#include <vector>
#include <map>
#include <memory>
#include <stdexcept>
#include <filesystem>
#include <cstdio>
#include <csignal>
#include <cstdlib>
struct Shape { int id; Shape(int i) : id(i) {} virtual ~Shape() {} virtual double area() const { return 0; } std::string name() const; };
std::string Shape::name() const { return "shape" + std::to_string(id); }
struct Circle : Shape { double r; Circle(int i, double r_) : Shape(i), r(r_) {} double area() const override { return 3.14 * r * r; } };
struct oops : std::runtime_error { int code; oops(int c) : std::runtime_error("oops!"), code(c) {} };
static int risky(int n)
{
    if (n == 1) throw oops(42);
    if (n == 2) throw std::logic_error("logic");
    if (n == 3) throw 17;
    return n;
}
int main()
{
    Circle c(3, 2.5);
    Shape *s = &c;
    std::filesystem::path p = "/usr/lib/x.so";
    std::filesystem::path q = "plain";
    int caught = 0;
    for (int i = 0; i < 5; i++) {
        try { caught += risky(i); }
        catch (const std::exception &e) { caught += 100; printf("%s\n", e.what()); }
        catch (int n) { caught += n; }
    }
    printf("%s %f %d\n", s->name().c_str(), s->area(), caught);
    if (caught < 0) raise(SIGABRT);
    abort();
}
