package exceptions;

/** The messages of NullPointerException for each kind of instruction and way to get the null. */
public class HelpfulNpe {
    HelpfulNpe next;
    int[] ints;
    String s;
    static HelpfulNpe stat;
    static int[][] grid = new int[2][];

    HelpfulNpe self() {
        return null;
    }

    static Integer boxed(Object o) {
        return null;
    }

    static void test(Runnable r) {
        try {
            r.run();
            System.out.println("no exception");
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    static void locals(Object o, HelpfulNpe h, int[] a, long[] l, Object[] oa, boolean[] z, char[] c, float[] f, double[] d, short[] s, byte[] b) {
        test(() -> o.hashCode());
        test(() -> System.out.println(h.next));
        test(() -> h.next = null);
        test(() -> System.out.println(a[0]));
        test(() -> a[3] = 1);
        test(() -> System.out.println(a.length));
        test(() -> l[0]++);
        test(() -> oa[0] = null);
        test(() -> System.out.println(oa[1]));
        test(() -> z[0] = true);
        test(() -> c[0] = 'c');
        test(() -> f[0] = 1);
        test(() -> d[0] = 1);
        test(() -> s[0] = 1);
        test(() -> b[0] = 1);
        test(() -> System.out.println(b[0]));
    }

    public static void main(String[] args) {
        locals(null, null, null, null, null, null, null, null, null, null, null);
        HelpfulNpe h = new HelpfulNpe();
        try {
            h.next.next.s = "x";
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            h.ints[h.ints.length] = 5;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            grid[1][0] = 5;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            stat.next = h;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            h.self().self();
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(args[0 * args.length].length() + h.s.trim());
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            synchronized (h.s) {
                System.out.println("in");
            }
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            throw null;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            Integer i = null;
            int j = i;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            switch (h.s) {
                default: break;
            }
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            for (int i : h.ints) {
                System.out.println(i);
            }
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        int k = 1;
        Object[][][] deep = {{}, {null, null}};
        try {
            deep[k][k - 1][k + 2] = "x";
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        // Thrown in a frame that stack traces leave out: there is no message.
        java.util.function.ToIntFunction<Object> unboxes = HelpfulNpe::boxed;
        java.util.function.Function<HelpfulNpe, HelpfulNpe> receiver = HelpfulNpe::self;
        test(() -> unboxes.applyAsInt("x"));
        test(() -> receiver.apply(null));
        System.out.println(new NullPointerException().getMessage() + " " + new NullPointerException("own").getMessage());
    }
}
