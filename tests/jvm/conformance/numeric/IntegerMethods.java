package numeric;

/** Bit tricks, parsing and text of Integer and Long. */
public class IntegerMethods {
    public static void main(String[] args) {
        for (int i : new int[] {0, 1, -1, 255, 0x80000000, 0x7fffffff, 0x00f0f000}) {
            System.out.println(Integer.bitCount(i) + " " + Integer.reverse(i) + " " + Integer.reverseBytes(i) + " " + Integer.numberOfLeadingZeros(i) + " " + Integer.numberOfTrailingZeros(i)
                + " " + Integer.highestOneBit(i) + " " + Integer.lowestOneBit(i) + " " + Integer.rotateLeft(i, 7) + " " + Integer.rotateRight(i, 7) + " " + Integer.toBinaryString(i)
                + " " + Integer.toOctalString(i) + " " + Integer.toHexString(i) + " " + Integer.toUnsignedString(i) + " " + Integer.toString(i, 36) + " " + Integer.signum(i));
            long l = (long) i * 0x100000001L;
            System.out.println(Long.bitCount(l) + " " + Long.reverse(l) + " " + Long.reverseBytes(l) + " " + Long.numberOfLeadingZeros(l) + " " + Long.numberOfTrailingZeros(l)
                + " " + Long.toUnsignedString(l) + " " + Long.toString(l, 36) + " " + Long.divideUnsigned(l, 10) + " " + Long.remainderUnsigned(l, 10) + " " + Long.compareUnsigned(l, 5) + " " + Long.hashCode(l));
            System.out.println(Integer.divideUnsigned(i, 3) + " " + Integer.remainderUnsigned(i, 3) + " " + Integer.compareUnsigned(i, 1) + " " + Short.reverseBytes((short) i) + " " + Character.reverseBytes((char) i));
        }
        for (String s : new String[] {"0", "-2147483648", "2147483648", "+5", "-", "", "12a", "0x10", "\u0661\u0662"}) {
            try {
                System.out.println(Integer.parseInt(s));
            } catch (NumberFormatException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println(Integer.decode("#ff") + " " + Integer.decode("-010") + " " + Long.decode("0x7fffffffffffffff") + " " + Integer.parseUnsignedInt("4294967295"));
        System.out.println(Integer.valueOf(127) == Integer.valueOf(127));
        System.out.println(Integer.parseInt("zz", 36) + " " + Long.parseLong("-8000000000000000", 16));
    }
}
