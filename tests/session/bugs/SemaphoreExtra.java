import java.util.concurrent.*;

/** release stands in a finally block that is reached without acquire: one permit too many. */
public class SemaphoreExtra {
    static final Semaphore permit = new Semaphore(1);
    static int inside;

    static void enter() {
        try {
            permit.acquire();
            int now = ++inside;
            if (now != 1 || inside != 1)
                throw new AssertionError(inside + " inside");
            inside--;
        } catch (InterruptedException e) {
            return;
        } finally {
            permit.release();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread impatient = new Thread(SemaphoreExtra::enter);
        Thread a = new Thread(SemaphoreExtra::enter), b = new Thread(SemaphoreExtra::enter);
        a.start();
        impatient.start();
        impatient.interrupt();
        b.start();
    }
}
