package jni;

// options: -Djava.library.path={native}
/** Java called from C: every result type, in each way to pass arguments. */
public class Calls {
    static class Sub extends Calls {
        @Override
        boolean vBoolean(int i, long l, double d, Object o) {
            return d > 2;
        }

        @Override
        byte vByte(int i, long l, double d, Object o) {
            return (byte) (i + 1 + d * 2);
        }

        @Override
        char vChar(int i, long l, double d, Object o) {
            return (char) (i + 60);
        }

        @Override
        short vShort(int i, long l, double d, Object o) {
            return (short) (i + 3 + d * 2);
        }

        @Override
        int vInt(int i, long l, double d, Object o) {
            return (int) (i + 4 + d * 2);
        }

        @Override
        long vLong(int i, long l, double d, Object o) {
            return i + l;
        }

        @Override
        float vFloat(int i, long l, double d, Object o) {
            return (float) (i + 6 + d * 2);
        }

        @Override
        double vDouble(int i, long l, double d, Object o) {
            return (double) (i + 7 + d * 2);
        }
    }

    boolean vBoolean(int i, long l, double d, Object o) {
        return true;
    }

    static boolean sBoolean(int i, long l, double d, Object o) {
        return o == null ? false : true;
    }

    byte vByte(int i, long l, double d, Object o) {
        return (byte) 1;
    }

    static byte sByte(int i, long l, double d, Object o) {
        return o == null ? (byte) -2 : (byte) 1;
    }

    char vChar(int i, long l, double d, Object o) {
        return 'c';
    }

    static char sChar(int i, long l, double d, Object o) {
        return o == null ? '\uffff' : 'c';
    }

    short vShort(int i, long l, double d, Object o) {
        return (short) 3;
    }

    static short sShort(int i, long l, double d, Object o) {
        return o == null ? (short) -4 : (short) 3;
    }

    int vInt(int i, long l, double d, Object o) {
        return 5;
    }

    static int sInt(int i, long l, double d, Object o) {
        return o == null ? -6 : 5;
    }

    long vLong(int i, long l, double d, Object o) {
        return 7L;
    }

    static long sLong(int i, long l, double d, Object o) {
        return o == null ? -(1L << 50) : 7L;
    }

    float vFloat(int i, long l, double d, Object o) {
        return 1.5f;
    }

    static float sFloat(int i, long l, double d, Object o) {
        return o == null ? -2.5f : 1.5f;
    }

    double vDouble(int i, long l, double d, Object o) {
        return 3.5;
    }

    static double sDouble(int i, long l, double d, Object o) {
        return o == null ? -1e100 : 3.5;
    }

    String join(boolean z, byte b, char c, short s, int i, long l, float f, double d, Object o, int i2, long l2, float f2, double d2, int i3, double d3) {
        return z + " " + b + " " + c + " " + s + " " + i + " " + l + " " + f + " " + d + " " + o + " " + i2 + " " + l2 + " " + f2 + " " + d2 + " " + i3 + " " + d3;
    }

    static native String all(Calls sub);

    native Object echo(boolean z, byte b, char c, short s, int i, long l, float f, double d, Object o, int i2, long l2, float f2, double d2, int i3, double d3);

    static native Object make();

    public static void main(String[] args) {
        System.loadLibrary("conformance");
        System.out.print(all(new Sub()));
        System.out.println(new Calls().echo(true, (byte) -1, '\u20ac', (short) -2, 3, 1L << 50, 1.5f, 2.5, "o", -3, Long.MIN_VALUE, -0.5f, 1e300, 9, -0.0));
        System.out.println(make());
    }
}
