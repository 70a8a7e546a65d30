package numeric;

/** Math's own functions may differ in the last bit by specification: they are compared rounded. */
public class MathNearExact {
    public static void main(String[] args) {
        for (double x = -3; x <= 3; x += 0.37) {
            System.out.printf("%.10f %.10f %.10f %.10f %.10f %.10f%n", Math.sin(x), Math.cos(x), Math.tan(x), Math.exp(x), Math.log(Math.abs(x)), Math.pow(Math.abs(x), x));
        }
        System.out.println(Math.sin(Double.NaN) + " " + Math.log(-1) + " " + Math.log(0) + " " + Math.exp(1000) + " " + Math.pow(0, 0) + " " + Math.pow(-2, 0.5));
    }
}
