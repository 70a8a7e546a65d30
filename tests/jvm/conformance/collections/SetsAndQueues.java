package collections;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;

/** Sets, deques, heaps and bit sets. */
public class SetsAndQueues {
    public static void main(String[] args) {
        Set<String> h = new HashSet<>(List.of("one", "two", "three", "four", "five"));
        Set<String> l = new LinkedHashSet<>(List.of("z", "y", "x"));
        TreeSet<Integer> t = new TreeSet<>(List.of(5, 2, 8, 1));
        System.out.println(h + " " + l + " " + t + " " + t.headSet(5, true) + " " + t.ceiling(3) + " " + t.descendingSet() + " " + h.hashCode());
        h.retainAll(Set.of("one", "two"));
        System.out.println(h.size() + " " + h.containsAll(List.of("one")) + " " + h.add("one"));
        ArrayDeque<Integer> d = new ArrayDeque<>();
        for (int i = 0; i < 40; i++) {
            if (i % 3 == 0) {
                d.addFirst(i);
            } else {
                d.addLast(i);
            }
            if (i % 4 == 0) {
                d.pollLast();
            }
        }
        System.out.println(d + " " + d.peekFirst() + " " + d.removeFirstOccurrence(7));
        PriorityQueue<String> p = new PriorityQueue<>(Collections.reverseOrder());
        Collections.addAll(p, "b", "d", "a", "c");
        StringBuilder sb = new StringBuilder();
        while (!p.isEmpty()) {
            sb.append(p.poll());
        }
        System.out.println(sb);
        BitSet b = new BitSet();
        b.set(1, 70);
        b.clear(5);
        b.flip(100);
        System.out.println(b.cardinality() + " " + b.nextClearBit(2) + " " + b.length() + " " + b.get(100) + " " + b.hashCode() + " " + java.util.Arrays.toString(b.toLongArray()));
    }
}
