package bytecodes;

import support.Gen;

/** Every return instruction; narrow return types; values left on the stack. */
public class Returns {
    public static void main(String[] args) {
        Gen.test("ireturn", "()I", "iconst_1\niconst_2\niconst_3\nireturn");
        Gen.test("lreturn", "()J", "lconst_0\nlconst_1\nlreturn");
        Gen.test("freturn", "()F", "fconst_1\nfreturn");
        Gen.test("dreturn", "()D", "dconst_1\ndreturn");
        Gen.test("areturn", "()Ljava/lang/Object;", "ldc string:\"r\"\nareturn");
        Gen.test("return", "()V", "iconst_1\nreturn");
        Gen.test("byte", "()B", "sipush 511\nireturn");
        Gen.test("char", "()C", "iconst_m1\nireturn");
        Gen.test("short", "()S", "ldc int:0x18000\nireturn");
        Gen.test("boolean", "()Z", "iconst_2\nireturn");
        Gen.test("boolean odd", "()Z", "iconst_3\nireturn");
        System.out.println(deep(5000));
        System.out.println(mixed(1, 2L, 3f, 4d, "5", (byte) 6, 7L, '8', 9d));
    }

    static int deep(int n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    static String mixed(int a, long b, float c, double d, String e, byte f, long g, char h, double i) {
        return a + " " + b + " " + c + " " + d + " " + e + " " + f + " " + g + " " + h + " " + i;
    }
}
