package concurrency;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;

/** Fork/join: recursive tasks, exceptions, pools of one's own. */
public class ForkJoin {
    static class Fib extends RecursiveTask<Integer> {
        final int n;

        Fib(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            if (n < 10) {
                return n < 2 ? n : new Fib(n - 1).compute() + new Fib(n - 2).compute();
            }
            Fib a = new Fib(n - 1);
            a.fork();
            return new Fib(n - 2).compute() + a.join();
        }
    }

    static class Sort extends RecursiveAction {
        final int[] a;
        final int lo;
        final int hi;

        Sort(int[] a, int lo, int hi) {
            this.a = a;
            this.lo = lo;
            this.hi = hi;
        }

        @Override
        protected void compute() {
            if (hi - lo < 64) {
                java.util.Arrays.sort(a, lo, hi);
                return;
            }
            int mid = (lo + hi) >>> 1;
            invokeAll(new Sort(a, lo, mid), new Sort(a, mid, hi));
            int[] copy = java.util.Arrays.copyOfRange(a, lo, mid);
            int i = 0;
            int j = mid;
            int k = lo;
            while (i < copy.length) {
                a[k++] = j < hi && a[j] < copy[i] ? a[j++] : copy[i++];
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(ForkJoinPool.commonPool().invoke(new Fib(20)));
        int[] a = new java.util.Random(3).ints(5000).toArray();
        ForkJoinPool pool = new ForkJoinPool(3);
        pool.invoke(new Sort(a, 0, a.length));
        boolean sorted = true;
        for (int i = 1; i < a.length; i++) {
            sorted &= a[i - 1] <= a[i];
        }
        System.out.println(sorted);
        try {
            pool.invoke(new RecursiveAction() {
                @Override
                protected void compute() {
                    throw new IllegalArgumentException("task");
                }
            });
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(pool.submit(() -> 5).get() + " " + pool.getParallelism());
        pool.shutdown();
    }
}
