package references;

import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Cleaner actions: explicit and by collection, each once. */
public class Cleaners {
    static CountDownLatch latch = new CountDownLatch(5);

    static void make(Cleaner c, int n) {
        for (int i = 0; i < n; i++) {
            c.register(new Object(), () -> latch.countDown());
        }
    }

    public static void main(String[] args) throws Exception {
        Cleaner c = Cleaner.create();
        Object o = new Object();
        Cleaner.Cleanable k = c.register(o, () -> System.out.println("cleaned"));
        k.clean();
        k.clean();
        make(c, 5);
        for (int i = 0; i < 200 && latch.getCount() > 0; i++) {
            System.gc();
            latch.await(5, TimeUnit.MILLISECONDS);
        }
        System.out.println(latch.getCount());
    }
}
