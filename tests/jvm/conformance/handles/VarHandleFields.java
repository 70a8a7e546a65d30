package handles;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** VarHandles of fields: all access modes on all types. */
public class VarHandleFields {
    int i = 1;
    volatile long l = 2;
    String s = "a";
    boolean z;
    byte b = 5;
    short sh = 6;
    char c = 'c';
    float f = 1.5f;
    double d = 2.5;
    static int si = 7;
    final int fin = 8;

    public static void main(String[] args) throws Exception {
        MethodHandles.Lookup k = MethodHandles.lookup();
        VarHandleFields o = new VarHandleFields();
        VarHandle i = k.findVarHandle(VarHandleFields.class, "i", int.class);
        System.out.println((int) i.get(o) + " " + i.compareAndSet(o, 1, 10) + " " + i.compareAndSet(o, 1, 11) + " " + (int) i.getAndAdd(o, 5) + " " + (int) i.getAndSet(o, 3) + " " + (int) i.getVolatile(o) + " " + (int) i.compareAndExchange(o, 3, 4) + " " + (int) i.getAndBitwiseOr(o, 8) + " " + (int) i.getAndBitwiseAnd(o, 9) + " " + (int) i.getAndBitwiseXor(o, 1) + " " + (int) i.getOpaque(o) + " " + (int) i.getAcquire(o));
        i.setVolatile(o, 50);
        i.setRelease(o, 51);
        i.setOpaque(o, 52);
        System.out.println(o.i);
        VarHandle l = k.findVarHandle(VarHandleFields.class, "l", long.class);
        System.out.println((long) l.getAndAdd(o, 1L << 40) + " " + o.l + " " + l.weakCompareAndSetPlain(o, 5L, 6L));
        VarHandle s = k.findVarHandle(VarHandleFields.class, "s", String.class);
        System.out.println((String) s.getAndSet(o, "b") + " " + s.compareAndSet(o, "b", "c") + " " + (String) s.compareAndExchangeAcquire(o, "zz", "d") + " " + o.s);
        VarHandle z = k.findVarHandle(VarHandleFields.class, "z", boolean.class);
        System.out.println((boolean) z.getAndBitwiseOr(o, true) + " " + z.compareAndSet(o, true, false) + " " + (boolean) z.getAndSet(o, true) + " " + o.z);
        VarHandle b = k.findVarHandle(VarHandleFields.class, "b", byte.class);
        System.out.println((byte) b.getAndAdd(o, (byte) 125) + " " + o.b + " " + b.compareAndSet(o, (byte) -126, (byte) 1) + " " + o.b);
        VarHandle sh = k.findVarHandle(VarHandleFields.class, "sh", short.class);
        System.out.println((short) sh.getAndAdd(o, (short) 32767) + " " + o.sh);
        VarHandle c = k.findVarHandle(VarHandleFields.class, "c", char.class);
        System.out.println((char) c.getAndAdd(o, (char) 1) + " " + c.compareAndSet(o, 'd', 'x') + o.c);
        VarHandle f = k.findVarHandle(VarHandleFields.class, "f", float.class);
        System.out.println((float) f.getAndAdd(o, 1f) + " " + f.compareAndSet(o, 2.5f, 0f) + " " + o.f);
        VarHandle d = k.findVarHandle(VarHandleFields.class, "d", double.class);
        System.out.println((double) d.getAndAdd(o, 1.0) + " " + d.compareAndSet(o, 3.5, Double.NaN) + " " + d.compareAndSet(o, Double.NaN, 1.0) + " " + o.d);
        VarHandle st = k.findStaticVarHandle(VarHandleFields.class, "si", int.class);
        System.out.println((int) st.getAndAdd(1) + " " + si);
        VarHandle fin = k.findVarHandle(VarHandleFields.class, "fin", int.class);
        try {
            fin.set(o, 1);
        } catch (UnsupportedOperationException e) {
            System.out.println("final " + fin.isAccessModeSupported(VarHandle.AccessMode.SET));
        }
        try {
            i.get("wrong");
        } catch (ClassCastException e) {
            System.out.println("class cast");
        }
        try {
            i.set(o, "wrong");
        } catch (java.lang.invoke.WrongMethodTypeException e) {
            System.out.println(e.getMessage());
        }
        try {
            i.get((VarHandleFields) null);
        } catch (NullPointerException e) {
            System.out.println("null");
        }
        System.out.println(i.varType() + " " + i.coordinateTypes() + " " + i.accessModeType(VarHandle.AccessMode.COMPARE_AND_SET));
        VarHandle.fullFence();
    }
}
