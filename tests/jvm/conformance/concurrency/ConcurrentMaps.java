package concurrency;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** ConcurrentHashMap and friends under several threads. */
public class ConcurrentMaps {
    public static void main(String[] args) throws Exception {
        ConcurrentHashMap<Integer, Integer> m = new ConcurrentHashMap<>();
        ConcurrentSkipListMap<Integer, Integer> sk = new ConcurrentSkipListMap<>();
        CopyOnWriteArrayList<Integer> cow = new CopyOnWriteArrayList<>();
        Thread[] ts = new Thread[5];
        for (int i = 0; i < ts.length; i++) {
            int n = i;
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 600; k++) {
                    m.merge(k % 100, 1, Integer::sum);
                    sk.put(n * 1000 + k, k);
                    if (k % 20 == 0) {
                        cow.addIfAbsent(k);
                    }
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(m.size() + " " + m.get(7) + " " + m.reduceValues(1, Integer::sum) + " " + sk.size() + " " + sk.firstKey() + " " + sk.ceilingKey(650) + " " + cow.size());
        System.out.println(m.computeIfAbsent(5000, k -> k + 1) + " " + m.computeIfPresent(5000, (k, v) -> null) + " " + m.containsKey(5000) + " " + m.putIfAbsent(7, 1) + " " + m.getOrDefault(-1, -2) + " " + m.search(1, (k, v) -> k == 50 ? "found" : null));
        try {
            m.put(null, 1);
        } catch (NullPointerException e) {
            System.out.println("no null keys");
        }
        int c = 0;
        for (Integer k : m.keySet()) {
            m.remove(k);
            c++;
        }
        System.out.println(c + " " + m.isEmpty() + " " + m.mappingCount());
        try {
            ConcurrentHashMap<Integer, Integer> r = new ConcurrentHashMap<>();
            r.computeIfAbsent(1, k -> r.computeIfAbsent(1, z -> 2));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
