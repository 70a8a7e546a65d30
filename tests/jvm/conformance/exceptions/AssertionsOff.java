package exceptions;

/** Without -ea an assertion is not even evaluated. */
public class AssertionsOff {
    static boolean touched;

    static boolean touch() {
        touched = true;
        return false;
    }

    public static void main(String[] args) throws Exception {
        assert touch();
        System.out.println(touched);
        ClassLoader l = AssertionsOff.class.getClassLoader();
        l.setDefaultAssertionStatus(true);
        AssertionsLate.run();
        l.setClassAssertionStatus("exceptions.AssertionsLater", false);
        AssertionsLater.run();
    }
}

class AssertionsLate {
    static void run() {
        try {
            assert false : "late";
            System.out.println("passed");
        } catch (AssertionError e) {
            System.out.println(e);
        }
    }
}

class AssertionsLater {
    static void run() {
        assert false : "later";
        System.out.println("later passed");
    }
}
