package bytecodes;

import support.Gen;

/** Classes that changed under their users: AbstractMethodError, IncompatibleClassChangeError, IllegalAccessError, NoSuchFieldError. */
public class AbstractErrors {
    static final String INIT = ".method public <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>()V\nreturn\n.end\n";

    static void test(String label, String other, String code) {
        Gen g = new Gen(other, ".class public gen/T\n.method static run ()I\n" + code + "\nireturn\n.end");
        System.out.println(label + ": " + g.call("gen.T", "run") + " " + g.call("gen.T", "run"));
    }

    public static void main(String[] args) {
        String make = "new p/O\ndup\ninvokespecial p/O.<init>()V\n";
        test("interface became class", ".class public p/O\n" + INIT, make + "invokeinterface p/O.m()I");
        test("class became interface", ".class public interface abstract p/O", "aconst_null\ncheckcast p/O\ninvokevirtual p/O.m()I");
        test("new of interface", ".class public interface abstract p/O", "new p/O\npop\niconst_0");
        test("new of abstract", ".class public abstract p/O\n" + INIT, make + "pop\niconst_0");
        test("class not public", ".class p/O\n" + INIT, make + "pop\niconst_0");
        test("constructor private", ".class public p/O\n" + INIT.replace("public <init>", "private <init>"), make + "pop\niconst_0");
        test("constructor package", ".class public p/O\n" + INIT.replace("public <init>", "<init>"), make + "pop\niconst_0");
        test("constructor gone", ".class public p/O", make + "pop\niconst_0");
        test("method private", ".class public p/O\n" + INIT + ".method private m ()I\niconst_1\nireturn\n.end", make + "invokevirtual p/O.m()I");
        test("method protected", ".class public p/O\n" + INIT + ".method protected m ()I\niconst_1\nireturn\n.end", make + "invokevirtual p/O.m()I");
        test("field package", ".class public p/O\n.field static f I", "getstatic p/O.f:I");
        test("field protected", ".class public p/O\n.field protected static f I", "getstatic p/O.f:I");
        test("native without library", ".class public p/O\n.method public static native m ()I\n.end", "invokestatic p/O.m()I");
        test("array of package class", ".class p/O", "iconst_1\nanewarray p/O\narraylength");
        test("instanceof package class", ".class p/O", "aconst_null\ninstanceof p/O");
        test("class literal of package class", ".class p/O", "ldc class:p/O\npop\niconst_0");
    }
}
