/** A thread is started by a constructor that has not set all fields. */
public class StartInConstructor {
    final Thread worker;
    String config;
    static volatile int length;

    StartInConstructor() {
        worker = new Thread(() -> length = config.length());
        worker.start();
        config = "config";
    }

    public static void main(String[] args) throws Exception {
        new StartInConstructor().worker.join();
    }
}
