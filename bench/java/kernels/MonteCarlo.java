package kernels;

/** Pi by random points, the generator called through a synchronized method. */
final class MonteCarlo extends Kernel {
    private Rng rng;

    private synchronized double next() {
        return rng.unit();
    }

    @Override
    long work() {
        rng = new Rng(3);
        int inside = 0;
        for (int i = 0; i < 400_000; i++) {
            double x = next();
            double y = next();
            if (x * x + y * y <= 1) {
                inside++;
            }
        }
        return inside;
    }
}
