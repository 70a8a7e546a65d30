package collections;

import java.util.HashMap;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Maps: collisions turned into trees, order, navigation, merge and compute. */
public class Maps {
    record Bad(int n) implements Comparable<Bad> {
        @Override
        public int hashCode() {
            return n % 3;
        }

        @Override
        public int compareTo(Bad o) {
            return n - o.n;
        }
    }

    public static void main(String[] args) {
        Map<Bad, Integer> m = new HashMap<>();
        for (int i = 0; i < 500; i++) {
            m.put(new Bad(i), i);
        }
        for (int i = 0; i < 500; i += 2) {
            m.remove(new Bad(i));
        }
        int sum = 0;
        for (int v : m.values()) {
            sum += v;
        }
        System.out.println(m.size() + " " + sum + " " + m.get(new Bad(77)) + " " + m.get(new Bad(78)));
        TreeMap<String, Integer> t = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String s : "the quick brown Fox jumps over The lazy dog".split(" ")) {
            t.merge(s, 1, Integer::sum);
        }
        System.out.println(t + " " + t.firstKey() + " " + t.floorKey("m") + " " + t.headMap("g") + " " + t.descendingMap() + " " + t.pollFirstEntry());
        NavigableMap<Integer, String> n = new TreeMap<>(Map.of(1, "a", 5, "b", 9, "c"));
        System.out.println(n.subMap(1, false, 9, true) + " " + n.higherEntry(5) + " " + n.lowerKey(1) + " " + n.lastEntry());
        LinkedHashMap<Integer, Integer> lru = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Integer> e) {
                return size() > 3;
            }
        };
        for (int i = 0; i < 5; i++) {
            lru.put(i, i);
            lru.get(2);
        }
        System.out.println(lru);
        Map<String, Integer> c = new HashMap<>();
        c.put(null, null);
        System.out.println(c.containsKey(null) + " " + c.computeIfAbsent(null, k -> 5) + " " + c.compute("x", (k, v) -> v == null ? 1 : v + 1) + " " + c.getOrDefault("y", -1) + " " + c.putIfAbsent("x", 9) + " " + c);
        IdentityHashMap<String, Integer> id = new IdentityHashMap<>();
        id.put(new String("k"), 1);
        id.put(new String("k"), 2);
        System.out.println(id.size() + " " + new Hashtable<>(Map.of("h", 1)) + " " + Map.entry(1, 2) + " " + Map.of("a", 1).equals(new TreeMap<>(Map.of("a", 1))));
        HashMap<Integer, Integer> order = new HashMap<>();
        for (int i = 40; i > 0; i--) {
            order.put(i * 37, i);
        }
        System.out.println(order.keySet());
    }
}
