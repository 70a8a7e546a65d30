package concurrency;

/** The stack of another thread, seen while it waits. */
public class OtherTraces {
    static void inner(Object o) throws InterruptedException {
        synchronized (o) {
            o.wait();
        }
    }

    public static void main(String[] args) throws Exception {
        Object o = new Object();
        Thread t = new Thread(() -> {
            try {
                inner(o);
            } catch (InterruptedException e) {
                System.out.println("out");
            }
        });
        System.out.println(t.getStackTrace().length);
        t.start();
        while (t.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        for (StackTraceElement e : t.getStackTrace()) {
            System.out.println(e.getClassName().replaceAll("Lambda.*", "Lambda") + " " + e.getMethodName() + " " + (e.getClassName().startsWith("concurrency") ? e.getLineNumber() : 0));
        }
        t.interrupt();
        t.join();
        System.out.println(t.getStackTrace().length);
    }
}
