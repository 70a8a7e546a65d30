package collections;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Random;
import java.util.Vector;

/** Lists: growth, sublists, iterators, sorting, unmodifiable views. */
public class Lists {
    public static void main(String[] args) {
        for (List<Integer> l : List.of(new ArrayList<Integer>(), new LinkedList<Integer>(), new Vector<Integer>())) {
            for (int i = 0; i < 50; i++) {
                l.add(i % 7);
            }
            l.subList(10, 40).clear();
            l.remove(3);
            l.remove((Integer) 6);
            l.removeIf(x -> x == 2);
            l.replaceAll(x -> x * x);
            ListIterator<Integer> it = l.listIterator(l.size());
            while (it.hasPrevious()) {
                if (it.previous() == 25) {
                    it.set(-1);
                    it.add(99);
                    it.previous();
                }
            }
            System.out.println(l + " " + l.indexOf(99) + " " + l.hashCode() + " " + l.equals(new ArrayList<>(l)));
            Collections.sort(l);
            Collections.shuffle(l, new Random(4));
            Collections.rotate(l, 3);
            Collections.swap(l, 0, 1);
            System.out.println(l + " " + Collections.max(l) + " " + Collections.frequency(l, 0));
            try {
                for (Integer x : l) {
                    l.add(x);
                }
            } catch (ConcurrentModificationException e) {
                System.out.println("changed under the iterator");
            }
        }
        List<String> ss = Arrays.asList("b", "a", "c");
        Collections.sort(ss, Collections.reverseOrder());
        System.out.println(ss + " " + Collections.binarySearch(List.of(1, 3, 5), 4) + " " + Collections.nCopies(3, "x") + " " + List.copyOf(ss));
        try {
            ss.add("d");
        } catch (UnsupportedOperationException e) {
            System.out.println("fixed size");
        }
    }
}
