package handles;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.Callable;

/** Views of bytes as wider numbers: orders, alignment, bounds, kinds of access. */
public class ByteViews {
    static void show(String what, Callable<?> c) {
        try {
            System.out.println(what + ": " + c.call());
        } catch (Throwable e) {
            System.out.println(what + ": " + e);
        }
    }

    public static void main(String[] args) {
        VarHandle big = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
        VarHandle little = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
        VarHandle shorts = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
        VarHandle doubles = MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);
        VarHandle buffers = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        byte[] b = new byte[24];
        show("long at 3", () -> {
            big.set(b, 3, 0x0102030405060708L);
            return Arrays.toString(b) + " " + big.get(b, 3);
        });
        show("int at 4", () -> (int) little.get(b, 4));
        show("short at 9", () -> (short) shorts.get(b, 9));
        show("double at 8", () -> {
            doubles.set(b, 8, -1.5);
            return doubles.get(b, 8);
        });
        show("past the end", () -> little.get(b, 21));
        show("before the start", () -> little.get(b, -1));
        show("volatile at 16", () -> {
            little.setVolatile(b, 16, 77);
            return little.getVolatile(b, 16);
        });
        show("unaligned compare and set", () -> little.compareAndSet(b, 1, 0, 5));
        ByteBuffer direct = ByteBuffer.allocateDirect(16);
        show("buffer", () -> {
            buffers.set(direct, 4, 0x01020304);
            return direct.get(4) + " " + buffers.getAndAdd(direct, 4, 1) + " " + direct.get(7);
        });
        show("buffer past the end", () -> buffers.get(direct, 13));
        show("read-only buffer", () -> {
            buffers.set(direct.asReadOnlyBuffer(), 0, 1);
            return "written";
        });
        show("modes", () -> little.isAccessModeSupported(VarHandle.AccessMode.GET_AND_ADD) + " "
                + shorts.isAccessModeSupported(VarHandle.AccessMode.COMPARE_AND_SET) + " " + doubles.isAccessModeSupported(VarHandle.AccessMode.GET_AND_ADD));
        show("type", () -> little.varType() + " " + little.coordinateTypes());
    }
}
