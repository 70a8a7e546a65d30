package support;

import java.util.Arrays;

/** A growing big-endian byte buffer, the way class files are written. */
final class Bytes {
    private byte[] data = new byte[256];
    private int size;

    int size() {
        return size;
    }

    Bytes u1(int v) {
        if (size == data.length) {
            data = Arrays.copyOf(data, 2 * size);
        }
        data[size++] = (byte) v;
        return this;
    }

    Bytes u2(int v) {
        return u1(v >> 8).u1(v);
    }

    Bytes u4(int v) {
        return u2(v >> 16).u2(v);
    }

    Bytes u8(long v) {
        return u4((int) (v >> 32)).u4((int) v);
    }

    Bytes all(byte[] bytes) {
        for (byte b : bytes) {
            u1(b);
        }
        return this;
    }

    byte[] toArray() {
        return Arrays.copyOf(data, size);
    }
}
