/* Type inference for class files without a StackMapTable (below version 50): states before every
 * instruction, merged until nothing changes.
 *
 * Subroutines: a `ret` flows to after each jsr that leads to its subroutine; locals that the
 * subroutine can't store to keep the types they had at that jsr. */
#include "jvm/verify/frame.h"

#include "jvm/engine/ops.h"

#include <string.h>

typedef struct subroutine {
    uint32_t entry;
    uint8_t *stores;                 /* by local: some instruction of it stores there */
    EBB_VEC(uint32_t) callers, rets; /* bcis */
} subroutine;

typedef struct infer_engine {
    jvm_vframe **at;                 /* by bci */
    EBB_VEC(uint32_t) work;
    EBB_VEC(subroutine *) subs;
} infer_engine;

static bool is_target(const jvm_verifier *v, int64_t bci)
{
    return bci >= 0 && bci < v->m->nbytes && v->starts[bci];
}

static bool merge_slots(jvm_verifier *v, jvm_vframe *to, const jvm_vframe *from)
{
    bool changed = false;
    uint32_t locals = v->m->max_locals, end = locals + to->depth;
    for (uint32_t i = 0; i < end && !v->failed; i++) {
        jvm_vtype merged = jvm_vtype_merge(v, to->slots[i], from->slots[i]);
        if (jvm_vtype_same(merged, to->slots[i]))
            continue;
        if (i >= locals && merged.tag == JVM_V_TOP)
            jvm_verify_fail(v, "Mismatched stack types");
        to->slots[i] = merged;
        changed = true;
    }
    return changed;
}

static void flow_by_merge(jvm_verifier *v, int64_t bci)
{
    infer_engine *e = v->engine;
    if (!is_target(v, bci)) {
        jvm_verify_fail(v, "Illegal target of jump or branch");
        return;
    }
    jvm_vframe *to = e->at[bci];
    bool changed = false;
    if (to == NULL) {
        to = e->at[bci] = jvm_vframe_new(v);
        jvm_vframe_copy(v, to, v->now);
        changed = true;
    } else if (to->depth != v->now->depth) {
        jvm_verify_fail(v, "Inconsistent stack height %u != %u", v->now->depth, to->depth);
    } else {
        changed = merge_slots(v, to, v->now);
        if (v->now->this_uninit && !to->this_uninit)
            changed = to->this_uninit = true;
    }
    if (changed)
        ebb_vec_push(&e->work, (uint32_t)bci);
}

static void flow_to_handlers(jvm_verifier *v, jvm_vframe *scratch)
{
    for (uint16_t i = 0; i < v->m->nhandlers && !v->failed; i++) {
        const jvm_handler *h = &v->m->handlers[i];
        if (v->bci < h->start || v->bci >= h->end)
            continue;
        if (v->m->max_stack == 0) {
            jvm_verify_fail(v, "Operand stack overflow");
            return;
        }
        jvm_vframe_copy(v, scratch, v->now);
        scratch->depth = 1;
        jvm_vstack(v, scratch)[0] = h->type == 0 ? jvm_vtype_object("java/lang/Throwable")
            : (jvm_vtype){JVM_V_OBJECT, 0, jvm_cp_class_name(v->cls, h->type)};
        jvm_vframe *now = v->now;
        v->now = scratch;
        flow_by_merge(v, h->target);
        v->now = now;
    }
}

/* ---- subroutines ---- */

typedef struct walk { /* instructions reachable inside a subroutine */
    const jvm_verifier *v;
    uint8_t *seen;
    EBB_VEC(uint32_t) work;
} walk;

static void walk_to(walk *w, int64_t bci)
{
    if (is_target(w->v, bci) && !w->seen[bci]) {
        w->seen[bci] = 1;
        ebb_vec_push(&w->work, (uint32_t)bci);
    }
}

static void note_store(const jvm_verifier *v, subroutine *sub, const uint8_t *insn)
{
    bool wide = *insn == JVM_OP_wide;
    uint8_t op = wide ? insn[1] : *insn;
    uint32_t local = wide ? jvm_u2(insn + 2) : insn[1];
    bool store = op >= JVM_OP_istore && op <= JVM_OP_astore_3;
    int type = op <= JVM_OP_astore ? op - JVM_OP_istore : (op - JVM_OP_istore_0) / 4;
    uint32_t slots = store && (type == 1 || type == 3) ? 2 : 1;
    if (op >= JVM_OP_istore_0 && op <= JVM_OP_astore_3)
        local = (op - JVM_OP_istore_0) % 4u;
    for (uint32_t i = local; (store || op == JVM_OP_iinc) && i < local + slots && i < v->m->max_locals; i++)
        sub->stores[i] = 1;
}

static void walk_switch(walk *w, uint32_t bci)
{
    const uint8_t *code = w->v->m->bytes;
    uint32_t at = (bci + 4) & ~3u;
    bool table = code[bci] == JVM_OP_tableswitch;
    int32_t n = table ? jvm_s4(code + at + 8) - jvm_s4(code + at + 4) + 1 : jvm_s4(code + at + 4);
    walk_to(w, (int64_t)bci + jvm_s4(code + at));
    for (int32_t i = 0; i < n; i++)
        walk_to(w, (int64_t)bci + jvm_s4(code + at + (table ? 12 + 4 * i : 12 + 8 * i)));
}

static void walk_from(walk *w, subroutine *sub, uint32_t bci)
{
    const jvm_method *m = w->v->m;
    const uint8_t *insn = m->bytes + bci;
    char operand = jvm_ops[*insn].operands[0];
    note_store(w->v, sub, insn);
    for (uint16_t i = 0; i < m->nhandlers; i++)
        if (bci >= m->handlers[i].start && bci < m->handlers[i].end)
            walk_to(w, m->handlers[i].target);
    if (operand == 'o' || operand == 'O')
        walk_to(w, (int64_t)bci + (operand == 'o' ? jvm_s2(insn + 1) : jvm_s4(insn + 1)));
    else if (operand == 'T' || operand == 'S')
        walk_switch(w, bci);
    uint8_t op = *insn == JVM_OP_wide ? insn[1] : *insn;
    bool ends = (op >= JVM_OP_ireturn && op <= JVM_OP_return) || op == JVM_OP_athrow || op == JVM_OP_goto || op == JVM_OP_goto_w ||
                op == JVM_OP_ret || operand == 'T' || operand == 'S';
    if (!ends)
        walk_to(w, (int64_t)bci + jvm_op_length(m->bytes, m->nbytes, bci));
}

static subroutine *sub_at(jvm_verifier *v, uint32_t entry)
{
    infer_engine *e = v->engine;
    for (size_t i = 0; i < e->subs.n; i++)
        if (e->subs.items[i]->entry == entry)
            return e->subs.items[i];
    subroutine *sub = EBB_ARENA_NEW(&v->arena, subroutine);
    sub->entry = entry;
    sub->stores = EBB_ARENA_ARRAY(&v->arena, uint8_t, v->m->max_locals + 1u);
    ebb_vec_push(&e->subs, sub);
    walk w = {v, EBB_ARENA_ARRAY(&v->arena, uint8_t, v->m->nbytes + 1u), {0}};
    walk_to(&w, entry);
    while (w.work.n > 0)
        walk_from(&w, sub, w.work.items[--w.work.n]);
    ebb_vec_fini(&w.work);
    return sub;
}

static bool add_once(uint32_t *items, size_t n, uint32_t bci)
{
    for (size_t i = 0; i < n; i++)
        if (items[i] == bci)
            return false;
    return true;
}

static void note_jsr(jvm_verifier *v, uint32_t target)
{
    infer_engine *e = v->engine;
    subroutine *sub = sub_at(v, target);
    if (add_once(sub->callers.items, sub->callers.n, v->bci))
        ebb_vec_push(&sub->callers, v->bci);
    for (size_t i = 0; i < sub->rets.n; i++) /* they may flow to after this jsr now */
        ebb_vec_push(&e->work, sub->rets.items[i]);
}

static void do_ret(jvm_verifier *v, uint16_t local, jvm_vframe *scratch)
{
    infer_engine *e = v->engine;
    if (local >= v->m->max_locals || v->now->slots[local].tag != JVM_V_RETURN) {
        jvm_verify_fail(v, "Bad local variable type in ret");
        return;
    }
    subroutine *sub = sub_at(v, v->now->slots[local].bci);
    if (add_once(sub->rets.items, sub->rets.n, v->bci))
        ebb_vec_push(&sub->rets, v->bci);
    for (size_t i = 0; i < sub->callers.n && !v->failed; i++) {
        uint32_t caller = sub->callers.items[i];
        jvm_vframe_copy(v, scratch, v->now);
        for (uint32_t k = 0; k < v->m->max_locals; k++)
            if (!sub->stores[k])
                scratch->slots[k] = e->at[caller]->slots[k];
        jvm_vframe *now = v->now;
        v->now = scratch;
        flow_by_merge(v, (int64_t)caller + jvm_op_length(v->m->bytes, v->m->nbytes, caller));
        v->now = now;
    }
}

/* ---- the loop ---- */

static void visit(jvm_verifier *v, jvm_vframe *scratch)
{
    const uint8_t *insn = v->m->bytes + v->bci;
    bool wide = *insn == JVM_OP_wide;
    uint8_t op = wide ? insn[1] : *insn;
    flow_to_handlers(v, scratch);
    if (v->failed)
        return;
    if (op == JVM_OP_ret) {
        do_ret(v, wide ? jvm_u2(insn + 2) : insn[1], scratch);
        return;
    }
    if (op == JVM_OP_jsr || op == JVM_OP_jsr_w) {
        int64_t target = (int64_t)v->bci + (op == JVM_OP_jsr ? jvm_s2(insn + 1) : jvm_s4(insn + 1));
        if (!is_target(v, target)) {
            jvm_verify_fail(v, "Illegal target of jump or branch");
            return;
        }
        note_jsr(v, (uint32_t)target);
    }
    uint32_t next = v->bci + jvm_op_length(v->m->bytes, v->m->nbytes, v->bci);
    if (!jvm_verify_step(v) || v->failed)
        return;
    if (next >= v->m->nbytes)
        jvm_verify_fail(v, "Falling off the end of the code");
    else
        flow_by_merge(v, next);
}

void jvm_verify_by_inference(jvm_verifier *v)
{
    infer_engine e = {.at = EBB_ARENA_ARRAY(&v->arena, jvm_vframe *, v->m->nbytes + 1u)};
    v->engine = &e;
    v->flow = flow_by_merge;
    jvm_vframe *start = v->now, *current = jvm_vframe_new(v), *scratch = jvm_vframe_new(v);
    flow_by_merge(v, 0);
    while (e.work.n > 0 && !v->failed) {
        v->bci = e.work.items[--e.work.n];
        jvm_vframe_copy(v, current, e.at[v->bci]);
        v->now = current;
        visit(v, scratch);
    }
    v->now = start;
    ebb_vec_fini(&e.work);
    for (size_t i = 0; i < e.subs.n; i++) {
        ebb_vec_fini(&e.subs.items[i]->callers);
        ebb_vec_fini(&e.subs.items[i]->rets);
    }
    ebb_vec_fini(&e.subs);
}
