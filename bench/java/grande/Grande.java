import java.time.Instant;
import java.util.*;

/** Multi-threaded programs in the manner of the Java Grande benchmarks, small ones written fresh: Grande NAME THREADS SIZE. */
public class Grande {
    interface Part { void run(int me, int n) throws InterruptedException; }

    /** Runs the part in n threads, and waits for them. */
    static void inThreads(int n, Part part) throws InterruptedException {
        Thread[] all = new Thread[n];
        for (int i = 0; i < n; i++) {
            int me = i;
            all[i] = new Thread(() -> { try { part.run(me, n); } catch (InterruptedException e) { throw new IllegalStateException(e); } });
            all[i].start();
        }
        for (Thread t : all)
            t.join();
    }

    static final class Barrier {
        private final int n;
        private int waiting, round;
        Barrier(int n) { this.n = n; }
        synchronized void pass() throws InterruptedException {
            int mine = round;
            if (++waiting == n) {
                waiting = 0;
                round++;
                notifyAll();
                return;
            }
            while (mine == round)
                wait();
        }
    }

    // ---- low-level ----

    static double barrier(int n, int size) throws InterruptedException {
        Barrier b = new Barrier(n);
        long[] sum = new long[n];
        inThreads(n, (me, all) -> { for (int i = 0; i < size; i++) { for (int k = 0; k < 2000; k++) sum[me] += i ^ k; b.pass(); } });
        return Arrays.stream(sum).sum();
    }

    static double forkjoin(int n, int size) throws InterruptedException {
        long[] sum = new long[n];
        for (int i = 0; i < size; i++)
            inThreads(n, (me, all) -> { for (int k = 0; k < 2000; k++) sum[me] += k; });
        return Arrays.stream(sum).sum();
    }

    static long shared;
    static synchronized void addOne(int x) { shared += x; }

    static double method(int n, int size) throws InterruptedException {
        inThreads(n, (me, all) -> { for (int i = 0; i < size; i++) addOne(i); });
        return shared;
    }

    static double block(int n, int size) throws InterruptedException {
        Object lock = new Object();
        inThreads(n, (me, all) -> { for (int i = 0; i < size; i++) synchronized (lock) { shared += i; } });
        return shared;
    }

    // ---- kernels ----

    /** A cipher of adds, multiplications modulo 65537 and exclusive ors over blocks of 8 bytes, there and back. */
    static double crypt(int n, int size) throws InterruptedException {
        int[] data = new int[size * 4], coded = new int[size * 4];
        for (int i = 0; i < data.length; i++)
            data[i] = i * 31 + 7 & 0xffff;
        inThreads(n, (me, all) -> {
            for (int b = me * size / all; b < (me + 1) * size / all; b++)
                for (int r = 0; r < 8; r++)
                    for (int k = 0; k < 4; k++) {
                        int x = r == 0 ? data[b * 4 + k] : coded[b * 4 + k];
                        x = (int) ((x + 1L) * (40503 + r) % 65537 - 1) & 0xffff;
                        coded[b * 4 + k] = x + 2654435 * k & 0xffff ^ r;
                    }
        });
        long sum = 0;
        for (int x : coded)
            sum = sum * 31 + x;
        return sum;
    }

    /** LU factorisation with a barrier for each column. */
    static double lufact(int n, int size) throws InterruptedException {
        double[][] a = new double[size][size];
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                a[i][j] = i == j ? size : ((i * 7 + j * 13) % 17) / 17.0;
        Barrier b = new Barrier(n);
        inThreads(n, (me, all) -> {
            for (int k = 0; k < size - 1; k++) {
                for (int i = k + 1; i < size; i++)
                    if (i % all == me) {
                        double f = a[i][k] /= a[k][k];
                        for (int j = k + 1; j < size; j++)
                            a[i][j] -= f * a[k][j];
                    }
                b.pass();
            }
        });
        double product = 0;
        for (int i = 0; i < size; i++)
            product += Math.log(a[i][i]);
        return product;
    }

    /** Fourier coefficients of (x + 1) ^ x. */
    static double series(int n, int size) throws InterruptedException {
        double[] found = new double[size];
        inThreads(n, (me, all) -> {
            for (int i = me; i < size; i += all) {
                double sum = 0;
                for (int k = 0; k < 200; k++) {
                    double x = k * 0.01;
                    sum += Math.pow(x + 1, x) * Math.cos(Math.PI * i * x);
                }
                found[i] = sum * 0.01;
            }
        });
        return Arrays.stream(found).sum();
    }

    /** Successive over-relaxation, red and black, a barrier after each half. */
    static double sor(int n, int size) throws InterruptedException {
        double[][] g = new double[size][size];
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                g[i][j] = (i * 31 + j * 17) % 101 / 101.0;
        Barrier b = new Barrier(n);
        inThreads(n, (me, all) -> {
            for (int round = 0; round < 20; round++) {
                for (int i = 1 + me; i < size - 1; i += all)
                    for (int j = 1 + (i + round) % 2; j < size - 1; j += 2)
                        g[i][j] = 1.25 / 4 * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) - 0.25 * g[i][j];
                b.pass();
            }
        });
        double sum = 0;
        for (double[] row : g)
            for (double x : row)
                sum += x;
        return sum;
    }

    /** A sparse matrix times a vector. */
    static double sparse(int n, int size) throws InterruptedException {
        int[] row = new int[size * 5], col = new int[size * 5];
        double[] val = new double[size * 5], x = new double[size], y = new double[size];
        for (int i = 0; i < row.length; i++) {
            row[i] = i / 5;
            col[i] = (int) (i * 2654435761L % size);
            val[i] = i % 13;
        }
        Arrays.fill(x, 0.5);
        inThreads(n, (me, all) -> {
            for (int round = 0; round < 20; round++)
                for (int i = row.length / all * me; i < row.length / all * (me + 1); i++)
                    y[row[i]] += val[i] * x[col[i]];
        });
        return Arrays.stream(y).sum();
    }

    static double run(String name, int n, int size) throws InterruptedException {
        switch (name) {
        case "barrier": return barrier(n, size);
        case "forkjoin": return forkjoin(n, size);
        case "method": return method(n, size);
        case "block": return block(n, size);
        case "crypt": return crypt(n, size);
        case "lufact": return lufact(n, size);
        case "series": return series(n, size);
        case "sor": return sor(n, size);
        default: return sparse(n, size);
        }
    }

    /** Nanoseconds by a clock that goes on under a schedule, too. */
    private static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1000000000 + now.getNano();
    }

    public static void main(String[] args) throws InterruptedException {
        long start = now();
        double result = run(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        System.out.println(result);
        System.err.println((now() - start) / 1000 + " us");
    }
}
