package kernels;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Maps, lists, queues and a stream over boxed numbers. */
final class Collections extends Kernel {
    @Override
    long work() {
        Rng r = new Rng(8);
        Map<Integer, List<Integer>> groups = new HashMap<>();
        TreeMap<Integer, Integer> tree = new TreeMap<>();
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        for (int i = 0; i < 30_000; i++) {
            int k = r.bits(14);
            groups.computeIfAbsent(k % 997, x -> new ArrayList<>()).add(k);
            tree.merge(k, 1, Integer::sum);
            queue.addLast(k);
            if (i % 3 == 0) {
                queue.pollFirst();
            }
        }
        long sum = queue.size();
        for (List<Integer> g : groups.values()) {
            g.sort(null);
            sum += g.get(g.size() / 2);
        }
        for (Map.Entry<Integer, Integer> e : tree.entrySet()) {
            sum += (long) e.getKey() * e.getValue();
        }
        return sum + queue.stream().filter(x -> x % 2 == 0).mapToLong(x -> x).sum();
    }
}
