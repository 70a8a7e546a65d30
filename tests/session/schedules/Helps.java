import java.util.Arrays;
import java.util.concurrent.*;

/** Fine-grained tasks of ForkJoinPools: who waits for one executes others meanwhile, and may have to wait inside of these, in the same call further down. */
public class Helps {
    static final StringBuffer order = new StringBuffer();

    static void note(String what) {
        order.append(Thread.currentThread().getName().replaceAll(".*-", "")).append(':').append(what).append(' ');
    }

    static final class Fib extends RecursiveTask<Integer> {
        static int calls;
        final int n;
        final String id;

        Fib(int n, String id) {
            this.n = n;
            this.id = id;
        }

        @Override protected Integer compute() {
            calls++;
            note(id);
            if (n < 2)
                return n;
            Fib one = new Fib(n - 1, id + 'a'), two = new Fib(n - 2, id + 'b');
            one.fork();
            int y = two.compute();
            return one.join() + y;
        }
    }

    static final class Fill extends RecursiveAction {
        final int[] cells;
        final int from, to;

        Fill(int[] cells, int from, int to) {
            this.cells = cells;
            this.from = from;
            this.to = to;
        }

        @Override protected void compute() {
            int middle = (from + to) / 2;
            if (to - from <= 2) {
                Arrays.fill(cells, from, to, to);
                note("" + from);
            } else {
                invokeAll(new Fill(cells, from, middle), new Fill(cells, middle, to));
            }
        }
    }

    static final class Count extends CountedCompleter<Void> {
        static int leafs, done;
        final int from, to;

        Count(CountedCompleter<?> parent, int from, int to) {
            super(parent);
            this.from = from;
            this.to = to;
        }

        @Override public void compute() {
            if (to - from > 1) {
                int middle = (from + to) / 2;
                setPendingCount(2);
                new Count(this, middle, to).fork();
                new Count(this, from, middle).fork();
            } else {
                leafs++;
            }
            tryComplete();
        }

        @Override public void onCompletion(CountedCompleter<?> by) {
            done++;
        }
    }

    public static void main(String[] args) {
        ForkJoinPool pool = new ForkJoinPool(3);
        note("=" + pool.invoke(new Fib(6, "")) + "," + Fib.calls);
        int[] cells = new int[16];
        ForkJoinPool.commonPool().invoke(new Fill(cells, 0, 16));
        pool.invoke(new Fill(cells, 0, 16));
        new Count(null, 0, 12).invoke();
        note("=" + Count.leafs + "," + Count.done);
        System.out.println(order);
    }
}
