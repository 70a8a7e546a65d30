/* travel.c - the travels of one object: instructions that pass its reference on, for points of JAVA_SPACE_REFERENCE (wire/places.h).
 *
 * While such a point is set instructions that pass references on are looked at; most of them see at once that it is none of these.  What the instruction takes from the stack is known before it executes: arguments, what is
 * returned, thrown or stored.  What it reads is known before, too, once it is resolved; an unresolved read is looked at when it is done. */
#include "jvm/agent/internal.h"

#include "jvm/engine/ops.h"
#include "jvm/wire/places.h"

#include <string.h>

/* ---- arguments ---- */

/* Types of the slots that a call takes, from the first argument on; `this` is not among them. */
static const char *after_type(const char *d)
{
    while (*d == '[')
        d++;
    const char *end = *d == 'L' ? strchr(d, ';') : NULL;
    return end == NULL ? d + 1 : end + 1;
}

static bool is_reference_slot(const char *signature, unsigned slot)
{
    for (const char *d = signature + 1; *d != '\0' && *d != ')'; d = after_type(d)) {
        unsigned n = (unsigned)jvm_type_slots(*d);
        if (slot < n)
            return slot == 0 && (*d == 'L' || *d == '[');
        slot -= n;
    }
    return false;
}

static const char *signature_of(const jvm_method *m, uint32_t bci)
{
    const jvm_sym *cls, *name, *sig;
    uint16_t index = jvm_u2(m->bytes + bci + 1);
    if (m->cls->pool.tags[index] == JVM_CP_INDY)
        jvm_cp_name_type(m->cls, m->cls->pool.values[index].b, &name, &sig);
    else
        jvm_cp_member(m->cls, index, &cls, &name, &sig);
    return sig->text;
}

static bool passes(const jvm_frame *f, uint32_t bci, const jvm_obj *o)
{
    const jvm_method *m = f->method;
    uint8_t op = m->bytes[bci];
    int pops;
    char pushes;
    jvm_op_effect(m, bci, &pops, &pushes);
    bool has_this = op != JVM_OP_invokestatic && op != JVM_OP_invokedynamic;
    for (int i = 0; i < pops; i++)
        if (f->sp[i - pops].a == o && ((has_this && i == 0) || is_reference_slot(signature_of(m, bci), (unsigned)(i - has_this))))
            return true;
    return false;
}

static bool is_among(const jvm_method *m, const jvm_slot *args, const jvm_obj *o)
{
    bool has_this = !jvm_method_is_static(m);
    for (unsigned i = 0; i < m->nargs; i++)
        if (args[i].a == o && ((has_this && i == 0) || is_reference_slot(m->sig->text, i - has_this)))
            return true;
    return false;
}

/* The move is that of the instruction that called the native method; it is done where the method that this calls begins. */
void jvm_agent_calls(const jvm_thread *t, const jvm_method *m, const jvm_slot *args)
{
    const jvm_frame *native = t->frame, *f = native == NULL ? NULL : native->prev;
    if (agent.quiet || agent.calling || f == NULL || native->kind != JVM_FRAME_NATIVE || f->kind != JVM_FRAME_JAVA)
        return;
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        if (agent_is_reference(p) && p->nbytes > 0 && is_among(m, args, (const jvm_obj *)(uintptr_t)p->addr))
            agent_data_moved(p, t, f, false);
    }
}

/* ---- reads and writes ---- */

static bool is_field_of_reference(const jvm_method *m, uint32_t bci)
{
    const char *type = signature_of(m, bci);
    return *type == 'L' || *type == '[';
}

static bool reads_element(const jvm_frame *f, const jvm_obj *o)
{
    const jvm_obj *array = f->sp[-2].a;
    int32_t index = f->sp[-1].i;
    return array != NULL && (uint32_t)index < (uint32_t)array->length && ((jvm_obj *const *)jvm_array_data(array))[index] == o;
}

typedef enum moves { MOVES_NOT, MOVES, MAY_MOVE } moves; /* MAY_MOVE: if it is on the stack's top afterwards */

static moves moves_of(const jvm_frame *f, uint32_t bci, const jvm_obj *o)
{
    uint8_t op = f->method->bytes[bci];
    switch (op) {
    case JVM_OP_getfield:
    case JVM_OP_getstatic: return is_field_of_reference(f->method, bci) ? MAY_MOVE : MOVES_NOT;
    case JVM_OP_putfield:
    case JVM_OP_putstatic: return f->sp[-1].a == o && is_field_of_reference(f->method, bci) ? MOVES : MOVES_NOT;
    case JVM_OP_aaload: return reads_element(f, o) ? MOVES : MOVES_NOT;
    case JVM_OP_aastore:
    case JVM_OP_areturn:
    case JVM_OP_athrow: return f->sp[-1].a == o ? MOVES : MOVES_NOT;
    default: break;
    }
    return op >= JVM_OP_invokevirtual && op <= JVM_OP_invokedynamic && passes(f, bci, o) ? MOVES : MOVES_NOT;
}

/* Most reads are resolved, and known before. */
static moves narrow(const jvm_frame *f, uint16_t op, const jvm_obj *o, moves as)
{
    const jvm_obj *holder;
    if (as != MAY_MOVE)
        return as;
    if (op == JVM_X_getfieldQa) {
        holder = f->sp[-1].a;
        return holder != NULL && *(jvm_obj *const *)((const char *)holder + f->pc->b) == o ? MOVES : MOVES_NOT;
    }
    if (op == JVM_X_getstaticQa)
        return *(jvm_obj *const *)f->pc->c.address == o ? MOVES : MOVES_NOT;
    return MAY_MOVE;
}

/* ---- all of them ---- */

static bool is_on_stack(const jvm_frame *f, const jvm_obj *o)
{
    for (const jvm_slot *at = (const jvm_slot *)(f + 1); at < f->sp; at++)
        if (at->a == o)
            return true;
    return false;
}

/* A reference that it takes from the stack is on the stack; the one that it reads is looked at. */
static bool may_move(const jvm_frame *f, uint16_t op, const jvm_obj *o)
{
    switch (op) {
    case JVM_X_getfieldQa:
    case JVM_X_getstaticQa: return narrow(f, op, o, MAY_MOVE) == MOVES;
    case JVM_X_aloada: return reads_element(f, o);
    case JVM_X_getfield:
    case JVM_X_getstatic: return true;
    default: return is_on_stack(f, o);
    }
}

bool agent_travel_is_far(const jvm_frame *f, uint16_t op)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        if (agent_is_reference(p) && p->nbytes > 0 && may_move(f, op, (const jvm_obj *)(uintptr_t)p->addr))
            return false;
    }
    return true;
}

void agent_travel_before(const jvm_thread *t, const jvm_frame *f, uint16_t op)
{
    uint32_t bci = (uint32_t)jvm_frame_bci(f);
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        if (!agent_is_reference(p) || p->nbytes == 0)
            continue;
        const jvm_obj *o = (const jvm_obj *)(uintptr_t)p->addr;
        moves as = narrow(f, op, o, moves_of(f, bci, o));
        if (as != MOVES_NOT)
            agent_data_moved(p, t, f, as == MAY_MOVE);
    }
}
