package bytecodes;

import support.Gen;

/** pop, dup and swap in each of the forms the specification lists, for one- and two-word values. */
public class StackOps {
    /** Runs `ops` and then stores the words left on the stack, top first, as digits of a number. */
    static void words(String label, String push, String ops, int left) {
        StringBuilder code = new StringBuilder(push + "\n" + ops + "\n");
        code.append("istore 10\n");
        for (int i = 1; i < left; i++) {
            code.append("istore ").append(10 + i).append('\n');
        }
        code.append("iconst_0\n");
        for (int i = 0; i < left; i++) {
            code.append("bipush 10\nimul\niload ").append(10 + i).append("\niadd\n");
        }
        Gen.test(label, "()I", code + "ireturn");
    }

    public static void main(String[] args) {
        String p4 = "iconst_1\niconst_2\niconst_3\niconst_4";
        words("pop", p4, "pop", 3);
        words("pop2", p4, "pop2", 2);
        words("dup", p4, "dup", 5);
        words("dup_x1", p4, "dup_x1", 5);
        words("dup_x2", p4, "dup_x2", 5);
        words("dup2", p4, "dup2", 6);
        words("dup2_x1", p4, "dup2_x1", 6);
        words("dup2_x2", p4, "dup2_x2", 6);
        words("swap", p4, "swap", 4);
        Gen.test("pop2 long", "()I", "iconst_5\nlconst_1\npop2\nireturn");
        Gen.test("dup2 long", "()J", "ldc2_w long:7\ndup2\nladd\nlreturn");
        Gen.test("dup_x2 form 2", "()J", "ldc2_w long:7\niconst_2\ndup_x2\npop\nl2i\niadd\ni2l\nlreturn");
        Gen.test("dup2_x1 form 2", "()J", "iconst_3\nldc2_w long:7\ndup2_x1\nl2i\niadd\ni2l\nladd\nlreturn");
        Gen.test("dup2_x2 form 2", "()J", "iconst_3\niconst_4\nldc2_w long:7\ndup2_x2\npop2\nimul\ni2l\nlsub\nlreturn");
        Gen.test("dup2_x2 form 3", "()J", "ldc2_w long:100\niconst_3\niconst_4\ndup2_x2\nimul\ni2l\nladd\nl2i\niadd\nimul\ni2l\nlreturn");
        Gen.test("dup2_x2 form 4", "()J", "ldc2_w long:100\nldc2_w long:7\ndup2_x2\nlsub\nlmul\nlreturn");
        Gen.test("dup2_x2 doubles", "()D", "ldc2_w double:100\nldc2_w double:7\ndup2_x2\ndsub\nddiv\ndreturn");
        Gen.test("swap refs", "()Ljava/lang/String;", "ldc string:\"a\"\nldc string:\"b\"\nswap\ninvokevirtual java/lang/String.concat(Ljava/lang/String;)Ljava/lang/String;\nareturn");
        Gen.test("swap mixed", "()F", "fconst_2\niconst_3\nswap\nfstore_1\ni2f\nfload_1\nfdiv\nfreturn");
    }
}
