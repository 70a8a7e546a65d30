package exceptions;

// options: -Xmx64m
/** Arrays beyond the limit of the VM or of the heap. */
public class ArrayTooLarge {
    static void test(int kind, int n) {
        try {
            Object o = switch (kind) {
                case 0 -> new byte[n];
                case 1 -> new long[n];
                case 2 -> new Object[n];
                default -> new int[n][2];
            };
            System.out.println("made " + kind);
        } catch (OutOfMemoryError | NegativeArraySizeException e) {
            System.out.println(e);
        }
    }

    public static void main(String[] args) {
        for (int kind = 0; kind < 4; kind++) {
            test(kind, Integer.MAX_VALUE);
            test(kind, 500_000_000);
            test(kind, -5);
            test(kind, 10);
        }
    }
}
