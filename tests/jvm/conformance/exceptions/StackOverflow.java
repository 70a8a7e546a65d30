package exceptions;

/** Endless recursion ends in StackOverflowError, again and again, also in another thread and in a constructor. */
public class StackOverflow {
    static int depth;
    StackOverflow inner = depth > 0 ? new StackOverflow() : null;

    static int down(int n) {
        depth = n;
        return down(n + 1) + 1;
    }

    static void attempt(String name) {
        try {
            down(1);
        } catch (StackOverflowError e) {
            System.out.println(name + " " + (depth > 500) + " " + (e.getStackTrace().length == 1024) + " " + e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            attempt("main");
        }
        Thread t = new Thread(() -> attempt("thread"));
        t.start();
        t.join();
        try {
            new StackOverflow();
        } catch (StackOverflowError e) {
            System.out.println("constructor");
        }
        try {
            new Object() {
                @Override
                public String toString() {
                    return "x" + this;
                }
            }.toString();
        } catch (StackOverflowError e) {
            System.out.println("toString");
        }
    }
}
