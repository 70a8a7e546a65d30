package serialization;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Object graphs to bytes and back: cycles, transients, enums, records, arrays, inheritance, lambdas. */
public class RoundTrip {
    static class Base {
        int notSerial = 5;

        Base() {
            notSerial = 6;
        }
    }

    static class Node extends Base implements Serializable {
        private static final long serialVersionUID = 1;
        String name;
        transient int skipped = 9;
        Node next;
        int[] data = {1, 2};

        Node(String name) {
            this.name = name;
            notSerial = 77;
        }
    }

    enum Color { RED, BLUE }

    record Rec(int x, String s) implements Serializable { }

    interface Fn extends java.util.function.IntUnaryOperator, Serializable { }

    static byte[] write(Object o) throws IOException {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(b)) {
            out.writeObject(o);
        }
        return b.toByteArray();
    }

    static Object read(byte[] b) throws Exception {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b))) {
            return in.readObject();
        }
    }

    public static void main(String[] args) throws Exception {
        Node a = new Node("a");
        a.next = new Node("b");
        a.next.next = a;
        byte[] bytes = write(a);
        Node c = (Node) read(bytes);
        System.out.println(bytes.length + " " + Arrays.hashCode(bytes) + " " + c.name + c.next.name + (c.next.next == c) + c.skipped + c.notSerial + c.data[1]);
        System.out.println(read(write(Color.BLUE)) == Color.BLUE);
        System.out.println(read(write(new Rec(3, "r"))) + " " + read(write(new int[][] {{1}, null})).getClass());
        Map<String, Object> m = new HashMap<>();
        m.put("list", new ArrayList<>(List.of(1, 2L, 3.0, 'c', (byte) 4, true, "s")));
        m.put("big", new java.math.BigInteger("123456789012345678901234567890"));
        m.put("date", new java.util.Date(0));
        m.put("class", String.class);
        System.out.println(new java.util.TreeMap<>((Map<?, ?>) read(write(m))) + " " + read(write(List.of(5, 6))));
        int k = 10;
        Fn f = x -> x + k;
        System.out.println(((Fn) read(write(f))).applyAsInt(5));
        try {
            write(new Object());
        } catch (java.io.NotSerializableException e) {
            System.out.println(e.getMessage());
        }
        bytes[bytes.length - 3] ^= 0x55;
        bytes[0] = 0;
        try {
            read(bytes);
        } catch (java.io.StreamCorruptedException e) {
            System.out.println(e.getMessage());
        }
    }
}
