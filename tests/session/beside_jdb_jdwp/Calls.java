import java.util.*;
import java.util.function.*;

public class Calls {
    interface Shape { double area(); default String show() { return "shape of " + area(); } }
    record Square(double side) implements Shape { public double area() { return side * side; } }
    enum Colour { RED, GREEN }

    static int depth(int n) {
        if (n == 0)
            return 0;
        return 1 + depth(n - 1);
    }

    static <T> T apply(Function<T, T> f, T to) {
        return f.apply(to);
    }

    public static void main(String[] args) {
        Shape shape = new Square(3);
        List<String> list = new ArrayList<>(List.of("a", "b"));
        Map<String, Integer> map = new HashMap<>();
        map.put("one", 1);
        int deep = depth(4);
        String twice = apply(s -> s + s, "x");
        Colour colour = Colour.valueOf("GREEN");
        System.out.println(shape.show() + list + map + deep + twice + colour);
    }
}
