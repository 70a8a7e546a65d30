/** Mutual exclusion by flags that are looked at before one's own is set. */
public class BrokenMutex {
    static volatile boolean aIn, bIn;
    static volatile int inside;

    static void critical() {
        if (++inside != 1)
            throw new AssertionError("two inside");
        inside--;
    }

    static void b() {
        while (aIn)
            Thread.onSpinWait();
        bIn = true;
        critical();
        bIn = false;
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(BrokenMutex::b);
        other.start();
        while (bIn)
            Thread.onSpinWait();
        aIn = true;
        critical();
        aIn = false;
        other.join();
    }
}
