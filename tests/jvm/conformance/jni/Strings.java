package jni;

// options: -Djava.library.path={native}
/** Strings across the border. */
public class Strings {
    static native String twice(String s);

    static native String utf(String s);

    static native void region(String s, int from, int n);

    public static void main(String[] args) {
        System.loadLibrary("conformance");
        for (String s : new String[] {"abc", "\u00e9\u20ac", "\ud83d\ude00", "a\0b"}) {
            System.out.println(twice(s).length() + " " + twice(s).equals(s + s) + " " + utf(s));
        }
        for (int[] r : new int[][] {{0, 3}, {2, 2}, {-1, 1}, {0, -1}}) {
            try {
                region("abc", r[0], r[1]);
                System.out.println("fine");
            } catch (StringIndexOutOfBoundsException e) {
                System.out.println("refused");
            }
        }
    }
}
