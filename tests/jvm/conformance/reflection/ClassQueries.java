package reflection;

import java.util.List;

/** cast, asSubclass, isInstance, arrayType, enclosing, forName with arrays and primitives. */
public class ClassQueries {
    static void test(java.util.concurrent.Callable<Object> c) {
        try {
            System.out.println(c.call());
        } catch (Throwable t) {
            System.out.println(t);
        }
    }

    public static void main(String[] args) {
        test(() -> Integer.class.cast("x"));
        test(() -> Number.class.asSubclass(Integer.class));
        test(() -> Integer.class.asSubclass(Number.class));
        test(() -> Number.class.isInstance(5) + " " + int.class.isInstance(5) + " " + Object.class.isInstance(null));
        test(() -> int.class.isPrimitive() + " " + Integer.TYPE + " " + Void.TYPE + " " + (int.class == Integer.TYPE));
        test(() -> Class.forName("int"));
        test(() -> Class.forName("[I").getName() + Class.forName("[[Ljava.lang.String;").getSimpleName());
        test(() -> Class.forName("java/lang/String"));
        test(() -> Class.forName("Ljava.lang.String;"));
        test(() -> Class.forName(""));
        test(() -> Class.forName(null));
        test(() -> Class.forName(Object.class.getModule(), "java.util.List"));
        test(() -> String.class.getPackage() + " " + int[].class.getPackage() + " " + ClassQueries.class.getPackage().getName());
        test(() -> List.class.isAssignableFrom(java.util.ArrayList.class) + " " + long.class.isAssignableFrom(int.class) + " " + Object.class.isAssignableFrom(int[].class));
        test(() -> ClassQueries.class.getResource("ClassQueries.class") != null);
        test(() -> ClassQueries.class.getResource("/nope") + " " + Object.class.getResourceAsStream("Object.class").readNBytes(4)[0]);
        test(() -> ClassQueries.class.getProtectionDomain().getCodeSource() != null);
        test(() -> String.class.getSigners() + " " + String.class.desiredAssertionStatus());
        test(() -> Thread.State.valueOf("NEW").getDeclaringClass() + " " + String.class.describeConstable().get());
        test(() -> Runnable.class.newInstance());
    }
}
