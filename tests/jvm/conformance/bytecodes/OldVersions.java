package bytecodes;

import support.Gen;

/** Class files of every version from 45 to 61 run; 62 and 44 do not. */
public class OldVersions {
    public static void main(String[] args) {
        for (int v = 43; v <= 63; v++) {
            Gen g = new Gen(".class public gen/T\n.version " + v + "\n.method public static run ()I\nbipush " + v + "\nireturn\n.end");
            System.out.println(v + " " + g.call("gen.T", "run"));
        }
        for (int v : new int[] {45, 48, 49, 50, 51}) {
            Gen g = new Gen(".class public gen/T\n.version " + v + "\n.method public static run (I)I\niload_0\nifeq z\niconst_1\nireturn\nz:\niconst_2\nireturn\n.end");
            System.out.println("branch without map " + v + " " + g.call("gen.T", "run", 0));
        }
        for (int v : new int[] {49, 50, 51}) {
            Gen g = new Gen(".class public gen/T\n.version " + v + "\n.method public static run ()I\njsr s\niconst_1\nireturn\ns:\nastore_0\nret 0\n.end");
            System.out.println("jsr " + v + " " + g.call("gen.T", "run"));
        }
    }
}
