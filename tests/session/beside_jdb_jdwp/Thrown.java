public class Thrown {
    static class Own extends RuntimeException {
        final int code;
        Own(int code) { super("own " + code); this.code = code; }
    }

    static int risky(int n) {
        try {
            if (n == 1)
                throw new Own(n);
            if (n == 2)
                return new int[n][3].length / (n - 2);
            return n;
        } finally {
            System.out.println("left " + n);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            try {
                System.out.println(risky(i));
            } catch (Own e) {
                System.out.println("caught " + e.code);
            } catch (ArithmeticException e) {
                System.out.println("divided");
            }
        }
        Object nothing = args.length > 5 ? "" : null;
        System.out.println(nothing.toString());
    }
}
