package bytecodes;

/** One call site that sees one, two, then many classes; interfaces too; fields of many classes. */
public class Megamorphic {
    interface Op {
        int apply(int x);

        default int twice(int x) {
            return apply(apply(x));
        }
    }

    record Add(int n) implements Op {
        @Override
        public int apply(int x) {
            return x + n;
        }
    }

    record Mul(int n) implements Op {
        @Override
        public int apply(int x) {
            return x * n;
        }

        @Override
        public int twice(int x) {
            return x * n * n;
        }
    }

    static class Neg implements Op {
        @Override
        public int apply(int x) {
            return -x;
        }
    }

    static class NegMore extends Neg {
        @Override
        public int apply(int x) {
            return super.apply(x) - 1;
        }
    }

    public static void main(String[] args) {
        Op[] ops = {new Add(1), new Add(2), new Mul(3), new Neg(), new NegMore(), x -> x ^ 5, new Op() {
            @Override
            public int apply(int x) {
                return x >> 1;
            }
        }};
        int acc = 1;
        for (int n = 1; n <= ops.length; n++) {
            for (int i = 0; i < 1000; i++) {
                Op o = ops[i % n];
                acc = o.apply(acc) + o.twice(acc) + o.hashCode() * 0;
            }
            System.out.println(n + " " + acc);
        }
        Object[] any = {"s", 1, 2L, 'c', ops[0], new int[0].length, java.util.List.of(1)};
        int h = 0;
        for (int i = 0; i < 700; i++) {
            h = h * 31 + any[i % any.length].toString().length();
        }
        System.out.println(h);
    }
}
