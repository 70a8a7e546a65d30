/** Producers and consumers wait for different things on one monitor; notify wakes one of the wrong kind. */
public class NotifyOne {
    static int items;

    static synchronized void put() throws InterruptedException {
        while (items == 1)
            NotifyOne.class.wait();
        items++;
        NotifyOne.class.notify();
    }

    static synchronized void take() throws InterruptedException {
        while (items == 0)
            NotifyOne.class.wait();
        items--;
        NotifyOne.class.notify();
    }

    interface Action {
        void run() throws InterruptedException;
    }

    static void twice(Action action) {
        try {
            action.run();
            action.run();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 2; i++) {
            new Thread(() -> twice(NotifyOne::take)).start();
            new Thread(() -> twice(NotifyOne::put)).start();
        }
    }
}
