package lambdas;

import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Boxing, widening, varargs and void adaptation between a functional interface and its target. */
public class Adaptation {
    static int i() {
        return 7;
    }

    static String join(Object... xs) {
        return xs.length + java.util.Arrays.toString(xs);
    }

    static <T extends Comparable<T>> T max(T a, T b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    interface Tri<A, B, C, R> {
        R apply(A a, B b, C c);
    }

    interface Wide {
        double apply(byte b, char c, long l);
    }

    static double wide(int a, int b, float c) {
        return a + b + c;
    }

    public static void main(String[] args) {
        LongSupplier l = Adaptation::i;
        Supplier<Object> o = Adaptation::i;
        ToLongFunction<Integer> t = Integer::intValue;
        DoubleUnaryOperator d = Math::abs;
        IntFunction<Integer> box = x -> x;
        Tri<String, Integer, Double, String> v = Adaptation::join;
        Supplier<String> v0 = Adaptation::join;
        java.util.function.BinaryOperator<String> m = Adaptation::max;
        Wide w = Adaptation::wide;
        Runnable r = Adaptation::i;
        r.run();
        System.out.println(l.getAsLong() + " " + o.get() + " " + t.applyAsLong(5) + " " + d.applyAsDouble(-2.5) + " " + box.apply(300) + " " + v.apply("a", 1, 2.0) + " " + v0.get() + " " + m.apply("a", "b") + " " + w.apply((byte) -1, 'a', 1L << 33));
        Function<Object, String> f = Object::toString;
        Function<? super Integer, ? extends CharSequence> g = f;
        System.out.println(g.apply(12).length());
    }
}
