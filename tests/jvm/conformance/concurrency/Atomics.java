package concurrency;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicMarkableReference;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.atomic.AtomicStampedReference;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** The atomic classes, alone and under contention. */
public class Atomics {
    volatile int f;
    volatile String r = "a";

    public static void main(String[] args) throws Exception {
        AtomicInteger i = new AtomicInteger(5);
        System.out.println(i.getAndIncrement() + " " + i.addAndGet(10) + " " + i.compareAndSet(16, 1) + " " + i.updateAndGet(x -> x * 3) + " " + i.accumulateAndGet(4, Math::max) + " " + i);
        AtomicLong l = new AtomicLong(Long.MAX_VALUE);
        System.out.println(l.incrementAndGet());
        AtomicReference<String> ref = new AtomicReference<>("x");
        System.out.println(ref.getAndUpdate(s -> s + "y") + ref + ref.compareAndSet("q", "z"));
        AtomicIntegerArray arr = new AtomicIntegerArray(3);
        arr.addAndGet(1, 5);
        System.out.println(arr + " " + new AtomicBoolean(true).getAndSet(false));
        AtomicStampedReference<String> st = new AtomicStampedReference<>("s", 1);
        System.out.println(st.compareAndSet("s", "t", 1, 2) + " " + st.getStamp() + " " + new AtomicMarkableReference<>("m", true).isMarked());
        Atomics o = new Atomics();
        var u = AtomicIntegerFieldUpdater.newUpdater(Atomics.class, "f");
        var v = AtomicReferenceFieldUpdater.newUpdater(Atomics.class, String.class, "r");
        System.out.println(u.addAndGet(o, 7) + " " + v.getAndSet(o, "b") + o.r);
        LongAdder adder = new LongAdder();
        LongAccumulator max = new LongAccumulator(Long::max, 0);
        Thread[] ts = new Thread[6];
        for (int t = 0; t < ts.length; t++) {
            int n = t;
            ts[t] = new Thread(() -> {
                for (int k = 0; k < 2000; k++) {
                    adder.increment();
                    max.accumulate(n * 2000L + k);
                    u.incrementAndGet(o);
                }
            });
            ts[t].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(adder.sum() + " " + max.get() + " " + o.f);
    }
}
