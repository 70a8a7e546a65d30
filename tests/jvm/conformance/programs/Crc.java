package programs;

import java.util.zip.CRC32;

/** A checksum written by hand agrees with the library's. */
public class Crc {
    public static void main(String[] args) {
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            int c = i;
            for (int k = 0; k < 8; k++) {
                c = (c & 1) != 0 ? 0xedb88320 ^ c >>> 1 : c >>> 1;
            }
            table[i] = c;
        }
        byte[] data = new byte[10000];
        new java.util.Random(9).nextBytes(data);
        int crc = -1;
        for (byte b : data) {
            crc = table[(crc ^ b) & 0xff] ^ crc >>> 8;
        }
        CRC32 lib = new CRC32();
        lib.update(data);
        System.out.println(((~crc & 0xffffffffL) == lib.getValue()) + " " + lib.getValue());
    }
}
