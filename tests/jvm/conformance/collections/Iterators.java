package collections;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.stream.StreamSupport;

/** Iterable of one's own in for-each, streams and spliterators. */
public class Iterators implements Iterable<Integer> {
    @Override
    public Iterator<Integer> iterator() {
        return new Iterator<>() {
            int n;

            @Override
            public boolean hasNext() {
                return n < 5;
            }

            @Override
            public Integer next() {
                if (n == 5) {
                    throw new NoSuchElementException("end");
                }
                return n++;
            }
        };
    }

    public static void main(String[] args) {
        Iterators it = new Iterators();
        int s = 0;
        for (int x : it) {
            s += x;
        }
        System.out.println(s + " " + StreamSupport.stream(it.spliterator(), false).map(x -> x * x).toList());
        Spliterator<Integer> sp = List.of(1, 2, 3, 4, 5, 6).spliterator();
        Spliterator<Integer> half = sp.trySplit();
        StringBuilder sb = new StringBuilder();
        half.forEachRemaining(sb::append);
        sb.append('|');
        while (sp.tryAdvance(sb::append)) {
            sb.append('.');
        }
        System.out.println(sb);
        Iterator<Integer> i = it.iterator();
        i.forEachRemaining(x -> { });
        try {
            i.next();
        } catch (NoSuchElementException e) {
            System.out.println(e.getMessage());
        }
        try {
            i.remove();
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
    }
}
