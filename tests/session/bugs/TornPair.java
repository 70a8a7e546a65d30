/** Two fields that belong together are written one after the other, and read in between. */
public class TornPair {
    static volatile int low = 0, high = 10;

    static void move() {
        low += 20;
        high += 20;
    }

    public static void main(String[] args) throws Exception {
        Thread mover = new Thread(TornPair::move);
        mover.start();
        int from = low, to = high;
        mover.join();
        if (from > to || to - from != 10)
            throw new AssertionError(from + ".." + to);
    }
}
