package numeric;

/** Text of float and double, both ways, at hard places. */
public class FloatText {
    public static void main(String[] args) {
        double[] ds = {0, -0.0, 1, 10, 100, 1e7, 9999999, 1e-3, 9.999e-4, 1.0 / 3, 2e-323, 4.9e-324, 1.7976931348623157e308, 123456789012345680.0, 1e21, 1e22, 1e23, 0.1 + 0.7, 2.2250738585072014E-308, Math.PI, Math.E};
        for (double d : ds) {
            System.out.println(d + " " + Double.toHexString(d) + " " + (float) d + " " + Float.toHexString((float) d));
        }
        String[] ss = {"1e400", "-1e400", "1e-400", "0x1.8p1", "0x1p-1074", " 12.5 ", "1f", "1d", "NaN", "-Infinity", "+.5", "5.", "1e", "", "abc", "0x1.8", "2.2250738585072011e-308", "9007199254740993", "1.00000005960464477540"};
        for (String s : ss) {
            try {
                System.out.println("[" + s + "] " + Double.parseDouble(s) + " " + Float.parseFloat(s));
            } catch (NumberFormatException e) {
                System.out.println(e.getMessage());
            }
        }
        java.util.Random r = new java.util.Random(42);
        int bad = 0;
        for (int i = 0; i < 5000; i++) {
            double d = Double.longBitsToDouble(r.nextLong());
            if (d == d && Double.parseDouble(Double.toString(d)) != d) {
                bad++;
            }
        }
        System.out.println(bad);
    }
}
