package kernels;

/** A loop that does next to nothing and that a compiler can not remove, because nobody knows how often it is executed. */
final class EmptyLoop extends Kernel {
    @Override long work() {
        long x = 1;
        int n = 0;
        while (n < 100_000_000 && x != 0) {
            x += n ^ x;
            n++;
        }
        return x;
    }
}
