// Where members of classes lie, and what lies between them.
struct inner { char c; int i; };
union both { int a; double d; };
struct tag { char a; int b : 3; int c : 5; short s; inner in; both uu; double d; char arr[3]; inner *p; void (*fp)(int); static int sm; };
class Base { public: virtual ~Base() {} int x; };
class Der : public Base { char z; int m(int) { return 1; } typedef int T; T t; };
struct bits { unsigned a : 1; unsigned : 3; unsigned b : 9; unsigned long long c : 40; };
struct anon { int a; union { int b; char c; }; struct { int d; char e; } f; };
struct empty {};
template <class T> struct Holder { typedef T value_type; typedef value_type *pointer; value_type v; pointer p; T get() { return v; } };
class Mixed { public: int a; protected: int b; typedef long Long; private: Long c; public: typedef const char *Text; Text t() { return 0; } };
int tag::sm;
static int outer(int x) { return x * 2; }
static int inner_call(int x) { return x + 1; }
int main()
{
    tag t;
    Der d;
    bits b;
    anon an;
    empty e;
    Holder<int> h = {1, 0};
    Mixed m;
    int sum = (int)(sizeof t + sizeof d + sizeof b + sizeof an + sizeof e + sizeof m + h.get());
    sum += outer(inner_call(sum));
    m.t();
    sum = inner_call(outer(sum));
    return sum == 0;
}
