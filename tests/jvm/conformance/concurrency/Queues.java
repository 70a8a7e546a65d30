package concurrency;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/** The concurrent queues. */
public class Queues {
    record D(long at, String name) implements Delayed {
        @Override
        public long getDelay(TimeUnit u) {
            return u.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed o) {
            return Long.compare(at, ((D) o).at);
        }
    }

    public static void main(String[] args) throws Exception {
        ArrayBlockingQueue<Integer> a = new ArrayBlockingQueue<>(2);
        System.out.println(a.offer(1) + " " + a.offer(2) + " " + a.offer(3) + " " + a.poll() + " " + a.remainingCapacity() + " " + a.offer(4, 5, TimeUnit.MILLISECONDS) + " " + a.offer(5, 5, TimeUnit.MILLISECONDS) + " " + a);
        SynchronousQueue<String> s = new SynchronousQueue<>();
        new Thread(() -> {
            try {
                s.put("handed over");
            } catch (InterruptedException e) {
                throw new RuntimeException(e);
            }
        }).start();
        System.out.println(s.take() + " " + s.poll());
        PriorityBlockingQueue<Integer> p = new PriorityBlockingQueue<>(java.util.List.of(5, 1, 3));
        System.out.println(p.take() + " " + p.take() + " " + p);
        LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>();
        d.putFirst("b");
        d.putFirst("a");
        d.putLast("c");
        System.out.println(d.takeLast() + d.takeFirst() + d);
        DelayQueue<D> dq = new DelayQueue<>();
        long now = System.nanoTime();
        dq.add(new D(now + 40_000_000, "second"));
        dq.add(new D(now + 5_000_000, "first"));
        System.out.println(dq.take().name() + " " + dq.take().name());
        LinkedTransferQueue<Integer> t = new LinkedTransferQueue<>();
        System.out.println(t.tryTransfer(1) + " " + t.size());
        ConcurrentLinkedQueue<Integer> q = new ConcurrentLinkedQueue<>();
        Thread[] ts = new Thread[4];
        for (int i = 0; i < 4; i++) {
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 500; k++) {
                    q.add(k);
                }
            });
            ts[i].start();
        }
        for (Thread x : ts) {
            x.join();
        }
        System.out.println(q.size() + " " + q.stream().mapToInt(x -> x).sum());
    }
}
