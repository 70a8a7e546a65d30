package exceptions;

/** finally with return, break, continue and exceptions that replace others. */
public class FinallyOrder {
    @SuppressWarnings("finally")
    static int replaced() {
        try {
            throw new RuntimeException("lost");
        } finally {
            return 1;
        }
    }

    static int kept() {
        int x = 1;
        try {
            return x;
        } finally {
            x = 2;
        }
    }

    static String nested() {
        StringBuilder sb = new StringBuilder();
        try {
            try {
                sb.append("a");
                Object o = null;
                o.toString();
            } catch (ArithmeticException e) {
                sb.append("wrong");
            } finally {
                sb.append("b");
            }
        } catch (NullPointerException e) {
            sb.append("c");
        } finally {
            sb.append("d");
        }
        return sb.toString();
    }

    static String loop() {
        StringBuilder sb = new StringBuilder();
        outer:
        for (int i = 0; ; i++) {
            for (int j = 0; j < 3; j++) {
                try {
                    if (j == 1) {
                        continue outer;
                    }
                    if (i == 2) {
                        break outer;
                    }
                    sb.append(i).append(j);
                } finally {
                    sb.append('f');
                }
            }
        }
        return sb.toString();
    }

    public static void main(String[] args) {
        System.out.println(replaced() + " " + kept() + " " + nested() + " " + loop());
        try {
            try {
                throw new Exception("first");
            } finally {
                Object[] a = new Integer[1];
                a[0] = "second";
            }
        } catch (Exception e) {
            System.out.println(e + " " + e.getSuppressed().length);
        }
    }
}
