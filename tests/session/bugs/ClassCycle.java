/** Two classes whose initialisers need each other, first used by two threads: each waits until the other's is done. */
public class ClassCycle {
    static class Left {
        static final int size = 1 + Right.base();

        static int base() {
            return 10;
        }
    }

    static class Right {
        static final int size = 1 + Left.base();

        static int base() {
            return 20;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> System.out.println(Left.size));
        other.start();
        System.out.println(Right.size);
        other.join();
    }
}
