/** A cached value is read twice: the second read may find that it was cleared. */
public class LazyHash {
    static volatile String cached = "text";

    static int length() {
        if (cached != null)
            return cached.length();
        return 0;
    }

    public static void main(String[] args) throws Exception {
        Thread cleaner = new Thread(() -> cached = null);
        cleaner.start();
        length();
        cleaner.join();
    }
}
