package bytecodes;

import support.Gen;

/** Default, static and private interface methods called by each invocation, and conflicts of defaults. */
public class InvokeInterfaceCorners {
    static final String I = """
        .class public interface abstract gen/I
        .version 52
        .method public d ()I
        iconst_1
        ireturn
        .end
        .method public static s ()I
        iconst_2
        ireturn
        .end
        .method private p ()I
        iconst_3
        ireturn
        .end
        .method public viaPrivate ()I
        aload_0
        invokespecial interface gen/I.p()I
        ireturn
        .end
        """;
    static final String J = ".class public interface abstract gen/J\n.version 52\n.method public d ()I\nbipush 10\nireturn\n.end";
    static final String INIT = ".method public <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>()V\nreturn\n.end\n";

    static void test(String label, String classText, String code) {
        Gen g = new Gen(I, J, classText, ".class public gen/T\n.version 52\n.method static run ()I\n" + code + "\nireturn\n.end");
        System.out.println(label + ": " + g.call("gen.T", "run"));
    }

    public static void main(String[] args) {
        String a = ".class public gen/A\n.version 52\n.implements gen/I\n" + INIT;
        String make = "new gen/A\ndup\ninvokespecial gen/A.<init>()V\n";
        test("default by interface", a, make + "invokeinterface gen/I.d()I");
        test("default by class", a, make + "invokevirtual gen/A.d()I");
        test("static", a, "invokestatic interface gen/I.s()I");
        test("static by class ref", a, "invokestatic gen/I.s()I");
        test("private via default", a, make + "invokeinterface gen/I.viaPrivate()I");
        test("private from outside", a, make + "invokeinterface gen/I.p()I");
        String both = ".class public gen/A\n.version 52\n.implements gen/I\n.implements gen/J\n" + INIT;
        test("conflict by class", both, make + "invokevirtual gen/A.d()I");
        test("conflict by interface", both, make + "invokeinterface gen/J.d()I");
        String chosen = both + ".method public d ()I\naload_0\ninvokespecial interface gen/J.d()I\nireturn\n.end";
        test("conflict settled", chosen, make + "invokeinterface gen/I.d()I");
        test("special of indirect interface", a + ".method public q ()I\naload_0\ninvokespecial interface gen/J.d()I\nireturn\n.end", make + "invokevirtual gen/A.q()I");
        String narrow = ".class public gen/A\n.version 52\n.implements gen/I\n" + INIT + ".method private d ()I\nbipush 99\nireturn\n.end";
        test("private implementation", narrow, make + "invokeinterface gen/I.d()I");
        String prot = ".class public gen/A\n.version 52\n.implements gen/I\n" + INIT + ".method protected d ()I\nbipush 98\nireturn\n.end";
        test("protected implementation", prot, make + "invokeinterface gen/I.d()I");
        String stat = ".class public gen/A\n.version 52\n.implements gen/I\n" + INIT + ".method public static d ()I\nbipush 97\nireturn\n.end";
        test("static implementation", stat, make + "invokeinterface gen/I.d()I");
    }
}
