package bytecodes;

import support.Gen;

/** Where a final field may be written, by version of the class file. */
public class FinalFields {
    public static void main(String[] args) {
        for (int v : new int[] {49, 52, 53, 61}) {
            String t = ".class public gen/T\n.version " + v + "\n.field static final s I\n.field final i I\n.method public <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>()V\naload_0\niconst_5\nputfield gen/T.i:I\nreturn\n.end\n"
                + ".method set ()V\naload_0\niconst_1\nputfield gen/T.i:I\nreturn\n.end\n"
                + ".method static run ()I\niconst_1\nputstatic gen/T.s:I\ngetstatic gen/T.s:I\nireturn\n.end\n"
                + ".method static inst ()I\nnew gen/T\ndup\ninvokespecial gen/T.<init>()V\nastore_0\naload_0\ninvokevirtual gen/T.set()V\naload_0\ngetfield gen/T.i:I\nireturn\n.end";
            Gen g = new Gen(t);
            System.out.println(v + " " + g.call("gen.T", "run") + " " + g.call("gen.T", "inst"));
        }
    }
}
