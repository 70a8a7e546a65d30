import java.util.concurrent.atomic.*;

/** The owner takes from one end, a thief from the other, and both get the last item. */
public class WorkStealing {
    static final int[] items = new int[8];
    static volatile int head, tail;
    static final AtomicIntegerArray taken = new AtomicIntegerArray(8);

    static int pop() {
        int at = tail - 1;
        if (at < head)
            return -1;
        tail = at;
        return items[at];
    }

    static int steal() {
        int at = head;
        if (at >= tail)
            return -1;
        int item = items[at];
        head = at + 1;
        return item;
    }

    static void use(int item) {
        if (item >= 0 && taken.incrementAndGet(item) > 1)
            throw new AssertionError("item " + item + " twice");
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++)
            items[tail++] = i;
        Thread thief = new Thread(() -> {
            for (int i = 0; i < 3; i++)
                use(steal());
        });
        thief.start();
        for (int i = 0; i < 3; i++)
            use(pop());
        thief.join();
    }
}
