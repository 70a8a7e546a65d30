package handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Direct method handles of every kind, exact and generic invocation. */
public class Direct {
    int f = 3;
    static String s = "st";
    static final long CONST = 9;

    Direct() { }

    Direct(int x, double y) {
        f = (int) (x + y);
    }

    int plus(int x) {
        return f + x;
    }

    private int hidden(long l) {
        return (int) l + f;
    }

    static String cat(String a, int b, char c) {
        return a + b + c;
    }

    static class Sub extends Direct {
        @Override
        int plus(int x) {
            return -x;
        }

        MethodHandle up() throws Exception {
            return MethodHandles.lookup().findSpecial(Direct.class, "plus", MethodType.methodType(int.class, int.class), Sub.class);
        }
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandle v = l.findVirtual(Direct.class, "plus", MethodType.methodType(int.class, int.class));
        MethodHandle st = l.findStatic(Direct.class, "cat", MethodType.methodType(String.class, String.class, int.class, char.class));
        MethodHandle c = l.findConstructor(Direct.class, MethodType.methodType(void.class, int.class, double.class));
        MethodHandle g = l.findGetter(Direct.class, "f", int.class);
        MethodHandle p = l.findSetter(Direct.class, "f", int.class);
        MethodHandle sg = l.findStaticGetter(Direct.class, "s", String.class);
        MethodHandle ss = l.findStaticSetter(Direct.class, "s", String.class);
        MethodHandle pr = l.findVirtual(Direct.class, "hidden", MethodType.methodType(int.class, long.class));
        MethodHandle iface = l.findVirtual(CharSequence.class, "length", MethodType.methodType(int.class));
        Direct d = (Direct) c.invokeExact(4, 2.5);
        System.out.println((int) v.invokeExact(d, 1) + " " + (String) st.invokeExact("a", 1, 'z') + " " + (int) g.invokeExact(d) + " " + (int) pr.invokeExact(d, 5L) + " " + (int) iface.invokeExact((CharSequence) "four"));
        p.invokeExact(d, 77);
        ss.invokeExact("new");
        System.out.println((int) g.invoke(d) + " " + (String) sg.invokeExact() + " " + (long) l.findStaticGetter(Direct.class, "CONST", long.class).invokeExact());
        System.out.println((int) v.invokeExact((Direct) new Sub(), 5) + " " + (int) new Sub().up().invoke(new Sub(), 5));
        Object boxed = v.invoke((Object) d, (Object) (byte) 3);
        System.out.println(boxed + " " + (long) v.invoke(d, (short) 3) + " " + v.invokeWithArguments(d, 4) + " " + st.invokeWithArguments("q", 2, 'c'));
        System.out.println(v + " " + v.type() + " " + st.type().parameterList() + " " + c);
        try {
            Object o = v.invokeExact(d, 1);
        } catch (java.lang.invoke.WrongMethodTypeException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        try {
            v.invoke(d, "x");
        } catch (java.lang.invoke.WrongMethodTypeException | ClassCastException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        try {
            int i = (int) v.invokeExact((Direct) null, 1);
        } catch (NullPointerException e) {
            System.out.println("null receiver");
        }
        try {
            l.findVirtual(Direct.class, "nope", MethodType.methodType(void.class));
        } catch (NoSuchMethodException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        try {
            l.findStatic(Direct.class, "plus", MethodType.methodType(int.class, int.class));
        } catch (IllegalAccessException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        try {
            MethodHandles.publicLookup().findVirtual(Direct.class, "hidden", MethodType.methodType(int.class, long.class));
        } catch (IllegalAccessException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        try {
            l.findStaticSetter(Direct.class, "CONST", long.class);
        } catch (IllegalAccessException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
    }
}
