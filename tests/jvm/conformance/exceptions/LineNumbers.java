package exceptions;

/** The line of each frame: several on one statement, in a loop header, in an initialiser, in a lambda, in a switch. */
public class LineNumbers {
    int field = line("field");
    static int count;

    LineNumbers() {
        line("constructor");
    }

    static int line(String what) {
        StackTraceElement e = new Throwable().getStackTrace()[1];
        System.out.println(what + " " + e.getMethodName().replaceAll("lambda.*", "lambda") + ":" + e.getLineNumber() + " " + e.getFileName());
        return count++;
    }

    public static void main(String[] args) {
        int x = line("one")
            + line("two")
            + (args.length == 0
                ? line("three")
                : line("four"));
        for (int i = line("init");
             i < x + 10 && line("cond") < 7;
             i += 1 + 0 * line("step")) {
            line("body");
        }
        new LineNumbers();
        Runnable r = () ->
            line("lambda");
        r.run();
        switch (line("switch")) {
            case 1:
                line("never");
                break;
            default:
                line("default");
        }
        Object o = new Object() {
            {
                line("anonymous");
            }
        };
        synchronized (o) {
            line("sync");
        }
        try {
            int[] a = new int[1];
            a[0] = a
                [line("index") - 1000];
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage() + " " + e.getStackTrace()[0].getLineNumber());
        }
        try {
            Object s = "s";
            x = 1 +
                (Integer) s;
        } catch (ClassCastException e) {
            System.out.println(e.getStackTrace()[0].getLineNumber());
        }
    }
}
