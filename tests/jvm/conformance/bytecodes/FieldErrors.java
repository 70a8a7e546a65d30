package bytecodes;

import support.Gen;

/** Resolution of a field that is of the other kind, final, private or away: each its own error, every time. */
public class FieldErrors {
    static final String OTHER = """
        .class public gen/O
        .field public static s I
        .field public i I
        .field private static p I
        .field public static final f I
        .field public final g I
        .method public <init> ()V
        aload_0
        invokespecial java/lang/Object.<init>()V
        return
        .end
        """;

    static void test(String label, String code) {
        Gen g = new Gen(OTHER, ".class public gen/T\n.method static run ()V\n" + code + "\nreturn\n.end");
        System.out.println(label + ": " + g.call("gen.T", "run") + ", again " + g.call("gen.T", "run"));
    }

    public static void main(String[] args) {
        String make = "new gen/O\ndup\ninvokespecial gen/O.<init>()V\n";
        test("getstatic of instance", "getstatic gen/O.i:I\npop");
        test("putstatic of instance", "iconst_1\nputstatic gen/O.i:I");
        test("getfield of static", make + "getfield gen/O.s:I\npop");
        test("putfield of static", make + "iconst_1\nputfield gen/O.s:I");
        test("private", "getstatic gen/O.p:I\npop");
        test("missing", "getstatic gen/O.z:I\npop");
        test("other type", "getstatic gen/O.s:J\npop2");
        test("put static final", "iconst_1\nputstatic gen/O.f:I");
        test("put final", make + "iconst_1\nputfield gen/O.g:I");
        test("get final", make + "getfield gen/O.g:I\npop");
    }
}
