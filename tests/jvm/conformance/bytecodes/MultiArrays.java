package bytecodes;

import support.Gen;

/** multianewarray: all dimensions, fewer dimensions than the type has, zero and negative sizes. */
public class MultiArrays {
    static final String DEEP = "invokestatic java/util/Arrays.deepToString([Ljava/lang/Object;)Ljava/lang/String;\nareturn";

    public static void main(String[] args) {
        String s = "()Ljava/lang/String;";
        Gen.test("2 of 2", s, "iconst_2\niconst_3\nmultianewarray [[I 2\n" + DEEP);
        Gen.test("1 of 2", s, "iconst_2\nmultianewarray [[I 1\n" + DEEP);
        Gen.test("2 of 3", s, "iconst_2\niconst_1\nmultianewarray [[[J 2\n" + DEEP);
        Gen.test("3 of 3", s, "iconst_2\niconst_1\niconst_2\nmultianewarray [[[Ljava/lang/String; 3\n" + DEEP);
        Gen.test("zero", s, "iconst_2\niconst_0\niconst_5\nmultianewarray [[[Z 3\n" + DEEP);
        Gen.test("zero first", s, "iconst_0\niconst_5\nmultianewarray [[D 2\n" + DEEP);
        Gen.test("negative", s, "iconst_2\niconst_m1\nmultianewarray [[I 2\n" + DEEP);
        Gen.test("negative after zero", s, "iconst_0\niconst_m1\nmultianewarray [[I 2\n" + DEEP);
        Gen.test("one of one", "()I", "iconst_4\nmultianewarray [I 1\narraylength\nireturn");
        Gen.test("class", "()Ljava/lang/Class;", "iconst_1\niconst_1\nmultianewarray [[[F 2\ninvokevirtual java/lang/Object.getClass()Ljava/lang/Class;\nareturn");
        Gen.test("missing", s, "iconst_1\niconst_1\nmultianewarray [[Lno/Such; 2\n" + DEEP);
        int[][][][] a = new int[2][3][4][5];
        a[1][2][3][4] = 9;
        System.out.println(a[1][2][3][4] + " " + a[1][2].length + " " + a.getClass().getName());
        StringBuilder deep = new StringBuilder();
        for (int i = 0; i < 255; i++) {
            deep.append("iconst_1\n");
        }
        Gen.test("255 dimensions", "()I", ".stack 300\n" + deep + "multianewarray " + "[".repeat(255) + "I 255\ncheckcast [Ljava/lang/Object;\narraylength\nireturn");
    }
}
