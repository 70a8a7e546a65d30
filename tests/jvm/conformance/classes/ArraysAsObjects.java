package classes;

/** Arrays have classes, locks, clones and interfaces. */
public class ArraysAsObjects {
    public static void main(String[] args) {
        int[][] a = {{1}, {2, 3}};
        int[][] b = a.clone();
        b[0][0] = 9;
        b[1] = null;
        System.out.println(a[0][0] + " " + a[1].length + " " + a.equals(b));
        System.out.println(a.getClass() + " " + a.getClass().getSuperclass() + " " + java.util.Arrays.toString(a.getClass().getInterfaces()) + " " + a.getClass().getComponentType());
        System.out.println(String[][].class.getName() + " " + String[][].class.getSimpleName() + " " + String[][].class.getTypeName() + " " + int[].class.getModifiers());
        System.out.println(Object[].class.isAssignableFrom(String[].class) + " " + Object[].class.isAssignableFrom(int[].class) + " " + Object[].class.isAssignableFrom(int[][].class) + " " + Cloneable.class.isAssignableFrom(int[].class));
        synchronized (a) {
            System.out.println(Thread.holdsLock(a));
        }
        Object o = a;
        System.out.println((o instanceof Object[]) + " " + (o instanceof int[][]) + " " + (o instanceof long[][]));
        System.out.println(a.getClass().getClassLoader() + " " + (ArraysAsObjects[].class.getClassLoader() == ArraysAsObjects.class.getClassLoader()) + " " + a.getClass().getDeclaredFields().length + " " + a.getClass().getDeclaredMethods().length);
        try {
            System.out.println(int[].class.arrayType() + " " + Class.forName("[[Z") + " " + java.lang.reflect.Array.newInstance(int.class, 2, 3).getClass());
        } catch (ClassNotFoundException e) {
            System.out.println(e);
        }
    }
}
