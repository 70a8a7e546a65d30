package bytecodes;

import support.Gen;

/** invokespecial: super methods over several levels, private, and a class put in between after compilation. */
public class SuperCalls {
    static final String INIT = ".method public <init> ()V\naload_0\ninvokespecial %s.<init>()V\nreturn\n.end\n";

    public static void main(String[] args) {
        String a = ".class public super gen/A\n" + INIT.formatted("java/lang/Object") + ".method public m ()I\niconst_1\nireturn\n.end";
        String b = ".class public super gen/B\n.super gen/A\n" + INIT.formatted("gen/A") + ".method public m ()I\niconst_2\nireturn\n.end";
        String bEmpty = ".class public super gen/B\n.super gen/A\n" + INIT.formatted("gen/A");
        String c = ".class public super gen/C\n.super gen/B\n" + INIT.formatted("gen/B") + ".method public m ()I\naload_0\ninvokespecial gen/A.m()I\nireturn\n.end\n"
            + ".method public static run ()I\nnew gen/C\ndup\ninvokespecial gen/C.<init>()V\ninvokevirtual gen/A.m()I\nireturn\n.end";
        String old = c.replace("public super gen/C", "public gen/C");
        System.out.println("nearest super " + new Gen(a, b, c).call("gen.C", "run"));
        System.out.println("passed through " + new Gen(a, bEmpty, c).call("gen.C", "run"));
        System.out.println("without the flag " + new Gen(a, b, old).call("gen.C", "run"));
        String missing = a.replace("public m", "public n");
        System.out.println("gone " + new Gen(missing, bEmpty, c).call("gen.C", "run"));
        String abs = ".class public abstract super gen/A\n" + INIT.formatted("java/lang/Object") + ".method public abstract m ()I\n.end";
        System.out.println("abstract " + new Gen(abs, bEmpty, c).call("gen.C", "run"));
        String stat = a.replace("public m ()I", "public static m ()I");
        System.out.println("static now " + new Gen(stat, bEmpty, c).call("gen.C", "run"));
    }
}
