package exceptions;

/** printStackTrace with causes, common frames, suppressed exceptions and circles. */
public class StackTraceText {
    static class Resource implements AutoCloseable {
        @Override
        public void close() throws Exception {
            throw new Exception("close");
        }
    }

    static void inner() {
        throw new NullPointerException("inner");
    }

    static void outer() {
        try {
            inner();
        } catch (RuntimeException e) {
            throw new IllegalStateException("outer", e);
        }
    }

    public static void main(String[] args) {
        try {
            outer();
        } catch (Exception e) {
            e.printStackTrace(System.out);
        }
        try (Resource r = new Resource(); Resource s = new Resource()) {
            throw new Exception("body");
        } catch (Exception e) {
            e.printStackTrace(System.out);
        }
        Exception a = new Exception("a");
        Exception b = new Exception("b", a);
        a.initCause(b);
        a.printStackTrace(System.out);
        new Throwable() {
            @Override
            public String getLocalizedMessage() {
                return "local";
            }
        }.printStackTrace(System.out);
    }
}
