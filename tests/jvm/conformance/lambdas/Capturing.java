package lambdas;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** What a lambda captures, and whether two evaluations are one object is not printed: only behaviour. */
public class Capturing {
    String name = "outer";

    class In {
        String name = "inner";

        Supplier<String> get(String name) {
            return () -> name + this.name + Capturing.this.name;
        }
    }

    static Object many(byte a, short b, char c, int d, long e, float f, double g, boolean h, String i, int[] j) {
        Supplier<Object> s = () -> "" + a + b + c + d + e + f + g + h + i + j[0];
        j[0]++;
        return s.get();
    }

    <T> List<Supplier<T>> fill(T t) {
        List<Supplier<T>> l = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            l.add(() -> t);
        }
        return l;
    }

    public static void main(String[] args) {
        System.out.println(new Capturing().new In().get("arg").get());
        System.out.println(many((byte) 1, (short) 2, '3', 4, 5, 6, 7, true, "8", new int[] {9}));
        List<IntSupplier> l = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int j = i;
            int[] box = {0};
            l.add(() -> j * 10 + box[0]++);
        }
        for (IntSupplier s : l) {
            System.out.print(s.getAsInt() + s.getAsInt() + " ");
        }
        System.out.println(new Capturing().fill("t").get(2).get());
    }
}
