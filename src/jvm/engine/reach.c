/* reach.c - depths of the stack forward, writers of a slot backward; see reach.h. */
#include "jvm/engine/reach.h"

#include "jvm/engine/ops.h"

#include <string.h>

static uint8_t op_at(const jvm_method *m, uint32_t bci)
{
    return m->bytes[bci] == JVM_OP_wide ? m->bytes[bci + 1] : m->bytes[bci];
}

/* ---- where control goes ---- */

static void each_case(const jvm_method *m, uint32_t bci, void (*to)(void *self, int64_t bci), void *self)
{
    const uint8_t *p = m->bytes + ((bci + 4) & ~3u);
    bool table = m->bytes[bci] == JVM_OP_tableswitch;
    int64_t n = table ? (int64_t)jvm_s4(p + 8) - jvm_s4(p + 4) + 1 : jvm_s4(p + 4);
    const uint8_t *offset = p + 12; /* after default, low, high; or default, count, first match */
    to(self, (int64_t)bci + jvm_s4(p));
    for (int64_t i = 0; i < n; i++)
        to(self, (int64_t)bci + jvm_s4(offset + i * (table ? 4 : 8)));
}

static bool falls_through(uint8_t op)
{
    bool leaves = (op >= JVM_OP_ireturn && op <= JVM_OP_return) || op == JVM_OP_athrow || op == JVM_OP_ret;
    bool jumps = op == JVM_OP_goto || op == JVM_OP_goto_w || op == JVM_OP_tableswitch || op == JVM_OP_lookupswitch;
    return !leaves && !jumps;
}

void jvm_each_successor(const jvm_method *m, uint32_t bci, void (*to)(void *self, int64_t bci), void *self)
{
    uint8_t op = op_at(m, bci);
    if (op == JVM_OP_tableswitch || op == JVM_OP_lookupswitch)
        each_case(m, bci, to, self);
    else if (strchr(jvm_ops[op].operands, 'o') != NULL)
        to(self, (int64_t)bci + jvm_s2(m->bytes + bci + 1));
    else if (strchr(jvm_ops[op].operands, 'O') != NULL)
        to(self, (int64_t)bci + jvm_s4(m->bytes + bci + 1));
    if (falls_through(op))
        to(self, (int64_t)bci + jvm_op_length(m->bytes, m->nbytes, bci));
}

/* ---- what an instruction does to the stack ---- */

static void effect(const jvm_method *m, uint32_t bci, int32_t *pops, int32_t *pushes)
{
    uint8_t op = op_at(m, bci);
    int n;
    char type;
    if (jvm_op_is_shuffler(op)) {
        *pops = (int32_t)strlen(jvm_ops[op].pops);
        *pushes = (int32_t)strlen(jvm_ops[op].pushes);
        return;
    }
    jvm_op_effect(m, bci, &n, &type);
    *pops = n;
    *pushes = type == 0 ? 0 : jvm_type_slots(type);
}

/* ---- depths ---- */

typedef struct forward {
    const jvm_method *m;
    int32_t *depth;
    int32_t after;         /* the instruction that is looked at */
    EBB_VEC(uint32_t) work;
} forward;

static void arrive(forward *f, int64_t bci, int32_t depth)
{
    if (bci < 0 || bci >= (int64_t)f->m->nbytes || f->depth[bci] >= 0)
        return;
    f->depth[bci] = depth;
    ebb_vec_push(&f->work, (uint32_t)bci);
}

static void arrive_after(void *self, int64_t bci)
{
    forward *f = self;
    arrive(f, bci, f->after);
}

static void step(forward *f, uint32_t bci)
{
    int32_t pops, pushes;
    effect(f->m, bci, &pops, &pushes);
    f->after = f->depth[bci] - pops + pushes;
    for (const jvm_handler *h = f->m->handlers; h < f->m->handlers + f->m->nhandlers; h++)
        if (bci >= h->start && bci < h->end)
            arrive(f, h->target, 1);
    if (f->after >= 0 && f->after <= f->m->max_stack)
        jvm_each_successor(f->m, bci, arrive_after, f);
}

static bool has_subroutines(const jvm_method *m)
{
    uint32_t n;
    for (uint32_t bci = 0; bci < m->nbytes; bci += n) {
        n = jvm_op_length(m->bytes, m->nbytes, bci);
        if (n == 0 || m->bytes[bci] == JVM_OP_jsr || m->bytes[bci] == JVM_OP_jsr_w)
            return true;
    }
    return false;
}

int32_t *jvm_stack_depths(const jvm_method *m)
{
    if (m->bytes == NULL || has_subroutines(m))
        return NULL;
    forward f = {.m = m, .depth = ebb_alloc(((size_t)m->nbytes + 1) * sizeof(int32_t))};
    memset(f.depth, 0xff, ((size_t)m->nbytes + 1) * sizeof(int32_t));
    arrive(&f, 0, 0);
    while (f.work.n > 0)
        step(&f, f.work.items[--f.work.n]);
    ebb_vec_fini(&f.work);
    return f.depth;
}

/* ---- writers ---- */

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct backward {
    const jvm_method *m;
    const int32_t *depth;
    uint32_t slot;
    uint32_t from;              /* the instruction whose successors are noted */
    EBB_VEC(edge) edges;
    EBB_VEC(uint32_t) work;     /* the slot is looked at before these */
    uint8_t *seen;              /* by bci: it was in `work` */
    uint8_t *writes;            /* by bci: it is in `out` */
    jvm_writers *out;
} backward;

static void note_edge(void *self, int64_t bci)
{
    backward *b = self;
    if (bci >= 0 && bci < (int64_t)b->m->nbytes)
        ebb_vec_push(&b->edges, ((edge){b->from, (uint32_t)bci}));
}

static void note_edges(backward *b)
{
    for (b->from = 0; b->from < b->m->nbytes; b->from++)
        if (b->depth[b->from] >= 0)
            jvm_each_successor(b->m, b->from, note_edge, b);
}

static bool writes_slot(const backward *b, uint32_t bci)
{
    int32_t pops, pushes;
    effect(b->m, bci, &pops, &pushes);
    int64_t kept = (int64_t)b->depth[bci] - pops;
    return b->slot >= kept && b->slot < kept + pushes;
}

static void look_before(backward *b, uint32_t bci)
{
    if (b->seen[bci])
        return;
    b->seen[bci] = 1;
    ebb_vec_push(&b->work, bci);
}

static bool is_handler(const jvm_method *m, uint32_t bci)
{
    for (const jvm_handler *h = m->handlers; h < m->handlers + m->nhandlers; h++)
        if (h->target == bci)
            return true;
    return false;
}

/* The slot as it is before that instruction: who left it so? */
static void look(backward *b, uint32_t bci)
{
    if (is_handler(b->m, bci) && b->slot == 0)
        ebb_vec_push(b->out, ((jvm_writer){bci, true}));
    for (size_t i = 0; i < b->edges.n; i++) {
        uint32_t from = b->edges.items[i].from;
        if (b->edges.items[i].to != bci)
            continue;
        if (!writes_slot(b, from))
            look_before(b, from);
        else if (!b->writes[from]++)
            ebb_vec_push(b->out, ((jvm_writer){from, false}));
    }
}

bool jvm_stack_writers(const jvm_method *m, uint32_t bci, uint32_t slot, jvm_writers *out)
{
    int32_t *depth = jvm_stack_depths(m);
    bool known = depth != NULL && bci < m->nbytes && depth[bci] > (int64_t)slot;
    if (known) {
        backward b = {.m = m, .depth = depth, .slot = slot, .out = out, .seen = ebb_zalloc(m->nbytes), .writes = ebb_zalloc(m->nbytes)};
        note_edges(&b);
        look_before(&b, bci);
        while (b.work.n > 0)
            look(&b, b.work.items[--b.work.n]);
        ebb_vec_fini(&b.edges);
        ebb_vec_fini(&b.work);
        free(b.seen);
        free(b.writes);
    }
    free(depth);
    return known;
}

/* ---- local variables ---- */

int32_t jvm_named_local(const jvm_method *m, uint32_t bci)
{
    const uint8_t *code = m->bytes + bci;
    if (code[0] == JVM_OP_wide)
        return jvm_u2(code + 2);
    if (code[0] >= JVM_OP_iload_0 && code[0] <= JVM_OP_aload_3)
        return (code[0] - JVM_OP_iload_0) % 4;
    if (code[0] >= JVM_OP_istore_0 && code[0] <= JVM_OP_astore_3)
        return (code[0] - JVM_OP_istore_0) % 4;
    bool names = (code[0] >= JVM_OP_iload && code[0] <= JVM_OP_aload) ||
                 (code[0] >= JVM_OP_istore && code[0] <= JVM_OP_astore) || code[0] == JVM_OP_iinc;
    return names ? code[1] : -1;
}

void jvm_local_writers(const jvm_method *m, uint32_t slot, jvm_writers *out)
{
    uint32_t n;
    for (uint32_t bci = 0; bci < m->nbytes; bci += n) {
        uint8_t op = op_at(m, bci);
        bool writes = (op >= JVM_OP_istore && op <= JVM_OP_astore) || (op >= JVM_OP_istore_0 && op <= JVM_OP_astore_3) || op == JVM_OP_iinc;
        if (writes && jvm_named_local(m, bci) == (int32_t)slot)
            ebb_vec_push(out, ((jvm_writer){bci, false}));
        n = jvm_op_length(m->bytes, m->nbytes, bci);
        if (n == 0)
            return;
    }
}
