package bytecodes;

import support.Gen;

/** A method of nearly 64 KB, one with 65535 locals, one with a deep stack, a switch with thousands of arms. */
public class HugeMethods {
    public static void main(String[] args) {
        StringBuilder sb = new StringBuilder("iconst_0\nistore_0\n");
        for (int i = 0; i < 21000; i++) {
            sb.append("iinc 0 ").append(i % 100 - 50).append('\n');
        }
        Gen.test("long method", "()I", sb + "iload_0\nireturn");
        Gen.test("last local", "()I", ".locals 65535\nbipush 44\nistore 65534\niload 65534\nireturn");
        sb = new StringBuilder(".stack 6000\n");
        for (int i = 0; i < 6000; i++) {
            sb.append("iconst_1\n");
        }
        for (int i = 1; i < 6000; i++) {
            sb.append("iadd\n");
        }
        Gen.test("deep stack", "()I", sb + "ireturn");
        sb = new StringBuilder("iload_0\ntableswitch 0");
        StringBuilder arms = new StringBuilder();
        StringBuilder keys = new StringBuilder("iload_0\nlookupswitch");
        for (int i = 0; i < 3000; i++) {
            sb.append(" l").append(i);
            keys.append(' ').append(i * 7).append("=l").append(i);
            arms.append("l").append(i).append(":\nsipush ").append(i).append("\nireturn\n");
        }
        for (int v : new int[] {-1, 0, 1500, 2999, 3000, 20993}) {
            Gen.test("table " + v, "(I)I", sb + " default d\n" + arms + "d:\niconst_m1\nireturn", v);
            Gen.test("lookup " + v, "(I)I", keys + " default d\n" + arms + "d:\niconst_m1\nireturn", v);
        }
    }
}
