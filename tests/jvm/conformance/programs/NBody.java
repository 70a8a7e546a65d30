package programs;

/** Planets: strict floating point over many steps, to the last bit. */
public class NBody {
    public static void main(String[] args) {
        double[] x = {0, 4.84, 8.34, 12.89};
        double[] y = {0, -1.16, 4.12, -15.11};
        double[] vx = {0, 0.6, -1.01, 1.08};
        double[] vy = {0, 2.81, 1.82, 0.86};
        double[] m = {39.47, 0.037, 0.011, 0.0017};
        for (int step = 0; step < 5000; step++) {
            for (int i = 0; i < 4; i++) {
                for (int j = i + 1; j < 4; j++) {
                    double dx = x[i] - x[j];
                    double dy = y[i] - y[j];
                    double d2 = dx * dx + dy * dy;
                    double f = 0.001 / (d2 * Math.sqrt(d2));
                    vx[i] -= dx * m[j] * f;
                    vy[i] -= dy * m[j] * f;
                    vx[j] += dx * m[i] * f;
                    vy[j] += dy * m[i] * f;
                }
            }
            for (int i = 0; i < 4; i++) {
                x[i] += 0.001 * vx[i];
                y[i] += 0.001 * vy[i];
            }
        }
        for (int i = 0; i < 4; i++) {
            System.out.println(Double.toHexString(x[i]) + " " + Double.toHexString(y[i]));
        }
    }
}
