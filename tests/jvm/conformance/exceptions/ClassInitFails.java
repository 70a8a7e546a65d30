package exceptions;

/** ExceptionInInitializerError once, NoClassDefFoundError from then on; errors pass unwrapped. */
public class ClassInitFails {
    static class Bad {
        static int x = 1 / Integer.parseInt("0");
    }

    static class Worse {
        static {
            if (true) {
                throw new StackOverflowError("own");
            }
        }

        static void m() { }
    }

    static class Child extends Bad {
        static void m() { }
    }

    static void test(Runnable r) {
        try {
            r.run();
        } catch (Throwable t) {
            System.out.println(t + " cause " + t.getCause());
        }
    }

    public static void main(String[] args) {
        test(() -> System.out.println(Bad.x));
        test(() -> System.out.println(Bad.x));
        test(() -> new Bad());
        test(() -> Child.m());
        test(() -> Worse.m());
        test(() -> Worse.m());
        test(() -> {
            try {
                Class.forName("exceptions.ClassInitFails$Bad");
            } catch (ClassNotFoundException e) {
                throw new RuntimeException(e);
            }
        });
    }
}
