package handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Iterator;
import java.util.List;

/** Loop and switch combinators. */
public class Loops {
    static int zero() {
        return 0;
    }

    static int step(int acc, int i) {
        return acc + i;
    }

    static boolean less(int acc) {
        return acc < 100;
    }

    static int dbl(int acc) {
        return acc * 2 + 1;
    }

    static String join(String acc, String e) {
        return acc + "," + e;
    }

    static String arm(int sel, String x) {
        return "arm " + x + sel;
    }

    static MethodHandle find(String name, Class<?> ret, Class<?>... args) throws Exception {
        return MethodHandles.lookup().findStatic(Loops.class, name, MethodType.methodType(ret, args));
    }

    public static void main(String[] args) throws Throwable {
        MethodHandle counted = MethodHandles.countedLoop(MethodHandles.constant(int.class, 10), find("zero", int.class), find("step", int.class, int.class, int.class));
        System.out.println((int) counted.invokeExact());
        MethodHandle wh = MethodHandles.whileLoop(find("zero", int.class), find("less", boolean.class, int.class), find("dbl", int.class, int.class));
        System.out.println((int) wh.invokeExact());
        MethodHandle dw = MethodHandles.doWhileLoop(find("zero", int.class), find("dbl", int.class, int.class), find("less", boolean.class, int.class));
        System.out.println((int) dw.invokeExact());
        MethodHandle it = MethodHandles.iteratedLoop(null, MethodHandles.constant(String.class, ""), MethodHandles.dropArguments(find("join", String.class, String.class, String.class), 2, Iterable.class).asType(MethodType.methodType(String.class, String.class, String.class, Iterable.class)));
        System.out.println((String) it.invoke(List.of("a", "b", "c")));
        MethodHandle arm = find("arm", String.class, int.class, String.class);
        MethodHandle ts = MethodHandles.tableSwitch(MethodHandles.filterArguments(arm, 1, MethodHandles.identity(String.class)), arm, arm);
        System.out.println((String) ts.invokeExact(0, "p") + (String) ts.invokeExact(1, "q") + (String) ts.invokeExact(5, "d"));
    }
}
