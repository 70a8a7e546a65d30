package verify;

import support.Gen;

/** Overflow, underflow, falling off the end, jumps into nowhere: all refused before anything runs. */
public class StackShape {
    static void test(String label, String desc, String code) {
        for (int version : new int[] {49, 61}) {
            Gen g = new Gen(".class public gen/T\n.version " + version + "\n.method public static run " + desc + "\n" + code + "\n.end");
            System.out.println(label + " " + version + ": " + g.link("gen.T"));
        }
    }

    public static void main(String[] args) {
        test("underflow", "()I", "ireturn");
        test("underflow add", "()I", "iconst_1\niadd\nireturn");
        test("overflow", "()V", ".stack 1\niconst_1\niconst_2\npop2\nreturn");
        test("overflow by long", "()V", ".stack 1\nlconst_1\npop2\nreturn");
        test("local too high", "()V", ".locals 1\niconst_1\nistore_1\nreturn");
        test("long at last local", "()V", ".locals 1\nlconst_1\nlstore_0\nreturn");
        test("arguments above locals", "(JJ)V", ".locals 3\nreturn");
        test("falls off", "()V", "iconst_1\npop");
        test("falls off after branch", "(I)V", "iload_0\nifeq x\nreturn\nx:\nnop");
        test("dead code", "()V", "return\nnop");
        test("dead code that ends", "()V", "return\nreturn");
        test("no code", "()V", ".stack 0");
        test("pop of half a long", "()V", "lconst_1\npop\npop\nreturn");
        test("dup of half a long", "()V", "lconst_1\ndup_x1\nreturn");
        test("swap with long", "()V", "iconst_1\nlconst_1\nswap\nreturn");
        test("pop2 of int and half", "()V", "lconst_1\niconst_1\npop2\npop\nreturn");
        test("good", "()V", "return");
    }
}
