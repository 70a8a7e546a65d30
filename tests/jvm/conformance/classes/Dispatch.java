package classes;

/** Overriding, overloading, hiding, covariant returns and bridges. */
public class Dispatch {
    static class A {
        String name = "A";

        static String stat() {
            return "A.stat";
        }

        Object get() {
            return "A.get";
        }

        String over(Object o) {
            return "A.Object";
        }

        String over(String s) {
            return "A.String";
        }

        private String priv() {
            return "A.priv";
        }

        String callPriv() {
            return priv();
        }
    }

    static class B extends A {
        String name = "B";

        static String stat() {
            return "B.stat";
        }

        @Override
        String get() {
            return "B.get";
        }

        @Override
        String over(Object o) {
            return "B.Object";
        }

        String priv() {
            return "B.priv";
        }

        String up() {
            return super.over("x") + super.name + ((A) this).name;
        }
    }

    static String num(long x) {
        return "long";
    }

    static String num(Integer x) {
        return "Integer";
    }

    static String num(Object x) {
        return "Object";
    }

    static String num(int... x) {
        return "varargs" + x.length;
    }

    public static void main(String[] args) {
        A a = new B();
        Object o = "s";
        System.out.println(a.name + ((B) a).name + a.get() + a.over(o) + a.over("s") + a.callPriv() + ((B) a).up());
        System.out.println(A.stat() + B.stat());
        System.out.println(num(1) + num((byte) 1) + num(1f) + num() + num(1, 2) + num((Integer) 1) + num('c'));
        for (var m : java.util.Arrays.stream(B.class.getDeclaredMethods()).filter(m -> m.getName().equals("get")).sorted(java.util.Comparator.comparing(m -> m.isBridge())).toList()) {
            System.out.println(m + " " + m.isBridge() + " " + m.isSynthetic());
        }
    }
}
