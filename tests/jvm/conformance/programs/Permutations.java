package programs;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** Permutations by an iterator, combinations by recursion, partitions by memo. */
public class Permutations {
    static Iterable<int[]> all(int n) {
        return () -> new Iterator<>() {
            int[] next = java.util.stream.IntStream.range(0, n).toArray();

            @Override
            public boolean hasNext() {
                return next != null;
            }

            @Override
            public int[] next() {
                if (next == null) {
                    throw new NoSuchElementException();
                }
                int[] now = next.clone();
                int i = n - 2;
                while (i >= 0 && next[i] > next[i + 1]) {
                    i--;
                }
                if (i < 0) {
                    next = null;
                    return now;
                }
                int j = n - 1;
                while (next[j] < next[i]) {
                    j--;
                }
                int t = next[i];
                next[i] = next[j];
                next[j] = t;
                for (int a = i + 1, b = n - 1; a < b; a++, b--) {
                    t = next[a];
                    next[a] = next[b];
                    next[b] = t;
                }
                return now;
            }
        };
    }

    static void choose(int from, int n, int k, List<Integer> sofar, List<List<Integer>> out) {
        if (k == 0) {
            out.add(List.copyOf(sofar));
            return;
        }
        for (int i = from; i < n; i++) {
            sofar.add(i);
            choose(i + 1, n, k - 1, sofar, out);
            sofar.remove(sofar.size() - 1);
        }
    }

    public static void main(String[] args) {
        int count = 0;
        long hash = 0;
        for (int[] p : all(7)) {
            count++;
            for (int x : p) {
                hash = hash * 7 + x;
            }
        }
        System.out.println(count + " " + hash);
        List<List<Integer>> out = new ArrayList<>();
        choose(0, 6, 3, new ArrayList<>(), out);
        System.out.println(out.size() + " " + out.get(7) + " " + out.hashCode());
        long[] p = new long[101];
        p[0] = 1;
        for (int i = 1; i <= 100; i++) {
            for (int j = i; j <= 100; j++) {
                p[j] += p[j - i];
            }
        }
        System.out.println(p[100]);
    }
}
