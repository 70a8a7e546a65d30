/* The kinds "reference", "4 bytes" and "8 bytes" are followed through the bytecode with the stack effects
 * of ops.def, merging where paths meet (a slot is of a kind only if it is so on every path), until
 * nothing changes.  Methods with subroutines (jsr) would need one copy per caller; no compiler has made
 * them for twenty years, so their frames are scanned for whatever is the address of an object. */
#include "jvm/engine/refmap.h"

#include "base/check.h"
#include "base/map.h"
#include "base/mem.h"
#include "jvm/engine/invoke.h"
#include "jvm/engine/ops.h"
#include "jvm/engine/prepare.h"

#include <string.h>

typedef struct map_state { /* what is known before one instruction */
    bool reached;
    uint16_t depth;
    uint8_t kinds[];       /* enum jvm_slot_kind; locals, then stack */
} map_state;

typedef struct analysis {
    const jvm_method *m;
    uint32_t nslots;
    map_state **at;        /* by bci; NULL where no state is kept */
    EBB_VEC(uint32_t) work; /* bcis whose state changed */
    ebb_arena arena;
    bool has_jsr, broken;
} analysis;

static map_state *state_new(analysis *an)
{
    return ebb_arena_alloc(&an->arena, sizeof(map_state) + an->nslots + 1);
}

/* Flows `from` into the state before `bci`; notes it as work when that changed. */
static void flow_to(analysis *an, int64_t bci, const map_state *from)
{
    if (bci < 0 || bci >= an->m->nbytes) {
        an->broken = true;
        return;
    }
    map_state *to = an->at[bci];
    if (to == NULL)
        to = an->at[bci] = state_new(an);
    bool changed = !to->reached;
    if (!to->reached) {
        memcpy(to, from, sizeof *to + an->nslots);
        to->reached = true;
    } else if (to->depth != from->depth) {
        an->broken = true;
    } else {
        for (uint32_t i = 0; i < an->nslots; i++)
            if (to->kinds[i] != JVM_SLOT_UNKNOWN && to->kinds[i] != from->kinds[i]) {
                to->kinds[i] = JVM_SLOT_UNKNOWN;
                changed = true;
            }
    }
    if (changed)
        ebb_vec_push(&an->work, (uint32_t)bci);
}

static void pop(analysis *an, map_state *s, int slots)
{
    if (s->depth < slots)
        an->broken = true;
    else
        s->depth = (uint16_t)(s->depth - slots);
}

static uint8_t kind_of(char type)
{
    return type == 'L' || type == '[' ? JVM_SLOT_REF : jvm_type_slots(type) == 2 ? JVM_SLOT_8_BYTES : JVM_SLOT_4_BYTES;
}

static void push(analysis *an, map_state *s, uint8_t kind, int slots)
{
    uint32_t at = an->m->max_locals + s->depth;
    if (at + (uint32_t)slots > an->nslots) {
        an->broken = true;
        return;
    }
    memset(s->kinds + at, JVM_SLOT_UNKNOWN, (size_t)slots);
    s->kinds[at] = kind;
    s->depth = (uint16_t)(s->depth + slots);
}

static void push_type(analysis *an, map_state *s, char type)
{
    push(an, s, kind_of(type), jvm_type_slots(type));
}

/* Stack shufflers: pushes names the popped values by position, 1 being the top. */
static void shuffle(analysis *an, map_state *s, const jvm_op_info *op)
{
    uint8_t saved[5];
    int n = (int)strlen(op->pops);
    pop(an, s, n);
    if (an->broken)
        return;
    for (int i = 0; i < n; i++)
        saved[n - i] = s->kinds[an->m->max_locals + s->depth + i];
    for (const char *p = op->pushes; *p != '\0'; p++)
        push(an, s, saved[*p - '0'], 1);
}

static void store(analysis *an, map_state *s, uint8_t op, uint16_t local)
{
    uint8_t type = op <= JVM_OP_astore ? op - JVM_OP_istore : (op - JVM_OP_istore_0) / 4;
    int slots = type == 1 || type == 3 ? 2 : 1;
    if (op > JVM_OP_astore)
        local = (op - JVM_OP_istore_0) % 4;
    pop(an, s, slots);
    if (an->broken || local + slots > an->m->max_locals) {
        an->broken = true;
        return;
    }
    s->kinds[local] = s->kinds[an->m->max_locals + s->depth];
    if (slots == 2)
        s->kinds[local + 1] = JVM_SLOT_UNKNOWN;
}

/* The state after the instruction at bci. */
static void step(analysis *an, map_state *s, uint32_t bci)
{
    const uint8_t *insn = an->m->bytes + bci;
    bool wide = *insn == JVM_OP_wide;
    uint8_t op = wide ? insn[1] : *insn;
    if (op >= JVM_OP_istore && op <= JVM_OP_astore_3) {
        store(an, s, op, wide ? jvm_u2(insn + 2) : insn[1]);
    } else if (jvm_op_is_shuffler(op)) {
        shuffle(an, s, &jvm_ops[op]);
    } else {
        int pops;
        char pushed;
        jvm_op_effect(an->m, bci, &pops, &pushed);
        pop(an, s, pops);
        if (pushed != 0)
            push_type(an, s, pushed);
    }
}

static void flow_to_switch(analysis *an, uint32_t bci, const map_state *s)
{
    const uint8_t *code = an->m->bytes;
    bool table = code[bci] == JVM_OP_tableswitch;
    uint32_t at = (bci + 4) & ~3u;
    int32_t n = table ? jvm_s4(code + at + 8) - jvm_s4(code + at + 4) + 1 : jvm_s4(code + at + 4);
    flow_to(an, (int64_t)bci + jvm_s4(code + at), s);
    for (int32_t i = 0; i < n; i++)
        flow_to(an, (int64_t)bci + jvm_s4(code + at + (table ? 12 + 4 * i : 12 + 8 * i)), s);
}

static bool ends_flow(uint8_t op)
{
    return (op >= JVM_OP_ireturn && op <= JVM_OP_return) || op == JVM_OP_athrow || op == JVM_OP_goto || op == JVM_OP_goto_w ||
           op == JVM_OP_tableswitch || op == JVM_OP_lookupswitch;
}

static void flow_to_handlers(analysis *an, uint32_t bci, const map_state *s)
{
    for (uint16_t i = 0; i < an->m->nhandlers; i++) {
        const jvm_handler *h = &an->m->handlers[i];
        if (bci < h->start || bci >= h->end)
            continue;
        map_state *in_handler = state_new(an);
        memcpy(in_handler->kinds, s->kinds, an->m->max_locals);
        push(an, in_handler, JVM_SLOT_REF, 1);
        flow_to(an, h->target, in_handler);
    }
}

/* From a bci whose state is known forward until the flow ends or meets a kept state. */
static void follow(analysis *an, uint32_t bci, map_state *s)
{
    while (!an->broken) {
        const uint8_t *insn = an->m->bytes + bci;
        uint8_t op = *insn;
        uint32_t length = jvm_op_length(an->m->bytes, an->m->nbytes, bci);
        if (an->m->nhandlers > 0)
            flow_to_handlers(an, bci, s);
        step(an, s, bci);
        char operand = jvm_ops[op].operands[0];
        if (operand == 'o')
            flow_to(an, (int64_t)bci + jvm_s2(insn + 1), s);
        else if (operand == 'O')
            flow_to(an, (int64_t)bci + jvm_s4(insn + 1), s);
        else if (operand == 'T' || operand == 'S')
            flow_to_switch(an, bci, s);
        if (ends_flow(op))
            return;
        bci += length;
        if (bci >= an->m->nbytes) {
            an->broken = true;
            return;
        }
        if (an->at[bci] != NULL) {
            flow_to(an, bci, s);
            return;
        }
    }
}

static bool has_subroutines(const jvm_method *m)
{
    for (uint32_t bci = 0; bci < m->nbytes; bci += jvm_op_length(m->bytes, m->nbytes, bci))
        if (m->bytes[bci] == JVM_OP_jsr || m->bytes[bci] == JVM_OP_jsr_w)
            return true;
    return false;
}

static void start_state(analysis *an, map_state *s)
{
    uint32_t at = 0;
    if (!jvm_method_is_static(an->m))
        s->kinds[at++] = JVM_SLOT_REF;
    jvm_sig_iter it = jvm_sig_start(an->m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; at += (uint32_t)jvm_type_slots(type))
        s->kinds[at] = kind_of(type);
}

/* The state before `bci`, or NULL when the code defies analysis. */
static map_state *analyse(analysis *an, uint32_t target)
{
    const jvm_method *m = an->m;
    an->nslots = (uint32_t)m->max_locals + m->max_stack;
    an->at = EBB_ARENA_ARRAY(&an->arena, map_state *, m->nbytes + 1);
    an->has_jsr = has_subroutines(m);
    if (an->has_jsr)
        return NULL;
    an->at[target] = state_new(an);
    map_state *s = state_new(an);
    start_state(an, s);
    flow_to(an, 0, s);
    while (an->work.n > 0 && !an->broken) {
        uint32_t bci = an->work.items[--an->work.n];
        memcpy(s, an->at[bci], sizeof *s + an->nslots);
        follow(an, bci, s);
    }
    ebb_vec_fini(&an->work);
    return an->broken || !an->at[target]->reached ? NULL : an->at[target];
}

/* ---- answers are kept ---- */

typedef struct refmap {
    bool exact;
    uint32_t nslots;
    uint8_t kinds[];
} refmap;

static refmap *make_map(const jvm_method *m, uint32_t bci)
{
    analysis an = {.m = m};
    const map_state *s = analyse(&an, bci);
    refmap *map = ebb_zalloc(sizeof *map + an.nslots + 1);
    map->nslots = an.nslots;
    map->exact = s != NULL;
    if (s != NULL)
        memcpy(map->kinds, s->kinds, m->max_locals + s->depth);
    ebb_arena_fini(&an.arena);
    return map;
}

static const refmap *map_of(const jvm_frame *f)
{
    jvm_class *cls = f->method->cls;
    if (cls->refmaps == NULL)
        cls->refmaps = ebb_map_new(); /* by address of the prepared instruction */
    refmap *map = ebb_map_get_u64(cls->refmaps, (uintptr_t)f->pc);
    if (map == NULL) {
        map = make_map(f->method, (uint32_t)jvm_frame_bci(f));
        ebb_map_set_u64(cls->refmaps, (uintptr_t)f->pc, map);
    }
    return map;
}

void jvm_refmap_forget(jvm_class *cls)
{
    ebb_map_entry entry;
    for (size_t at = 0; cls->refmaps != NULL && ebb_map_next(cls->refmaps, &at, &entry);)
        free(entry.value);
    ebb_map_free(cls->refmaps);
    cls->refmaps = NULL;
}

static void visit_slots(const refmap *map, uint32_t at, jvm_slot *from, jvm_slot *to, jvm_visit_fn *visit, void *arg)
{
    for (; from < to && at < map->nslots; from++, at++)
        if (from->a != NULL && (map->exact ? map->kinds[at] == JVM_SLOT_REF : jvm_heap_holds(from->a)))
            visit(&from->a, arg);
}

void jvm_refmap_visit(jvm_frame *f, jvm_visit_fn *visit, void *arg)
{
    const refmap *map = map_of(f);
    uint16_t nlocals = f->method->max_locals;
    visit_slots(map, 0, f->locals, f->locals + nlocals, visit, arg);
    visit_slots(map, nlocals, jvm_frame_stack(f), f->sp, visit, arg);
}

static void each_slot(const refmap *map, uint32_t at, jvm_slot *from, jvm_slot *to, jvm_slot_fn *visit, void *arg)
{
    for (; from < to && at < map->nslots; from++, at++)
        visit(from, map->exact ? map->kinds[at] : JVM_SLOT_UNKNOWN, arg);
}

void jvm_refmap_each_slot(jvm_frame *f, jvm_slot_fn *visit, void *arg)
{
    const refmap *map = map_of(f);
    uint16_t nlocals = f->method->max_locals;
    each_slot(map, 0, f->locals, f->locals + nlocals, visit, arg);
    each_slot(map, nlocals, jvm_frame_stack(f), f->sp, visit, arg);
}

void jvm_refmap_visit_native(jvm_frame *f, jvm_visit_fn *visit, void *arg)
{
    if (f->method == NULL)
        return; /* arguments of an ENTRY frame are the callee's locals */
    jvm_slot *at = f->locals;
    if (!jvm_method_is_static(f->method) && (at++)->a != NULL)
        visit(&at[-1].a, arg);
    jvm_sig_iter it = jvm_sig_start(f->method->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; at += jvm_type_slots(type))
        if ((type == 'L' || type == '[') && at->a != NULL)
            visit(&at->a, arg);
}
