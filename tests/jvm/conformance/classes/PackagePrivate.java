package classes;

import support.Gen;

/** A package-private method is overridden only inside its package, whatever the loader. */
public class PackagePrivate {
    static final String INIT = ".method public <init> ()V\naload_0\ninvokespecial %s.<init>()V\nreturn\n.end\n";

    public static void main(String[] args) {
        String a = ".class public p/A\n" + INIT.formatted("java/lang/Object") + ".method m ()I\niconst_1\nireturn\n.end\n.method public static run (Lp/A;)I\naload_0\ninvokevirtual p/A.m()I\nireturn\n.end";
        String b = ".class public q/B\n.super p/A\n" + INIT.formatted("p/A") + ".method public m ()I\niconst_2\nireturn\n.end";
        String c = ".class public p/C\n.super q/B\n" + INIT.formatted("q/B") + ".method public m ()I\niconst_3\nireturn\n.end";
        String t = ".class public q/T\n.method public static run (I)I\niload_0\nifeq z\nnew p/C\ndup\ninvokespecial p/C.<init>()V\ngoto e\nz:\nnew q/B\ndup\ninvokespecial q/B.<init>()V\ne:\ninvokestatic p/A.run(Lp/A;)I\nireturn\n.end";
        String u = ".class public q/U\n.method public static run ()I\nnew p/C\ndup\ninvokespecial p/C.<init>()V\ninvokevirtual q/B.m()I\nireturn\n.end";
        Gen g = new Gen(a, b, c, t, u);
        System.out.println(g.call("q.T", "run", 0) + " " + g.call("q.T", "run", 1) + " " + g.call("q.U", "run"));
    }
}
