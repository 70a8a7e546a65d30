public class Threads {
    static final Object lock = new Object();
    static int shared;

    static class Worker extends Thread {
        final int amount;
        Worker(String name, int amount) { super(name); this.amount = amount; }
        @Override public void run() {
            synchronized (lock) { // main has it until it waits
                work();
            }
        }
        void work() {
            shared += amount;
            lock.notifyAll();
        }
    }

    public static void main(String[] args) throws Exception {
        Worker first = new Worker("first", 1), second = new Worker("second", 2);
        synchronized (lock) {
            first.start();
            while (shared < 1)
                lock.wait();
            first.join();
            second.start();
            while (shared < 3)
                lock.wait();
        }
        second.join();
        System.out.println(shared);
    }
}
