package bytecodes;

import support.Gen;

/** jsr, jsr_w and ret: nested, in loops, entered from several places, left by an exception. */
public class Subroutines {
    public static void main(String[] args) {
        Gen.test("once", "()I", "iconst_1\nistore_0\njsr sub\niload_0\nireturn\nsub:\nastore_1\niinc 0 41\nret 1");
        Gen.test("twice", "()I", "iconst_0\nistore_0\njsr sub\njsr sub\niload_0\nireturn\nsub:\nastore_1\niinc 0 10\nret 1");
        Gen.test("jsr_w", "()I", "iconst_0\nistore_0\njsr_w sub\njsr sub\niload_0\nireturn\nsub:\nastore_1\niinc 0 7\nret 1");
        Gen.test("wide ret", "()I", ".locals 400\niconst_0\nistore_0\njsr sub\niload_0\nireturn\nsub:\nastore 300\niinc 0 9\nret 300");
        Gen.test("wide ret low", "()I", "iconst_0\nistore_0\njsr sub\niload_0\nireturn\nsub:\nastore_1\niinc 0 9\nwide ret 1");
        Gen.test("nested", "()I", "iconst_0\nistore_0\njsr one\niload_0\nireturn\none:\nastore_1\niinc 0 1\njsr two\niinc 0 100\nret 1\ntwo:\nastore_2\niinc 0 10\nret 2");
        Gen.test("loop", "()I", "iconst_0\nistore_0\niconst_5\nistore_3\ntop:\njsr sub\niinc 3 -1\niload_3\nifgt top\niload_0\nireturn\nsub:\nastore_1\niload_0\niload_3\niadd\nistore_0\nret 1");
        Gen.test("finally", "(I)I", """
            .catch any from to handler
            iconst_0
            istore_1
            from:
            bipush 100
            iload_0
            idiv
            istore_2
            to:
            jsr fin
            iload_2
            iload_1
            iadd
            ireturn
            handler:
            astore_3
            jsr fin
            iload_1
            ireturn
            fin:
            astore 4
            iinc 1 1000
            ret 4
            """, 7);
        Gen.test("thrown in sub", "()I", """
            .catch java/lang/ArithmeticException sub end handler
            jsr sub
            iconst_0
            ireturn
            sub:
            astore_0
            iconst_1
            iconst_0
            idiv
            pop
            ret 0
            end:
            handler:
            pop
            bipush 77
            ireturn
            """);
    }
}
