package bytecodes;

import support.Gen;

/** athrow, exception tables: order, ranges, nesting, handlers that throw, null thrown. */
public class Throws {
    public static void main(String[] args) {
        Gen.test("null", "()V", "aconst_null\nathrow");
        Gen.test("thrown", "(Ljava/lang/Throwable;)V", "aload_0\nathrow", new Exception("e"));
        Gen.test("first handler wins", "(I)I", """
            .catch java/lang/RuntimeException from to one
            .catch java/lang/ArithmeticException from to two
            from:
            iconst_1
            iload_0
            idiv
            ireturn
            to:
            one:
            pop
            iconst_1
            ireturn
            two:
            pop
            iconst_2
            ireturn
            """, 0);
        Gen.test("range excludes end", "(I)I", """
            .catch any from to h
            from:
            iconst_1
            iload_0
            to:
            idiv
            ireturn
            h:
            pop
            iconst_5
            ireturn
            """, 0);
        Gen.test("stacks that do not merge", "(I)I", """
            .catch java/lang/ArithmeticException from to from
            iconst_5
            aconst_null
            from:
            pop
            iload_0
            iinc 0 1
            idiv
            ireturn
            to:
            """, 0);
        Gen.test("nested", "()Ljava/lang/String;", """
            .catch java/lang/NullPointerException a b h1
            .catch java/lang/ArithmeticException a c h2
            a:
            aconst_null
            athrow
            b:
            h1:
            pop
            iconst_1
            iconst_0
            irem
            pop
            ldc string:"not here"
            areturn
            c:
            h2:
            invokevirtual java/lang/Throwable.getMessage()Ljava/lang/String;
            areturn
            """);
        Gen.test("catch type missing", "(I)I", """
            .catch no/Such from to h
            from:
            iconst_1
            iload_0
            idiv
            ireturn
            to:
            h:
            pop
            iconst_5
            ireturn
            """, 0);
    }
}
