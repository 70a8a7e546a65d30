package unsafe;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** sun.misc.Unsafe: fields, arrays, raw memory, allocation without constructor. */
public class SunMisc {
    int i = 5;
    long l = 6;
    Object o = "o";
    static int st = 7;

    SunMisc() {
        i = 55;
    }

    public static void main(String[] args) throws Exception {
        Field f = Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        Unsafe u = (Unsafe) f.get(null);
        SunMisc s = new SunMisc();
        long io = u.objectFieldOffset(SunMisc.class.getDeclaredField("i"));
        long lo = u.objectFieldOffset(SunMisc.class.getDeclaredField("l"));
        long oo = u.objectFieldOffset(SunMisc.class.getDeclaredField("o"));
        System.out.println(u.getInt(s, io) + " " + u.getLong(s, lo) + " " + u.getObject(s, oo));
        u.putInt(s, io, 9);
        u.putLongVolatile(s, lo, 1L << 50);
        u.putOrderedObject(s, oo, "p");
        System.out.println(s.i + " " + s.l + " " + s.o + " " + u.compareAndSwapInt(s, io, 9, 10) + u.compareAndSwapInt(s, io, 9, 11) + " " + u.getAndAddInt(s, io, 5) + " " + s.i + " " + u.compareAndSwapObject(s, oo, "p", "q") + s.o);
        Field sf = SunMisc.class.getDeclaredField("st");
        u.putInt(u.staticFieldBase(sf), u.staticFieldOffset(sf), 70);
        System.out.println(st);
        SunMisc raw = (SunMisc) u.allocateInstance(SunMisc.class);
        System.out.println(raw.i + " " + raw.o);
        long m = u.allocateMemory(64);
        u.setMemory(m, 64, (byte) 1);
        u.putInt(m + 4, 0x12345678);
        u.putDouble(m + 8, 2.5);
        System.out.println(Integer.toHexString(u.getInt(m)) + " " + u.getByte(m + 4) + " " + u.getDouble(m + 8) + " " + u.getShort(m + 5));
        u.copyMemory(m, m + 32, 16);
        System.out.println(u.getDouble(m + 40));
        m = u.reallocateMemory(m, 128);
        System.out.println(u.getDouble(m + 40));
        u.freeMemory(m);
        int[] a = {1, 2, 3};
        System.out.println(u.getInt(a, (long) Unsafe.ARRAY_INT_BASE_OFFSET + 2L * Unsafe.ARRAY_INT_INDEX_SCALE) + " " + Unsafe.ARRAY_BYTE_INDEX_SCALE + Unsafe.ARRAY_LONG_INDEX_SCALE + " " + u.addressSize() + " " + u.pageSize());
        u.copyMemory(a, Unsafe.ARRAY_INT_BASE_OFFSET, a, Unsafe.ARRAY_INT_BASE_OFFSET + 4L, 8);
        System.out.println(java.util.Arrays.toString(a));
        try {
            u.throwException(new java.io.IOException("sneaky"));
        } catch (Exception e) {
            System.out.println(e);
        }
        u.fullFence();
        u.park(false, 1000);
        u.unpark(Thread.currentThread());
        u.park(false, 0);
        try {
            u.allocateInstance(Runnable.class);
        } catch (InstantiationException e) {
            System.out.println(e.getMessage());
        }
    }
}
