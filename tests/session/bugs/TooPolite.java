/** Each gives way as long as the other wants to go: neither goes. */
public class TooPolite {
    static volatile boolean aWants, bWants;

    static void b() {
        bWants = true;
        while (aWants)
            Thread.onSpinWait();
        bWants = false;
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(TooPolite::b);
        other.start();
        aWants = true;
        while (bWants)
            Thread.onSpinWait();
        aWants = false;
        other.join();
    }
}
