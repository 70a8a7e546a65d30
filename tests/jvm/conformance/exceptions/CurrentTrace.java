package exceptions;

/** Thread.getStackTrace of the running thread, through a method reference too. */
public class CurrentTrace {
    public static void main(String[] args) {
        for (StackTraceElement e : Thread.currentThread().getStackTrace()) {
            System.out.println(e);
        }
        a();
    }

    static void a() {
        Runnable r = CurrentTrace::b;
        r.run();
    }

    static void b() {
        for (StackTraceElement e : Thread.currentThread().getStackTrace()) {
            System.out.println(e);
        }
    }
}
