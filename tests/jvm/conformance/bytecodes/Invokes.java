package bytecodes;

import support.Gen;

/** The four old invocations: dispatch, null receivers, and resolution that fails. */
public class Invokes {
    static final String INIT = ".method public <init> ()V\naload_0\ninvokespecial %s.<init>()V\nreturn\n.end\n";
    static final String I = ".class public interface abstract gen/I\n.method public abstract m ()I\n.end\n.method public abstract n ()I\n.end";
    static final String A = ".class public gen/A\n.implements gen/I\n" + INIT.formatted("java/lang/Object")
        + ".method public m ()I\niconst_1\nireturn\n.end\n.method static s ()I\niconst_4\nireturn\n.end\n.method private p ()I\niconst_5\nireturn\n.end";
    static final String B = ".class public gen/B\n.super gen/A\n" + INIT.formatted("gen/A") + ".method public m ()I\niconst_2\nireturn\n.end\n"
        + ".method public up ()I\naload_0\ninvokespecial gen/A.m()I\nireturn\n.end";

    static void test(String label, String code) {
        Gen g = new Gen(I, A, B, ".class public gen/T\n.method static run ()I\n" + code + "\nireturn\n.end");
        System.out.println(label + ": " + g.call("gen.T", "run") + ", again " + g.call("gen.T", "run"));
    }

    public static void main(String[] args) {
        String b = "new gen/B\ndup\ninvokespecial gen/B.<init>()V\n";
        test("virtual", b + "invokevirtual gen/A.m()I");
        test("interface", b + "invokeinterface gen/I.m()I");
        test("special", b + "invokevirtual gen/B.up()I");
        test("static", "invokestatic gen/A.s()I");
        test("static by subclass", "invokestatic gen/B.s()I");
        test("abstract", b + "invokeinterface gen/I.n()I");
        test("virtual null", "aconst_null\ncheckcast gen/A\ninvokevirtual gen/A.m()I");
        test("interface null", "aconst_null\ncheckcast gen/I\ninvokeinterface gen/I.m()I");
        test("interface of a class", "ldc string:\"x\"\ninvokeinterface gen/I.m()I");
        test("virtual missing", b + "invokevirtual gen/A.zz()I");
        test("virtual of static", b + "invokevirtual gen/A.s()I");
        test("static of virtual", "invokestatic gen/A.m()I");
        test("static missing", "invokestatic gen/A.zz()I");
        test("static missing class", "invokestatic no/Such.zz()I");
        test("private of other", b + "invokevirtual gen/A.p()I");
        test("interface method by class ref", b + "invokevirtual gen/I.m()I");
        test("class method by interface ref", b + "invokeinterface gen/A.m()I");
        test("object method of interface", b + "aconst_null\ninvokeinterface gen/I.equals(Ljava/lang/Object;)Z\npop\niconst_0");
        test("array clone", "iconst_3\nnewarray int\ninvokevirtual [I.clone()Ljava/lang/Object;\ncheckcast [I\narraylength");
        test("other descriptor", "invokestatic gen/A.s()J\nl2i");
    }
}
