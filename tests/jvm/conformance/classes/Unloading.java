package classes;

// options: -Xmx64m

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Loaders that nobody reaches end with their classes; one object, frame or trace of them keeps all of it. */
public class Unloading {
    public interface Task extends Supplier<Object> { }

    public static class Work implements Task {
        static final byte[] BALLAST = new byte[200_000];
        static int calls;

        public Object get() {
            Task inner = () -> BALLAST.length + ++calls;
            return inner.get();
        }

        public static class Thrower implements Task {
            public Object get() {
                return new IllegalStateException("from " + Work.BALLAST.length);
            }
        }
    }

    static class Own extends ClassLoader {
        Own() {
            super(Unloading.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("classes.Unloading$Work")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known != null ? known : defineClass(name, file(name), 0, file(name).length);
        }
    }

    static byte[] file(String name) {
        try (InputStream in = Unloading.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static Task make(String name) throws Exception {
        return (Task) new Own().loadClass(name).getDeclaredConstructor().newInstance();
    }

    static boolean ends(WeakReference<?> r) throws Exception {
        for (int i = 0; i < 20 && r.get() != null; i++) {
            System.gc();
            Thread.sleep(5);
        }
        return r.get() == null;
    }

    static WeakReference<Object> useOnce(String name) throws Exception {
        Task t = make(name);
        t.get();
        return new WeakReference<>(t.getClass().getClassLoader());
    }

    static Object call(Task t) {
        return t.get(); // an interface call whose receivers come and go
    }

    static void many() throws Exception {
        long sum = 0;
        for (int i = 0; i < 400; i++) {
            sum += (Integer) call(make("classes.Unloading$Work"));
        }
        System.out.println("400 loaders with 200 kB each: " + sum);
    }

    static void kept() throws Exception {
        Task object = make("classes.Unloading$Work");
        WeakReference<Object> byObject = new WeakReference<>(object.getClass().getClassLoader());
        Object array = java.lang.reflect.Array.newInstance(make("classes.Unloading$Work").getClass(), 3);
        WeakReference<Object> byArray = new WeakReference<>(array.getClass().getComponentType().getClassLoader());
        Throwable trace = (Throwable) make("classes.Unloading$Work$Thrower").get();
        System.gc();
        System.out.println("object keeps: " + (byObject.get() != null) + " " + object.get());
        System.out.println("array keeps: " + (byArray.get() != null) + " " + array.getClass().getName());
        System.out.println(trace.getMessage() + " " + trace.getStackTrace()[0]);
        object = null;
        array = null;
        System.out.println("then they end: " + ends(byObject) + " " + ends(byArray));
    }

    static void hidden() throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        List<Class<?>> kept = new ArrayList<>();
        WeakReference<Class<?>> weak = new WeakReference<>(lookup.defineHiddenClass(file("classes.Unloading$Plain"), true).lookupClass());
        WeakReference<Class<?>> strong = new WeakReference<>(lookup.defineHiddenClass(file("classes.Unloading$Plain"), true,
                MethodHandles.Lookup.ClassOption.STRONG).lookupClass());
        kept.add(lookup.defineHiddenClass(file("classes.Unloading$Plain"), true).lookupClass());
        System.out.println("hidden ends: " + ends(weak) + ", with a strong link: " + (strong.get() == null));
        System.out.println(kept.get(0).getDeclaredConstructor().newInstance());
    }

    static class Plain {
        @Override
        public String toString() {
            return "plain";
        }
    }

    static void proxies() throws Exception {
        ClassLoader own = new Own();
        Object p = Proxy.newProxyInstance(own, new Class<?>[] {Task.class}, (proxy, m, args) -> m.getName());
        System.out.println(((Task) p).get());
        WeakReference<Object> loader = new WeakReference<>(own);
        p = null;
        own = null;
        System.out.println("proxy's loader ends: " + ends(loader));
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ends: " + ends(useOnce("classes.Unloading$Work")) + " " + ends(useOnce("classes.Unloading$Work$Thrower")));
        kept();
        hidden();
        proxies();
        many();
    }
}
