package jni;

// options: -Djava.library.path={native}
/** Arrays across the border. */
public class Arrays {
    static native String all();

    static native String[] objects(int n);

    static native void bad(Object[] a, int at, Object value);

    static native void badRegion(int[] a, int at, int n);

    static void test(Runnable r) {
        try {
            r.run();
            System.out.println("fine");
        } catch (RuntimeException e) {
            System.out.println(e.getClass().getSimpleName());
        }
    }

    public static void main(String[] args) {
        System.loadLibrary("conformance");
        System.out.print(all());
        System.out.println(java.util.Arrays.toString(objects(4)));
        test(() -> objects(-1));
        test(() -> bad(new String[2], 5, "x"));
        test(() -> bad(new String[2], 1, 5));
        test(() -> bad(new Object[2], 1, 5));
        test(() -> badRegion(new int[4], 2, 3));
        test(() -> badRegion(new int[4], 1, 3));
        test(() -> badRegion(new int[4], -1, 1));
    }
}
