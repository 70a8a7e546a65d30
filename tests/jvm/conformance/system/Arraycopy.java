package system;

import java.util.Arrays;

/** System.arraycopy: overlap both ways, every element type, partial copies before a store error. */
public class Arraycopy {
    public static void main(String[] args) {
        int[] a = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        System.arraycopy(a, 0, a, 3, 6);
        System.out.println(Arrays.toString(a));
        System.arraycopy(a, 3, a, 0, 6);
        System.out.println(Arrays.toString(a));
        byte[] b = {1, 2, 3};
        System.arraycopy(b, 1, b, 0, 2);
        long[] l = {1, 2, 3};
        System.arraycopy(l, 0, l, 1, 2);
        char[] c = "abcdef".toCharArray();
        System.arraycopy(c, 0, c, 1, 5);
        boolean[] z = {true, false, true};
        System.arraycopy(z, 0, z, 1, 2);
        double[] d = {1, 2};
        System.arraycopy(d, 0, d, 0, 2);
        System.out.println(Arrays.toString(b) + Arrays.toString(l) + new String(c) + Arrays.toString(z) + Arrays.toString(d));
        Object[] mixed = {"a", "b", 3, "d"};
        String[] s = new String[4];
        try {
            System.arraycopy(mixed, 0, s, 0, 4);
        } catch (ArrayStoreException e) {
            System.out.println(e.getMessage() + " " + Arrays.toString(s));
        }
        System.arraycopy(new Integer[] {1}, 0, mixed, 0, 1);
        System.arraycopy(mixed, 4, mixed, 4, 0);
        System.out.println(Arrays.toString(mixed));
        int[][] m = {{1}, {2}};
        System.arraycopy(m, 0, m, 1, 1);
        System.out.println(m[0] == m[1]);
        try {
            System.arraycopy(a, Integer.MAX_VALUE, a, 0, 1);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.arraycopy(null, 0, a, 0, 1);
        } catch (NullPointerException e) {
            System.out.println("null");
        }
    }
}
