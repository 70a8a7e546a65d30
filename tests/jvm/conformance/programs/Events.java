package programs;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/** An event simulation: closures in a priority queue, a bank with tellers. */
public class Events {
    record Event(double time, int order, Runnable what) { }

    final PriorityQueue<Event> queue = new PriorityQueue<>((a, b) -> a.time() != b.time() ? Double.compare(a.time(), b.time()) : a.order() - b.order());
    double now;
    int order;
    final List<Consumer<String>> listeners = new ArrayList<>();

    void at(double delay, Runnable r) {
        queue.add(new Event(now + delay, order++, r));
    }

    void run() {
        while (!queue.isEmpty()) {
            Event e = queue.poll();
            now = e.time();
            e.what().run();
        }
    }

    public static void main(String[] args) {
        Events sim = new Events();
        java.util.Random r = new java.util.Random(77);
        int[] busy = {0, 0, 0};
        List<Integer> waiting = new ArrayList<>();
        StringBuilder log = new StringBuilder();
        sim.listeners.add(s -> log.append(s).append('\n'));
        Consumer<Integer>[] serve = new Consumer[1];
        serve[0] = c -> {
            for (int t = 0; t < busy.length; t++) {
                if (busy[t] == 0) {
                    int teller = t;
                    busy[t] = c;
                    sim.at(1 + r.nextInt(5), () -> {
                        sim.listeners.forEach(l -> l.accept(String.format("%.1f done %d by %d", sim.now, c, teller)));
                        busy[teller] = 0;
                        if (!waiting.isEmpty()) {
                            serve[0].accept(waiting.remove(0));
                        }
                    });
                    return;
                }
            }
            waiting.add(c);
        };
        for (int i = 1; i <= 12; i++) {
            int c = i;
            sim.at(i * 0.5, () -> serve[0].accept(c));
        }
        sim.run();
        System.out.print(log);
    }
}
