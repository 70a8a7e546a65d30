package bytecodes;

import support.Gen;

/** int and long arithmetic instructions over the values where they go wrong, the exception of division included. */
public class IntArithmetic {
    public static void main(String[] args) {
        int[] ints = {0, 1, -1, 2, 7, -7, 31, 32, 33, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x55555555};
        for (String op : "iadd isub imul idiv irem iand ior ixor ishl ishr iushr".split(" ")) {
            Gen g = new Gen(".class public gen/T\n.method public static run (II)I\niload_0\niload_1\n" + op + "\nireturn\n.end");
            for (int a : ints) {
                StringBuilder row = new StringBuilder(op + " " + a + ":");
                for (int b : ints) {
                    row.append(' ').append(g.call("gen.T", "run", a, b));
                }
                System.out.println(row);
            }
        }
        long[] longs = {0, 1, -1, 10, -10, 63, 64, 65, Long.MAX_VALUE, Long.MIN_VALUE, 0x5555555555555555L};
        for (String op : "ladd lsub lmul ldiv lrem land lor lxor lcmp".split(" ")) {
            String ret = op.equals("lcmp") ? "I" : "J";
            Gen g = new Gen(".class public gen/T\n.method public static run (JJ)" + ret + "\nlload_0\nlload_2\n" + op + "\n" + (ret.equals("I") ? "i" : "l") + "return\n.end");
            for (long a : longs) {
                StringBuilder row = new StringBuilder(op + " " + a + ":");
                for (long b : longs) {
                    row.append(' ').append(g.call("gen.T", "run", a, b));
                }
                System.out.println(row);
            }
        }
        for (String op : "lshl lshr lushr".split(" ")) {
            Gen g = new Gen(".class public gen/T\n.method public static run (JI)J\nlload_0\niload_2\n" + op + "\nlreturn\n.end");
            for (long a : longs) {
                StringBuilder row = new StringBuilder(op + " " + a + ":");
                for (int b : ints) {
                    row.append(' ').append(g.call("gen.T", "run", a, b));
                }
                System.out.println(row);
            }
        }
        for (int a : ints) {
            Gen.test("ineg " + a, "(I)I", "iload_0\nineg\nireturn", a);
        }
        for (long a : longs) {
            Gen.test("lneg " + a, "(J)J", "lload_0\nlneg\nlreturn", a);
        }
    }
}
