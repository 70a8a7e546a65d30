package collections;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Enough objects to make the collector work while maps grow. */
public class BigMaps {
    public static void main(String[] args) {
        Map<String, List<Integer>> m = new HashMap<>();
        for (int i = 0; i < 60000; i++) {
            m.computeIfAbsent("key" + i % 5003, k -> new ArrayList<>()).add(i);
        }
        long sum = 0;
        for (Map.Entry<String, List<Integer>> e : m.entrySet()) {
            sum += e.getKey().hashCode() % 1000 + e.getValue().size() * 7L;
        }
        TreeMap<Integer, Integer> t = new TreeMap<>();
        for (int i = 0; i < 30000; i++) {
            t.put(i * 7919 % 30011, i);
            if (i % 3 == 0) {
                t.remove(i * 31 % 30011);
            }
        }
        System.out.println(sum + " " + m.size() + " " + t.size() + " " + t.firstKey() + " " + t.lastEntry());
    }
}
