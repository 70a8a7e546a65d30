package bytecodes;

import support.Gen;

/** Field resolution through interfaces and supers, and constants of every type from ConstantValue. */
public class InterfaceFields {
    public static void main(String[] args) {
        String i = ".class public interface abstract gen/I\n.field public static final a I = int:7\n.field public static final l J = long:8\n.field public static final f F = float:1.5\n"
            + ".field public static final d D = double:2.5\n.field public static final s Ljava/lang/String; = string:\"str\"\n.field public static final c C = int:65\n.field public static final b B = int:300";
        String j = ".class public interface abstract gen/J\n.implements gen/I\n.field public static final a I = int:70";
        String b = ".class public gen/B\n.implements gen/I\n.field public static q I = int:5\n.field public static final r I = int:6";
        String c = ".class public gen/C\n.super gen/B\n.implements gen/J\n.field private static q I";
        String[][] reads = {{"gen/C.a:I", "I", "i"}, {"gen/B.a:I", "I", "i"}, {"gen/C.l:J", "J", "l"}, {"gen/C.f:F", "F", "f"}, {"gen/C.d:D", "D", "d"}, {"gen/C.s:Ljava/lang/String;", "Ljava/lang/String;", "a"},
            {"gen/C.c:C", "I", "i"}, {"gen/C.b:B", "I", "i"}, {"gen/B.q:I", "I", "i"}, {"gen/C.q:I", "I", "i"}, {"gen/C.r:I", "I", "i"}, {"gen/C.zz:I", "I", "i"}};
        for (String[] r : reads) {
            Gen g = new Gen(i, j, b, c, ".class public gen/T\n.method static run ()" + r[1] + "\ngetstatic " + r[0] + "\n" + r[2] + "return\n.end");
            System.out.println(r[0] + " " + g.call("gen.T", "run"));
        }
    }
}
