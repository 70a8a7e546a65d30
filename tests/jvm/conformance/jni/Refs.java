package jni;

// options: -Djava.library.path={native}
import java.nio.ByteBuffer;
import support.Assembler;

/** References, monitors, registration, direct buffers and the invocation interface. */
public class Refs {
    static native String all(Object o);

    static native void keep(Object strong, Object weak);

    static native Object strong();

    static native boolean weakGone();

    static native String machine();

    static native boolean monitor(Object o);

    static native int exitNotOwned(Object o);

    static native ByteBuffer direct();

    static native String peek(ByteBuffer b);

    static native int register(boolean on);

    static native int late(int x);

    static native Class<?> define(String name, ClassLoader l, byte[] file);

    static native String classes(Class<?> a, Class<?> b, Object o);

    static native int over(int x);

    static native int over(String s);

    static native int odd_name$();

    public static void main(String[] args) throws Exception {
        System.loadLibrary("conformance");
        System.out.println(all("object") + " " + machine());
        keep(new int[] {7}, new Object());
        for (int i = 0; i < 100 && !weakGone(); i++) {
            System.gc();
            Thread.sleep(5);
        }
        System.out.println(((int[]) strong())[0] + " " + weakGone());
        System.out.println(monitor(new Object()));
        try {
            System.out.println(exitNotOwned(new Object()));
        } catch (IllegalMonitorStateException e) {
            System.out.println("not owner");
        }
        ByteBuffer b = direct();
        System.out.println(b.capacity() + " " + b.isDirect() + " " + (char) b.get(0) + " " + peek(b) + " " + peek(ByteBuffer.allocateDirect(5)) + " " + peek(ByteBuffer.allocate(5)));
        try {
            late(1);
        } catch (UnsatisfiedLinkError e) {
            System.out.println("not yet");
        }
        System.out.println(register(true) + " " + late(5));
        System.out.println(define("gen/J", Refs.class.getClassLoader(), Assembler.assemble(".class public gen/J")));
        System.out.println(classes(Number.class, Integer.class, 5) + " | " + classes(Object.class, Object.class, null));
        System.out.println(over(1) + " " + over("four") + " " + odd_name$());
    }
}
