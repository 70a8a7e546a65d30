package unsafe;

// options: --add-exports java.base/jdk.internal.misc=ALL-UNNAMED
import jdk.internal.misc.Unsafe;

/** jdk.internal.misc.Unsafe: every type of compare-and-set, unaligned access, class definition. */
public class Internal {
    volatile byte b = 1;
    volatile short s = 2;
    volatile char c = 'c';
    volatile boolean z;
    volatile float f = 1.5f;
    volatile double d = 2.5;
    volatile long l = 3;
    byte[] guard = {1, 2, 3, 4};

    static long off(String name) {
        return Unsafe.getUnsafe().objectFieldOffset(Internal.class, name);
    }

    static class Late {
        static int x = 3;

        static {
            System.out.println("Late");
        }
    }

    public static void main(String[] args) throws Exception {
        Unsafe u = Unsafe.getUnsafe();
        Internal o = new Internal();
        System.out.println(u.compareAndSetByte(o, off("b"), (byte) 1, (byte) 9) + " " + u.compareAndExchangeShort(o, off("s"), (short) 2, (short) 8) + " " + u.compareAndSetChar(o, off("c"), 'c', 'd') + " " + u.compareAndSetBoolean(o, off("z"), false, true)
            + " " + u.compareAndSetFloat(o, off("f"), 1.5f, 7f) + " " + u.compareAndExchangeDouble(o, off("d"), 2.5, 6.0) + " " + u.getAndAddLong(o, off("l"), 4) + " " + u.getAndSetByte(o, off("b"), (byte) -1) + " " + u.getAndAddShort(o, off("s"), (short) 1));
        System.out.println(o.b + " " + o.s + " " + o.c + " " + o.z + " " + o.f + " " + o.d + " " + o.l + " " + o.guard.length);
        byte[] a = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        System.out.println(Long.toHexString(u.getLongUnaligned(a, Unsafe.ARRAY_BYTE_BASE_OFFSET + 1L)) + " " + Integer.toHexString(u.getIntUnaligned(a, Unsafe.ARRAY_BYTE_BASE_OFFSET + 3L, true)) + " " + u.isBigEndian() + u.unalignedAccess());
        u.putShortUnaligned(a, Unsafe.ARRAY_BYTE_BASE_OFFSET + 5L, (short) 0x7f7e);
        System.out.println(a[5] + " " + a[6]);
        System.out.println(u.shouldBeInitialized(Late.class));
        u.ensureClassInitialized(Late.class);
        System.out.println(u.shouldBeInitialized(Late.class) + " " + Late.x);
        byte[] big = (byte[]) u.allocateUninitializedArray(byte.class, 100);
        System.out.println(big.length + " " + (u.arrayIndexScale(Object[].class) > 0) + " " + (u.objectFieldOffset(Internal.class, "l") % 8));
        try {
            u.allocateMemory(-1);
        } catch (RuntimeException e) {
            System.out.println(e.getClass().getSimpleName());
        }
        try {
            u.objectFieldOffset(Internal.class, "nope");
        } catch (InternalError e) {
            System.out.println(e);
        }
        u.setMemory(o.guard, Unsafe.ARRAY_BYTE_BASE_OFFSET, 4, (byte) 5);
        System.out.println(java.util.Arrays.toString(o.guard));
        u.copySwapMemory(new int[] {0x01020304}, Unsafe.ARRAY_INT_BASE_OFFSET, o.guard, Unsafe.ARRAY_BYTE_BASE_OFFSET, 4, 4);
        System.out.println(java.util.Arrays.toString(o.guard));
    }
}
