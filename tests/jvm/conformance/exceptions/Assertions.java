package exceptions;

// options: -ea:exceptions... -da:exceptions.AssertionsExempt
/** Assertions switched on for a package and off for one class; and by the class loader. */
public class Assertions {
    static class On {
        static void check(int n) {
            assert n > 5 : "n is " + n;
            System.out.println("passed " + n);
        }
    }

    public static void main(String[] args) {
        AssertionsExempt.check();
        On.check(6);
        try {
            On.check(1);
        } catch (AssertionError e) {
            System.out.println(e.getMessage());
        }
        try {
            assert args.length > 0;
        } catch (AssertionError e) {
            System.out.println(e.getMessage() + " " + e.getCause());
        }
        try {
            assert false : new Exception("as cause");
        } catch (AssertionError e) {
            System.out.println(e.getMessage() + " | " + e.getCause());
        }
        System.out.println(Assertions.class.desiredAssertionStatus() + " " + AssertionsExempt.class.desiredAssertionStatus() + " " + String.class.desiredAssertionStatus());
    }
}

class AssertionsExempt {
    static void check() {
        assert false : "never";
        System.out.println("off passed");
    }
}
