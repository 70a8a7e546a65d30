package classes;

/** What reflection and modules refuse. */
public class Access {
    static void test(java.util.concurrent.Callable<Object> c) {
        try {
            System.out.println(c.call());
        } catch (Throwable t) {
            System.out.println(t.getClass().getName() + ": " + String.valueOf(t.getMessage()).replaceAll("@[0-9a-f]+", "@"));
        }
    }

    public static void main(String[] args) {
        test(() -> {
            var f = String.class.getDeclaredField("value");
            f.setAccessible(true);
            return f;
        });
        test(() -> String.class.getDeclaredField("hash").get("x"));
        test(() -> Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null));
        test(() -> Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe").get(null));
        test(() -> Class.forName("java.lang.ProcessImpl").getDeclaredConstructors()[0].newInstance());
        test(() -> String.class.getModule().isExported("jdk.internal.misc") + " " + String.class.getModule().isOpen("java.lang") + " " + String.class.getModule().canRead(Access.class.getModule()));
        test(() -> Access.class.getModule().getDescriptor());
        test(() -> Object.class.getModule().getDescriptor().name() + " " + ModuleLayer.boot().findModule("java.sql").isPresent());
    }
}
