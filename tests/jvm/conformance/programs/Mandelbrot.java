package programs;

/** Double arithmetic drawn with letters. */
public class Mandelbrot {
    public static void main(String[] args) {
        for (double y = -1.2; y <= 1.2; y += 0.1) {
            StringBuilder sb = new StringBuilder();
            for (double x = -2; x <= 0.6; x += 0.04) {
                double a = 0;
                double b = 0;
                int n = 0;
                while (a * a + b * b < 4 && n < 100) {
                    double t = a * a - b * b + x;
                    b = 2 * a * b + y;
                    a = t;
                    n++;
                }
                sb.append(n == 100 ? '#' : (char) ('a' + n % 26));
            }
            System.out.println(sb);
        }
    }
}
