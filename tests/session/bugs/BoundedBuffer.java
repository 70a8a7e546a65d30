/** `if` where a `while` should be: who is woken finds that somebody else was faster. */
public class BoundedBuffer {
    static final int[] slots = new int[2];
    static int n;

    static synchronized void put(int item) throws InterruptedException {
        if (n == slots.length)
            BoundedBuffer.class.wait();
        slots[n++] = item;
        BoundedBuffer.class.notifyAll();
    }

    static synchronized int take() throws InterruptedException {
        if (n == 0)
            BoundedBuffer.class.wait();
        int item = slots[--n];
        BoundedBuffer.class.notifyAll();
        return item;
    }

    static void consume() {
        try {
            take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(BoundedBuffer::consume), b = new Thread(BoundedBuffer::consume);
        a.start();
        b.start();
        put(1);
        put(2);
        a.join();
        b.join();
    }
}
