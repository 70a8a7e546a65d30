package strings;

import support.Gen;

/** StringBuilder concatenation as old compilers wrote it. */
public class ConcatOld {
    public static void main(String[] args) {
        String sb = "java/lang/StringBuilder";
        String app = "invokevirtual " + sb + ".append(%s)L" + sb + ";\n";
        Gen.test("old", "(IJD)Ljava/lang/String;", "new " + sb + "\ndup\ninvokespecial " + sb + ".<init>()V\nldc string:\"i=\"\n" + app.formatted("Ljava/lang/String;")
            + "iload_0\n" + app.formatted("I") + "lload_1\n" + app.formatted("J") + "dload_3\n" + app.formatted("D") + "aconst_null\ncheckcast java/lang/Object\n" + app.formatted("Ljava/lang/Object;")
            + "invokevirtual " + sb + ".toString()Ljava/lang/String;\nareturn", 1, 2L, 3.5);
        StringBuffer b = new StringBuffer();
        b.append(true).append('c').append(1f).insert(0, "x").reverse().setLength(3);
        System.out.println(b);
    }
}
