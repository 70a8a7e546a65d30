package references;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.WeakHashMap;

/** Weak, soft and phantom references over an explicit collection. */
public class Weak {
    static void collect(WeakReference<?> until) throws InterruptedException {
        for (int i = 0; i < 100 && until.get() != null; i++) {
            System.gc();
            Thread.sleep(5);
        }
    }

    public static void main(String[] args) throws Exception {
        Object strong = new Object();
        WeakReference<Object> kept = new WeakReference<>(strong);
        ReferenceQueue<Object> q = new ReferenceQueue<>();
        WeakReference<Object> lost = new WeakReference<>(new Object(), q);
        SoftReference<Object> soft = new SoftReference<>(new Object());
        collect(lost);
        System.out.println((kept.get() == strong) + " " + lost.get() + " " + (soft.get() != null) + " " + (q.remove(5000) == lost) + " " + q.poll());
        PhantomReference<Object> ph = new PhantomReference<>(new Object(), q);
        System.out.println(ph.get());
        java.lang.ref.Reference<?> got = null;
        for (int i = 0; i < 100 && got == null; i++) {
            System.gc();
            got = q.remove(20);
        }
        System.out.println(got == ph);
        WeakHashMap<Object, String> m = new WeakHashMap<>();
        m.put(new Object(), "gone");
        m.put(strong, "stays");
        for (int i = 0; i < 100 && m.size() > 1; i++) {
            System.gc();
            Thread.sleep(5);
        }
        System.out.println(m.values());
        kept.clear();
        System.out.println(kept.get() + " " + lost.refersTo(null) + " " + lost.enqueue());
        WeakReference<Object> enq = new WeakReference<>(strong, q);
        System.out.println(enq.enqueue() + " " + (q.poll() == enq) + " " + enq.get());
        java.lang.ref.Reference.reachabilityFence(strong);
    }
}
