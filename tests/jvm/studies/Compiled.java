import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the compiler of the case study compiles: one of everything that makes class files different. */
public class Compiled<T extends Comparable<T>> {
    sealed interface Shape permits Circle, Square { }
    record Circle(double radius) implements Shape { }
    record Square(double side) implements Shape { }
    enum Color { RED { @Override int code() { return 1; } }, GREEN; int code() { return 2; } }
    @interface Mark { String[] value() default {"a", "b"}; }

    private final List<T> items = new ArrayList<>();

    @Mark("sorted")
    List<T> sorted(Function<? super T, ? extends T> map) {
        class Local {
            T twice(T x) { return map.andThen(map::apply).apply(x); }
        }
        return items.stream().map(new Local()::twice).sorted().collect(Collectors.toList());
    }

    static double area(Shape s) {
        return s instanceof Circle c ? Math.PI * c.radius() * c.radius() : s instanceof Square q ? q.side() * q.side() : 0;
    }

    static String day(int n) throws Exception {
        try (AutoCloseable c = () -> { throw new IllegalStateException("close"); }) {
            return switch (n) {
                case 1, 7 -> "weekend";
                case 2, 3, 4, 5, 6 -> { String s = "day " + n; yield s; }
                default -> throw new IllegalArgumentException("""
                        no day:
                          %d""".formatted(n));
            };
        } finally {
            assert n > 0 : "positive";
        }
    }

    public static void main(String[] args) throws Exception {
        Map<String, Double> areas = new TreeMap<>();
        for (Shape s : List.of(new Circle(1), new Square(2)))
            areas.merge(s.getClass().getSimpleName(), area(s), Double::sum);
        Compiled<String> names = new Compiled<>();
        for (Color c : Color.values())
            names.items.add(c + ":" + c.code());
        System.out.println(areas + " " + names.sorted(String::toLowerCase));
    }
}
