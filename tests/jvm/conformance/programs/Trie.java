package programs;

import java.util.TreeMap;

/** A trie with wildcard search, and a linked structure that is cut and joined. */
public class Trie {
    final TreeMap<Character, Trie> next = new TreeMap<>();
    boolean end;

    void add(String w) {
        Trie t = this;
        for (char c : w.toCharArray()) {
            t = t.next.computeIfAbsent(c, k -> new Trie());
        }
        t.end = true;
    }

    void find(String p, String sofar, StringBuilder out) {
        if (p.isEmpty()) {
            if (end) {
                out.append(sofar).append(' ');
            }
            return;
        }
        char c = p.charAt(0);
        if (c == '*') {
            find(p.substring(1), sofar, out);
            next.forEach((k, v) -> v.find(p, sofar + k, out));
        } else if (c == '?') {
            next.forEach((k, v) -> v.find(p.substring(1), sofar + k, out));
        } else if (next.containsKey(c)) {
            next.get(c).find(p.substring(1), sofar + c, out);
        }
    }

    public static void main(String[] args) {
        Trie t = new Trie();
        for (String w : "car cart care cat dog do door cot coat".split(" ")) {
            t.add(w);
        }
        for (String p : new String[] {"ca?", "c*t", "*", "do*", "x*", "c??t"}) {
            StringBuilder sb = new StringBuilder();
            t.find(p, "", sb);
            System.out.println(p + ": " + sb);
        }
    }
}
