/* bare.c - the operand stack of each block, followed by who put each slot there. */
#include "jvm/engine/bare.h"

#include "base/mem.h"
#include "jvm/engine/ops.h"
#include "jvm/engine/reach.h"

#include <string.h>

enum { NOBODY = -1, MAX_COPIED = 2 };

typedef struct maker {
    bool is_asked;               /* somebody takes its value and looks at the cell */
    int32_t copies[MAX_COPIED];  /* dup: who made what it copies */
} maker;

typedef struct walk {
    const jvm_method *m;
    int32_t *depths;             /* by bci */
    bool *begins;                /* by bci: a block */
    int32_t *stack;              /* by slot: the index of the instruction that made it, or NOBODY that could be bare */
    uint32_t depth;
    maker *makers;               /* by index */
    bool is_broken;              /* no compiler makes such code */
} walk;

static bool is_between(uint8_t op, uint8_t first, uint8_t last) { return op >= first && op <= last; }

static uint8_t op_at(const jvm_method *m, uint32_t index)
{
    uint32_t bci = m->code->bci[index];
    return m->bytes[bci] == JVM_OP_wide ? m->bytes[bci + 1] : m->bytes[bci];
}

/* ---- blocks ---- */

typedef struct ways {
    walk *w;
    int64_t next;
    bool jumps;
} ways;

static void see_way(void *self, int64_t bci)
{
    ways *s = self;
    s->jumps |= bci != s->next;
}

static void begin_block(void *self, int64_t bci)
{
    const ways *s = self;
    if (bci >= 0 && bci < s->w->m->nbytes)
        s->w->begins[bci] = true;
}

static void find_blocks(walk *w)
{
    const jvm_code *code = w->m->code;
    for (uint32_t i = 0; i < code->n; i++) {
        ways s = {w, i + 1 < code->n ? code->bci[i + 1] : -1, false};
        jvm_each_successor(w->m, code->bci[i], see_way, &s);
        if (s.jumps) {
            jvm_each_successor(w->m, code->bci[i], begin_block, &s);
            begin_block(&s, s.next);
        }
    }
    for (uint16_t i = 0; i < w->m->nhandlers; i++)
        w->begins[w->m->handlers[i].target] = true;
}

/* ---- one instruction ---- */

static void ask(walk *w, int32_t index)
{
    if (index == NOBODY || w->makers[index].is_asked)
        return;
    w->makers[index].is_asked = true;
    for (int i = 0; i < MAX_COPIED; i++)
        ask(w, w->makers[index].copies[i]);
}

static void ask_top(walk *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ask(w, w->stack[w->depth - 1 - i]);
}

static void push(walk *w, int32_t by, uint32_t n)
{
    w->is_broken |= w->depth + n > w->m->max_stack;
    for (uint32_t i = 0; i < n && !w->is_broken; i++)
        w->stack[w->depth++] = by;
}

static bool has(walk *w, uint32_t n)
{
    w->is_broken |= n > w->depth;
    return !w->is_broken;
}

/* How many of the slots that it takes it passes on, from the top. */
static uint32_t passed_on(uint8_t op, uint32_t pops)
{
    enum { ARRAY_AND_INDEX = 2 };
    if (is_between(op, JVM_OP_iastore, JVM_OP_sastore))
        return pops - ARRAY_AND_INDEX;
    if (op == JVM_OP_putfield)
        return pops - 1;
    bool passes = is_between(op, JVM_OP_istore, JVM_OP_astore_3) || is_between(op, JVM_OP_ireturn, JVM_OP_return) || is_between(op, JVM_OP_invokevirtual, JVM_OP_invokedynamic) ||
                  op == JVM_OP_putstatic || op == JVM_OP_athrow;
    return passes ? pops : 0;
}

/* What is more than leaving a value on the stack has a cell in any case. */
static bool may_be_bare(uint8_t op)
{
    return is_between(op, JVM_OP_aconst_null, JVM_OP_saload) || is_between(op, JVM_OP_iadd, JVM_OP_dcmpg) || op == JVM_OP_getstatic || op == JVM_OP_getfield ||
           op == JVM_OP_arraylength || op == JVM_OP_instanceof || is_between(op, JVM_OP_invokevirtual, JVM_OP_invokedynamic);
}

/* A copy leaves what it copies where it was, and a new slot above it. */
static void copy(walk *w, int32_t index, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        w->makers[index].copies[i] = w->stack[w->depth - n + i];
    push(w, index, n);
}

static void shuffle(walk *w, int32_t index, uint8_t op)
{
    uint32_t pops = (uint32_t)strlen(jvm_ops[op].pops);
    if (!has(w, pops))
        return;
    if (op == JVM_OP_dup || op == JVM_OP_dup2) {
        copy(w, index, pops);
        return;
    }
    if (op != JVM_OP_pop && op != JVM_OP_pop2)
        ask_top(w, pops);
    w->depth -= pops;
    push(w, NOBODY, (uint32_t)strlen(jvm_ops[op].pushes));
}

static void step(walk *w, uint32_t index)
{
    uint8_t op = op_at(w->m, index);
    int pops;
    char pushes;
    if (jvm_op_is_shuffler(op)) {
        shuffle(w, (int32_t)index, op);
    } else if (op != JVM_OP_checkcast) { /* which leaves all as it is */
        jvm_op_effect(w->m, w->m->code->bci[index], &pops, &pushes);
        if (!has(w, (uint32_t)pops))
            return;
        ask_top(w, passed_on(op, (uint32_t)pops));
        w->depth -= (uint32_t)pops;
        push(w, may_be_bare(op) ? (int32_t)index : NOBODY, pushes == 0 ? 0 : (uint32_t)jvm_type_slots(pushes));
    }
}

/* ---- the whole ---- */

/* What is on the stack where two blocks meet is asked about, whoever takes it. */
static void enter_block(walk *w, uint32_t bci)
{
    ask_top(w, w->depth);
    w->depth = 0;
    push(w, NOBODY, (uint32_t)w->depths[bci]);
}

static bool walk_init(walk *w, const jvm_method *m)
{
    *w = (walk){.m = m, .depths = jvm_stack_depths(m)};
    if (w->depths == NULL)
        return false;
    w->begins = ebb_zalloc(m->nbytes + 1u);
    w->stack = ebb_alloc((m->max_stack + 1u) * sizeof *w->stack);
    w->makers = ebb_alloc((m->code->n + 1) * sizeof *w->makers);
    for (uint32_t i = 0; i < m->code->n; i++)
        w->makers[i] = (maker){false, {NOBODY, NOBODY}};
    find_blocks(w);
    return true;
}

static void walk_fini(walk *w)
{
    free(w->depths);
    free(w->begins);
    free(w->stack);
    free(w->makers);
}

/* Up to the instruction, which is not executed. */
static void walk_to(walk *w, uint32_t index)
{
    const jvm_code *code = w->m->code;
    w->depth = 0;
    for (uint32_t i = 0; i < code->n && i <= index && !w->is_broken; i++) {
        uint32_t bci = code->bci[i];
        if (w->depths[bci] < 0)
            continue; /* never reached */
        if (w->begins[bci] || w->depth != (uint32_t)w->depths[bci])
            enter_block(w, bci);
        if (i < index)
            step(w, i);
    }
}

/* ---- superinstructions (BA3) ---- */

/* 0: it does something else than leaving values on the stack. */
static uint8_t parts_left(uint16_t op)
{
    static const uint8_t parts_of[JVM_NXOPS] = {
#define JVM_XOP_VALUE(name, parts) [JVM_X_##name] = parts,
#include "jvm/engine/xops.def"
    };
    return parts_of[op];
}

bool jvm_fusion_is_bare(const jvm_insn *in)
{
    uint8_t parts = parts_left(jvm_insn_op(in));
    bool is_bare = parts != 0;
    for (int i = 0; parts >> i != 0; i++)
        is_bare = is_bare && (!(parts >> i & 1) || in[i].bare);
    return is_bare;
}

void jvm_bare_mark(const jvm_method *m)
{
    walk w;
    jvm_insn *in = m->code->insns;
    bool is_known = walk_init(&w, m);
    if (is_known)
        walk_to(&w, m->code->n);
    for (uint32_t i = 0; i < m->code->n; i++)
        in[i].bare = is_known && !w.is_broken && !w.makers[i].is_asked;
    for (uint32_t i = 0; i < m->code->n; i++)
        if (jvm_xop_first(jvm_insn_op(&in[i])) != jvm_insn_op(&in[i]))
            in[i].bare = jvm_fusion_is_bare(&in[i]);
    if (is_known)
        walk_fini(&w);
}

/* ---- looking at the stack (BA2) ---- */

static int32_t maker_of(walk *w, uint32_t index, uint32_t slot)
{
    walk_to(w, index);
    int32_t by = slot < w->depth ? w->stack[slot] : NOBODY;
    walk_to(w, w->m->code->n); /* who takes it comes later */
    return w->is_broken || by == NOBODY || w->makers[by].is_asked ? NOBODY : by;
}

static bool is_load(uint8_t op) { return is_between(op, JVM_OP_iload, JVM_OP_aload_3); }

static bool gets_reference(const jvm_method *m, uint32_t index)
{
    uint8_t op = op_at(m, index);
    int pops;
    char pushes;
    jvm_op_effect(m, m->code->bci[index], &pops, &pushes);
    bool gets = op == JVM_OP_aaload || op == JVM_OP_getfield || op == JVM_OP_getstatic || is_between(op, JVM_OP_invokevirtual, JVM_OP_invokedynamic);
    return gets && (pushes == 'L' || pushes == '[');
}

/* The local variable that it loads, if nothing has written that since. */
static int32_t loaded_by(const jvm_method *m, uint32_t by, uint32_t index)
{
    const jvm_code *code = m->code;
    int32_t local = is_load(op_at(m, by)) ? jvm_named_local(m, code->bci[by]) : -1;
    for (uint32_t i = by + 1; i < index && local >= 0; i++)
        if (!is_load(op_at(m, i)) && (jvm_named_local(m, code->bci[i]) == local || jvm_named_local(m, code->bci[i]) == local - 1))
            return -1; /* a long reaches into the next one */
    return local;
}

bool jvm_stack_is_bare(const jvm_method *m, uint32_t index, uint32_t slot, jvm_bare *out)
{
    walk w;
    if (!walk_init(&w, m))
        return false;
    int32_t by = maker_of(&w, index, slot);
    walk_fini(&w);
    if (by != NOBODY)
        *out = (jvm_bare){.local = loaded_by(m, (uint32_t)by, index), .is_known_if_null = gets_reference(m, (uint32_t)by)};
    return by != NOBODY;
}
