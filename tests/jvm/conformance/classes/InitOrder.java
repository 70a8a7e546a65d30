package classes;

/** What triggers initialisation, and in which order supers, fields and blocks run. */
public class InitOrder {
    static String log(String s) {
        System.out.println(s);
        return s;
    }

    interface Plain {
        String P = log("Plain");
    }

    interface WithDefault {
        String W = log("WithDefault");

        default void m() { }
    }

    static class Base implements WithDefault {
        static String a = log("Base static");
        String i = log("Base field");

        {
            log("Base block");
        }

        Base() {
            log("Base constructor");
            virtual();
        }

        void virtual() {
            log("Base virtual");
        }
    }

    static class Derived extends Base implements Plain {
        static final int CONSTANT = 5;
        static final Integer BOXED = 6;
        String j = log("Derived field");
        int k = 7;

        static {
            log("Derived static");
        }

        Derived() {
            super();
            log("Derived constructor " + k);
        }

        @Override
        void virtual() {
            log("Derived virtual " + j + " " + k);
        }

        static void call() { }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("constant " + Derived.CONSTANT);
        System.out.println("array " + new Derived[2].length);
        System.out.println("class " + Derived.class.getSimpleName());
        System.out.println("null cast " + (Derived) null);
        System.out.println("instanceof " + (args instanceof Object) + " " + ((Object) args instanceof Derived));
        System.out.println("load only " + Class.forName("classes.InitOrder$Derived", false, InitOrder.class.getClassLoader()).getName());
        System.out.println("inherited static " + Derived.a);
        System.out.println("boxed " + Derived.BOXED);
        new Derived();
        System.out.println(Plain.P);
    }
}
