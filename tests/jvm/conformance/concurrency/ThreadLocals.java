package concurrency;

/** Thread locals: initial values, inheritance, removal. */
public class ThreadLocals {
    static final ThreadLocal<Integer> TL = ThreadLocal.withInitial(() -> 7);
    static final InheritableThreadLocal<String> IN = new InheritableThreadLocal<>() {
        @Override
        protected String childValue(String parent) {
            return parent + "+child";
        }
    };

    public static void main(String[] args) throws Exception {
        TL.set(1);
        IN.set("main");
        Thread t = new Thread(() -> {
            System.out.println(TL.get() + " " + IN.get());
            TL.set(2);
        });
        t.start();
        t.join();
        System.out.println(TL.get() + " " + IN.get());
        TL.remove();
        System.out.println(TL.get());
        ThreadLocal<Object> none = new ThreadLocal<>();
        System.out.println(none.get());
        for (int i = 0; i < 1000; i++) {
            new ThreadLocal<Integer>().set(i);
        }
        System.out.println(TL.get());
    }
}
