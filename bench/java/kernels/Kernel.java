package kernels;

/** One piece of work with a checksum; `java kernels.Kernel NAME ROUNDS` prints the best time of its rounds in ns. */
public abstract class Kernel {
    /** Does the whole work once; the same result each time. */
    abstract long work();

    public static void main(String[] args) throws Exception {
        Kernel k = (Kernel) Class.forName("kernels." + args[0]).getDeclaredConstructor().newInstance();
        long best = Long.MAX_VALUE;
        long sum = 0;
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            long start = System.nanoTime();
            sum = k.work();
            best = Math.min(best, System.nanoTime() - start);
        }
        System.out.println(best + " " + sum);
    }

    /** A small generator of our own, so that the work does not depend on the library. */
    static final class Rng {
        private long state;

        Rng(long seed) {
            state = seed * 2862933555777941757L + 3037000493L;
        }

        int bits(int n) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            return (int) (state >>> 64 - n);
        }

        double unit() {
            return bits(30) / (double) (1 << 30);
        }
    }
}
