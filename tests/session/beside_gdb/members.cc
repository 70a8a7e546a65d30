/* members.cc - functions and data by their names alone: by value, by pointers to members, out of classes and from outside of them. */
#include <cstdio>
#include <map>
#include <string>
#include <vector>

class Gauge {
  public:
    enum Unit { metre, second, unknown };
    enum class Level : unsigned char { low, high };
    using Reading = double;
    using Readings = std::vector<Reading>;
    typedef const Reading *Cursor;
    static constexpr double scale = 2.5;
    static constexpr float half = 0.5f;
    static const int limit = 40;

    virtual ~Gauge() {}
    virtual double reading() const { return 0; }
    virtual Unit unit(int fallback) { return fallback ? unknown : metre; }
    double &at(int i) { return values_[i]; }
    const double &at(int i) const { return values_[i]; }
    const double &at(const char *text) const { return values_[text[0] - '0']; }
    Cursor first() const { return values_.data(); }
    int count() { return (int)values_.size(); }
    static int total(int more) { return limit + more; }
    int id = 3;

  protected:
    Readings values_ = {1.5, 2.5};
    Level level_ = Level::high;
};

struct Clock : Gauge {
    double reading() const override { return ticks * scale; }
    Unit unit(int) override { return second; }
    double ticks = 2;
};

struct Named {
    virtual const char *name() { return "named"; }
    int length = 5;
};

struct Station : Clock, Named {
    const char *name() override { return "station"; }
    int plain() { return 1; }
};

typedef struct pair_s {
    char letter;
    int number;
} pair_t;

struct Packed {
    pair_t pair;
    struct pair_s same;
    std::string text;
    std::vector<int> list;
    std::map<int, int> tree;
    Named named;
};

Packed packed = {{'a', 2}, {'b', 3}, "text", {1, 2}, {{5, 6}}, {}};

typedef char *text_t;
static char word[] = "made";

static text_t made()
{
    return word;
}

static int index_of(int a)
{
    int x = a;
    {
        int y = x + 1;
        static int z = 4;
        x += y + z;
    }
    return x;
}

int main()
{
    Gauge *gauge = new Clock;
    Station station;
    const Gauge &seen = station;
    Named *named = &station;
    double (Gauge::*reading)() const = &Gauge::reading;
    int (Station::*plain)() = &Station::plain;
    int Gauge::*id = &Gauge::id;
    int Named::*nothing = nullptr;
    std::printf("%f %s %f\n", gauge->reading(), named->name(), (station.*reading)());
    std::printf("%d %d %d\n", (station.*plain)(), station.*id, index_of(packed.pair.number));
    std::printf("%d %f %f %f\n", Gauge::total(2), station.at(0), seen.at(1), seen.at("1"));
    std::printf("%d %d %d\n", station.count(), gauge->unit(0), nothing == nullptr);
    std::printf("%f\n", *seen.first());
    delete gauge;
    return made() == nullptr;
}
