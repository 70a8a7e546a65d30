package exceptions;

/** Uncaught-exception handlers: of the thread, the default one, the group; a handler that throws. */
public class Handlers {
    static void run(Thread t) throws InterruptedException {
        t.start();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        Runnable bad = () -> {
            throw new IllegalArgumentException("bad");
        };
        Thread a = new Thread(bad, "a");
        a.setUncaughtExceptionHandler((t, e) -> System.out.println("own " + t.getName() + " " + e));
        run(a);
        Thread.setDefaultUncaughtExceptionHandler((t, e) -> System.out.println("default " + t.getName() + " " + e));
        run(new Thread(bad, "b"));
        ThreadGroup g = new ThreadGroup("g") {
            @Override
            public void uncaughtException(Thread t, Throwable e) {
                System.out.println("group " + t.getName() + " " + e);
            }
        };
        run(new Thread(g, bad, "c"));
        Thread d = new Thread(bad, "d");
        d.setUncaughtExceptionHandler((t, e) -> {
            throw new RuntimeException("handler fails");
        });
        run(d);
        throw new Exception("main");
    }
}
