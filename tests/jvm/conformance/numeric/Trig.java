package numeric;

/** Math and StrictMath functions: StrictMath must agree to the last bit everywhere. */
public class Trig {
    public static void main(String[] args) {
        double[] xs = {0, -0.0, 0.5, 1, -1, 2, 10, 1e5, 1e22, 1e-10, Double.MAX_VALUE, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Math.PI, 709, 710, -745};
        for (double x : xs) {
            System.out.println(x + " " + StrictMath.sin(x) + " " + StrictMath.cos(x) + " " + StrictMath.tan(x) + " " + StrictMath.exp(x) + " " + StrictMath.log(x)
                + " " + StrictMath.atan(x) + " " + StrictMath.asin(x) + " " + StrictMath.cbrt(x) + " " + StrictMath.sinh(x) + " " + StrictMath.tanh(x) + " " + StrictMath.log1p(x)
                + " " + StrictMath.expm1(x) + " " + StrictMath.log10(x) + " " + StrictMath.sqrt(x) + " " + StrictMath.rint(x) + " " + StrictMath.ceil(x) + " " + StrictMath.floor(x));
            System.out.println(Math.sqrt(x) + " " + Math.rint(x) + " " + Math.ceil(x) + " " + Math.floor(x) + " " + Math.round(x) + " " + Math.round((float) x) + " " + Math.signum(x) + " " + Math.abs(x));
            for (double y : xs) {
                System.out.print(StrictMath.pow(x, y) + " " + StrictMath.atan2(x, y) + " " + StrictMath.hypot(x, y) + " " + StrictMath.IEEEremainder(x, y) + " ");
            }
            System.out.println();
        }
        System.out.println(Math.sin(0) + " " + Math.cos(0) + " " + Math.pow(2, 10) + " " + Math.exp(0) + " " + Math.log(1) + " " + Math.toDegrees(Math.PI));
    }
}
