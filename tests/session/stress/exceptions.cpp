// Exceptions through frames of all kinds: deep, of C, of signal handlers, of other threads.  Prints sums that are the same in every run.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>
#include <sys/mman.h>

static long destroyed;

struct guard {
    int n;
    explicit guard(int n) : n(n) {}
    ~guard() { destroyed += n; }
};

__attribute__((noinline)) static int deep(int n, int kind)
{
    guard here(n);
    if (n == 0) {
        switch (kind % 4) {
        case 0: throw std::runtime_error("deep");
        case 1: throw kind;
        case 2: throw std::string("text");
        default: throw 1.5;
        }
    }
    return deep(n - 1, kind) + 1;
}

static long by_kind(int kind)
{
    try {
        return deep(kind % 40, kind);
    } catch (const std::exception &e) {
        return (long)std::string(e.what()).size();
    } catch (int n) {
        return n * 10L;
    } catch (const std::string &s) {
        return (long)s.size() * 1000;
    } catch (...) {
        return 77;
    }
}

static int compare_and_throw(const void *a, const void *b)
{
    static int calls;
    guard here(1);
    if (++calls % 50 == 0)
        throw calls;
    return *(const int *)a - *(const int *)b;
}

static long through_c()
{
    long sum = 0;
    for (int i = 0; i < 100; i++) {
        int numbers[64];
        for (int k = 0; k < 64; k++)
            numbers[k] = (k * 37 + i) % 64;
        try {
            qsort(numbers, 64, sizeof *numbers, compare_and_throw);
            sum += numbers[3];
        } catch (int n) {
            sum += n;
        }
    }
    return sum;
}

static long again()
{
    long sum = 0;
    for (int i = 0; i < 200; i++) {
        try {
            try {
                by_kind(i);
                throw std::logic_error("outer");
            } catch (const std::logic_error &) {
                guard here(3);
                try {
                    std::throw_with_nested(std::runtime_error("nested"));
                } catch (...) {
                    sum += 1;
                    throw;
                }
            }
        } catch (const std::exception &e) {
            try {
                std::rethrow_if_nested(e);
            } catch (const std::exception &inner) {
                sum += (long)std::string(inner.what()).size();
            }
        }
    }
    return sum;
}

// A fault becomes an exception, thrown by the handler.
static void on_fault(int signal)
{
    throw signal;
}

__attribute__((noinline)) static int touch(volatile int *p)
{
    guard here(5);
    return *p;
}

static long from_faults()
{
    long sum = 0;
    struct sigaction action = {};
    action.sa_handler = on_fault;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGFPE, &action, nullptr);
    volatile int zero = 0;
    volatile int *nowhere = (volatile int *)mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 300; i++) {
        try {
            if (i % 3 == 0)
                sum += i / zero;
            else
                sum += touch(nowhere + i);
        } catch (int signal) {
            sum += signal;
        }
    }
    return sum;
}

static long over_threads()
{
    long sum = 0;
    for (int i = 0; i < 20; i++) {
        std::exception_ptr carried;
        std::thread other([&] {
            try {
                deep(i, i);
            } catch (...) {
                carried = std::current_exception();
            }
        });
        other.join();
        try {
            std::rethrow_exception(carried);
        } catch (const std::exception &) {
            sum += 1;
        } catch (int n) {
            sum += n;
        } catch (...) {
            sum += 100;
        }
    }
    return sum;
}

struct base { virtual ~base() {} };
struct derived : base {};

int main()
{
    long sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += by_kind(i);
    printf("kinds %ld destroyed %ld\n", sum, destroyed);
    printf("C %ld destroyed %ld\n", through_c(), destroyed);
    printf("again %ld destroyed %ld\n", again(), destroyed);
    printf("faults %ld destroyed %ld\n", from_faults(), destroyed);
    printf("threads %ld destroyed %ld\n", over_threads(), destroyed);
    base b;
    try {
        (void)dynamic_cast<derived &>(b);
    } catch (const std::bad_cast &) {
        printf("cast\n");
    }
    try {
        std::vector<long> huge((size_t)1 << 60);
    } catch (const std::exception &) {
        printf("huge\n");
    }
    fflush(stdout);
    std::set_terminate([] { printf("terminated\n"); fflush(stdout); _Exit(6); });
    deep(5, 1);
}
