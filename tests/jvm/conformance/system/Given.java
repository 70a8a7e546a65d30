package system;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What options of the VM change for a program; see commands.txt. */
public class Given {
    String text;

    static void down(int n) {
        if (n == 0) {
            throw new IllegalStateException("deep");
        }
        down(n - 1);
    }

    static void processors() {
        System.out.println(Runtime.getRuntime().availableProcessors() == 7);
    }

    static void directMemory() {
        try {
            ByteBuffer.allocateDirect(2 << 20);
            System.out.println("2 MiB outside the heap");
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
    }

    static void traces() {
        try {
            down(20);
        } catch (IllegalStateException e) {
            System.out.println(e + " with a trace of " + e.getStackTrace().length);
        }
        try {
            Given none = args == null ? null : new Given();
            System.out.println(none.text.length());
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    static String[] args;

    static void exhaust() {
        List<byte[]> kept = new ArrayList<>();
        try {
            while (true) {
                kept.add(new byte[100_000]);
            }
        } catch (OutOfMemoryError e) {
            kept = null;
            System.out.println("caught");
        }
    }

    public static void main(String[] given) {
        args = given;
        if (given.length > 1) {
            System.exit(Integer.parseInt(given[1]));
        }
        if (given.length > 0) {
            exhaust();
        }
        processors();
        directMemory();
        traces();
    }
}
