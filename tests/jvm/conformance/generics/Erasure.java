package generics;

import java.util.ArrayList;
import java.util.List;

/** Erasure, bridges, heap pollution and casts that the compiler put in. */
public class Erasure {
    interface Shape<T extends Shape<T>> extends Comparable<T> {
        int size();

        @Override
        default int compareTo(T o) {
            return size() - o.size();
        }
    }

    record Sq(int size) implements Shape<Sq> { }

    static class Box<T> {
        T v;

        void set(T t) {
            v = t;
        }
    }

    static class IntBox extends Box<Integer> {
        @Override
        void set(Integer i) {
            v = i + 1;
        }
    }

    @SafeVarargs
    static <T> T[] array(T... ts) {
        return ts;
    }

    static <T> T[] bad(T a) {
        return array(a, a);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) {
        System.out.println(new Sq(2).compareTo(new Sq(5)));
        Box b = new IntBox();
        b.set(1);
        System.out.println(b.v);
        try {
            b.set("x");
        } catch (ClassCastException e) {
            System.out.println("bridge refused");
        }
        List<String> ls = new ArrayList<>();
        ((List) ls).add(5);
        System.out.println(ls.size() + " " + (Object) ((List<?>) ls).get(0));
        try {
            String s = ls.get(0);
        } catch (ClassCastException e) {
            System.out.println("late cast refused");
        }
        System.out.println(array("a", "b").getClass() + " " + array(1, "b").getClass().getComponentType());
        try {
            String[] r = bad("x");
        } catch (ClassCastException e) {
            System.out.println("array refused");
        }
        try {
            Comparable c = new Sq(1);
            c.compareTo("x");
        } catch (ClassCastException e) {
            System.out.println("default bridge refused");
        }
    }
}
