package lambdas;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Parallel streams: results that do not depend on the split. */
public class ParallelStreams {
    public static void main(String[] args) {
        System.out.println(IntStream.range(0, 20000).parallel().filter(i -> i % 3 == 0).mapToLong(i -> (long) i * i).sum());
        System.out.println(IntStream.range(0, 1000).parallel().boxed().collect(Collectors.toList()).equals(IntStream.range(0, 1000).boxed().toList()));
        int[] a = new java.util.Random(1).ints(20000).toArray();
        int[] b = a.clone();
        Arrays.parallelSort(a);
        Arrays.sort(b);
        System.out.println(Arrays.equals(a, b));
        Arrays.parallelPrefix(a, Integer::sum);
        System.out.println(a[19999]);
        System.out.println(IntStream.range(0, 5000).parallel().mapToObj(i -> "" + i % 10).collect(Collectors.groupingByConcurrent(s -> s, Collectors.counting())).get("7"));
        StringBuilder sb = new StringBuilder();
        IntStream.range(0, 20).parallel().mapToObj(i -> (char) ('a' + i)).forEachOrdered(sb::append);
        System.out.println(sb);
    }
}
