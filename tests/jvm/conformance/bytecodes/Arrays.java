package bytecodes;

import support.Gen;

/** Creating, reading and writing arrays of every element type, narrowing on store, and every way it ends. */
public class Arrays {
    public static void main(String[] args) {
        String[][] kinds = {{"boolean", "b", "i", "I", "iconst_1"}, {"byte", "b", "i", "I", "sipush 200"}, {"char", "c", "i", "I", "iconst_m1"},
            {"short", "s", "i", "I", "ldc int:40000"}, {"int", "i", "i", "I", "ldc int:0x7fffffff"}, {"long", "l", "l", "J", "ldc2_w long:-5"},
            {"float", "f", "f", "F", "fconst_2"}, {"double", "d", "d", "D", "dconst_1"}};
        for (String[] k : kinds) {
            String desc = "[" + "ZCFDBSIJ".charAt(java.util.List.of("boolean", "char", "float", "double", "byte", "short", "int", "long").indexOf(k[0]));
            String load = k[1] + "aload\n" + k[2] + "return";
            String store = k[4] + "\n" + k[1] + "astore\n";
            Gen.test(k[0], "()" + k[3], "iconst_3\nnewarray " + k[0] + "\ndup\niconst_2\n" + store + "iconst_2\n" + load);
            Gen.test(k[0] + " zero", "()" + k[3], "iconst_3\nnewarray " + k[0] + "\niconst_1\n" + load);
            Gen.test(k[0] + " load high", "()" + k[3], "iconst_3\nnewarray " + k[0] + "\niconst_3\n" + load);
            Gen.test(k[0] + " load low", "()" + k[3], "iconst_3\nnewarray " + k[0] + "\niconst_m1\n" + load);
            Gen.test(k[0] + " load null", "()" + k[3], "aconst_null\ncheckcast " + desc + "\niconst_0\n" + load);
            Gen.test(k[0] + " store high", "()V", "iconst_0\nnewarray " + k[0] + "\niconst_0\n" + store + "return");
            Gen.test(k[0] + " store low", "()V", "iconst_3\nnewarray " + k[0] + "\nldc int:-2147483648\n" + store + "return");
            Gen.test(k[0] + " store null", "()V", "aconst_null\ncheckcast " + desc + "\niconst_0\n" + store + "return");
            Gen.test(k[0] + " negative", "()V", "iconst_m1\nnewarray " + k[0] + "\npop\nreturn");
            Gen.test(k[0] + " length", "()I", "sipush 1000\nnewarray " + k[0] + "\narraylength\nireturn");
        }
        Gen.test("length of null", "()I", "aconst_null\ncheckcast [I\narraylength\nireturn");
        Gen.test("anewarray", "()Ljava/lang/Class;", "iconst_2\nanewarray java/lang/String\ninvokevirtual java/lang/Object.getClass()Ljava/lang/Class;\nareturn");
        Gen.test("anewarray of array", "()Ljava/lang/Class;", "iconst_2\nanewarray [I\ninvokevirtual java/lang/Object.getClass()Ljava/lang/Class;\nareturn");
        Gen.test("anewarray negative", "()V", "bipush -9\nanewarray java/lang/String\npop\nreturn");
        Gen.test("anewarray missing", "()V", "iconst_1\nanewarray no/Such\npop\nreturn");
        Gen.test("aaload", "()Ljava/lang/String;", "iconst_1\nanewarray java/lang/String\ndup\niconst_0\nldc string:\"e\"\naastore\niconst_0\naaload\nareturn");
        Gen.test("aaload null", "()Ljava/lang/Object;", "aconst_null\ncheckcast [Ljava/lang/Object;\niconst_0\naaload\nareturn");
        Gen.test("aaload bounds", "()Ljava/lang/Object;", "iconst_1\nanewarray java/lang/Object\nbipush 7\naaload\nareturn");
        Gen.test("aastore null", "()V", "aconst_null\ncheckcast [Ljava/lang/Object;\niconst_0\naconst_null\naastore\nreturn");
        Gen.test("aastore bounds", "()V", "iconst_1\nanewarray java/lang/Object\niconst_1\naconst_null\naastore\nreturn");
        Gen.test("aastore type", "()V", "iconst_1\nanewarray java/lang/Integer\ncheckcast [Ljava/lang/Object;\niconst_0\nldc string:\"no\"\naastore\nreturn");
        Gen.test("aastore null element", "()V", "iconst_1\nanewarray java/lang/Integer\niconst_0\naconst_null\naastore\nreturn");
        Gen.test("aastore bounds before type", "()V", "iconst_1\nanewarray java/lang/Integer\ncheckcast [Ljava/lang/Object;\niconst_5\nldc string:\"no\"\naastore\nreturn");
        Gen.test("aastore array in Object[]", "()V", "iconst_1\nanewarray java/lang/Object\niconst_0\niconst_1\nnewarray int\naastore\nreturn");
        Gen.test("aastore int[] in long[][]", "()V", "iconst_1\nanewarray [J\ncheckcast [Ljava/lang/Object;\niconst_0\niconst_1\nnewarray int\naastore\nreturn");
        Gen.test("aastore int[] in Cloneable[]", "()V", "iconst_1\nanewarray java/lang/Cloneable\niconst_0\niconst_1\nnewarray int\naastore\nreturn");
    }
}
