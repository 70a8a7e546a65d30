package numeric;

/** IEEE 754: signed zeros, NaN in comparisons, infinities, gradual underflow. */
public class FloatCorners {
    public static void main(String[] args) {
        double nan = 0.0 / 0.0;
        System.out.println((nan == nan) + " " + (nan != nan) + " " + (nan < 1) + " " + !(nan >= 1) + " " + (nan > nan));
        System.out.println((0.0 == -0.0) + " " + Double.valueOf(0.0).equals(-0.0) + " " + Double.compare(0.0, -0.0));
        System.out.println(1 / 0.0 + " " + 1 / -0.0 + " " + -1 / 0.0);
        System.out.println(Double.MIN_VALUE / 2 + " " + Double.MAX_VALUE * 2 + " " + Float.MIN_VALUE / 2);
        System.out.println(0.1 + 0.2);
        System.out.println(0.1f + 0.2f);
        System.out.println((float) 0.1 == 0.1);
        System.out.println(Math.min(0.0, -0.0) + " " + Math.max(0.0, -0.0) + " " + Math.min(nan, 1));
        System.out.println(5.5 % 2.5 + " " + -5.5 % 2.5 + " " + 5.5 % -2.5 + " " + 5 % Double.POSITIVE_INFINITY + " " + Double.POSITIVE_INFINITY % 5);
        System.out.println(1e308 * 10 / 10);
        System.out.println(9007199254740993L == (double) 9007199254740993L);
        float f = 16777216f;
        System.out.println(f + 1 == f);
        System.out.println(Float.floatToRawIntBits(Float.intBitsToFloat(0x7fc00123)) == 0x7fc00123);
        System.out.println(Integer.toHexString(Float.floatToIntBits(Float.intBitsToFloat(0x7fc00123))));
        System.out.println(Long.toHexString(Double.doubleToRawLongBits(Double.longBitsToDouble(0x7ff8000000000abcL))));
        double d = 1;
        int n = 0;
        while (d > 0) {
            d /= 2;
            n++;
        }
        System.out.println(n);
        System.out.println(Math.ulp(1.0) + " " + Math.nextUp(1.0f) + " " + Math.nextDown(0.0) + " " + Math.getExponent(1e-320));
        System.out.println(Math.fma(1e16, 1e16, -1e32) + " " + Math.fma(0.1f, 10f, -1f));
        System.out.println((long) 1e19 + " " + (int) Float.NaN + " " + (byte) 300.7 + " " + (char) -1.5 + " " + (short) 1e10);
    }
}
