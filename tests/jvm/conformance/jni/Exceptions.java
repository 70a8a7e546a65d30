package jni;

// options: -Djava.library.path={native}
/** Exceptions thrown, seen and cleared in C; failed look-ups. */
public class Exceptions {
    static native void throwNew(Class<?> type, String message);

    static native void throwThis(Throwable t);

    static native String catching(Runnable r);

    static native int lookups(int which);

    static native void notThere();

    public static void main(String[] args) {
        System.loadLibrary("conformance");
        try {
            throwNew(IllegalStateException.class, "from C");
        } catch (IllegalStateException e) {
            System.out.println(e + " " + e.getStackTrace()[0].getMethodName() + " " + e.getStackTrace()[0].isNativeMethod());
        }
        try {
            throwNew(Error.class, null);
        } catch (Error e) {
            System.out.println(e);
        }
        Exception own = new Exception("own");
        try {
            throwThis(own);
        } catch (Throwable e) {
            System.out.println(e == own);
        }
        System.out.println(catching(() -> {
            throw new RuntimeException("in Java");
        }));
        System.out.println(catching(() -> { }));
        System.out.println(catching(() -> System.out.println(catching(() -> {
            throw new RuntimeException("nested");
        }))));
        for (int i = 0; i < 8; i++) {
            try {
                System.out.println(lookups(i));
            } catch (Throwable e) {
                System.out.println(i + " " + e.getClass().getSimpleName());
            }
        }
        try {
            notThere();
        } catch (UnsatisfiedLinkError e) {
            System.out.println(e.getMessage());
        }
        try {
            System.loadLibrary("no_such_library");
        } catch (UnsatisfiedLinkError e) {
            System.out.println("no library");
        }
        try {
            System.load("relative.so");
        } catch (UnsatisfiedLinkError e) {
            System.out.println(e.getMessage());
        }
    }
}
