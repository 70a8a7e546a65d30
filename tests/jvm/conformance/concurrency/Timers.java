package concurrency;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;

/** java.util.Timer. */
public class Timers {
    public static void main(String[] args) throws Exception {
        Timer t = new Timer("timer", true);
        StringBuffer sb = new StringBuffer();
        CountDownLatch l = new CountDownLatch(4);
        t.schedule(new TimerTask() {
            @Override
            public void run() {
                sb.append("late");
                l.countDown();
            }
        }, 300);
        t.schedule(new TimerTask() {
            int n;

            @Override
            public void run() {
                sb.append(++n);
                l.countDown();
                if (n == 3) {
                    cancel();
                }
            }
        }, 0, 5);
        l.await();
        System.out.println(sb);
        t.cancel();
        try {
            t.schedule(new TimerTask() {
                @Override
                public void run() { }
            }, 1);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
