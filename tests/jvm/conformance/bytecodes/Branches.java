package bytecodes;

import support.Gen;

/** Every conditional branch, taken and not taken, forward and backward; goto and goto_w. */
public class Branches {
    public static void main(String[] args) {
        String yesNo = "\niconst_0\nireturn\nyes:\niconst_1\nireturn";
        for (String op : "ifeq ifne iflt ifge ifgt ifle".split(" ")) {
            for (int v : new int[] {Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE}) {
                Gen.test(op + " " + v, "(I)I", "iload_0\n" + op + " yes" + yesNo, v);
            }
        }
        for (String op : "if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple".split(" ")) {
            for (int[] v : new int[][] {{1, 1}, {1, 2}, {2, 1}, {Integer.MIN_VALUE, Integer.MAX_VALUE}, {Integer.MAX_VALUE, Integer.MIN_VALUE}}) {
                Gen.test(op + " " + v[0] + " " + v[1], "(II)I", "iload_0\niload_1\n" + op + " yes" + yesNo, v[0], v[1]);
            }
        }
        String o = "Ljava/lang/Object;";
        for (String op : "if_acmpeq if_acmpne".split(" ")) {
            Gen.test(op + " same", "(" + o + ")I", "aload_0\naload_0\n" + op + " yes" + yesNo, "s");
            Gen.test(op + " other", "(" + o + ")I", "aload_0\naconst_null\n" + op + " yes" + yesNo, "s");
        }
        for (String op : "ifnull ifnonnull".split(" ")) {
            Gen.test(op + " null", "()I", "aconst_null\n" + op + " yes" + yesNo);
            Gen.test(op + " object", "(" + o + ")I", "aload_0\n" + op + " yes" + yesNo, "s");
        }
        Gen.test("goto", "()I", "goto end\nback:\niconst_2\nireturn\nend:\ngoto back");
        Gen.test("goto_w", "()I", "goto_w end\nback:\niconst_3\nireturn\nend:\ngoto_w back");
        Gen.test("loop", "(I)I", "iconst_0\nistore_1\ntop:\niload_0\nifle done\niload_1\niload_0\niadd\nistore_1\niinc 0 -1\ngoto top\ndone:\niload_1\nireturn", 100);
        StringBuilder far = new StringBuilder();
        for (int i = 0; i < 40000; i++) {
            far.append("nop\n");
        }
        Gen.test("far goto_w", "()I", "goto_w end\nback:\niconst_4\nireturn\n" + far + "end:\ngoto_w back");
    }
}
