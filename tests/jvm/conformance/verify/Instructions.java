package verify;

import support.Gen;

/** Instructions that are not well formed: refused when the class is made or linked. */
public class Instructions {
    static void test(String label, String desc, String code) {
        for (int version : new int[] {49, 61}) {
            Gen g = new Gen(".class public gen/T\n.version " + version + "\n.method public static run " + desc + "\n" + code + "\n.end");
            System.out.println(label + " " + version + ": " + g.link("gen.T"));
        }
    }

    public static void main(String[] args) {
        test("multianewarray 0", "()V", "multianewarray [[I 0\npop\nreturn");
        test("multianewarray too many", "()V", "iconst_1\niconst_1\niconst_1\nmultianewarray [[I 3\npop\nreturn");
        test("newarray of type 3", "()V", "iconst_1\nnewarray 3\npop\nreturn");
        test("newarray of type 12", "()V", "iconst_1\nnewarray 12\npop\nreturn");
        test("new of array", "()V", "new [I\npop\nreturn");
        test("lookupswitch not sorted", "()V", "iconst_1\nlookupswitch 5=a 3=a default a\na:\nreturn");
        test("lookupswitch twice", "()V", "iconst_1\nlookupswitch 5=a 5=a default a\na:\nreturn");
        test("ldc of long", "()V", "ldc long:1\npop2\nreturn");
        test("ldc2_w of int", "()V", "ldc2_w int:1\npop2\nreturn");
        test("call of <clinit>", "()V", "invokestatic java/lang/Math.<clinit>()V\nreturn");
        test("static <init>", "()V", "invokestatic java/lang/Object.<init>()V\nreturn");
        test("invokestatic of field", "()V", "getstatic gen/T.run:()V\nreturn");
        test("handler range empty", "()V", ".catch any a a h\na:\nreturn\nh:\npop\nreturn");
        test("handler range backward", "()V", ".catch any b a h\na:\nnop\nb:\nreturn\nh:\npop\nreturn");
        test("array of 256 dimensions", "()V", "iconst_1\nanewarray " + "[".repeat(255) + "I\npop\nreturn");
        test("return in middle", "(I)V", "iload_0\nifeq x\nreturn\nx:\nreturn");
    }
}
