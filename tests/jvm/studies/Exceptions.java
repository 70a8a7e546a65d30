import java.util.*;

/** Exceptions through many frames, finally blocks, initialisers, handlers that throw; `trail` tells which way it went. */
public class Exceptions {
    static final StringBuilder trail = new StringBuilder();
    static int caught, deepest;

    static class Broken {
        static final int value;
        static {
            if (true)
                throw new IllegalStateException("initialiser");
            value = 1;
        }
    }

    static void dive(int depth, int what) {
        deepest = Math.max(deepest, depth);
        try {
            if (depth > 0)
                dive(depth - 1, what);
            else
                fail(what);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("at " + depth, e);
        } finally {
            trail.append((char) ('a' + depth % 26));
        }
    }

    static void fail(int what) {
        Object o = what;
        switch (what % 8) {
        case 0 -> throw new ArithmeticException("thrown");
        case 1 -> trail.append(((String) o).length());
        case 2 -> trail.append(new int[what][what].length / (what - what));
        case 3 -> trail.append((new int[2][2])[what + 7].length);
        case 4 -> ((Object[]) new String[1])[0] = what;
        case 5 -> trail.append(Broken.value);
        case 6 -> fail(what);
        default -> trail.append(new int[-what]);
        }
    }

    static void done() { }

    public static void main(String[] args) {
        Map<String, Integer> kinds = new TreeMap<>();
        for (int i = 0; i < 64; i++) {
            try {
                dive(i % 30, i);
            } catch (RuntimeException | Error e) {
                caught++;
                Throwable root = e;
                while (root.getCause() != null)
                    root = root.getCause();
                kinds.merge(root.getClass().getSimpleName(), 1, Integer::sum);
            }
        }
        trail.append(kinds);
        done();
        System.out.println(caught + " " + deepest + " " + trail.length());
        throw new IllegalStateException("uncaught", new RuntimeException(kinds.toString()));
    }
}
