package concurrency;

/** Thread groups, names, priorities, enumeration. */
public class Groups {
    public static void main(String[] args) throws Exception {
        Thread m = Thread.currentThread();
        System.out.println(m.getName() + " " + m.getPriority() + " " + m.getThreadGroup().getName() + " " + m.getThreadGroup().getParent().getName() + " " + m);
        ThreadGroup g = new ThreadGroup("mine");
        g.setMaxPriority(3);
        Object o = new Object();
        Thread t = new Thread(g, () -> {
            synchronized (o) {
                o.notify();
                try {
                    o.wait();
                } catch (InterruptedException e) {
                    System.out.println("group interrupted");
                }
            }
        }, "t");
        synchronized (o) {
            t.setPriority(9);
            t.start();
            o.wait();
        }
        System.out.println(t + " " + g.activeCount() + " " + t.getPriority());
        Thread[] list = new Thread[5];
        System.out.println(g.enumerate(list) + " " + list[0].getName());
        g.interrupt();
        t.join();
        System.out.println(t.getThreadGroup() + " " + g.activeCount());
        System.out.println(new Thread().getName().startsWith("Thread-") + " " + Thread.getAllStackTraces().containsKey(m));
        t.setName("renamed");
        System.out.println(t.getName());
        try {
            t.setPriority(11);
        } catch (IllegalArgumentException e) {
            System.out.println("bad priority");
        }
    }
}
