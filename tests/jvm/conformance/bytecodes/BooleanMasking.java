package bytecodes;

import support.Gen;

/** A boolean is one bit wherever it is stored. */
public class BooleanMasking {
    public static void main(String[] args) {
        for (int v : new int[] {0, 1, 2, 3, -1, 256}) {
            Gen.test("array " + v, "(I)I", "iconst_1\nnewarray boolean\nastore_1\naload_1\niconst_0\niload_0\nbastore\naload_1\niconst_0\nbaload\nireturn", v);
            Gen g = new Gen(".class public gen/T\n.field static z Z\n.method static run (I)I\niload_0\nputstatic gen/T.z:Z\ngetstatic gen/T.z:Z\nireturn\n.end\n.method static ret (I)Z\niload_0\nireturn\n.end\n"
                + ".method static call (I)I\niload_0\ninvokestatic gen/T.ret(I)Z\nireturn\n.end");
            System.out.println(v + " " + g.call("gen.T", "run", v) + " " + g.call("gen.T", "call", v));
        }
    }
}
