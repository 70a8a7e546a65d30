package verify;

import support.Gen;

/** Fields and methods with flags, names, descriptors or attributes that are not allowed. */
public class Members {
    static void test(String label, String... lines) {
        Gen g = new Gen(".class public gen/T\n.version 52\n" + String.join("\n", lines));
        System.out.println(label + ": " + g.link("gen.T"));
    }

    public static void main(String[] args) {
        test("two fields", ".field x I", ".field x I");
        test("same name other type", ".field x I", ".field x J");
        test("two methods", ".method m ()V\nreturn\n.end", ".method m ()V\nreturn\n.end");
        test("public private", ".field public private x I");
        test("final volatile", ".field final volatile x I");
        test("abstract final", ".method public abstract final m ()V\n.end");
        test("abstract with code", ".method public abstract m ()V\nreturn\n.end");
        test("no code", ".method public m ()V\n.end");
        test("native with code", ".method public native m ()V\nreturn\n.end");
        test("bad field descriptor", ".field x Q");
        test("void field", ".field x V");
        test("half class descriptor", ".field x Ljava/lang/String");
        test("array of void", ".field x [V");
        test("bad method descriptor", ".method m (I\nreturn\n.end");
        test("void argument", ".method static m (V)V\nreturn\n.end");
        test("dot in name", ".field a.b I");
        test("slash in name", ".field a/b I");
        test("odd but allowed name", ".field a-b+c I");
        test("angle method name", ".method <x> ()V\nreturn\n.end");
        test("<init> with result", ".method public <init> ()I\niconst_1\nireturn\n.end");
        test("static <init>", ".method public static <init> ()V\nreturn\n.end");
        test("<clinit> with argument", ".method static <clinit> (I)V\nreturn\n.end");
        test("256 arguments", ".method static m (" + "I".repeat(256) + ")V\n.locals 300\nreturn\n.end");
        test("255 arguments", ".method static m (" + "I".repeat(255) + ")V\n.locals 300\nreturn\n.end");
        test("128 longs", ".method static m (" + "J".repeat(128) + ")V\n.locals 300\nreturn\n.end");
        test("constant of wrong type", ".field static final x I = string:\"s\"");
        test("constant on instance field", ".field final x I = int:5");
        test("constant boolean", ".field static final x Z = int:5");
        test("nest host twice", ".attr NestHost class:gen/T", ".attr NestHost class:gen/T");
        test("short attribute", ".attr SourceFile u1:1");
        test("unknown attribute", ".attr Whatever u4:12345678");
    }
}
