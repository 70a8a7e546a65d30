package files;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.IntBuffer;
import java.nio.ReadOnlyBufferException;

/** NIO buffers, on heap and off. */
public class Buffers {
    public static void main(String[] args) {
        for (ByteBuffer b : new ByteBuffer[] {ByteBuffer.allocate(32), ByteBuffer.allocateDirect(32)}) {
            b.putInt(1).putLong(-2).putDouble(1.5).put((byte) 9).putChar('é').putShort((short) -3).putFloat(2.5f);
            System.out.println(b.position() + " " + b.remaining());
            b.flip();
            System.out.println(b.getInt() + " " + b.getLong() + " " + b.getDouble() + " " + b.get() + " " + b.getChar() + " " + b.getShort() + " " + b.getFloat());
            try {
                b.getLong();
            } catch (BufferUnderflowException e) {
                System.out.println("underflow");
            }
            b.clear().order(ByteOrder.LITTLE_ENDIAN).putInt(0, 0x01020304);
            System.out.println(b.get(0) + " " + b.order() + " " + b.slice(1, 3).capacity() + " " + b.duplicate().position());
            IntBuffer i = b.asIntBuffer();
            i.put(1, 77);
            System.out.println(b.getInt(4) + " " + i.remaining());
            b.position(4).mark().position(8).reset();
            System.out.println(b.position() + " " + b.limit(10).compact().position());
            try {
                b.asReadOnlyBuffer().put((byte) 1);
            } catch (ReadOnlyBufferException e) {
                System.out.println("read only");
            }
            try {
                b.put(new byte[100]);
            } catch (BufferOverflowException e) {
                System.out.println("overflow");
            }
            try {
                b.get(-1);
            } catch (IndexOutOfBoundsException e) {
                System.out.println("index");
            }
        }
        System.out.println(CharBuffer.wrap("hello").subSequence(1, 3) + " " + ByteBuffer.wrap(new byte[] {1, 2}).equals(ByteBuffer.wrap(new byte[] {1, 2})) + " " + ByteBuffer.wrap(new byte[] {1, 2}).compareTo(ByteBuffer.wrap(new byte[] {1, 3})) + " " + ByteBuffer.wrap(new byte[3], 1, 1).arrayOffset());
        long total = 0;
        for (int k = 0; k < 2000; k++) {
            total += ByteBuffer.allocateDirect(100_000).capacity();
        }
        System.out.println(total);
    }
}
