package exceptions;

/** System.exit called by another thread while main waits forever. */
public class ExitFromThread {
    public static void main(String[] args) throws Exception {
        new Thread(() -> {
            System.out.println("exit from thread");
            System.exit(7);
        }).start();
        synchronized (args) {
            while (true) {
                args.wait();
            }
        }
    }
}
