package numeric;

import java.util.function.Supplier;

/** The exact methods of Math: result or ArithmeticException. */
public class ExactMath {
    static void test(Supplier<Object> s) {
        try {
            System.out.println(s.get());
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
    }

    public static void main(String[] args) {
        for (int a : new int[] {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 46341}) {
            for (int b : new int[] {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 46341}) {
                test(() -> Math.addExact(a, b));
                test(() -> Math.subtractExact(a, b));
                test(() -> Math.multiplyExact(a, b));
                test(() -> Math.floorDiv(a, b));
                test(() -> Math.floorMod(a, b));
                test(() -> Math.multiplyHigh((long) a << 32, (long) b << 30));
                test(() -> Math.multiplyFull(a, b));
            }
            test(() -> Math.negateExact(a));
            test(() -> Math.incrementExact(a));
            test(() -> Math.decrementExact(a));
            test(() -> Math.absExact(a));
        }
        for (long a : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 3037000500L}) {
            test(() -> Math.addExact(a, a));
            test(() -> Math.multiplyExact(a, a));
            test(() -> Math.toIntExact(a));
            test(() -> Math.multiplyExact(a, 2));
        }
    }
}
