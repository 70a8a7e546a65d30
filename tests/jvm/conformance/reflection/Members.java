package reflection;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;

/** Listing members with modifiers, types and exceptions. */
public class Members {
    public static final int PUB = 1;
    protected transient volatile long tv;
    private String[] arr;

    public Members() { }

    private Members(int a, String... rest) throws java.io.IOException { }

    protected static synchronized native void nat();

    public final strictfp double fin(double d, int[][] m) throws IllegalStateException {
        return d;
    }

    interface I {
        int m(int x);

        default void d() { }
    }

    abstract static class Abs implements I {
        abstract void abs();
    }

    public static void main(String[] args) {
        for (Class<?> c : new Class<?>[] {Members.class, I.class, Abs.class}) {
            System.out.println(Modifier.toString(c.getModifiers()) + " " + c);
            Arrays.stream(c.getDeclaredFields()).sorted(Comparator.comparing(Field::getName)).forEach(System.out::println);
            Arrays.stream(c.getDeclaredConstructors()).sorted(Comparator.comparing(Constructor::toString)).forEach(System.out::println);
            Arrays.stream(c.getDeclaredMethods()).filter(m -> !m.isSynthetic()).sorted(Comparator.comparing(Method::toString)).forEach(m -> System.out.println(m + " " + m.isVarArgs() + m.isDefault()));
        }
        System.out.println(Arrays.stream(Abs.class.getMethods()).map(Method::getName).sorted().toList());
        System.out.println(Arrays.stream(String.class.getInterfaces()).map(Class::getSimpleName).toList() + " " + Integer.class.getSuperclass() + " " + I.class.getSuperclass() + " " + int.class.getSuperclass());
    }
}
