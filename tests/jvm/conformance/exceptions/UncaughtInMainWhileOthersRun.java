package exceptions;

/** Main dies; the other thread finishes its work; the status is still 1. */
public class UncaughtInMainWhileOthersRun {
    public static void main(String[] args) {
        Thread main = Thread.currentThread();
        new Thread(() -> {
            try {
                main.join();
            } catch (InterruptedException e) {
                return;
            }
            System.out.println("other is done");
        }).start();
        throw new Error("main ends");
    }
}
