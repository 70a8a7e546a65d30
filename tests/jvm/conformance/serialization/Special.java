package serialization;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Lambdas, proxies, records with checks, filters, shared and circular references. */
public class Special {
    interface Handler extends InvocationHandler, Serializable { }

    record Range(int from, int to) implements Serializable {
        Range {
            if (from > to) {
                throw new IllegalArgumentException(from + " > " + to);
            }
        }
    }

    static class Node implements Serializable {
        Node next;
        transient int lost = 5;
        Object value;
    }

    static byte[] write(Object o) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(o);
        }
        return bytes.toByteArray();
    }

    static Object read(byte[] bytes, String filter) throws Exception {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            if (filter != null) {
                in.setObjectInputFilter(ObjectInputFilter.Config.createFilter(filter));
            }
            return in.readObject();
        }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        int n = 4;
        Function<Integer, Integer> f = (Function<Integer, Integer> & Serializable) x -> x + n;
        System.out.println(((Function<Integer, Integer>) read(write(f), null)).apply(10));
        Object p = Proxy.newProxyInstance(Special.class.getClassLoader(), new Class<?>[] {Comparable.class}, (Handler) (self, m, a) -> 42);
        System.out.println(((Comparable<Object>) read(write(p), null)).compareTo("x"));
        System.out.println(read(write(new Range(1, 2)), null));
        byte[] bad = write(new Range(1, 2));
        bad[bad.length - 5] = 9; // the first component
        try {
            System.out.println(read(bad, null));
        } catch (InvalidClassException e) {
            System.out.println(e.getMessage() + " / " + e.getCause());
        }
        Node a = new Node();
        a.next = new Node();
        a.next.next = a;
        a.value = a.next.value = new ArrayList<>(List.of("shared"));
        Node b = (Node) read(write(a), null);
        System.out.println((b.next.next == b) + " " + (b.value == b.next.value) + " " + b.lost);
        for (String filter : new String[] {"java.base/*;!*", "serialization.*;java.**;!*", "maxdepth=1;*", "maxrefs=2;*"}) {
            try {
                System.out.println(filter + " " + (read(write(a), filter) != null));
            } catch (InvalidClassException e) {
                System.out.println(filter + " " + e.getMessage());
            }
        }
        try {
            write(List.of(new Object()));
        } catch (NotSerializableException e) {
            System.out.println(e);
        }
        System.out.println(read(write(Thread.State.NEW), null) == Thread.State.NEW);
    }
}
