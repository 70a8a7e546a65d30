package classes;

/** Which default wins: class over interface, most specific interface, explicit choice; diamonds. */
public class DefaultMethods {
    interface I {
        default String m() {
            return "I";
        }
    }

    interface J extends I {
        @Override
        default String m() {
            return "J" + I.super.m();
        }
    }

    interface K extends I { }

    static class A implements I { }

    static class B extends A implements J { }

    static class C implements J, K { }

    static class D {
        public String m() {
            return "D";
        }
    }

    static class E extends D implements J { }

    interface Abs extends I {
        @Override
        String m();
    }

    abstract static class F implements Abs { }

    static class G extends F {
        @Override
        public String m() {
            return "G";
        }
    }

    interface P {
        private String secret() {
            return "secret";
        }

        default String open() {
            return secret() + stat();
        }

        static String stat() {
            return "stat";
        }
    }

    public static void main(String[] args) {
        System.out.println(new A().m() + new B().m() + new C().m() + new E().m() + new G().m() + new P() { }.open());
        I i = new B();
        K k = new C();
        System.out.println(i.m() + k.m());
        try {
            System.out.println(G.class.getMethod("m") + " " + C.class.getMethod("m") + " " + C.class.getMethod("m").isDefault());
        } catch (NoSuchMethodException e) {
            System.out.println(e);
        }
    }
}
