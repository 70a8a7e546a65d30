package bytecodes;

import support.Gen;

/** Stack maps that are right are accepted and wrong ones refused. */
public class StackMaps {
    static void test(String label, String desc, String code, Object... args) {
        Gen g = new Gen(".class public gen/T\n.version 61\n.method public static run " + desc + "\n" + code + "\n.end");
        System.out.println(label + ": " + g.call("gen.T", "run", args));
    }

    public static void main(String[] args) {
        String body = "iload_0\nifeq z\niconst_1\nireturn\nz:\n%s\niconst_2\nireturn";
        test("right", "(I)I", body.formatted(".frame int |"), 0);
        test("wrong local", "(I)I", body.formatted(".frame float |"), 0);
        test("less known", "(I)I", body.formatted(".frame |"), 0);
        test("stack where none", "(I)I", body.formatted(".frame int | int"), 0);
        test("missing", "(I)I", body.formatted("nop"), 0);
        test("merge on stack", "(I)I", "iload_0\nifeq z\niconst_1\ngoto end\nz:\n.frame int |\niconst_2\nend:\n.frame int | int\nireturn", 1);
        test("object merge", "(I)Ljava/lang/Object;", "iload_0\nifeq z\nldc string:\"a\"\ngoto end\nz:\n.frame int |\naconst_null\nend:\n.frame int | java/lang/Object\nareturn", 1);
        test("object too narrow", "(I)Ljava/lang/Object;", "iload_0\nifeq z\nldc string:\"a\"\ngoto end\nz:\n.frame int |\naconst_null\nend:\n.frame int | java/lang/Integer\nareturn", 1);
        test("loop", "(I)I", "iconst_0\nistore_1\ntop:\n.frame int int |\niload_1\niload_0\nif_icmpge end\niinc 1 1\ngoto top\nend:\n.frame int int |\niload_1\nireturn", 9);
        test("long takes two", "(J)J", "lload_0\nlconst_0\nlcmp\nifne z\nlconst_1\nlreturn\nz:\n.frame long |\nlload_0\nlreturn", 5L);
        test("uninitialised", "(I)Ljava/lang/Object;", "iload_0\nn:\nnew java/lang/Object\nswap\nifeq z\ndup\ninvokespecial java/lang/Object.<init>()V\nareturn\nz:\n.frame int | new@n\ndup\ninvokespecial java/lang/Object.<init>()V\npop\naconst_null\nareturn", 0);
        test("uninitialised elsewhere", "(I)Ljava/lang/Object;", "n:\niload_0\nnew java/lang/Object\nswap\nifeq z\ndup\ninvokespecial java/lang/Object.<init>()V\nareturn\nz:\n.frame int | new@n\ndup\ninvokespecial java/lang/Object.<init>()V\npop\naconst_null\nareturn", 0);
        test("handler", "(I)I", ".catch java/lang/ArithmeticException a b h\na:\niconst_1\niload_0\nidiv\nireturn\nb:\nh:\n.frame int | java/lang/ArithmeticException\npop\nbipush 9\nireturn", 0);
        test("handler of not a throwable", "(I)I", ".catch java/lang/String a b h\na:\niconst_1\niload_0\nidiv\nireturn\nb:\nh:\n.frame int | java/lang/String\npop\nbipush 9\nireturn", 0);
    }
}
