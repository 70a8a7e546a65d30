package references;

import java.util.HashSet;
import java.util.Set;

/** Identity hash codes stay the same over collections and are spread. */
public class Hashes {
    public static void main(String[] args) {
        Object[] os = new Object[2000];
        int[] h = new int[os.length];
        Set<Integer> distinct = new HashSet<>();
        for (int i = 0; i < os.length; i++) {
            os[i] = i % 2 == 0 ? new Object() : new int[1];
            h[i] = System.identityHashCode(os[i]);
            distinct.add(h[i]);
        }
        System.gc();
        byte[][] junk = new byte[100][];
        for (int i = 0; i < 100; i++) {
            junk[i] = new byte[10000];
        }
        boolean same = true;
        for (int i = 0; i < os.length; i++) {
            same &= h[i] == System.identityHashCode(os[i]) && h[i] == os[i].hashCode();
        }
        System.out.println(same + " " + (distinct.size() > 1900) + " " + System.identityHashCode(null));
        String s = "abc";
        System.out.println(s.hashCode() + " " + (System.identityHashCode(s) == System.identityHashCode("abc")));
    }
}
