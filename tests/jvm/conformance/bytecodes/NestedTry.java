package bytecodes;

/** Deeply nested try, catch and finally with jumps out of them. */
public class NestedTry {
    static StringBuilder log = new StringBuilder();

    static int f(int n) {
        for (int i = 0; ; i++) {
            try {
                log.append('a').append(i);
                try {
                    if (n == 1) {
                        throw new RuntimeException("one");
                    }
                    if (n == 2) {
                        return i;
                    }
                    if (n == 3 && i < 2) {
                        continue;
                    }
                    if (n == 4) {
                        Object o = "x";
                        return (Integer) o;
                    }
                    if (n == 5) {
                        break;
                    }
                } catch (ClassCastException e) {
                    log.append('c');
                    throw new IllegalStateException(e.getClass().getSimpleName());
                } finally {
                    log.append('b');
                    if (n == 6) {
                        throw new Error("from finally");
                    }
                }
                log.append('n');
                return 100;
            } catch (IllegalStateException e) {
                log.append('i');
                return 200;
            } catch (RuntimeException e) {
                log.append('r');
                if (i == 1) {
                    return 300;
                }
            } finally {
                log.append('z');
            }
        }
        return 400;
    }

    public static void main(String[] args) {
        for (int n = 0; n < 7; n++) {
            log.setLength(0);
            try {
                System.out.println(n + " " + f(n) + " " + log);
            } catch (Error e) {
                System.out.println(n + " " + e.getMessage() + " " + log);
            }
        }
    }
}
