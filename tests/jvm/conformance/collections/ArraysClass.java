package collections;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;

/** java.util.Arrays: sorts of every element type at sizes for each algorithm, search, compare, fill. */
public class ArraysClass {
    public static void main(String[] args) {
        Random r = new Random(8);
        for (int n : new int[] {0, 1, 20, 100, 1000, 6000}) {
            int[] a = r.ints(n, -1000, 1000).toArray();
            long[] l = r.longs(n).toArray();
            double[] d = r.doubles(n).toArray();
            byte[] b = new byte[n];
            r.nextBytes(b);
            char[] c = new String(b, java.nio.charset.StandardCharsets.ISO_8859_1).toCharArray();
            if (n > 3) {
                d[0] = Double.NaN;
                d[1] = -0.0;
                d[2] = 0.0;
            }
            Integer[] boxed = Arrays.stream(a).boxed().toArray(Integer[]::new);
            Arrays.sort(a);
            Arrays.sort(l);
            Arrays.sort(d);
            Arrays.sort(b);
            Arrays.sort(c);
            Arrays.sort(boxed, Comparator.comparing((Integer x) -> x / 10).reversed());
            System.out.println(n + " " + Arrays.hashCode(a) + " " + Arrays.hashCode(l) + " " + Arrays.hashCode(d) + " " + Arrays.hashCode(b) + " " + Arrays.hashCode(c) + " " + Arrays.hashCode(boxed));
        }
        int[] a = {1, 3, 5, 7};
        System.out.println(Arrays.binarySearch(a, 5) + " " + Arrays.binarySearch(a, 4) + " " + Arrays.toString(Arrays.copyOf(a, 6)) + " " + Arrays.equals(a, a.clone()) + " " + Arrays.compare(a, new int[] {1, 4}) + " " + Arrays.mismatch(a, new int[] {1, 3, 6}) + " " + Arrays.toString(Arrays.copyOfRange(a, 1, 3)));
        Arrays.fill(a, 1, 3, 9);
        Arrays.setAll(a, i -> a[i] + i);
        System.out.println(Arrays.toString(a) + " " + Arrays.deepToString(new Object[] {1, new int[] {2}, new Object[] {null}}) + " " + Arrays.deepEquals(new int[][] {{1}}, new int[][] {{1}}) + " " + Arrays.deepHashCode(new Object[] {new int[] {1}}));
        Object[] self = new Object[1];
        self[0] = self;
        System.out.println(Arrays.deepToString(self));
        try {
            Arrays.sort(new Object[] {1, "x"});
        } catch (ClassCastException e) {
            System.out.println("not comparable");
        }
        try {
            Arrays.sort(boxedRandom(), (x, y) -> x.hashCode() % 3 == 0 ? 1 : -1);
            System.out.println("no complaint");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }

    static Integer[] boxedRandom() {
        return new Random(5).ints(300).boxed().toArray(Integer[]::new);
    }
}
