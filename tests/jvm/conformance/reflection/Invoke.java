package reflection;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Method.invoke, Constructor.newInstance, Field access: conversions and errors; often enough to pass the inflation threshold. */
public class Invoke {
    public int i = 1;
    public static long sl = 2;
    private final String fin = "fin".toString();

    public Invoke() { }

    public Invoke(long x) {
        i = (int) x;
    }

    public static double mix(byte b, char c, long l, float f) {
        return b + c + l + f;
    }

    public String var(String... xs) {
        return xs.length + i + "";
    }

    public void fail() throws Exception {
        throw new Exception("inside");
    }

    static void test(java.util.concurrent.Callable<Object> c) {
        try {
            System.out.println(c.call());
        } catch (InvocationTargetException e) {
            System.out.println("target " + e.getCause());
        } catch (Exception e) {
            System.out.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Invoke o = new Invoke();
        Method mix = Invoke.class.getMethod("mix", byte.class, char.class, long.class, float.class);
        test(() -> mix.invoke(null, (byte) 1, 'a', 3, 4));
        test(() -> mix.invoke("ignored", (byte) 1, 'a', 'b', 4L));
        test(() -> mix.invoke(null, 1, 'a', 3, 4));
        test(() -> mix.invoke(null, (byte) 1, 'a', null, 4));
        test(() -> mix.invoke(null, (byte) 1));
        test(() -> Invoke.class.getMethod("var", String[].class).invoke(o, (Object) new String[] {"a", "b"}));
        test(() -> Invoke.class.getMethod("fail").invoke(o));
        test(() -> Invoke.class.getMethod("fail").invoke(null));
        test(() -> Invoke.class.getMethod("fail").invoke("wrong"));
        test(() -> Invoke.class.getConstructor(long.class).newInstance(7).i);
        test(() -> Number.class.getConstructor().newInstance());
        test(() -> Runnable.class.getConstructor());
        Field f = Invoke.class.getField("i");
        test(() -> {
            f.set(o, (byte) 9);
            return f.get(o) + " " + f.getLong(o) + " " + f.getDouble(o);
        });
        test(() -> f.getByte(o));
        test(() -> {
            f.set(o, 5L);
            return 0;
        });
        test(() -> {
            f.set(o, null);
            return 0;
        });
        test(() -> f.get("x"));
        test(() -> {
            Field s = Invoke.class.getField("sl");
            s.setLong(null, 1L << 33);
            return s.get(null);
        });
        test(() -> {
            Field x = Invoke.class.getDeclaredField("fin");
            x.setAccessible(true);
            x.set(o, "changed");
            return x.get(o);
        });
        test(() -> {
            Field x = Integer.class.getField("MAX_VALUE");
            x.set(null, 5);
            return x.get(null);
        });
        Object arr = Array.newInstance(char.class, 3);
        test(() -> {
            Array.set(arr, 1, 'x');
            Array.setChar(arr, 2, 'y');
            return Array.get(arr, 1) + "" + Array.getInt(arr, 2) + Array.getLength(arr);
        });
        test(() -> Array.getByte(arr, 0));
        test(() -> Array.get(arr, 5));
        test(() -> Array.getLength("x"));
        test(() -> Array.newInstance(void.class, 1));
        test(() -> Array.newInstance(int.class, -1));
        double sum = 0;
        for (int k = 0; k < 100; k++) {
            sum += (Double) mix.invoke(null, (byte) k, 'a', (long) k, 0.5f);
        }
        System.out.println(sum);
    }
}
