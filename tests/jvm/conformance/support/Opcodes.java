package support;

import java.util.LinkedHashMap;
import java.util.Map;

/** The instruction set: mnemonic, code and shape of the operands, in one table. */
final class Opcodes {
    /** What follows the opcode byte. */
    enum Shape { NONE, BYTE, SHORT, LDC, LDC_W, LOCAL, IINC, BRANCH, BRANCH_W, FIELD, METHOD, INTERFACE, DYNAMIC, TYPE, ARRAY, MULTI, TABLE, LOOKUP, WIDE }

    record Op(String name, int code, Shape shape) { }

    /** Codes 0 to 201 in order; a shape word holds for all mnemonics after it, up to the next. */
    private static final String TABLE = """
        NONE nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1
        fconst_0 fconst_1 fconst_2 dconst_0 dconst_1 BYTE bipush SHORT sipush LDC ldc LDC_W ldc_w ldc2_w
        LOCAL iload lload fload dload aload
        NONE iload_0 iload_1 iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3
        dload_0 dload_1 dload_2 dload_3 aload_0 aload_1 aload_2 aload_3
        iaload laload faload daload aaload baload caload saload
        LOCAL istore lstore fstore dstore astore
        NONE istore_0 istore_1 istore_2 istore_3 lstore_0 lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2 fstore_3
        dstore_0 dstore_1 dstore_2 dstore_3 astore_0 astore_1 astore_2 astore_3
        iastore lastore fastore dastore aastore bastore castore sastore
        pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap
        iadd ladd fadd dadd isub lsub fsub dsub imul lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem
        ineg lneg fneg dneg ishl lshl ishr lshr iushr lushr iand land ior lor ixor lxor
        IINC iinc
        NONE i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s lcmp fcmpl fcmpg dcmpl dcmpg
        BRANCH ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple
        if_acmpeq if_acmpne goto jsr
        LOCAL ret TABLE tableswitch LOOKUP lookupswitch
        NONE ireturn lreturn freturn dreturn areturn return
        FIELD getstatic putstatic getfield putfield
        METHOD invokevirtual invokespecial invokestatic INTERFACE invokeinterface DYNAMIC invokedynamic
        TYPE new ARRAY newarray TYPE anewarray NONE arraylength athrow TYPE checkcast instanceof
        NONE monitorenter monitorexit WIDE wide MULTI multianewarray BRANCH ifnull ifnonnull BRANCH_W goto_w jsr_w
        """;

    private static final Map<String, Op> BY_NAME = new LinkedHashMap<>();

    static {
        Shape shape = Shape.NONE;
        for (String word : TABLE.trim().split("\\s+")) {
            if (Character.isUpperCase(word.charAt(0))) {
                shape = Shape.valueOf(word);
            } else {
                BY_NAME.put(word, new Op(word, BY_NAME.size(), shape));
            }
        }
    }

    static Op named(String name) {
        Op op = BY_NAME.get(name);
        if (op == null) {
            throw new IllegalArgumentException("no such instruction: " + name);
        }
        return op;
    }

    private Opcodes() { }
}
