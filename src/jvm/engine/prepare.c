/* prepare.c - three passes: where instructions begin, what each becomes, which neighbours become one. */
#include "jvm/engine/prepare.h"

#include "base/mem.h"
#include "base/text.h"
#include "jvm/agent/agent.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/bare.h"
#include "jvm/engine/ops.h"
#include "jvm/engine/throw.h"
#include "jvm/flow/told.h"
#include "jvm/undo/undo.h"

#include <stdlib.h>
#include <string.h>

/* What a bytecode becomes when it needs no more than a change of name; 0 (nop) marks the others. */
static const uint8_t plain_xop[JVM_NOPS] = {
#define SAME(name) [JVM_OP_##name] = JVM_X_##name
    SAME(pop), SAME(pop2), SAME(dup), SAME(dup_x1), SAME(dup_x2), SAME(dup2), SAME(dup2_x1), SAME(dup2_x2), SAME(swap),
    SAME(arraylength), SAME(iadd), SAME(ladd), SAME(fadd), SAME(dadd), SAME(isub), SAME(lsub), SAME(fsub), SAME(dsub),
    SAME(imul), SAME(lmul), SAME(fmul), SAME(dmul), SAME(idiv), SAME(ldiv), SAME(fdiv), SAME(ddiv), SAME(irem), SAME(lrem),
    SAME(frem), SAME(drem), SAME(ineg), SAME(lneg), SAME(fneg), SAME(dneg), SAME(ishl), SAME(lshl), SAME(ishr), SAME(lshr),
    SAME(iushr), SAME(lushr), SAME(iand), SAME(land), SAME(ior), SAME(lor), SAME(ixor), SAME(lxor), SAME(i2l), SAME(i2f),
    SAME(i2d), SAME(l2i), SAME(l2f), SAME(l2d), SAME(f2i), SAME(f2l), SAME(f2d), SAME(d2i), SAME(d2l), SAME(d2f), SAME(i2b),
    SAME(i2c), SAME(i2s), SAME(lcmp), SAME(fcmpl), SAME(fcmpg), SAME(dcmpl), SAME(dcmpg), SAME(athrow), SAME(monitorenter),
    SAME(monitorexit),
#undef SAME
    [JVM_OP_iaload] = JVM_X_aload4, [JVM_OP_faload] = JVM_X_aload4, [JVM_OP_laload] = JVM_X_aload8,
    [JVM_OP_daload] = JVM_X_aload8, [JVM_OP_aaload] = JVM_X_aloada, [JVM_OP_baload] = JVM_X_aload1b,
    [JVM_OP_caload] = JVM_X_aload2c, [JVM_OP_saload] = JVM_X_aload2s, [JVM_OP_iastore] = JVM_X_astore4,
    [JVM_OP_fastore] = JVM_X_astore4, [JVM_OP_lastore] = JVM_X_astore8, [JVM_OP_dastore] = JVM_X_astore8,
    [JVM_OP_aastore] = JVM_X_astorea, [JVM_OP_bastore] = JVM_X_astore1, [JVM_OP_castore] = JVM_X_astore2,
    [JVM_OP_sastore] = JVM_X_astore2, [JVM_OP_return] = JVM_X_return0, [JVM_OP_lreturn] = JVM_X_return2,
    [JVM_OP_dreturn] = JVM_X_return2, [JVM_OP_freturn] = JVM_X_return1, [JVM_OP_areturn] = JVM_X_return1,
};

/* Those whose operand is a constant pool index to be resolved at run time. */
static const uint8_t pool_xop[JVM_NOPS] = {
    [JVM_OP_getstatic] = JVM_X_getstatic, [JVM_OP_putstatic] = JVM_X_putstatic, [JVM_OP_getfield] = JVM_X_getfield,
    [JVM_OP_putfield] = JVM_X_putfield, [JVM_OP_invokevirtual] = JVM_X_invokevirtual,
    [JVM_OP_invokespecial] = JVM_X_invokespecial, [JVM_OP_invokestatic] = JVM_X_invokestatic,
    [JVM_OP_invokeinterface] = JVM_X_invokeinterface, [JVM_OP_invokedynamic] = JVM_X_invokedynamic,
    [JVM_OP_new] = JVM_X_new, [JVM_OP_anewarray] = JVM_X_anewarray, [JVM_OP_multianewarray] = JVM_X_multianewarray,
    [JVM_OP_checkcast] = JVM_X_checkcast, [JVM_OP_instanceof] = JVM_X_instanceof,
};

/* Jumps: the forward form; the backward one follows it in the table. */
static const uint8_t jump_xop[JVM_NOPS] = {
#define JUMP(name) [JVM_OP_##name] = JVM_X_##name
    JUMP(ifeq), JUMP(ifne), JUMP(iflt), JUMP(ifge), JUMP(ifgt), JUMP(ifle), JUMP(if_icmpeq), JUMP(if_icmpne),
    JUMP(if_icmplt), JUMP(if_icmpge), JUMP(if_icmpgt), JUMP(if_icmple), JUMP(if_acmpeq), JUMP(if_acmpne), JUMP(ifnull),
    JUMP(ifnonnull),
#undef JUMP
    [JVM_OP_goto] = JVM_X_jump, [JVM_OP_goto_w] = JVM_X_jump,
};

typedef struct preparer {
    jvm_method *m;
    jvm_code *code;
    int32_t *index_of;   /* bci -> instruction index, -1 inside instructions */
    const char *problem; /* first one, or NULL */
} preparer;

/* ---- pass 1: where instructions start ---- */

static uint32_t find_starts(preparer *p)
{
    uint32_t n = 0;
    memset(p->index_of, -1, (p->m->nbytes + 1) * sizeof *p->index_of);
    for (uint32_t bci = 0; bci < p->m->nbytes;) {
        uint32_t length = jvm_op_length(p->m->bytes, p->m->nbytes, bci);
        if (length == 0) {
            p->problem = "Bad instruction";
            return 0;
        }
        p->index_of[bci] = (int32_t)n++;
        bci += length;
    }
    p->index_of[p->m->nbytes] = (int32_t)n;
    return n;
}

static int32_t target_index(preparer *p, int64_t bci)
{
    if (bci < 0 || bci >= p->m->nbytes || p->index_of[bci] < 0) {
        p->problem = "Illegal target of jump or branch";
        return 0;
    }
    return p->index_of[bci];
}

/* ---- pass 2: one instruction ---- */

static void prepare_jump(preparer *p, jvm_insn *in, uint8_t xop, int32_t from, int64_t target_bci)
{
    in->b = target_index(p, target_bci) - from;
    in->op = in->b <= 0 ? xop + 1u : xop;
}

static void prepare_switch(preparer *p, jvm_insn *in, uint32_t bci, int32_t from)
{
    const uint8_t *code = p->m->bytes;
    bool table = code[bci] == JVM_OP_tableswitch;
    uint32_t at = (bci + 4) & ~3u;
    int32_t low = table ? jvm_s4(code + at + 4) : 0;
    int32_t n = table ? jvm_s4(code + at + 8) - low + 1 : jvm_s4(code + at + 4);
    const uint8_t *rows = code + at + (table ? 12 : 8);
    ebb_arena *arena = &p->m->cls->arena;
    jvm_switch *s = ebb_arena_alloc(arena, sizeof *s + (size_t)n * 4);
    s->low = low;
    s->n = n;
    s->other = target_index(p, (int64_t)bci + jvm_s4(code + at)) - from;
    if (!table)
        s->keys = EBB_ARENA_ARRAY(arena, int32_t, (size_t)n + 1);
    for (int32_t i = 0; i < n; i++) {
        if (!table)
            s->keys[i] = jvm_s4(rows + 8 * i);
        s->distances[i] = target_index(p, (int64_t)bci + jvm_s4(table ? rows + 4 * i : rows + 8 * i + 4)) - from;
    }
    in->op = table ? JVM_X_tableswitch : JVM_X_lookupswitch;
    in->c.jumps = s;
}

static void prepare_constant(preparer *p, jvm_insn *in, uint16_t index, bool wide)
{
    const jvm_pool *pool = &p->m->cls->pool;
    if (index == 0 || index >= pool->n) {
        p->problem = "Illegal constant pool index";
        return;
    }
    in->a = index;
    switch (pool->tags[index]) {
    case JVM_CP_INTEGER: case JVM_CP_FLOAT:
        in->op = JVM_X_push1;
        in->c.value.i = pool->values[index].i;
        break;
    case JVM_CP_LONG: case JVM_CP_DOUBLE:
        in->op = JVM_X_push2;
        in->c.value.j = pool->values[index].j;
        break;
    case JVM_CP_STRING: case JVM_CP_CLASS: case JVM_CP_METHOD_HANDLE: case JVM_CP_METHOD_TYPE: case JVM_CP_DYNAMIC:
        in->op = wide ? JVM_X_ldc2 : JVM_X_ldc;
        break;
    default:
        p->problem = "Illegal type in constant pool";
    }
}

static void push_const(jvm_insn *in, int32_t value)
{
    in->op = JVM_X_push1;
    in->c.value.i = value;
}

static void check_local(preparer *p, uint32_t local, int slots)
{
    if (local + (uint32_t)slots > p->m->max_locals)
        p->problem = "Illegal local variable number";
}

/* xload_n, xstore_n and their long forms: type from the position in the opcode space. */
static void prepare_local(preparer *p, jvm_insn *in, uint8_t op, uint16_t operand)
{
    bool store = op >= JVM_OP_istore;
    uint8_t base = store ? JVM_OP_istore : JVM_OP_iload, numbered = store ? JVM_OP_istore_0 : JVM_OP_iload_0;
    uint8_t type = op < numbered ? op - base : (op - numbered) / 4;
    uint16_t local = op < numbered ? operand : (op - numbered) % 4;
    bool wide = type == 1 || type == 3;
    check_local(p, local, wide ? 2 : 1);
    in->a = local;
    in->op = store ? (wide ? JVM_X_store2 : JVM_X_store1) : (wide ? JVM_X_load2 : JVM_X_load1);
}

static void prepare_int_return(preparer *p, jvm_insn *in)
{
    bool narrow = strchr("ZBCS", p->m->ret) != NULL;
    in->op = narrow ? JVM_X_return_narrow : JVM_X_return1;
    in->a = (uint8_t)p->m->ret;
}

static void prepare_newarray(preparer *p, jvm_insn *in, uint8_t code)
{
    if (code < 4 || code > 11) {
        p->problem = "Bad element type of newarray";
        return;
    }
    in->op = JVM_X_newarray;
    in->c.cls = jvm_prim_array_class("ZCFDBSIJ"[code - 4]);
}

static bool is_local_op(uint8_t op)
{
    return (op >= JVM_OP_iload && op <= JVM_OP_aload_3) || (op >= JVM_OP_istore && op <= JVM_OP_astore_3);
}

/* Opcodes that no table covers. */
static void prepare_rest(preparer *p, jvm_insn *in, uint32_t bci, int32_t index)
{
    const uint8_t *at = p->m->bytes + bci;
    bool wide = *at == JVM_OP_wide;
    if (wide)
        at++;
    uint8_t op = *at;
    if (is_local_op(op)) {
        prepare_local(p, in, op, wide ? jvm_u2(at + 1) : at[1]);
        return;
    }
    if (op >= JVM_OP_iconst_m1 && op <= JVM_OP_iconst_5) {
        push_const(in, op - JVM_OP_iconst_0);
        return;
    }
    switch (op) {
    case JVM_OP_nop: in->op = JVM_X_nop; break;
    case JVM_OP_aconst_null: in->op = JVM_X_push1; in->c.value.raw = 0; break;
    case JVM_OP_lconst_0: case JVM_OP_lconst_1: in->op = JVM_X_push2; in->c.value.j = op - JVM_OP_lconst_0; break;
    case JVM_OP_fconst_0: case JVM_OP_fconst_1: case JVM_OP_fconst_2:
        in->op = JVM_X_push1;
        in->c.value.f = (float)(op - JVM_OP_fconst_0);
        break;
    case JVM_OP_dconst_0: case JVM_OP_dconst_1: in->op = JVM_X_push2; in->c.value.d = op - JVM_OP_dconst_0; break;
    case JVM_OP_bipush: push_const(in, (int8_t)at[1]); break;
    case JVM_OP_sipush: push_const(in, jvm_s2(at + 1)); break;
    case JVM_OP_ldc: prepare_constant(p, in, at[1], false); break;
    case JVM_OP_ldc_w: prepare_constant(p, in, jvm_u2(at + 1), false); break;
    case JVM_OP_ldc2_w: prepare_constant(p, in, jvm_u2(at + 1), true); break;
    case JVM_OP_iinc:
        in->op = JVM_X_iinc;
        in->a = wide ? jvm_u2(at + 1) : at[1];
        in->b = wide ? jvm_s2(at + 3) : (int8_t)at[2];
        check_local(p, in->a, 1);
        break;
    case JVM_OP_jsr: in->op = JVM_X_jsr; in->b = target_index(p, (int64_t)bci + jvm_s2(at + 1)) - index; break;
    case JVM_OP_jsr_w: in->op = JVM_X_jsr; in->b = target_index(p, (int64_t)bci + jvm_s4(at + 1)) - index; break;
    case JVM_OP_ret: in->op = JVM_X_ret; in->a = wide ? jvm_u2(at + 1) : at[1]; check_local(p, in->a, 1); break;
    case JVM_OP_tableswitch: case JVM_OP_lookupswitch: prepare_switch(p, in, bci, index); break;
    case JVM_OP_ireturn: prepare_int_return(p, in); break;
    case JVM_OP_newarray: prepare_newarray(p, in, at[1]); break;
    default: p->problem = "Bad instruction"; break;
    }
}

static void prepare_one(preparer *p, uint32_t bci, int32_t index)
{
    const uint8_t *at = p->m->bytes + bci;
    uint8_t op = *at;
    jvm_insn *in = &p->code->insns[index];
    if (plain_xop[op] != 0) {
        in->op = plain_xop[op];
    } else if (pool_xop[op] != 0) {
        in->op = pool_xop[op];
        in->a = jvm_u2(at + 1);
        in->b = op == JVM_OP_multianewarray ? at[3] : 0;
        if (in->a == 0 || in->a >= p->m->cls->pool.n)
            p->problem = "Illegal constant pool index";
    } else if (jump_xop[op] != 0) {
        int64_t offset = op == JVM_OP_goto_w ? jvm_s4(at + 1) : jvm_s2(at + 1);
        prepare_jump(p, in, jump_xop[op], index, bci + offset);
    } else {
        prepare_rest(p, in, bci, index);
    }
}

/* ---- pass 3: superinstructions (PP2) ---- */

typedef struct fusion {
    uint8_t seq[4];
    uint8_t n;
    uint8_t super;
} fusion;

static const fusion fusions[] = { /* longest first */
    {{JVM_X_load1, JVM_X_load1, JVM_X_iadd, JVM_X_store1}, 4, JVM_X_load1_load1_iadd_store1},
    {{JVM_X_load1, JVM_X_push1, JVM_X_iadd, JVM_X_store1}, 4, JVM_X_load1_push1_iadd_store1},
    {{JVM_X_load1, JVM_X_load1, JVM_X_push1, JVM_X_astore1}, 4, JVM_X_load1_load1_push1_astore1},
#define COMPARE_LOCALS(op) {{JVM_X_load1, JVM_X_load1, JVM_X_if_icmp##op}, 3, JVM_X_load1_load1_if_icmp##op}
#define COMPARE_VALUE(op) {{JVM_X_load1, JVM_X_push1, JVM_X_if_icmp##op}, 3, JVM_X_load1_push1_if_icmp##op}
    COMPARE_LOCALS(eq), COMPARE_LOCALS(ne), COMPARE_LOCALS(gt), COMPARE_LOCALS(le),
    COMPARE_VALUE(eq), COMPARE_VALUE(ne), COMPARE_VALUE(ge), COMPARE_VALUE(lt), COMPARE_VALUE(gt), COMPARE_VALUE(le),
#undef COMPARE_LOCALS
#undef COMPARE_VALUE
    {{JVM_X_load1, JVM_X_load1, JVM_X_aload1b}, 3, JVM_X_load1_load1_aload1b},
    {{JVM_X_load1, JVM_X_load1, JVM_X_aloada}, 3, JVM_X_load1_load1_aloada},
    {{JVM_X_load1, JVM_X_push1, JVM_X_iadd}, 3, JVM_X_load1_push1_iadd},
    {{JVM_X_load1, JVM_X_load1, JVM_X_if_icmplt_back}, 3, JVM_X_load1_load1_if_icmplt_back},
    {{JVM_X_load1, JVM_X_load1, JVM_X_if_icmpge}, 3, JVM_X_load1_load1_if_icmpge},
    {{JVM_X_load1, JVM_X_load1, JVM_X_if_icmplt}, 3, JVM_X_load1_load1_if_icmplt},
    {{JVM_X_load1, JVM_X_load1, JVM_X_aload4}, 3, JVM_X_load1_load1_aload4},
    {{JVM_X_load1, JVM_X_load1, JVM_X_aload8}, 3, JVM_X_load1_load1_aload8},
    {{JVM_X_load1, JVM_X_load1, JVM_X_iadd}, 3, JVM_X_load1_load1_iadd},
    {{JVM_X_load1, JVM_X_aload4}, 2, JVM_X_load1_aload4},
    {{JVM_X_load1, JVM_X_aloada}, 2, JVM_X_load1_aloada},
    {{JVM_X_load1, JVM_X_iadd}, 2, JVM_X_load1_iadd},
    {{JVM_X_load1, JVM_X_return1}, 2, JVM_X_load1_return1},
    {{JVM_X_load1, JVM_X_imul}, 2, JVM_X_load1_imul},
    {{JVM_X_load1, JVM_X_isub}, 2, JVM_X_load1_isub},
    {{JVM_X_imul, JVM_X_iadd}, 2, JVM_X_imul_iadd},
    {{JVM_X_load2, JVM_X_load2}, 2, JVM_X_load2_load2},
    {{JVM_X_load1, JVM_X_ifeq}, 2, JVM_X_load1_ifeq},
    {{JVM_X_load1, JVM_X_ifne}, 2, JVM_X_load1_ifne},
    {{JVM_X_load1, JVM_X_ifnull}, 2, JVM_X_load1_ifnull},
    {{JVM_X_load1, JVM_X_ifnonnull}, 2, JVM_X_load1_ifnonnull},
    {{JVM_X_push1, JVM_X_iadd}, 2, JVM_X_push1_iadd},
    {{JVM_X_push1, JVM_X_isub}, 2, JVM_X_push1_isub},
    {{JVM_X_push1, JVM_X_iand}, 2, JVM_X_push1_iand},
    {{JVM_X_iadd, JVM_X_store1}, 2, JVM_X_iadd_store1},
    {{JVM_X_iinc, JVM_X_jump_back}, 2, JVM_X_iinc_jump_back},
    {{JVM_X_load1, JVM_X_push1}, 2, JVM_X_load1_push1},
    {{JVM_X_load1, JVM_X_load1}, 2, JVM_X_load1_load1},
};

static const fusion *find_fusion(const jvm_insn *in, uint32_t left)
{
    for (size_t k = 0; k < sizeof fusions / sizeof *fusions; k++) {
        const fusion *f = &fusions[k];
        bool match = f->n <= left;
        for (uint8_t i = 0; match && i < f->n; i++)
            match = in[i].op == f->seq[i];
        if (match)
            return f;
    }
    return NULL;
}

static void fuse(jvm_code *code)
{
    for (uint32_t i = 0; i < code->n; i++) {
        jvm_insn *in = &code->insns[i];
        const fusion *f = find_fusion(in, code->n - i);
        if (f == NULL)
            continue;
        bool loads = f->seq[0] == JVM_X_load1 || f->seq[0] == JVM_X_load2;
        if (loads && f->seq[1] == f->seq[0])
            in->b = in[1].a;
        else if (f->seq[0] == JVM_X_load1 && f->seq[1] == JVM_X_push1)
            in->c = in[1].c;
        in->op = f->super;
        i += f->n - 1u; /* what it covers is rarely entered: leave it plain */
    }
}

/* ---- all together ---- */

static void prepare_handlers(preparer *p)
{
    const jvm_method *m = p->m;
    p->code->nhandlers = m->nhandlers;
    p->code->handlers = EBB_ARENA_ARRAY(&m->cls->arena, jvm_code_handler, m->nhandlers + 1u);
    for (uint16_t i = 0; i < m->nhandlers; i++) {
        const jvm_handler *h = &m->handlers[i];
        if (p->index_of[h->start] < 0 || p->index_of[h->end] < 0)
            p->problem = "Illegal exception table range";
        p->code->handlers[i] = (jvm_code_handler){(uint32_t)p->index_of[h->start], (uint32_t)p->index_of[h->end],
                                                  (uint32_t)target_index(p, h->target), h->type};
    }
}

static bool falls_off(const preparer *p)
{
    const jvm_insn *last = &p->code->insns[p->code->n - 1];
    switch (last->op) {
    case JVM_X_return0: case JVM_X_return1: case JVM_X_return2: case JVM_X_return_narrow: case JVM_X_return_register:
    case JVM_X_athrow: case JVM_X_jump: case JVM_X_jump_back: case JVM_X_ret: case JVM_X_tableswitch:
    case JVM_X_lookupswitch: case JVM_X_jsr:
        return false;
    default:
        return true;
    }
}

static void prepare_all(preparer *p, uint32_t n)
{
    jvm_method *m = p->m;
    jvm_code *code = p->code = EBB_ARENA_NEW(&m->cls->arena, jvm_code);
    code->n = n;
    code->since = jvm_time();
    code->insns = EBB_ARENA_ARRAY(&m->cls->arena, jvm_insn, n + 1);
    code->bci = EBB_ARENA_ARRAY(&m->cls->arena, uint16_t, n + 1);
    for (uint32_t bci = 0; bci < m->nbytes && p->problem == NULL; bci++) {
        int32_t index = p->index_of[bci];
        if (index < 0)
            continue;
        code->bci[index] = (uint16_t)bci;
        prepare_one(p, bci, index);
    }
    if (p->problem == NULL)
        prepare_handlers(p);
    if (p->problem == NULL && falls_off(p))
        p->problem = "Falling off the end of the code";
}

static bool is_object_init(const jvm_method *m)
{
    return jvm_method_is_init(m) && m->cls->super == NULL && !jvm_class_is_interface(m->cls);
}

static void register_finalizers_at_return(jvm_code *code)
{
    for (uint32_t i = 0; i < code->n; i++)
        if (code->insns[i].op == JVM_X_return0)
            code->insns[i].op = JVM_X_return_register;
}

bool jvm_prepare(jvm_thread *t, jvm_method *m)
{
    preparer p = {.m = m};
    p.index_of = ebb_alloc((m->nbytes + 1) * sizeof *p.index_of);
    uint32_t n = find_starts(&p);
    if (p.problem == NULL)
        prepare_all(&p, n);
    free(p.index_of);
    if (p.problem != NULL) {
        char *text = jvm_method_text(m);
        jvm_throw(t, "java/lang/VerifyError", "%s in %s", p.problem, text);
        free(text);
        return false;
    }
    fuse(p.code);
    if (is_object_init(m))
        register_finalizers_at_return(p.code);
    m->code = p.code;
    if (jvm_flow_on)
        jvm_bare_mark(m);
    m->entry = (m->access & JVM_ACC_SYNCHRONIZED) ? JVM_ENTRY_JAVA_SYNC : JVM_ENTRY_JAVA;
    if (jvm_undo_chooses)
        jvm_undo_decide(m);
    if (jvm_agent_on)
        jvm_agent_prepared(m);
    return true;
}

int32_t jvm_code_index(const jvm_code *code, uint32_t bci)
{
    uint32_t low = 0, high = code->n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (code->bci[mid] < bci)
            low = mid + 1;
        else
            high = mid;
    }
    return low < code->n && code->bci[low] == bci ? (int32_t)low : -1;
}

const char *jvm_xop_name(enum jvm_xop op)
{
    static const char *const names[] = {
#define JVM_XOP(name, first, runs) #name,
#include "jvm/engine/xops.def"
    };
    return op < JVM_NXOPS ? names[op] : "?";
}

uint16_t jvm_xop_first(uint16_t op)
{
    static const uint16_t firsts[] = {
#define JVM_XOP(name, first, runs) JVM_X_##first,
#include "jvm/engine/xops.def"
    };
    return firsts[op];
}

static enum jvm_xop_runs runs_of(uint16_t op)
{
    static const uint8_t runs[] = {
#define JVM_XOP(name, first, runs) JVM_RUNS_##runs,
#include "jvm/engine/xops.def"
    };
    return runs[op];
}

bool jvm_xop_calls(uint16_t op)
{
    return runs_of(op) == JVM_RUNS_CALLED;
}

bool jvm_xop_may_run_others(uint16_t op)
{
    return runs_of(jvm_xop_first(op)) != JVM_RUNS_NONE;
}

/* The names say it: getfieldQ4, load1_aloada, iadd_store1, iinc_jump_back. */
static bool is_named_like(uint16_t op, const char *const *parts)
{
    while (*parts != NULL && strstr(jvm_xop_name(op), *parts) == NULL)
        parts++;
    return *parts != NULL;
}

bool jvm_xop_writes_heap(uint16_t op)
{
    return is_named_like(op, (const char *const[]){"putfield", "putstatic", "astore", NULL});
}

bool jvm_xop_passes_references(uint16_t op)
{
    return jvm_xop_calls(op) || is_named_like(op, (const char *const[]){"getfield", "putfield", "getstatic", "putstatic", "aload", "astore", "return", "athrow", "invoke", NULL});
}

bool jvm_xop_may_share(uint16_t op)
{
    static const char *const starts[] = {"getfieldQ", "putfieldQ", "getstaticQ", "putstaticQ", "aload", "astore", "monitorenter",
                                         "invokevirtualQ", "invokefinalQ", "invokestaticQ", "invokeinterfaceQ", "invokesiteQ"};
    bool is_one = op == JVM_X_getstatic || op == JVM_X_putstatic || op == JVM_X_invokestatic || op == JVM_X_new; /* these may initialise a class */
    for (size_t i = 0; i < sizeof starts / sizeof *starts && jvm_xop_first(op) == op; i++)
        is_one |= ebb_text_starts(jvm_xop_name(op), starts[i]);
    return is_one;
}

bool jvm_xop_may_be_quickened(uint16_t op)
{
    bool is_constant = op == JVM_X_push1 || op == JVM_X_push2; /* an ldc becomes one */
    return is_constant || (jvm_xop_first(op) == op && is_named_like(op, (const char *const[]){"Q", NULL}));
}

bool jvm_xop_touches_data(uint16_t op)
{
    return is_named_like(op, (const char *const[]){"getfield", "putfield", "getstatic", "putstatic", "aload", "store", "iinc", NULL});
}
