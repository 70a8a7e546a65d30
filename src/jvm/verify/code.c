/* What each instruction demands of the frame and does to it.  Simple ones follow the pops and pushes of
 * engine/ops.def; the rest has functions below, and in stack.c and member.c. */
#include "jvm/verify/stack.h"

#include "jvm/engine/invoke.h"
#include "jvm/classes/loader.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- arrays and objects ---- */

static void array_load(jvm_verifier *v, uint8_t op)
{
    static const char *const arrays[] = {"[I", "[J", "[F", "[D", NULL, "[B", "[C", "[S"};
    int which = op - JVM_OP_iaload;
    jvm_verify_pop(v, JVM_VTYPE_INT);
    jvm_vtype array = jvm_verify_pop_reference(v, false);
    if (v->failed)
        return;
    if (op == JVM_OP_aaload) {
        if (array.tag == JVM_V_NULL) {
            jvm_verify_push(v, JVM_VTYPE_NULL);
            return;
        }
        const char *text = array.name->text;
        if (text[0] != '[' || (text[1] != 'L' && text[1] != '['))
            jvm_verify_fail(v, "Bad type on operand stack in aaload");
        else
            jvm_verify_push(v, jvm_vtype_of(text + 1, array.name->nbytes - 1));
        return;
    }
    bool ok = array.tag == JVM_V_NULL || jvm_sym_is(array.name, arrays[which]) ||
              (op == JVM_OP_baload && jvm_sym_is(array.name, "[Z"));
    if (!ok)
        jvm_verify_fail(v, "Bad type on operand stack");
    jvm_verify_push(v, jvm_verify_letter_type(jvm_ops[op].pushes[0]));
}

static void array_store(jvm_verifier *v, uint8_t op)
{
    static const char *const arrays[] = {"[I", "[J", "[F", "[D", NULL, "[B", "[C", "[S"};
    int which = op - JVM_OP_iastore;
    if (op == JVM_OP_aastore)
        jvm_verify_pop(v, jvm_vtype_object("java/lang/Object"));
    else
        jvm_verify_pop(v, jvm_verify_letter_type(jvm_ops[op].pops[2]));
    jvm_verify_pop(v, JVM_VTYPE_INT);
    jvm_vtype array = jvm_verify_pop_reference(v, false);
    if (v->failed || array.tag == JVM_V_NULL)
        return;
    const char *text = array.name->text;
    bool ok = op == JVM_OP_aastore ? text[0] == '[' && (text[1] == 'L' || text[1] == '[')
                                   : strcmp(text, arrays[which]) == 0 || (op == JVM_OP_bastore && strcmp(text, "[Z") == 0);
    if (!ok)
        jvm_verify_fail(v, "Bad type on operand stack");
}

static jvm_vtype array_of(const jvm_sym *element)
{
    return (jvm_vtype){JVM_V_OBJECT, 0, jvm_sym_getf(element->text[0] == '[' ? "[%s" : "[L%s;", element->text)};
}

static void make_array(jvm_verifier *v, uint8_t op)
{
    const uint8_t *insn = jvm_verify_insn(v);
    if (op == JVM_OP_newarray) {
        jvm_verify_pop(v, JVM_VTYPE_INT);
        if (insn[1] < 4 || insn[1] > 11)
            jvm_verify_fail(v, "Illegal newarray instruction");
        else
            jvm_verify_push(v, (jvm_vtype){JVM_V_OBJECT, 0, jvm_sym_getf("[%c", "ZCFDBSIJ"[insn[1] - 4])});
        return;
    }
    const jvm_sym *name = jvm_verify_class_operand(v);
    if (name == NULL)
        return;
    size_t dims = strspn(name->text, "[");
    if (op == JVM_OP_anewarray) {
        if (dims >= 255)
            jvm_verify_fail(v, "Illegal anewarray instruction, array has more than 255 dimensions");
        jvm_verify_pop(v, JVM_VTYPE_INT);
        jvm_verify_push(v, array_of(name));
        return;
    }
    if (insn[3] == 0 || insn[3] > dims)
        jvm_verify_fail(v, "Illegal dimension in multianewarray: %u", insn[3]);
    for (int i = 0; i < insn[3]; i++)
        jvm_verify_pop(v, JVM_VTYPE_INT);
    jvm_verify_push(v, jvm_vtype_named(name));
}

static void make_object(jvm_verifier *v)
{
    const jvm_sym *name = jvm_verify_class_operand(v);
    if (name == NULL)
        return;
    if (name->text[0] == '[')
        jvm_verify_fail(v, "Illegal new instruction");
    jvm_vtype t = {JVM_V_UNINIT, (uint16_t)v->bci, name};
    for (uint32_t i = 0; i < v->now->depth; i++)
        if (jvm_vtype_same(jvm_vstack(v, v->now)[i], t))
            jvm_verify_fail(v, "Uninitialized object exists on backward branch");
    for (uint32_t i = 0; i < v->m->max_locals; i++)
        if (jvm_vtype_same(v->now->slots[i], t))
            v->now->slots[i] = JVM_VTYPE_TOP;
    jvm_verify_push(v, t);
}

/* ---- control ---- */

static void do_return(jvm_verifier *v, uint8_t op)
{
    const char *ret = jvm_sig_return(v->m->sig);
    bool is_void = op == JVM_OP_return;
    if (is_void != (*ret == 'V')) {
        jvm_verify_fail(v, is_void ? "Method expects a return value" : "Method does not expect a return value");
        return;
    }
    if (is_void) {
        if (v->now->this_uninit)
            jvm_verify_fail(v, "Constructor must call super() or this() before return");
        return;
    }
    jvm_vtype want = jvm_vtype_of(ret, strlen(ret));
    jvm_vtype by_op = op == JVM_OP_areturn ? jvm_vtype_object("java/lang/Object") : jvm_verify_letter_type(jvm_ops[op].pops[0]);
    if (want.tag != by_op.tag)
        jvm_verify_fail(v, "Wrong return type in function");
    jvm_verify_pop(v, want);
}

static void flow_switch(jvm_verifier *v)
{
    const uint8_t *code = v->m->bytes;
    uint32_t bci = v->bci, at = (bci + 4) & ~3u;
    bool table = code[bci] == JVM_OP_tableswitch;
    int32_t n = table ? jvm_s4(code + at + 8) - jvm_s4(code + at + 4) + 1 : jvm_s4(code + at + 4);
    for (uint32_t i = bci + 1; v->cls->major < 51 && i < at; i++)
        if (code[i] != 0)
            jvm_verify_fail(v, "Nonzero padding byte in lookupswitch or tableswitch");
    v->flow(v, (int64_t)bci + jvm_s4(code + at));
    for (int32_t i = 0; i < n && !v->failed; i++) {
        if (!table && i > 0 && jvm_s4(code + at + 8 + 8 * i) <= jvm_s4(code + at + 8 * i))
            jvm_verify_fail(v, "Bad lookupswitch instruction");
        v->flow(v, (int64_t)bci + jvm_s4(code + at + (table ? 12 + 4 * i : 12 + 8 * i)));
    }
}

/* Instructions whose operands engine/ops.def describes fully. */
static void simple(jvm_verifier *v, uint8_t op)
{
    const jvm_op_info *info = &jvm_ops[op];
    for (size_t i = strlen(info->pops); i-- > 0;)
        jvm_verify_pop(v, jvm_verify_letter_type(info->pops[i]));
    for (const char *p = info->pushes; *p != '\0'; p++)
        jvm_verify_push(v, jvm_verify_letter_type(*p));
}

static char local_letter(uint8_t op, uint8_t base, uint8_t numbered)
{
    return "ijfda"[op < numbered ? op - base : (op - numbered) / 4];
}

static void local_access(jvm_verifier *v, uint8_t op, uint16_t operand)
{
    bool store = op >= JVM_OP_istore;
    uint8_t base = store ? JVM_OP_istore : JVM_OP_iload, numbered = store ? JVM_OP_istore_0 : JVM_OP_iload_0;
    uint16_t local = op < numbered ? operand : (op - numbered) % 4;
    (store ? jvm_verify_store_local : jvm_verify_load_local)(v, local, local_letter(op, base, numbered));
}

static void objects(jvm_verifier *v, uint8_t op)
{
    const jvm_sym *name;
    switch (op) {
    case JVM_OP_checkcast: case JVM_OP_instanceof:
        name = jvm_verify_class_operand(v);
        jvm_verify_pop_reference(v, false);
        if (name != NULL)
            jvm_verify_push(v, op == JVM_OP_checkcast ? jvm_vtype_named(name) : JVM_VTYPE_INT);
        break;
    case JVM_OP_athrow: jvm_verify_pop(v, jvm_vtype_object("java/lang/Throwable")); break;
    case JVM_OP_monitorenter: case JVM_OP_monitorexit: jvm_verify_pop_reference(v, true); break;
    case JVM_OP_arraylength: {
        jvm_vtype array = jvm_verify_pop_reference(v, false);
        if (!v->failed && array.tag == JVM_V_OBJECT && array.name->text[0] != '[')
            jvm_verify_fail(v, "Bad type on operand stack in arraylength");
        jvm_verify_push(v, JVM_VTYPE_INT);
        break;
    }
    default: make_object(v); break;
    }
}

static void jumps(jvm_verifier *v, uint8_t op)
{
    const uint8_t *insn = jvm_verify_insn(v);
    bool far = op == JVM_OP_goto_w || op == JVM_OP_jsr_w;
    int64_t target = (int64_t)v->bci + (far ? jvm_s4(insn + 1) : jvm_s2(insn + 1));
    if (op == JVM_OP_jsr || op == JVM_OP_jsr_w)
        jvm_verify_push_slot(v, (jvm_vtype){JVM_V_RETURN, (uint16_t)target, NULL});
    else if (op == JVM_OP_if_acmpeq || op == JVM_OP_if_acmpne) {
        jvm_verify_pop_reference(v, true);
        jvm_verify_pop_reference(v, true);
    } else if (op == JVM_OP_ifnull || op == JVM_OP_ifnonnull) {
        jvm_verify_pop_reference(v, true);
    } else if (op != JVM_OP_goto && op != JVM_OP_goto_w) {
        simple(v, op);
    }
    if (!v->failed)
        v->flow(v, target);
}

bool jvm_verify_step(jvm_verifier *v)
{
    const uint8_t *insn = jvm_verify_insn(v);
    bool wide = *insn == JVM_OP_wide;
    uint8_t op = wide ? insn[1] : *insn;
    uint16_t operand = wide ? jvm_u2(insn + 2) : insn[1];
    if ((op >= JVM_OP_iload && op <= JVM_OP_aload_3) || (op >= JVM_OP_istore && op <= JVM_OP_astore_3))
        local_access(v, op, operand);
    else if (op >= JVM_OP_iaload && op <= JVM_OP_saload)
        array_load(v, op);
    else if (op >= JVM_OP_iastore && op <= JVM_OP_sastore)
        array_store(v, op);
    else if (op >= JVM_OP_pop && op <= JVM_OP_swap)
        jvm_verify_shuffle(v, op);
    else if (op >= JVM_OP_ireturn && op <= JVM_OP_return)
        do_return(v, op);
    else if (op >= JVM_OP_getstatic && op <= JVM_OP_putfield)
        jvm_verify_field_access(v, op);
    else if (op >= JVM_OP_invokevirtual && op <= JVM_OP_invokeinterface)
        jvm_verify_invoke(v, op);
    else if (jvm_ops[op].operands[0] == 'o' || jvm_ops[op].operands[0] == 'O')
        jumps(v, op);
    else
        switch (op) {
        case JVM_OP_aconst_null: jvm_verify_push(v, JVM_VTYPE_NULL); break;
        case JVM_OP_ldc: jvm_verify_load_constant(v, insn[1], false); break;
        case JVM_OP_ldc_w: jvm_verify_load_constant(v, jvm_u2(insn + 1), false); break;
        case JVM_OP_ldc2_w: jvm_verify_load_constant(v, jvm_u2(insn + 1), true); break;
        case JVM_OP_iinc:
            if (jvm_verify_check_local(v, operand, false) && v->now->slots[operand].tag != JVM_V_INT)
                jvm_verify_fail(v, "Bad local variable type");
            break;
        case JVM_OP_invokedynamic: jvm_verify_invoke_dynamic(v); break;
        case JVM_OP_newarray: case JVM_OP_anewarray: case JVM_OP_multianewarray: make_array(v, op); break;
        case JVM_OP_new: case JVM_OP_checkcast: case JVM_OP_instanceof: case JVM_OP_athrow: case JVM_OP_monitorenter:
        case JVM_OP_monitorexit: case JVM_OP_arraylength: objects(v, op); break;
        case JVM_OP_tableswitch: case JVM_OP_lookupswitch:
            jvm_verify_pop(v, JVM_VTYPE_INT);
            if (!v->failed)
                flow_switch(v);
            break;
        case JVM_OP_ret: break; /* the inference engine's */
        default: simple(v, op); break;
        }
    bool ends = (op >= JVM_OP_ireturn && op <= JVM_OP_return) || op == JVM_OP_athrow || op == JVM_OP_goto || op == JVM_OP_goto_w ||
                op == JVM_OP_tableswitch || op == JVM_OP_lookupswitch || op == JVM_OP_ret || op == JVM_OP_jsr || op == JVM_OP_jsr_w;
    return !ends;
}

static void check_target(jvm_verifier *v, int64_t bci)
{
    if (bci < 0 || bci >= v->m->nbytes || !v->starts[bci])
        jvm_verify_fail(v, "Illegal target of jump or branch");
}

static void check_operands_here(jvm_verifier *v)
{
    const uint8_t *insn = jvm_verify_insn(v);
    bool wide = *insn == JVM_OP_wide;
    uint8_t op = wide ? insn[1] : *insn;
    uint16_t operand = wide ? jvm_u2(insn + 2) : insn[1];
    bool load = op >= JVM_OP_iload && op <= JVM_OP_aload_3, store = op >= JVM_OP_istore && op <= JVM_OP_astore_3;
    if (load || store) {
        uint8_t base = store ? JVM_OP_istore : JVM_OP_iload, numbered = store ? JVM_OP_istore_0 : JVM_OP_iload_0;
        jvm_verify_check_local(v, op < numbered ? operand : (op - numbered) % 4, jvm_vtype_is_wide(jvm_verify_letter_type(local_letter(op, base, numbered))));
    } else if (op == JVM_OP_iinc || op == JVM_OP_ret) {
        jvm_verify_check_local(v, operand, false);
    } else if (op >= JVM_OP_getstatic && op <= JVM_OP_putfield) {
        jvm_verify_check_tag(v, jvm_u2(insn + 1), 1u << JVM_CP_FIELD);
    } else if (op >= JVM_OP_invokevirtual && op <= JVM_OP_invokeinterface) {
        jvm_verify_check_tag(v, jvm_u2(insn + 1), 1u << JVM_CP_METHOD | 1u << JVM_CP_IMETHOD);
    } else if (op == JVM_OP_new || op == JVM_OP_anewarray || op == JVM_OP_checkcast || op == JVM_OP_instanceof || op == JVM_OP_multianewarray) {
        jvm_verify_class_operand(v);
    } else if (op == JVM_OP_ldc || op == JVM_OP_ldc_w || op == JVM_OP_ldc2_w) {
        jvm_verify_check_tag(v, op == JVM_OP_ldc ? insn[1] : jvm_u2(insn + 1), op == JVM_OP_ldc2_w ? JVM_WIDE_CONSTANTS : JVM_NARROW_CONSTANTS);
    } else if (jvm_ops[op].operands[0] == 'o' || jvm_ops[op].operands[0] == 'O') {
        bool far = op == JVM_OP_goto_w || op == JVM_OP_jsr_w;
        check_target(v, (int64_t)v->bci + (far ? jvm_s4(insn + 1) : jvm_s2(insn + 1)));
    }
}

bool jvm_verify_operands(jvm_verifier *v)
{
    const jvm_method *m = v->m;
    for (uint32_t bci = 0; bci < m->nbytes && !v->failed; bci += jvm_op_length(m->bytes, m->nbytes, bci)) {
        v->bci = bci;
        check_operands_here(v);
    }
    return !v->failed;
}

bool jvm_verify_layout(jvm_verifier *v)
{
    const jvm_method *m = v->m;
    for (uint32_t bci = 0, length; bci < m->nbytes; bci += length) {
        v->bci = bci;
        length = jvm_op_length(m->bytes, m->nbytes, bci);
        uint8_t op = m->bytes[bci];
        if (length == 0) {
            jvm_verify_fail(v, "Bad instruction");
            return false;
        }
        bool subroutine = op == JVM_OP_jsr || op == JVM_OP_jsr_w || op == JVM_OP_ret ||
                          (op == JVM_OP_wide && m->bytes[bci + 1] == JVM_OP_ret);
        if (subroutine && !v->allow_subroutines) {
            jvm_verify_fail(v, "Bad instruction: jsr and ret are not allowed here");
            return false;
        }
        v->starts[bci] = 1;
    }
    return true;
}
