package classes;

import java.util.List;

/** Records: canonical and compact constructors, equals, hashCode, toString, nesting, reflection. */
public class Records {
    record Point(int x, int y) {
        static int made;

        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x " + x);
            }
            made++;
        }

        Point(int both) {
            this(both, both);
        }

        double length() {
            return Math.sqrt(x * x + y * y);
        }
    }

    record All(boolean z, byte b, char c, short s, int i, long l, float f, double d, String str, int[] a) { }

    record Pair<A, B>(A first, B second) { }

    record Empty() { }

    public static void main(String[] args) {
        Point p = new Point(3, 4);
        System.out.println(p + " " + p.equals(new Point(3, 4)) + " " + p.equals(new Point(4, 3)) + " " + p.hashCode() + " " + p.length() + " " + new Point(7));
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage() + " " + Point.made);
        }
        All a = new All(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "s", null);
        System.out.println(a + " " + a.hashCode() + " " + a.equals(new All(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "s", null)));
        System.out.println(new All(false, (byte) 0, 'd', (short) 0, 0, 0, -0f, Double.NaN, null, null).equals(new All(false, (byte) 0, 'd', (short) 0, 0, 0, 0f, Double.NaN, null, null)));
        System.out.println(new Pair<>(1, List.of("x")) + " " + new Pair<>(null, null).hashCode() + " " + new Empty() + " " + new Empty().equals(new Empty()) + " " + new Empty().hashCode());
        for (var c : All.class.getRecordComponents()) {
            System.out.println(c + " " + c.getAccessor());
        }
        System.out.println(Point.class.isRecord() + " " + java.lang.reflect.Modifier.toString(Point.class.getModifiers()) + " " + Pair.class.getRecordComponents()[0].getGenericType());
    }
}
