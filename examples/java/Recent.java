import java.util.HashMap;
import java.util.Map;

/**
 * A cache that forgets what was used longest ago: a map and a doubly linked list.
 *
 * It has a bug: at the end the map holds three times as many pages as it may.  The moment at which
 * `isWhole` became false is found by binary search over time: bisect cache.isWhole()
 */
public class Recent {
    static class Node {
        final int key;
        String value;
        Node previous, next;

        Node(int key, String value) {
            this.key = key;
            this.value = value;
        }
    }

    final Map<Integer, Node> nodes = new HashMap<>();
    final int limit;
    Node first, last;

    Recent(int limit) {
        this.limit = limit;
    }

    void unlink(Node node) {
        if (node.previous != null)
            node.previous.next = node.next;
        else
            first = node.next;
        if (node.next != null)
            node.next.previous = node.previous;
        else
            last = node.previous;
        node.previous = node.next = null;
    }

    void pushFront(Node node) {
        node.next = first;
        if (first != null)
            first.previous = node;
        first = node;
        if (last == null)
            last = node;
    }

    String get(int key) {
        Node node = nodes.get(key);
        if (node == null)
            return null;
        unlink(node);
        pushFront(node);
        return node.value;
    }

    void put(int key, String value) {
        if (nodes.size() == limit) {
            nodes.remove(last.key);
            unlink(last);
        }
        Node node = new Node(key, value);
        nodes.put(key, node);
        pushFront(node);
    }

    void remove(int key) {
        Node node = nodes.remove(key);
        if (node == null)
            return;
        if (node == first)
            first = node.next;
        else
            node.previous.next = node.next;
        if (node == last)
            last = node.previous;
    }

    int forwards() {
        int n = 0;
        for (Node node = first; node != null && n <= limit; node = node.next)
            n++;
        return n;
    }

    int backwards() {
        int n = 0;
        for (Node node = last; node != null && n <= limit; node = node.previous)
            n++;
        return n;
    }

    /** What holds between two operations: the list has the nodes of the map, linked in both directions. */
    boolean isWhole() {
        int n = 0;
        for (Node node = first; node != null && n <= limit; node = node.next, n++) {
            boolean linked = node.next == null ? node == last : node.next.previous == node;
            if (!linked || nodes.get(node.key) != node)
                return false;
        }
        return n == nodes.size();
    }

    public static void main(String[] args) {
        Recent cache = new Recent(8);
        int state = 12345;
        for (int step = 0; step < 400; step++) {
            state = state * 1103515245 + 12345;
            int key = (state >>> 16) % 24;
            if (cache.get(key) == null)
                cache.put(key, "page " + key);
            if (step == 263)
                cache.remove(cache.last.previous.previous.previous.key);
        }
        System.out.println(cache.forwards() + " forwards, " + cache.backwards() + " backwards, "
            + cache.nodes.size() + " in the map");
    }
}
