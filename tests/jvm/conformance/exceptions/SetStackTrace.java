package exceptions;

/** Stack traces are plain data: set, copied, switched off. */
public class SetStackTrace {
    static class Quiet extends Exception {
        Quiet() {
            super("quiet", null, false, false);
        }
    }

    public static void main(String[] args) {
        Exception e = new Exception("e");
        e.setStackTrace(new StackTraceElement[] {new StackTraceElement("a.B", "m", "B.java", 12), new StackTraceElement("a.C", "n", null, -2),
            new StackTraceElement("app", "mod", "1.0", "x.Y", "z", "Y.java", 3), new StackTraceElement("q.R", "s", null, -1)});
        e.printStackTrace(System.out);
        Quiet q = new Quiet();
        q.addSuppressed(e);
        System.out.println(q.getStackTrace().length + " " + q.getSuppressed().length);
        q.printStackTrace(System.out);
        Exception f = new Exception("f");
        f.fillInStackTrace();
        System.out.println(f.getStackTrace()[0]);
        try {
            e.addSuppressed(e);
        } catch (IllegalArgumentException x) {
            System.out.println(x.getMessage());
        }
        try {
            new Exception(new Error()).initCause(null);
        } catch (IllegalStateException x) {
            System.out.println(x.getMessage());
        }
    }
}
