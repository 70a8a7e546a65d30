package lambdas;

import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/** Lambdas: captures, recursion, currying, every kind of method reference. */
public class Basics {
    int field = 10;
    static Function<Integer, Integer> fact;

    int add(int x) {
        return x + field;
    }

    static int twice(int x) {
        return 2 * x;
    }

    Supplier<Integer> capture() {
        return () -> field++;
    }

    public static void main(String[] args) {
        int base = 100;
        long big = 1L << 40;
        IntBinaryOperator op = (a, b) -> a * b + base;
        System.out.println(op.applyAsInt(3, 4));
        fact = n -> n < 2 ? 1 : n * fact.apply(n - 1);
        System.out.println(fact.apply(10));
        Function<Integer, Function<Integer, Long>> curry = a -> b -> a + b + big;
        System.out.println(curry.apply(1).apply(2));
        Basics o = new Basics();
        Function<Integer, Integer> bound = o::add;
        BiFunction<Basics, Integer, Integer> unbound = Basics::add;
        Function<Integer, Integer> stat = Basics::twice;
        Supplier<Basics> make = Basics::new;
        Function<Integer, int[]> array = int[]::new;
        Function<String, Integer> len = String::length;
        System.out.println(bound.apply(1) + " " + unbound.apply(o, 2) + " " + stat.apply(3) + " " + make.get().field + " " + array.apply(4).length + " " + len.apply("five5"));
        Supplier<Integer> c = o.capture();
        c.get();
        System.out.println(c.get() + " " + o.field);
        System.out.println(bound.andThen(stat).compose(len).apply("xx"));
        Supplier<Runnable> nested = () -> () -> System.out.println("nested " + base);
        nested.get().run();
        Object both = (Runnable & java.io.Serializable) () -> System.out.println("both");
        ((Runnable) both).run();
        System.out.println((both instanceof java.io.Serializable) + " " + both.getClass().isHidden() + " " + both.getClass().isSynthetic() + " " + both.getClass().getSimpleName().startsWith("Basics$$Lambda"));
        try {
            Function<String, Integer> bad = o == null ? null : String::length;
            Object raw = bad;
            @SuppressWarnings("unchecked")
            Function<Object, Object> f = (Function<Object, Object>) raw;
            f.apply(5);
        } catch (ClassCastException e) {
            System.out.println("cast refused");
        }
        try {
            String s = args.length > 5 ? "" : null;
            Supplier<Integer> n = s::length;
        } catch (NullPointerException e) {
            System.out.println("null receiver");
        }
    }
}
