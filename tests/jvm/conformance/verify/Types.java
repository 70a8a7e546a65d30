package verify;

import support.Gen;

/** Operands of the wrong type, uninitialised objects, bad returns: refused. */
public class Types {
    static void test(String label, String desc, String code) {
        for (int version : new int[] {49, 61}) {
            Gen g = new Gen(".class public gen/T\n.version " + version + "\n.method public static run " + desc + "\n" + code + "\n.end");
            System.out.println(label + " " + version + ": " + g.link("gen.T"));
        }
    }

    public static void main(String[] args) {
        test("iadd of float", "()I", "fconst_1\niconst_1\niadd\nireturn");
        test("iadd of reference", "()I", "aconst_null\niconst_1\niadd\nireturn");
        test("ladd of ints", "()J", "iconst_1\niconst_1\niconst_1\niconst_1\nladd\nlreturn");
        test("return of wrong kind", "()I", "fconst_1\nfreturn");
        test("void returns int", "()V", "iconst_1\nireturn");
        test("int returns void", "()I", "return");
        test("areturn of int", "()Ljava/lang/Object;", "iconst_1\nareturn");
        test("areturn of wrong class", "()Ljava/lang/String;", "new java/lang/Object\ndup\ninvokespecial java/lang/Object.<init>()V\nareturn");
        test("areturn of interface", "(Ljava/lang/Object;)Ljava/lang/Runnable;", "aload_0\nareturn");
        test("unset local", "()I", "iload_0\nireturn");
        test("int as address", "()V", "iconst_1\nathrow");
        test("athrow of not throwable", "()V", "ldc string:\"x\"\nathrow");
        test("uninitialised used", "()V", "new java/lang/Object\ninvokevirtual java/lang/Object.hashCode()I\npop\nreturn");
        test("uninitialised stored", "()V", "iconst_1\nanewarray java/lang/Object\niconst_0\nnew java/lang/Object\naastore\nreturn");
        test("initialised twice", "()V", "new java/lang/Object\ndup\ninvokespecial java/lang/Object.<init>()V\ninvokespecial java/lang/Object.<init>()V\nreturn");
        test("init by virtual", "()V", "new java/lang/Object\ninvokevirtual java/lang/Object.<init>()V\nreturn");
        test("iaload of long[]", "()I", "iconst_1\nnewarray long\niconst_0\niaload\nireturn");
        test("baload of boolean[]", "()I", "iconst_1\nnewarray boolean\niconst_0\nbaload\nireturn");
        test("saload of char[]", "()I", "iconst_1\nnewarray char\niconst_0\nsaload\nireturn");
        test("aaload of int[]", "()Ljava/lang/Object;", "iconst_1\nnewarray int\niconst_0\naaload\nareturn");
        test("arraylength of object", "()I", "ldc string:\"x\"\narraylength\nireturn");
        test("arraylength of null", "()I", "aconst_null\narraylength\nireturn");
        test("float argument", "()I", "fconst_1\ninvokestatic java/lang/Math.abs(I)I\nireturn");
        test("receiver of wrong class", "()I", "new java/lang/Object\ndup\ninvokespecial java/lang/Object.<init>()V\ninvokevirtual java/lang/String.length()I\nireturn");
        test("interface receiver", "(Ljava/lang/Object;)I", "aload_0\ninvokeinterface java/util/List.size()I\nireturn");
        test("monitor of int", "()V", "iconst_1\nmonitorenter\nreturn");
        test("ifnull of int", "()V", "iconst_1\nifnull x\nx:\nreturn");
        test("putstatic of wrong type", "()V", "fconst_1\nputstatic gen/T.x:I\nreturn");
        test("switch on long", "()V", "lconst_1\ntableswitch 0 a default a\na:\nreturn");
    }
}
