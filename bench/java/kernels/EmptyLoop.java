package kernels;

/** A loop that does next to nothing and that a compiler can not remove, because nobody knows how often it turns. */
final class EmptyLoop extends Kernel {
    @Override long work() {
        long x = 1;
        int turns = 0;
        while (turns < 100_000_000 && x != 0) {
            x += turns ^ x;
            turns++;
        }
        return x;
    }
}
