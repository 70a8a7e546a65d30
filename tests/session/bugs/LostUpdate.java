/** Two threads count without a lock: read, add and write are three steps. */
public class LostUpdate {
    static int count;

    static void add() {
        for (int i = 0; i < 3; i++)
            count++;
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(LostUpdate::add), b = new Thread(LostUpdate::add);
        a.start();
        b.start();
        a.join();
        b.join();
        if (count != 6)
            throw new AssertionError(count);
    }
}
