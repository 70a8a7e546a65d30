package verify;

import support.Gen;

/** Supers and flags that do not fit together: the right error for each. */
public class ClassShapes {
    static void test(String label, String... texts) {
        Gen g = new Gen(texts);
        System.out.println(label + ": " + g.link("gen.T") + " " + g.link("gen.T"));
    }

    public static void main(String[] args) {
        test("plain", ".class public gen/T");
        test("final super", ".class public gen/T\n.super java/lang/String");
        test("interface as super", ".class public gen/T\n.super java/lang/Runnable");
        test("class as interface", ".class public gen/T\n.implements java/lang/Object");
        test("missing super", ".class public gen/T\n.super no/Such");
        test("missing interface", ".class public gen/T\n.implements no/Such");
        test("itself as super", ".class public gen/T\n.super gen/T");
        test("circle", ".class public gen/T\n.super gen/U", ".class public gen/U\n.super gen/T");
        test("interface circle", ".class public interface abstract gen/T\n.implements gen/U", ".class public interface abstract gen/U\n.implements gen/T");
        test("interface twice", ".class public gen/T\n.implements java/lang/Runnable\n.implements java/lang/Runnable");
        test("no super", ".class public gen/T\n.super none");
        test("final abstract", ".class public final abstract gen/T");
        test("interface not abstract", ".class public interface gen/T");
        test("interface final", ".class public interface abstract final gen/T");
        test("annotation not interface", ".class public annotation gen/T");
        test("interface with super", ".class public interface abstract gen/T\n.super java/util/ArrayList");
        test("wrong name", ".class public gen/T\n.super gen/U", ".class public gen/U");
        test("final method overridden", ".class public gen/T\n.super gen/U\n.method public m ()V\nreturn\n.end", ".class public gen/U\n.method public final m ()V\nreturn\n.end");
        test("final private is free", ".class public gen/T\n.super gen/U\n.method public m ()V\nreturn\n.end", ".class public gen/U\n.method private final m ()V\nreturn\n.end");
        test("private super in other package", ".class public gen/T\n.super java/lang/CharacterData");
    }
}
