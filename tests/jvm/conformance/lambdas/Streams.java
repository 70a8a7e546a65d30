package lambdas;

import java.util.Comparator;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Stream pipelines of every kind, sequential. */
public class Streams {
    record P(String name, int age, String city) { }

    public static void main(String[] args) {
        List<P> ps = List.of(new P("Ann", 30, "Oslo"), new P("Bob", 25, "Rome"), new P("Cid", 35, "Oslo"), new P("Dan", 25, "Bern"));
        System.out.println(ps.stream().filter(p -> p.age() > 26).map(P::name).collect(Collectors.joining(",", "[", "]")));
        TreeMap<String, Double> ages = ps.stream().collect(Collectors.groupingBy(P::city, TreeMap::new, Collectors.averagingInt(P::age)));
        System.out.println(ages);
        System.out.println(ps.stream().collect(Collectors.partitioningBy(p -> p.age() < 30, Collectors.counting())));
        System.out.println(ps.stream().sorted(Comparator.comparingInt(P::age).thenComparing(P::name, Comparator.reverseOrder())).map(P::name).toList());
        TreeMap<String, Integer> byName = ps.stream().collect(Collectors.toMap(P::name, P::age, Integer::sum, TreeMap::new));
        System.out.println(byName);
        IntSummaryStatistics st = ps.stream().mapToInt(P::age).summaryStatistics();
        System.out.println(st);
        System.out.println(IntStream.rangeClosed(1, 10).filter(i -> i % 2 == 1).mapToObj(Integer::toString).collect(Collectors.toList()));
        System.out.println(Stream.iterate(1, x -> x * 2).limit(12).reduce(0, Integer::sum));
        System.out.println(Stream.of(1, 2, 3).flatMap(x -> Stream.of(x, -x)).peek(x -> System.out.print("<" + x + ">")).skip(1).anyMatch(x -> x == -2));
        System.out.println(Stream.of("a", "b").mapMulti((s, c) -> {
            c.accept(s);
            c.accept(s + s);
        }).toList());
        System.out.println(IntStream.of(3, 1, 2).boxed().sorted().takeWhile(x -> x < 3).toList() + " " + LongStream.range(0, 1000).sum() + " " + IntStream.empty().max() + " " + Stream.of(5).findFirst());
        System.out.println(Stream.of("x", "y", "x").distinct().count() + " " + Stream.concat(Stream.of(1), Stream.of(2)).toList() + " " + Map.of("k", 1).entrySet().stream().map(Map.Entry::getValue).toList());
        String both = Stream.of(1, 2, 3, 4).collect(Collectors.teeing(Collectors.summingInt(x -> x), Collectors.counting(), (s, n) -> s + "/" + n));
        System.out.println(both);
        try {
            Stream<Integer> s = Stream.of(1);
            s.count();
            s.count();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        try {
            ps.stream().collect(Collectors.toMap(P::city, P::name));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
