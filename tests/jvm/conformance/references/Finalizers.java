package references;

/** Finalizers run once, may revive, and their exceptions are dropped. */
public class Finalizers {
    static Finalizers revived;
    static volatile int runs;

    @Override
    @SuppressWarnings({"deprecation", "removal"})
    protected void finalize() {
        runs++;
        if (revived == null) {
            revived = this;
            return;
        }
        throw new RuntimeException("dropped");
    }

    static void make(int n) {
        for (int i = 0; i < n; i++) {
            new Finalizers();
        }
    }

    @SuppressWarnings({"deprecation", "removal"})
    static void until(int n) throws InterruptedException {
        for (int i = 0; i < 200 && runs < n; i++) {
            System.gc();
            System.runFinalization();
            Thread.sleep(5);
        }
    }

    public static void main(String[] args) throws Exception {
        make(1);
        until(1);
        System.out.println(runs + " " + (revived != null));
        make(10);
        until(11);
        System.out.println(runs);
    }
}
