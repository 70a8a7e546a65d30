import java.util.concurrent.atomic.*;

/** A node comes back while another thread still means the stack in which it was: compareAndSet can't tell. */
public class AbaStack {
    static final class Node {
        final String name;
        Node next;

        Node(String name) {
            this.name = name;
        }
    }

    static final AtomicReference<Node> top = new AtomicReference<>();

    static void push(Node node) {
        do
            node.next = top.get();
        while (!top.compareAndSet(node.next, node));
    }

    static Node pop() {
        for (;;) {
            Node node = top.get();
            if (node == null)
                return null;
            Node next = node.next;
            if (top.compareAndSet(node, next))
                return node;
        }
    }

    static int size() {
        int n = 0;
        for (Node at = top.get(); at != null; at = at.next)
            n++;
        return n;
    }

    public static void main(String[] args) throws Exception {
        push(new Node("c"));
        push(new Node("b"));
        push(new Node("a"));
        AtomicInteger held = new AtomicInteger();
        Thread slow = new Thread(() -> {
            if (pop() != null)
                held.incrementAndGet();
        });
        slow.start();
        Node a = pop();
        if (pop() != null)
            held.incrementAndGet();
        if (a != null)
            push(a);
        slow.join();
        if (size() + held.get() != 3)
            throw new AssertionError(size() + " in the stack, " + held + " taken");
    }
}
