package handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;

/** bindTo, insert, drop, permute, filter, fold, guard, catch, collect, spread, asType. */
public class Combinators {
    static int sub(int a, int b) {
        return a - b;
    }

    static int neg(int x) {
        return -x;
    }

    static boolean odd(int x) {
        return (x & 1) != 0;
    }

    static int fail(int x) {
        throw new IllegalStateException("f" + x);
    }

    static int handler(IllegalStateException e, int x) {
        return e.getMessage().length() + x;
    }

    static String list(Object... xs) {
        return List.of(xs).toString();
    }

    static MethodHandle find(String name, Class<?> ret, Class<?>... args) throws Exception {
        return MethodHandles.lookup().findStatic(Combinators.class, name, MethodType.methodType(ret, args));
    }

    public static void main(String[] args) throws Throwable {
        MethodHandle sub = find("sub", int.class, int.class, int.class);
        MethodHandle neg = find("neg", int.class, int.class);
        System.out.println((int) MethodHandles.insertArguments(sub, 0, 10).invokeExact(3));
        System.out.println((int) MethodHandles.dropArguments(sub, 1, String.class, long.class).invokeExact(9, "x", 5L, 4));
        System.out.println((int) MethodHandles.permuteArguments(sub, sub.type(), 1, 0).invokeExact(1, 10));
        System.out.println((int) MethodHandles.permuteArguments(sub, MethodType.methodType(int.class, int.class), 0, 0).invokeExact(7));
        System.out.println((int) MethodHandles.filterArguments(sub, 1, neg).invokeExact(1, 10));
        System.out.println((int) MethodHandles.filterReturnValue(sub, neg).invokeExact(1, 10));
        System.out.println((int) MethodHandles.foldArguments(sub, neg).invokeExact(5));
        MethodHandle guard = MethodHandles.guardWithTest(find("odd", boolean.class, int.class), neg, MethodHandles.identity(int.class));
        System.out.println((int) guard.invokeExact(3) + " " + (int) guard.invokeExact(4));
        MethodHandle c = MethodHandles.catchException(find("fail", int.class, int.class), IllegalStateException.class, find("handler", int.class, IllegalStateException.class, int.class));
        System.out.println((int) c.invokeExact(100));
        MethodHandle list = find("list", String.class, Object[].class);
        System.out.println((String) list.invoke(1, 'c', "s", 2.0) + " " + list.isVarargsCollector() + " " + (String) list.asFixedArity().invoke(new Object[] {5}));
        System.out.println((String) list.asCollector(Object[].class, 2).invokeExact((Object) 1, (Object) 2) + " " + (int) sub.asSpreader(int[].class, 2).invokeExact(new int[] {8, 3}) + " " + sub.asSpreader(Object[].class, 2).invoke(new Object[] {8, 3}));
        System.out.println((Object) sub.asType(MethodType.methodType(Object.class, short.class, Integer.class)).invoke((short) 6, (Integer) 2));
        System.out.println("abc".equals("abc") + " " + MethodHandles.lookup().bind("bound", "length", MethodType.methodType(int.class)).invoke());
        System.out.println((int) MethodHandles.constant(int.class, 5).invokeExact() + " " + (String) MethodHandles.zero(String.class).invoke() + " " + (int) MethodHandles.dropReturn(sub).type().parameterCount());
        System.out.println((int) MethodHandles.collectArguments(sub, 0, sub).invokeExact(10, 1, 2));
        MethodHandle get = MethodHandles.arrayElementGetter(int[].class);
        MethodHandle set = MethodHandles.arrayElementSetter(String[].class);
        String[] sa = {"a"};
        set.invoke(sa, 0, "z");
        System.out.println((int) get.invokeExact(new int[] {4, 5}, 1) + sa[0] + (int) MethodHandles.arrayLength(long[].class).invokeExact(new long[6]) + ((char[]) MethodHandles.arrayConstructor(char[].class).invokeExact(3)).length);
        try {
            get.invoke(new int[1], 4);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        MethodHandle thrower = MethodHandles.throwException(int.class, Exception.class);
        try {
            int i = (int) thrower.invokeExact(new Exception("thrown"));
        } catch (Exception e) {
            System.out.println(e.getMessage());
        }
        MethodHandle tf = MethodHandles.tryFinally(neg, find("cleanup", int.class, Throwable.class, int.class, int.class));
        System.out.println((int) tf.invokeExact(4));
    }

    static int cleanup(Throwable t, int result, int arg) {
        return result * 10 + (t == null ? 0 : 1) + arg;
    }
}
