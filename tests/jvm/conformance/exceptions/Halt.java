package exceptions;

/** Runtime.halt skips hooks; the status is cut to a byte by the system. */
public class Halt {
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("must not be seen")));
        System.out.println("halting");
        Runtime.getRuntime().halt(259);
    }
}
