package handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** VarHandles of array elements, byte views and buffers. */
public class VarHandleArrays {
    public static void main(String[] args) throws Throwable {
        VarHandle ia = MethodHandles.arrayElementVarHandle(int[].class);
        int[] a = {1, 2, 3};
        System.out.println((int) ia.getAndAdd(a, 1, 40) + " " + a[1] + " " + ia.compareAndSet(a, 0, 1, 9) + " " + (int) ia.getVolatile(a, 0));
        VarHandle sa = MethodHandles.arrayElementVarHandle(String[].class);
        String[] s = {"x"};
        System.out.println((String) sa.getAndSet(s, 0, "y") + s[0]);
        Object[] os = new Integer[1];
        VarHandle oa = MethodHandles.arrayElementVarHandle(Object[].class);
        try {
            oa.set(os, 0, "no");
        } catch (ArrayStoreException | ClassCastException e) {
            System.out.println(e.getClass());
        }
        try {
            ia.get(a, 3);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        byte[] bytes = new byte[24];
        VarHandle be = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        VarHandle le = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
        be.set(bytes, 3, 0x01020304);
        le.set(bytes, 8, 0x1122334455667788L);
        System.out.println(java.util.Arrays.toString(bytes) + " " + (int) be.get(bytes, 8));
        VarHandle bb = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        ByteBuffer direct = ByteBuffer.allocateDirect(16);
        bb.set(direct, 4, 77);
        System.out.println((int) bb.getAndAdd(direct, 4, 3) + " " + direct.getInt(4));
        MethodHandle getter = ia.toMethodHandle(VarHandle.AccessMode.GET);
        System.out.println((int) getter.invokeExact(a, 2) + " " + (int) MethodHandles.varHandleInvoker(VarHandle.AccessMode.GET, ia.accessModeType(VarHandle.AccessMode.GET)).invoke(ia, a, 2));
        System.out.println((int) ia.withInvokeExactBehavior().get(a, 0) + " " + ia.hasInvokeExactBehavior());
    }
}
