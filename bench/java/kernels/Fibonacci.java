package kernels;

/** Calls and returns: the naive recursion. */
final class Fibonacci extends Kernel {
    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    @Override
    long work() {
        return fib(31);
    }
}
