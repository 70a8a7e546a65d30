package exceptions;

/** System.exit in a finally, with a hook that prints; code after it never runs. */
public class ExitStatus {
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        try {
            throw new RuntimeException("lost");
        } finally {
            System.out.println("exiting");
            System.exit(42);
        }
    }
}
