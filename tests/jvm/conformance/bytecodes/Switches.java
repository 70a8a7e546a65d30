package bytecodes;

import support.Gen;

/** tableswitch and lookupswitch at each alignment, with keys at the ends of int. */
public class Switches {
    public static void main(String[] args) {
        String arms = "\na:\niconst_1\nireturn\nb:\niconst_2\nireturn\nc:\niconst_3\nireturn\nd:\niconst_m1\nireturn";
        for (int pad = 0; pad < 4; pad++) {
            String nops = "nop\n".repeat(pad);
            for (int v = -2; v <= 3; v++) {
                Gen.test("table pad " + pad + " " + v, "(I)I", nops + "iload_0\ntableswitch -1 a b c default d" + arms, v);
                Gen.test("lookup pad " + pad + " " + v, "(I)I", nops + "iload_0\nlookupswitch -1=a 0=b 2=c default d" + arms, v);
            }
        }
        int[] ends = {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -1, 0, Integer.MAX_VALUE - 1, Integer.MAX_VALUE};
        for (int v : ends) {
            Gen.test("lookup " + v, "(I)I", "iload_0\nlookupswitch -2147483648=a 0=b 2147483647=c default d" + arms, v);
            Gen.test("table high " + v, "(I)I", "iload_0\ntableswitch 2147483645 a b c default d" + arms, v);
            Gen.test("table low " + v, "(I)I", "iload_0\ntableswitch -2147483648 a b c default d" + arms, v);
            Gen.test("lookup none " + v, "(I)I", "iload_0\nlookupswitch default d" + arms, v);
        }
        Gen.test("backward", "(I)I", "goto start\na:\niconst_1\nireturn\nd:\niconst_2\nireturn\nstart:\niload_0\ntableswitch 5 a default d", 5);
        for (String s : new String[] {"a", "Aa", "BB", "C#", "zz", ""}) {
            System.out.println(s + " " + string(s));
        }
    }

    /** Aa and BB have the same hash code. */
    static int string(String s) {
        switch (s) {
            case "Aa": return 1;
            case "BB": return 2;
            case "C#": return 3;
            case "": return 4;
            default: return 0;
        }
    }
}
