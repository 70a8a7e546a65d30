package classes;

import java.util.Map;

/** Every kind of class name. */
public class ClassNames {
    class In { }

    static void show(Class<?> c) {
        System.out.println(c.getName() + " | " + c.getSimpleName() + " | " + c.getCanonicalName() + " | " + c.getTypeName() + " | " + c.getPackageName() + " | " + c.descriptorString() + " | " + c.toGenericString() + " | " + c.isMemberClass());
    }

    public static void main(String[] args) {
        class Local { }
        Object anon = new Object() { };
        for (Class<?> c : new Class<?>[] {int.class, void.class, int[].class, String.class, Map.Entry.class, In.class, In[][].class, Local.class, anon.getClass(), Comparable.class, Thread.State.class, Override.class, Map.class}) {
            show(c);
        }
    }
}
