/** The last of the workers ends the program, and two of them believe to be the last. */
public class ExitEarly {
    static volatile int left = 2, ends;

    static void work() {
        left = left - 1;
        if (left == 0 && ++ends == 1 && Thread.currentThread().getName().equals("first"))
            System.exit(3);
    }

    public static void main(String[] args) throws Exception {
        Thread first = new Thread(ExitEarly::work, "first"), second = new Thread(ExitEarly::work, "second");
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
