package programs;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/** Huffman codes: built, used, undone. */
public class Huffman {
    record Node(int weight, char c, Node left, Node right, int order) { }

    static void codes(Node n, String prefix, Map<Character, String> out) {
        if (n.left() == null) {
            out.put(n.c(), prefix);
            return;
        }
        codes(n.left(), prefix + "0", out);
        codes(n.right(), prefix + "1", out);
    }

    public static void main(String[] args) {
        String text = "it was the best of times, it was the worst of times, it was the age of wisdom";
        Map<Character, Integer> freq = new TreeMap<>();
        for (char c : text.toCharArray()) {
            freq.merge(c, 1, Integer::sum);
        }
        PriorityQueue<Node> q = new PriorityQueue<>((a, b) -> a.weight() != b.weight() ? a.weight() - b.weight() : a.order() - b.order());
        int order = 0;
        for (var e : freq.entrySet()) {
            q.add(new Node(e.getValue(), e.getKey(), null, null, order++));
        }
        while (q.size() > 1) {
            Node a = q.poll();
            Node b = q.poll();
            q.add(new Node(a.weight() + b.weight(), '\0', a, b, order++));
        }
        Node root = q.poll();
        Map<Character, String> codes = new HashMap<>();
        codes(root, "", codes);
        StringBuilder bits = new StringBuilder();
        for (char c : text.toCharArray()) {
            bits.append(codes.get(c));
        }
        StringBuilder back = new StringBuilder();
        Node n = root;
        for (char b : bits.toString().toCharArray()) {
            n = b == '0' ? n.left() : n.right();
            if (n.left() == null) {
                back.append(n.c());
                n = root;
            }
        }
        System.out.println(bits.length() + " " + back.toString().equals(text) + " " + new TreeMap<>(codes));
    }
}
