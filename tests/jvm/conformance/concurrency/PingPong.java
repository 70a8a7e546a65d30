package concurrency;

import java.util.concurrent.SynchronousQueue;

/** Many switches between two threads by monitor, by queue and by park. */
public class PingPong {
    static int ball;

    public static void main(String[] args) throws Exception {
        Object o = new Object();
        Thread t = new Thread(() -> {
            for (int i = 0; i < 2000; i++) {
                synchronized (o) {
                    while (ball % 2 == 0) {
                        try {
                            o.wait();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                    ball++;
                    o.notify();
                }
            }
        });
        t.start();
        for (int i = 0; i < 2000; i++) {
            synchronized (o) {
                while (ball % 2 == 1) {
                    o.wait();
                }
                ball++;
                o.notify();
            }
        }
        t.join();
        System.out.println(ball);
        SynchronousQueue<Integer> a = new SynchronousQueue<>();
        SynchronousQueue<Integer> b = new SynchronousQueue<>();
        Thread u = new Thread(() -> {
            try {
                for (int i = 0; i < 1000; i++) {
                    b.put(a.take() + 1);
                }
            } catch (InterruptedException e) {
                throw new RuntimeException(e);
            }
        });
        u.start();
        int v = 0;
        for (int i = 0; i < 1000; i++) {
            a.put(v);
            v = b.take();
        }
        System.out.println(v);
    }
}
