/* An engine of shapes: overloads in and out of a namespace, two bases, and functions that are only inline. */
#include <cstdio>

namespace eng {
struct Left { int l = 1; virtual ~Left() {} };
struct Right { int r = 2; virtual ~Right() {} };
struct Both : Left, Right { int b = 3; };
struct Shape {
    static inline int made = 4;
    static int count() { return made; } /* nobody calls it: it has no code */
    static int scale(int by) { return by * made; }
    int get() const { return id; } /* nor this */
    int id = 9;
};
int over(int x) { return x + 1; }
int over(double d) { return (int)d; }
int over(const char *s) { return *s; }
int single(short s) { return s; }
}
int over(int x) { return x + 10; }
int over(double d) { return (int)d + 10; }

int main()
{
    eng::Both both;
    eng::Shape shape;
    int number = 7;
    int sum = eng::over(1) + eng::over(2.0) + eng::over("a") + over(1) + over(1.5) + eng::single(3);
    printf("%d %d\n", sum + number, eng::Shape::scale(2) + shape.id + both.r);
    return 0;
}
