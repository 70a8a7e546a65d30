package kernels;

/** Primes below four million, by crossing out. */
final class Sieve extends Kernel {
    @Override
    long work() {
        int n = 4_000_000;
        boolean[] out = new boolean[n];
        int count = 0;
        for (int i = 2; i < n; i++) {
            if (!out[i]) {
                count++;
                for (int j = 2 * i; j < n; j += i) {
                    out[j] = true;
                }
            }
        }
        return count;
    }
}
