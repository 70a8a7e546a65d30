package bytecodes;

import support.Gen;

/** new, checkcast and instanceof over classes, interfaces and arrays, and every way they end. */
public class NewAndCasts {
    static final String O = "Ljava/lang/Object;";

    public static void main(String[] args) {
        Gen.test("new abstract", "()V", "new java/lang/Number\npop\nreturn");
        Gen.test("new interface", "()V", "new java/util/List\npop\nreturn");
        Gen.test("new missing", "()V", "new no/Such\npop\nreturn");
        Gen.test("new not public", "()V", "new java/lang/CharacterData00\npop\nreturn");
        Gen.test("new and drop", "()I", "new java/lang/Object\npop\niconst_1\nireturn");
        Object[] values = {null, "s", 1, new int[0], new int[0][], new String[0], new Integer[0][0], new Object[0], new java.util.ArrayList<String>()};
        String[] types = {"java/lang/Object", "java/lang/String", "java/lang/Comparable", "java/lang/Cloneable", "java/io/Serializable", "[I", "[[I",
            "[Ljava/lang/Object;", "[Ljava/lang/String;", "[[Ljava/lang/Number;", "[Ljava/lang/Cloneable;", "java/util/List", "java/util/RandomAccess", "no/Such"};
        for (String type : types) {
            Gen is = new Gen(".class public gen/T\n.method static run (" + O + ")Z\naload_0\ninstanceof " + type + "\nireturn\n.end");
            Gen to = new Gen(".class public gen/T\n.method static run (" + O + ")V\naload_0\ncheckcast " + type + "\npop\nreturn\n.end");
            for (Object v : values) {
                String what = v == null ? "null" : v.getClass().getSimpleName();
                System.out.println(type + " " + what + ": " + is.call("gen.T", "run", v) + " / " + to.call("gen.T", "run", v));
            }
        }
    }
}
