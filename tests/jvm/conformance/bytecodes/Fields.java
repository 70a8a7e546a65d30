package bytecodes;

import support.Gen;

/** get and put of static and instance fields of every type, and every way they end. */
public class Fields {
    public static void main(String[] args) {
        String[][] kinds = {{"Z", "i", "iconst_1"}, {"B", "i", "sipush 300"}, {"C", "i", "iconst_m1"}, {"S", "i", "ldc int:70000"}, {"I", "i", "ldc int:-2147483648"},
            {"J", "l", "ldc2_w long:0x7fffffffffffffff"}, {"F", "f", "fconst_2"}, {"D", "d", "dconst_1"}, {"Ljava/lang/String;", "a", "ldc string:\"v\""}};
        for (String[] k : kinds) {
            String text = ".class public gen/T\n.field static s " + k[0] + "\n.field i " + k[0] + "\n.field volatile v " + k[0]
                + "\n.method public <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>()V\nreturn\n.end"
                + "\n.method static stat ()" + k[0] + "\n" + k[2] + "\nputstatic gen/T.s:" + k[0] + "\ngetstatic gen/T.s:" + k[0] + "\n" + k[1] + "return\n.end"
                + "\n.method static inst ()" + k[0] + "\nnew gen/T\ndup\ninvokespecial gen/T.<init>()V\ndup\n" + k[2] + "\nputfield gen/T.i:" + k[0] + "\ngetfield gen/T.i:" + k[0] + "\n" + k[1] + "return\n.end"
                + "\n.method static zero ()" + k[0] + "\nnew gen/T\ndup\ninvokespecial gen/T.<init>()V\ngetfield gen/T.v:" + k[0] + "\n" + k[1] + "return\n.end"
                + "\n.method static getnull ()" + k[0] + "\naconst_null\ncheckcast gen/T\ngetfield gen/T.i:" + k[0] + "\n" + k[1] + "return\n.end"
                + "\n.method static putnull ()V\naconst_null\ncheckcast gen/T\n" + k[2] + "\nputfield gen/T.i:" + k[0] + "\nreturn\n.end";
            Gen g = new Gen(text);
            for (String m : "stat inst zero getnull putnull".split(" ")) {
                System.out.println(k[0] + " " + m + ": " + g.call("gen.T", m));
            }
        }
        Gen.test("no such static", "()I", "getstatic java/lang/Integer.NOPE:I\nireturn");
        Gen.test("wrong type", "()J", "getstatic java/lang/Integer.MAX_VALUE:J\nlreturn");
        Gen.test("no such class", "()I", "getstatic no/Such.f:I\nireturn");
        Gen.test("private", "()I", "getstatic java/lang/Integer.serialVersionUID:J\nl2i\nireturn");
        Gen.test("put final", "()V", "iconst_1\nputstatic java/lang/Integer.MAX_VALUE:I\nreturn");
        Gen.test("static get of instance", "()I", "getstatic java/awt/Point.x:I\nireturn");
        Gen.test("inherited constant", "()I", "getstatic java/util/jar/JarFile.LOCSIG:J\nl2i\nireturn");
    }
}
