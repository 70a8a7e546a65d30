/** Two readers want to become writers, and each waits for the other to stop reading. */
public class LockUpgrade {
    static int readers;

    static synchronized void read() {
        readers++;
    }

    static synchronized void upgrade() throws InterruptedException {
        while (readers > 1)
            LockUpgrade.class.wait();
    }

    static synchronized void leave() {
        readers--;
        LockUpgrade.class.notifyAll();
    }

    static void both() {
        try {
            read();
            upgrade();
            leave();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(LockUpgrade::both);
        other.start();
        both();
        other.join();
    }
}
