import java.util.*;

/** GasTank N: a tank of N molecules for six samples, then a second one of twice as many beside it for five, which is dropped; then the first goes on. */
public class GasTank {
    static final class Vector {
        final double x, y;
        Vector(double x, double y) { this.x = x; this.y = y; }
        Vector plus(Vector o) { return new Vector(x + o.x, y + o.y); }
        Vector times(double k) { return new Vector(x * k, y * k); }
    }

    static final class Molecule {
        Vector place, speed;
        int hits;
        Molecule(Random r) {
            place = new Vector(r.nextDouble() * 100, r.nextDouble() * 100);
            speed = new Vector(r.nextDouble() - 0.5, r.nextDouble() - 0.5);
        }
        void move(double dt) {
            Vector next = place.plus(speed.times(dt));
            if (next.x < 0 || next.x > 100) {
                speed = new Vector(-speed.x, speed.y);
                hits++;
            }
            if (next.y < 0 || next.y > 100) {
                speed = new Vector(speed.x, -speed.y);
                hits++;
            }
            place = place.plus(speed.times(dt));
        }
    }

    static final class Tank {
        final List<Molecule> all = new ArrayList<>();
        double pressure;
        Tank(int n, long seed) {
            Random r = new Random(seed);
            for (int i = 0; i < n; i++)
                all.add(new Molecule(r));
        }
        void step() {
            int before = 0, after = 0;
            for (Molecule m : all) {
                before += m.hits;
                m.move(1);
                after += m.hits;
            }
            pressure = pressure * 0.9 + (after - before) * 0.1;
        }
        void steps(int n) {
            for (int i = 0; i < n; i++)
                step();
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]), steps = 100;
        Tank first = new Tank(n, 1), second = null;
        for (int sample = 0; sample < 19; sample++) {
            if (sample == 5)
                second = new Tank(2 * n, 2);
            if (sample == 10)
                second = null;
            (second != null ? second : first).steps(steps);
            Sample.take();
        }
        System.out.println("pressure " + first.pressure);
    }
}
