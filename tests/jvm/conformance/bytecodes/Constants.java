package bytecodes;

import support.Gen;

/** Every instruction that pushes a constant, at the ends of its range. */
public class Constants {
    public static void main(String[] args) {
        for (String op : "iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5".split(" ")) {
            Gen.test(op, "()I", op + "\nireturn");
        }
        Gen.test("lconst_0", "()J", "lconst_0\nlreturn");
        Gen.test("lconst_1", "()J", "lconst_1\nlreturn");
        for (String op : "fconst_0 fconst_1 fconst_2".split(" ")) {
            Gen.test(op, "()F", op + "\nfreturn");
        }
        Gen.test("dconst_0", "()D", "dconst_0\ndreturn");
        Gen.test("dconst_1", "()D", "dconst_1\ndreturn");
        Gen.test("aconst_null", "()Ljava/lang/Object;", "aconst_null\nareturn");
        for (int v : new int[] {-128, -1, 0, 127}) {
            Gen.test("bipush " + v, "()I", "bipush " + v + "\nireturn");
        }
        for (int v : new int[] {-32768, -129, 128, 32767}) {
            Gen.test("sipush " + v, "()I", "sipush " + v + "\nireturn");
        }
        Gen.test("nop", "()I", "nop\nnop\niconst_3\nnop\nireturn");
    }
}
