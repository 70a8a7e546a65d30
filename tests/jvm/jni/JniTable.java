import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/** What jni_table.c calls, reads and writes through JNI; it prints, we only hold still. */
public class JniTable {
    static class Base {
        boolean z = true; byte b = -8; char c = 'c'; short s = -300; int i = 70000; long j = 1L << 40; float f = 1.5f; double d = -2.25;
        Object l = "field";
        static boolean sz = true; static byte sb = -9; static char sc = 'C'; static short ss = 301; static int si = -70001;
        static long sj = -(1L << 41); static float sf = 2.5f; static double sd = 3.125;
        static Object sl = "static field";

        boolean getBoolean(boolean z, double d) { return z ^ this.z; }
        byte getByte(byte v, double d) { return (byte) (v + b); }
        char getChar(char v, double d) { return (char) (v + 1); }
        short getShort(short v, double d) { return (short) (v + s); }
        int getInt(int v, double d) { return v + i + (int) d; }
        long getLong(long v, double d) { return v + j; }
        float getFloat(float v, double d) { return v + f; }
        double getDouble(double v, double d) { return v + this.d + d; }
        Object getObject(Object v, double d) { return "base:" + v + ":" + d; }
        void getVoid(Object v, double d) { l = "base void " + v + " " + d; }

        static boolean staticBoolean(boolean z, double d) { return !z; }
        static byte staticByte(byte v, double d) { return (byte) -v; }
        static char staticChar(char v, double d) { return (char) (v - 1); }
        static short staticShort(short v, double d) { return (short) -v; }
        static int staticInt(int v, double d) { return -v; }
        static long staticLong(long v, double d) { return -v; }
        static float staticFloat(float v, double d) { return -v; }
        static double staticDouble(double v, double d) { return -v; }
        static Object staticObject(Object v, double d) { return "static:" + v; }
        static void staticVoid(Object v, double d) { sl = "static void " + v; }
    }

    static class Derived extends Base {
        final String made;
        Derived(String made, int n, double d) { this.made = made + n + d; }
        @Override boolean getBoolean(boolean z, double d) { return z; }
        @Override byte getByte(byte v, double d) { return v; }
        @Override char getChar(char v, double d) { return v; }
        @Override short getShort(short v, double d) { return v; }
        @Override int getInt(int v, double d) { return v; }
        @Override long getLong(long v, double d) { return v; }
        @Override float getFloat(float v, double d) { return v; }
        @Override double getDouble(double v, double d) { return v; }
        @Override Object getObject(Object v, double d) { return "derived:" + v; }
        @Override void getVoid(Object v, double d) { l = "derived void " + v; }
        @Override public String toString() { return "Derived(" + made + ")"; }
    }

    interface Shape { default String name() { return "shape"; } }
    static class Circle implements Shape { @Override public String name() { return "circle"; } }

    static void fail(String why) { throw new IllegalStateException(why); }
    static Method reflected() throws Exception { return JniTable.class.getDeclaredMethod("fail", String.class); }
    static long manyArguments(byte a, short b, char c, boolean d, int e, long f, float g, double h, Object i, long j, float k, double l, int m) {
        System.out.println("many " + a + " " + b + " " + (int) c + " " + d + " " + e + " " + f + " " + g + " " + h + " " + i + " " + j + " " + k + " " + l + " " + m);
        return f + j;
    }

    native void run();
    static native int registered(int n);
    static native long nativeMany(byte a, short b, char c, boolean d, int e, long f, float g, double h, Object i, long j, float k, double l, int m);
    static native synchronized double nativeDoubles(double a, double b, double c, double d, double e, double f, double g, double h, double i);
    static native Object callBack(Object o, Runnable r);

    public static void main(String[] args) throws Exception {
        System.load(System.getProperty("jni.library"));
        new JniTable().run();
        System.out.println("registered " + registered(20));
        System.out.println(nativeMany((byte) -1, (short) -2, 'x', true, -5, 1L << 50, 1.25f, -2.5, "nine", -10, 11.5f, 12.75, 13));
        System.out.println(nativeDoubles(1, 2, 3, 4, 5, 6, 7, 8, 9));
        try {
            callBack("x", () -> { throw new UnsupportedOperationException("from the callback"); });
        } catch (RuntimeException e) {
            System.out.println("caught " + e + " at " + e.getStackTrace()[e.getStackTrace().length - 1].getMethodName());
        }
        System.out.println(callBack("kept", () -> System.gc()));
        Thread t = new Thread(() -> System.out.println(callBack("in a thread", Thread::yield)));
        t.start();
        t.join();
        ByteBuffer direct = ByteBuffer.allocateDirect(16);
        System.out.println("direct " + direct.isDirect());
    }
}
