package bytecodes;

import support.Gen;

/** Every conversion instruction over values that overflow, truncate, round or are not numbers. */
public class Conversions {
    public static void main(String[] args) {
        int[] ints = {0, 1, -1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, -129, 16777217, Integer.MAX_VALUE, Integer.MIN_VALUE};
        String[][] iops = {{"i2l", "J", "l"}, {"i2f", "F", "f"}, {"i2d", "D", "d"}, {"i2b", "I", "i"}, {"i2c", "I", "i"}, {"i2s", "I", "i"}};
        for (String[] op : iops) {
            for (int v : ints) {
                Gen.test(op[0] + " " + v, "(I)" + op[1], "iload_0\n" + op[0] + "\n" + op[2] + "return", v);
            }
        }
        long[] longs = {0, -1, 1L << 32, (1L << 53) + 1, (1L << 24) + 1, Long.MAX_VALUE, Long.MIN_VALUE, 0xfedcba9876543210L};
        String[][] lops = {{"l2i", "I", "i"}, {"l2f", "F", "f"}, {"l2d", "D", "d"}};
        for (String[] op : lops) {
            for (long v : longs) {
                Gen.test(op[0] + " " + v, "(J)" + op[1], "lload_0\n" + op[0] + "\n" + op[2] + "return", v);
            }
        }
        double[] doubles = {0.0, -0.0, 0.99, -0.99, 1.5, -1.5, 2147483647.0, 2147483648.0, -2147483649.0, 9.3e18, -9.3e18, 1e40, 1e-46,
            Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN, 16777217.0, 3.4028235677973366e38};
        String[][] dops = {{"d2i", "I", "i"}, {"d2l", "J", "l"}, {"d2f", "F", "f"}};
        String[][] fops = {{"f2i", "I", "i"}, {"f2l", "J", "l"}, {"f2d", "D", "d"}};
        for (double v : doubles) {
            for (String[] op : dops) {
                Gen.test(op[0] + " " + v, "(D)" + op[1], "dload_0\n" + op[0] + "\n" + op[2] + "return", v);
            }
            for (String[] op : fops) {
                Gen.test(op[0] + " " + v, "(F)" + op[1], "fload_0\n" + op[0] + "\n" + op[2] + "return", (float) v);
            }
        }
    }
}
