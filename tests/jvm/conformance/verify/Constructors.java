package verify;

import support.Gen;

/** What a constructor may do before and after it called the one above. */
public class Constructors {
    static void test(String label, String code) {
        for (int version : new int[] {49, 61}) {
            Gen g = new Gen(".class public gen/T\n.version " + version + "\n.field f I\n.method public <init> ()V\n" + code + "\n.end");
            System.out.println(label + " " + version + ": " + g.link("gen.T"));
        }
    }

    public static void main(String[] args) {
        String up = "aload_0\ninvokespecial java/lang/Object.<init>()V\n";
        test("good", up + "return");
        test("no call", "return");
        test("twice", up + up + "return");
        test("field before", "aload_0\niconst_1\nputfield gen/T.f:I\n" + up + "return");
        test("field read before", "aload_0\ngetfield gen/T.f:I\npop\n" + up + "return");
        test("method before", "aload_0\ninvokevirtual java/lang/Object.hashCode()I\npop\n" + up + "return");
        test("this escapes", "aload_0\nastore_1\n" + up + "aload_1\ninvokevirtual java/lang/Object.hashCode()I\npop\nreturn");
        test("grand parent", "aload_0\ninvokespecial java/lang/String.<init>()V\nreturn");
        test("throws before", "aconst_null\nathrow");
        test("itself", "aload_0\ninvokespecial gen/T.<init>()V\nreturn");
        test("as value", "aload_0\nareturn");
    }
}
