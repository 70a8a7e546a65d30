package bytecodes;

import support.Gen;

/** float and double arithmetic and comparison instructions over zeros, infinities, NaN and the ends of the range. */
public class FloatArithmetic {
    static final double[] VALUES = {0.0, -0.0, 1, -1, 0.1, 1e308, -1e308, Double.MIN_VALUE, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY, Double.NaN, 5.5, -2.5};

    public static void main(String[] args) {
        for (String op : "dadd dsub dmul ddiv drem dcmpl dcmpg".split(" ")) {
            boolean cmp = op.startsWith("dcmp");
            Gen g = new Gen(".class public gen/T\n.method public static run (DD)" + (cmp ? "I" : "D") + "\ndload_0\ndload_2\n" + op + "\n" + (cmp ? "i" : "d") + "return\n.end");
            for (double a : VALUES) {
                StringBuilder row = new StringBuilder(op + " " + a + ":");
                for (double b : VALUES) {
                    row.append(' ').append(g.call("gen.T", "run", a, b).split(" ")[0]);
                }
                System.out.println(row);
            }
        }
        for (String op : "fadd fsub fmul fdiv frem fcmpl fcmpg".split(" ")) {
            boolean cmp = op.startsWith("fcmp");
            Gen g = new Gen(".class public gen/T\n.method public static run (FF)" + (cmp ? "I" : "F") + "\nfload_0\nfload_1\n" + op + "\n" + (cmp ? "i" : "f") + "return\n.end");
            for (double a : VALUES) {
                StringBuilder row = new StringBuilder(op + " " + (float) a + ":");
                for (double b : VALUES) {
                    row.append(' ').append(g.call("gen.T", "run", (float) a, (float) b).split(" ")[0]);
                }
                System.out.println(row);
            }
        }
        for (double a : VALUES) {
            if (a == a) {
                Gen.test("dneg " + a, "(D)D", "dload_0\ndneg\ndreturn", a);
                Gen.test("fneg " + a, "(F)F", "fload_0\nfneg\nfreturn", (float) a);
            }
        }
    }
}
