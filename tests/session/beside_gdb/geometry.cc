/* geometry.cc - classes, overloads, templates, operators, pointers to members and objects of the library, to be asked and called. */
#include <algorithm>
#include <array>
#include <bitset>
#include <complex>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>
namespace geo {
struct Point { double x = 0, y = 0; 
  Point operator+(const Point &o) const { return {x + o.x, y + o.y}; }
  double norm2() const { return x * x + y * y; }
  bool operator==(const Point &o) const { return x == o.x && y == o.y; }
};
class Shape {
public:
  explicit Shape(std::string n) : name_(std::move(n)) {}
  virtual ~Shape() = default;
  virtual double area() const = 0;
  const std::string &name() const { return name_; }
  static int count;
  int id() const { return id_; }
  int scale(int k) { return id_ * k; }
  double scale(double k) { return id_ * k; }
  int scale(int a, int b) { return id_ * a + b; }
protected:
  int id_ = ++count;
private:
  std::string name_;
};
int Shape::count = 0;
class Circle : public Shape {
public:
  Circle(Point c, double r) : Shape("circle"), c_(c), r_(r) {}
  double area() const override { return 3.0 * r_ * r_; }
  double r_at(int k) const { return r_ * k; }
  enum class Colour { red, green, blue } colour = Colour::green;
private:
  Point c_; double r_;
};
class Rect final : public Shape {
public:
  Rect(Point a, Point b) : Shape("rect"), a_(a), b_(b) {}
  double area() const override { return (b_.x - a_.x) * (b_.y - a_.y); }
private:
  Point a_, b_;
};
}
template <class T, int N> struct Ring {
  T data[N]{}; int head = 0;
  void push(const T &t) { data[head++ % N] = t; }
  T &operator[](int i) { return data[i % N]; }
  const T &at(int i) const { return data[i]; }
  int size() const { return N; }
};
template <class T> T biggest(const std::vector<T> &v) {
  T m = v.at(0);
  for (const auto &x : v) if (m < x) m = x;
  return m;
}
int over(int x) { return x + 1; }
double over(double x) { return x + 0.5; }
const char *over(const char *s) { return s; }
int over(int a, int b) { return a * b; }
struct Bits { unsigned a : 3; unsigned b : 5; bool c : 1; };
union U { int i; float f; };
using Fn = int (geo::Shape::*)() const;
struct Base1 { int b1 = 1; virtual int f() { return b1; } };
struct Base2 { int b2 = 2; virtual int g() { return b2; } };
struct Multi : Base1, Base2 { int m = 3; int g() override { return m; } };
enum Plain { P_A, P_B = 5, P_C };
int work(geo::Shape &s, std::vector<int> &v, std::map<std::string, int> &m)
{
  int total = 0;
  for (auto &[k, val] : m) total += val;
  for (int x : v) total += x;
  total += static_cast<int>(s.area());
  auto lam = [&total, &v](int k) { total += k; return total + (int)v.size(); };
  int z = lam(3);
  return total + z;
}
struct MyErr : std::runtime_error { int code; MyErr(int c) : std::runtime_error("my error"), code(c) {} };
int thrower(int n) { if (n > 2) throw MyErr(n); return n; }
namespace {
struct Hidden {
  int value = 4;
  int secret(int k) { return value + k; }
  const char *word() const { return "hidden"; }
  template <class T> T convert() const { return T(value); }
  Hidden() = default;
  void reset();
  explicit Hidden(int v) : value(v) {}
};
void Hidden::reset() { value = 0; }
int secret(int k) { return k * 100; }
}
int main(int argc, char **argv)
{
  std::vector<std::unique_ptr<geo::Shape>> shapes;
  shapes.push_back(std::make_unique<geo::Circle>(geo::Point{1, 2}, 3));
  shapes.push_back(std::make_unique<geo::Rect>(geo::Point{0, 0}, geo::Point{4, 5}));
  std::vector<int> v{5, 3, 9, 1};
  std::vector<bool> vb{true, false, true};
  std::map<std::string, int> m{{"one", 1}, {"two", 2}, {"three", 3}};
  std::unordered_map<int, std::string> um{{1, "uno"}};
  std::set<int> st{3, 1, 2};
  std::list<int> li{7, 8};
  std::deque<int> dq{4, 5, 6};
  std::array<int, 3> ar{1, 2, 3};
  std::optional<int> on, oy = 42;
  std::variant<int, std::string> va = std::string("var");
  std::tuple<int, double, std::string> tu{1, 2.5, "three"};
  std::pair<int, char> pa{1, 'x'};
  std::shared_ptr<int> sp = std::make_shared<int>(17);
  std::weak_ptr<int> wp = sp;
  std::string s = "hello world";
  std::string_view sv = s;
  std::bitset<8> bs(0xa5);
  std::complex<double> cx(1, 2);
  std::function<int(int)> fn = [](int x) { return x * 2; };
  Ring<int, 4> ring; ring.push(10); ring.push(20);
  Fn pm = &geo::Shape::id;
  double (geo::Shape::*virt)() const = &geo::Shape::area;
  double geo::Point::*none = nullptr;
  double geo::Point::*px = &geo::Point::y;
  geo::Point pt{3, 4};
  Bits bits{5, 17, true};
  U u; u.f = 1.5f;
  Multi mu; Base2 *b2 = &mu;
  geo::Shape *sh = shapes[0].get();
  const int &ref = v[2];
  int &&rr = 5 + argc;
  Plain pl = P_B;
  int r = work(*shapes[1], v, m);
  std::cout << r << " " << biggest(v) << over(1) << over(2.0) << over("x") << over(2, 3) << "\n";
  try { for (int i = 0; i < 5; i++) thrower(i); }
  catch (const MyErr &e) { std::cout << e.what() << e.code << "\n"; }
  std::cout << sh->scale(2) << sh->scale(2.0) << sh->scale(1, 2) << (sh->*pm)() << pt.*px << v[1] << s.size() << pt.norm2() << (pt == pt) << ring[1] << ring.size() << ring.at(0) << b2->g() << fn(3) << m["one"] << st.count(1) << ref << rr << pl << u.i << bits.a << static_cast<geo::Circle*>(sh)->r_at(2) << (none == nullptr) << (pt+pt).x << "\n";
  Hidden hidden(5);
  std::cout << (sh->*virt)() << hidden.secret(1) << secret(2) << hidden.word() << hidden.convert<int>() << "\n";
  hidden.reset();
  return 0;
}
