package bytecodes;

import support.Gen;

/** ldc, ldc_w and ldc2_w of every kind of constant, with indices above 255 too. */
public class Ldc {
    public static void main(String[] args) {
        Gen.test("int", "()I", "ldc int:0x7fffffff\nireturn");
        Gen.test("int min", "()I", "ldc_w int:-2147483648\nireturn");
        Gen.test("float", "()F", "ldc float:3.4028235e38\nfreturn");
        Gen.test("float w", "()F", "ldc_w float:1.4e-45\nfreturn");
        Gen.test("float -0", "()F", "ldc float:-0.0\nfreturn");
        Gen.test("long", "()J", "ldc2_w long:-9223372036854775808\nlreturn");
        Gen.test("double", "()D", "ldc2_w double:4.9e-324\ndreturn");
        Gen.test("string", "()Ljava/lang/String;", "ldc string:\"a b\\n\"\nareturn");
        Gen.test("string w", "()Ljava/lang/String;", "ldc_w string:\"\u20ac\\0\u00e9\"\nareturn");
        Gen.test("class", "()Ljava/lang/Class;", "ldc class:java/lang/String\nareturn");
        Gen.test("array class", "()Ljava/lang/Class;", "ldc class:[[I\nareturn");
        Gen.test("object array class", "()Ljava/lang/Class;", "ldc_w class:[Ljava/lang/Thread;\nareturn");
        Gen.test("missing class", "()Ljava/lang/Class;", "ldc class:no/Such\nareturn");
        Gen.test("interned", "()Z", "ldc string:\"x\"\nldc_w string:\"x\"\nif_acmpeq same\niconst_0\nireturn\nsame:\niconst_1\nireturn");
        StringBuilder many = new StringBuilder("iconst_0\n");
        for (int i = 0; i < 300; i++) {
            many.append("ldc_w int:").append(100000 + i).append("\niadd\n");
        }
        Gen.test("300 constants", "()I", many + "ireturn");
    }
}
