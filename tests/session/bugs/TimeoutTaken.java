/** A wait that timed out is taken for one that was answered. */
public class TimeoutTaken {
    static final Object lock = new Object();
    static String answer;

    static void respond() {
        String text = "answer";
        synchronized (lock) {
            answer = text;
            lock.notify();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread responder = new Thread(TimeoutTaken::respond);
        synchronized (lock) {
            responder.start();
            lock.wait(1000);
            answer.length();
        }
    }
}
