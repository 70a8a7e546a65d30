package concurrency;

/** The program ends with its last non-daemon thread, whatever daemons do; hooks run. */
public class Daemons {
    public static void main(String[] args) throws Exception {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        Thread d = new Thread(() -> {
            while (true) {
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    System.out.println("never");
                }
            }
        });
        d.setDaemon(true);
        d.start();
        Thread child = new Thread(() -> {
            try {
                main.join();
            } catch (InterruptedException e) {
                return;
            }
            System.out.println("last user thread ends");
        });
        child.start();
        System.out.println(d.isDaemon() + " " + child.isDaemon());
        try {
            d.setDaemon(false);
        } catch (IllegalThreadStateException e) {
            System.out.println("too late");
        }
        System.out.println("main ends");
    }
}
