/** The instance is published before it is complete: who finds it set takes it half made. */
public class DoubleChecked {
    static DoubleChecked instance;
    String name;

    static DoubleChecked get() {
        if (instance == null)
            synchronized (DoubleChecked.class) {
                if (instance == null) {
                    instance = new DoubleChecked();
                    instance.name = "made";
                }
            }
        return instance;
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> get().name.length());
        other.start();
        get().name.length();
        other.join();
    }
}
