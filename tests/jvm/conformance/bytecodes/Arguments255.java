package bytecodes;

import support.Gen;

/** Methods with as many arguments as there can be, of one and of two words. */
public class Arguments255 {
    public static void main(String[] args) {
        StringBuilder push = new StringBuilder();
        StringBuilder sum = new StringBuilder("iconst_0\n");
        for (int i = 0; i < 255; i++) {
            push.append("sipush ").append(i).append('\n');
            sum.append("iload ").append(i).append("\niadd\n");
        }
        String many = "I".repeat(255);
        Gen g = new Gen(".class public gen/T\n.method static m (" + many + ")I\n.locals 300\n" + sum + "ireturn\n.end\n.method static run ()I\n.stack 300\n" + push + "invokestatic gen/T.m(" + many + ")I\nireturn\n.end");
        System.out.println(g.call("gen.T", "run"));
        push.setLength(0);
        sum.setLength(0);
        sum.append("lconst_0\n");
        for (int i = 0; i < 127; i++) {
            push.append("ldc2_w long:").append(i * 1000000007L).append('\n');
            sum.append("lload ").append(2 * i).append("\nladd\n");
        }
        many = "J".repeat(127);
        g = new Gen(".class public gen/T\n.method static m (" + many + ")J\n.locals 300\n" + sum + "lreturn\n.end\n.method static run ()J\n.stack 300\n" + push + "invokestatic gen/T.m(" + many + ")J\nlreturn\n.end");
        System.out.println(g.call("gen.T", "run"));
    }
}
