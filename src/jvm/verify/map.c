/* Type checking against the StackMapTable: one pass, each jump compared with the frame at its target. */
#include "jvm/verify/frame.h"

#include "jvm/engine/ops.h"

#include <string.h>

typedef struct map_engine {
    jvm_vframe **at;        /* by bci: the frames of the table */
    const uint8_t *p, *end; /* what is left of the table */
} map_engine;

/* ---- reading the table ---- */

static uint8_t read_u1(jvm_verifier *v, map_engine *e)
{
    if (e->p >= e->end) {
        jvm_verify_fail_format(v, "StackMapTable format error: wrong attribute size");
        return 0;
    }
    return *e->p++;
}

static uint16_t read_u2(jvm_verifier *v, map_engine *e)
{
    uint16_t high = read_u1(v, e);
    return (uint16_t)(high << 8 | read_u1(v, e));
}

static jvm_vtype read_type(jvm_verifier *v, map_engine *e)
{
    static const uint8_t tags[] = {JVM_V_TOP, JVM_V_INT, JVM_V_FLOAT, JVM_V_DOUBLE, JVM_V_LONG, JVM_V_NULL, JVM_V_UNINIT_THIS};
    uint8_t tag = read_u1(v, e);
    if (tag < sizeof tags) {
        jvm_vtype t = {tags[tag], 0, tag == 6 ? v->cls->name : NULL};
        if (tag == 6 && !jvm_method_is_init(v->m))
            jvm_verify_fail_format(v, "StackMapTable format error: bad type");
        return t;
    }
    uint16_t operand = read_u2(v, e);
    if (tag == 7) {
        if (operand == 0 || operand >= v->cls->pool.n || v->cls->pool.tags[operand] != JVM_CP_CLASS)
            jvm_verify_fail_format(v, "StackMapTable format error: bad class index");
        else
            return (jvm_vtype){JVM_V_OBJECT, 0, jvm_cp_class_name(v->cls, operand)};
    } else if (tag == 8) {
        if (operand >= v->m->nbytes || !v->starts[operand] || v->m->bytes[operand] != JVM_OP_new)
            jvm_verify_fail_format(v, "StackMapTable format error: bad offset for Uninitialized");
        else
            return (jvm_vtype){JVM_V_UNINIT, operand, NULL};
    } else {
        jvm_verify_fail_format(v, "StackMapTable format error: bad type");
    }
    return (jvm_vtype){JVM_V_TOP, 0, NULL};
}

static uint32_t type_slots(jvm_vtype t)
{
    return t.tag == JVM_V_LONG || t.tag == JVM_V_DOUBLE ? 2 : 1;
}

/* Puts a type at slot `at` of an area that ends at `end`; returns the slot after it. */
static uint32_t put_type(jvm_verifier *v, jvm_vframe *f, uint32_t at, uint32_t end, jvm_vtype t)
{
    if (at + type_slots(t) > end) {
        jvm_verify_fail_format(v, "StackMapTable format error: too many types");
        return at;
    }
    f->slots[at] = t;
    if (type_slots(t) == 2)
        f->slots[at + 1] = (jvm_vtype){t.tag + 1, 0, NULL};
    return at + type_slots(t);
}

static void read_stack(jvm_verifier *v, map_engine *e, jvm_vframe *f, uint16_t n)
{
    uint32_t at = v->m->max_locals;
    for (uint16_t i = 0; i < n && !v->failed; i++)
        at = put_type(v, f, at, v->nslots, read_type(v, e));
    f->depth = (uint16_t)(at - v->m->max_locals);
}

/* One frame more or less than the one before; `nlocals` counts the slots in use. */
static void chop(jvm_verifier *v, jvm_vframe *f, uint32_t *nlocals, int n)
{
    for (; n > 0; n--) {
        if (*nlocals == 0) {
            jvm_verify_fail_format(v, "StackMapTable format error: bad chop");
            return;
        }
        (*nlocals)--;
        uint8_t tag = f->slots[*nlocals].tag;
        f->slots[*nlocals] = (jvm_vtype){JVM_V_TOP, 0, NULL};
        if ((tag == JVM_V_LONG2 || tag == JVM_V_DOUBLE2) && *nlocals > 0)
            f->slots[--*nlocals] = (jvm_vtype){JVM_V_TOP, 0, NULL};
    }
}

static uint32_t read_frame(jvm_verifier *v, map_engine *e, jvm_vframe *f, uint32_t *nlocals)
{
    uint8_t kind = read_u1(v, e);
    f->depth = 0;
    if (kind < 64)
        return kind;
    if (kind < 128) {
        read_stack(v, e, f, 1);
        return kind - 64u;
    }
    if (kind < 247) {
        jvm_verify_fail_format(v, "StackMapTable format error: reserved frame type");
        return 0;
    }
    uint32_t delta = read_u2(v, e);
    if (kind == 247) {
        read_stack(v, e, f, 1);
    } else if (kind <= 250) {
        chop(v, f, nlocals, 251 - kind);
    } else if (kind > 251 && kind < 255) {
        for (int i = 0; i < kind - 251 && !v->failed; i++)
            *nlocals = put_type(v, f, *nlocals, v->m->max_locals, read_type(v, e));
    } else if (kind == 255) {
        uint16_t n = read_u2(v, e);
        memset(f->slots, 0, v->nslots * sizeof *f->slots);
        *nlocals = 0;
        for (uint16_t i = 0; i < n && !v->failed; i++)
            *nlocals = put_type(v, f, *nlocals, v->m->max_locals, read_type(v, e));
        read_stack(v, e, f, read_u2(v, e));
    }
    return delta;
}

static void note_uninit(const jvm_verifier *v, jvm_vframe *f)
{
    f->this_uninit = false;
    for (uint32_t i = 0; i < v->m->max_locals; i++)
        f->this_uninit = f->this_uninit || f->slots[i].tag == JVM_V_UNINIT_THIS;
}

static void read_table(jvm_verifier *v, map_engine *e)
{
    jvm_vframe *f = jvm_vframe_new(v);
    jvm_vframe_copy(v, f, v->now);
    uint32_t nlocals = v->m->nargs;
    int64_t bci = -1;
    e->p = v->m->stack_map.bytes;
    e->end = e->p + v->m->stack_map.nbytes;
    if (e->p == NULL)
        return;
    uint16_t n = read_u2(v, e);
    for (uint16_t i = 0; i < n && !v->failed; i++) {
        bci += 1 + (int64_t)read_frame(v, e, f, &nlocals);
        if (!v->failed && (bci >= v->m->nbytes || !v->starts[bci]))
            jvm_verify_fail(v, "StackMapTable error: bad offset");
        if (v->failed)
            return;
        note_uninit(v, f);
        e->at[bci] = jvm_vframe_new(v);
        jvm_vframe_copy(v, e->at[bci], f);
    }
    if (!v->failed && e->p != e->end)
        jvm_verify_fail_format(v, "StackMapTable format error: wrong attribute size");
}

/* ---- checking ---- */

static void flow_to_map(jvm_verifier *v, int64_t bci)
{
    const map_engine *e = v->engine;
    if (bci < 0 || bci >= v->m->nbytes || !v->starts[bci])
        jvm_verify_fail(v, "Illegal target of jump or branch");
    else if (e->at[bci] == NULL)
        jvm_verify_fail(v, "Expecting a stackmap frame at branch target %d", (int)bci);
    else if (!jvm_vframe_assignable(v, v->now, e->at[bci]))
        jvm_verify_fail(v, "Instruction type does not match stack map");
}

static void check_handlers(jvm_verifier *v, jvm_vframe *scratch)
{
    for (uint16_t i = 0; i < v->m->nhandlers && !v->failed; i++) {
        const jvm_handler *h = &v->m->handlers[i];
        if (v->bci < h->start || v->bci >= h->end)
            continue;
        jvm_vframe_copy(v, scratch, v->now);
        scratch->depth = v->m->max_stack > 0 ? 1 : 0;
        if (scratch->depth == 0)
            jvm_verify_fail(v, "Operand stack overflow");
        else
            jvm_vstack(v, scratch)[0] = h->type == 0 ? jvm_vtype_object("java/lang/Throwable")
                : (jvm_vtype){JVM_V_OBJECT, 0, jvm_cp_class_name(v->cls, h->type)};
        jvm_vframe *now = v->now;
        v->now = scratch;
        flow_to_map(v, h->target);
        v->now = now;
    }
}

void jvm_verify_by_map(jvm_verifier *v)
{
    const jvm_method *m = v->m;
    map_engine e = {EBB_ARENA_ARRAY(&v->arena, jvm_vframe *, m->nbytes + 1u), NULL, NULL};
    v->engine = &e;
    v->flow = flow_to_map;
    v->bci = 0;
    read_table(v, &e);
    jvm_vframe *scratch = jvm_vframe_new(v);
    bool falls = true;
    for (uint32_t bci = 0; bci < m->nbytes && !v->failed; bci += jvm_op_length(m->bytes, m->nbytes, bci)) {
        v->bci = bci;
        if (e.at[bci] != NULL) {
            if (falls && !jvm_vframe_assignable(v, v->now, e.at[bci])) {
                jvm_verify_fail(v, "Instruction type does not match stack map");
                return;
            }
            jvm_vframe_copy(v, v->now, e.at[bci]);
        } else if (!falls) {
            jvm_verify_fail(v, "Expecting a stack map frame");
            return;
        }
        check_handlers(v, scratch);
        if (!v->failed)
            falls = jvm_verify_step(v);
    }
    if (!v->failed && falls)
        jvm_verify_fail(v, "Control flow falls through code end");
}
