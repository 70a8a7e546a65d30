package bytecodes;

import support.Gen;

/** Every load and store: short forms, indexed, wide. */
public class Locals {
    static void roundTrip(String t, String push, String desc, int local) {
        String suffix = local < 4 ? "_" + local : " " + local;
        Gen.test(t + "store/" + t + "load " + local, "()" + desc,
            ".locals 40000\n" + push + "\n" + t + "store" + suffix + "\n" + t + "load" + suffix + "\n" + t + "return");
    }

    public static void main(String[] args) {
        for (int local : new int[] {0, 1, 2, 3, 4, 255, 256, 39000}) {
            roundTrip("i", "sipush " + (local % 1000 - 7), "I", local);
            roundTrip("l", "ldc2_w long:0x123456789abcdef", "J", local);
            roundTrip("f", "ldc float:-1.25", "F", local);
            roundTrip("d", "ldc2_w double:1e300", "D", local);
            roundTrip("a", "ldc string:\"s" + local + "\"", "Ljava/lang/Object;", local);
        }
        for (String t : "i l f d a".split(" ")) {
            String push = switch (t) {
                case "i" -> "iconst_5";
                case "l" -> "lconst_1";
                case "f" -> "fconst_2";
                case "d" -> "dconst_1";
                default -> "ldc string:\"w\"";
            };
            String desc = "IJFDLjava/lang/String;".split("(?<=\\G.)")["ilfda".indexOf(t)];
            desc = desc.equals("L") ? "Ljava/lang/String;" : desc;
            Gen.test("wide " + t, "()" + desc, push + "\nwide " + t + "store 2\nwide " + t + "load 2\n" + t + "return");
        }
        Gen.test("indexed low", "()I", "iconst_4\nistore 1\niload 1\nireturn");
        Gen.test("iinc", "(I)I", "iinc 0 1\niinc 0 -128\niinc 0 127\niload_0\nireturn", 10);
        Gen.test("iinc wide", "(I)I", "iinc 0 32767\niinc 0 -32768\nwide iinc 0 5\niload_0\nireturn", 10);
        Gen.test("iinc far", "()I", ".locals 400\niconst_1\nistore 300\niinc 300 9\niload 300\nireturn");
        Gen.test("iinc overflow", "(I)I", "iinc 0 1\niload_0\nireturn", Integer.MAX_VALUE);
        Gen.test("arguments", "(IJFDLjava/lang/String;B)J",
            "iload_0\ni2l\nlload_1\nladd\nfload_3\nf2l\nladd\ndload 4\nd2l\nladd\niload 7\ni2l\nladd\nlreturn", 1, 20L, 300f, 4000.0, "x", (byte) -1);
    }
}
