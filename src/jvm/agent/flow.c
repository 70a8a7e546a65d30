/* flow.c - answers about instructions: who wrote a slot, and what one does with values. */
#include "jvm/agent/internal.h"

#include "jvm/engine/ops.h"
#include "jvm/engine/control.h"
#include "jvm/wire/places.h"

#include <string.h>

static ebb_status method_at(uint64_t place, jvm_method **m, uint32_t *bci, ebb_error *err)
{
    *m = agent_method(place);
    *bci = place & 0xffff;
    if (*m == NULL || (*m)->bytes == NULL || *bci >= (*m)->nbytes)
        return ebb_fail(err, EBB_NOT_FOUND, "No instruction of Java is at %#llx.", (unsigned long long)place);
    return EBB_OK;
}

/* ---- who wrote a slot ---- */

/* A call site (invokedynamic) is no call of a method that it names. */
static uint64_t place_after_call(const jvm_method *m, uint32_t bci)
{
    uint8_t op = m->bytes[bci];
    return op >= JVM_OP_invokevirtual && op <= JVM_OP_invokeinterface ? jvm_method_place(m, bci + jvm_op_length(m->bytes, m->nbytes, bci)) : 0;
}

ebb_status agent_serve_slot_writers(const jvm_wire_slot_at *q, jvm_wire_writers *a, ebb_arena *arena, ebb_error *err)
{
    jvm_method *m;
    uint32_t bci;
    jvm_writers found = {0};
    EBB_TRY(method_at(q->place, &m, &bci, err));
    if (!q->is_stack)
        jvm_local_writers(m, q->slot, &found);
    else if (!jvm_stack_writers(m, bci, q->slot, &found))
        return ebb_fail(err, EBB_UNSUPPORTED, "The code of %s.%s is too old for it to be told who pushed a value.", m->cls->name->text, m->name->text);
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_writer, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        a->list.items[a->list.n++] = (jvm_wire_writer){.place = jvm_method_place(m, found.items[i].bci), .is_handler = found.items[i].is_handler,
                                                      .after = found.items[i].is_handler ? 0 : place_after_call(m, found.items[i].bci)};
    ebb_vec_fini(&found);
    return EBB_OK;
}

/* ---- who decides about an instruction ---- */

ebb_status agent_serve_deciders(const jvm_wire_number *q, jvm_wire_deciders *a, ebb_arena *arena, ebb_error *err)
{
    jvm_method *m;
    uint32_t bci;
    jvm_decider_list found = {0};
    EBB_TRY(method_at(q->value, &m, &bci, err));
    if (!jvm_deciders(m, bci, &found))
        return ebb_fail(err, EBB_UNSUPPORTED, "The code of %s.%s is too old for it to be told what decides about a line.", m->cls->name->text, m->name->text);
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_decider, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        a->list.items[a->list.n++] = (jvm_wire_decider){.place = jvm_method_place(m, found.items[i].bci), .is_handler = found.items[i].is_handler,
                                                        .way = jvm_method_place(m, found.items[i].way)};
    ebb_vec_fini(&found);
    return EBB_OK;
}

/* ---- what an instruction does ---- */

static bool is_between(uint8_t op, uint8_t first, uint8_t last)
{
    return op >= first && op <= last;
}

static java_effect_kind kind_of(uint8_t op)
{
    switch (op) {
    case JVM_OP_checkcast: return JAVA_EFFECT_CAST;
    case JVM_OP_getfield: return JAVA_EFFECT_FIELD_READ;
    case JVM_OP_putfield: return JAVA_EFFECT_FIELD_WRITE;
    case JVM_OP_getstatic: return JAVA_EFFECT_STATIC_READ;
    case JVM_OP_putstatic: return JAVA_EFFECT_STATIC_WRITE;
    case JVM_OP_athrow: return JAVA_EFFECT_THROW;
    case JVM_OP_new: case JVM_OP_newarray: case JVM_OP_anewarray: case JVM_OP_multianewarray: return JAVA_EFFECT_NEW;
    default: break;
    }
    if (is_between(op, JVM_OP_ifeq, JVM_OP_if_acmpne) || is_between(op, JVM_OP_tableswitch, JVM_OP_lookupswitch) || op == JVM_OP_ifnull || op == JVM_OP_ifnonnull)
        return JAVA_EFFECT_BRANCH;
    return is_between(op, JVM_OP_aconst_null, JVM_OP_ldc2_w)                 ? JAVA_EFFECT_CONSTANT
           : is_between(op, JVM_OP_iload, JVM_OP_aload_3)                    ? JAVA_EFFECT_LOAD
           : is_between(op, JVM_OP_iaload, JVM_OP_saload)                    ? JAVA_EFFECT_ELEMENT_READ
           : is_between(op, JVM_OP_istore, JVM_OP_astore_3)                  ? JAVA_EFFECT_STORE
           : is_between(op, JVM_OP_iastore, JVM_OP_sastore)                  ? JAVA_EFFECT_ELEMENT_WRITE
           : jvm_op_is_shuffler(op)                                          ? JAVA_EFFECT_SHUFFLE
           : is_between(op, JVM_OP_invokevirtual, JVM_OP_invokedynamic)      ? JAVA_EFFECT_CALL
           : is_between(op, JVM_OP_ireturn, JVM_OP_return)                   ? JAVA_EFFECT_RETURN
           : op == JVM_OP_iinc || jvm_ops[op].pushes[0] != '\0'              ? JAVA_EFFECT_OPERATION
                                                                             : JAVA_EFFECT_OTHER;
}

static uint64_t field_id(const jvm_field *f)
{
    return f == NULL ? UINT64_MAX : (uint64_t)f->cls->serial << 32 | (uint64_t)(f - f->cls->fields);
}

static void name_member(const jvm_method *m, uint32_t bci, jvm_wire_effect *a)
{
    uint16_t index = jvm_u2(m->bytes + bci + 1);
    const jvm_sym *cls = NULL, *name, *sig;
    if (m->cls->pool.tags[index] == JVM_CP_INDY)
        jvm_cp_name_type(m->cls, m->cls->pool.values[index].b, &name, &sig);
    else
        jvm_cp_member(m->cls, index, &cls, &name, &sig);
    a->holder = cls == NULL ? NULL : cls->text;
    a->name = name->text;
    a->descriptor = sig->text;
    if (a->kind != JAVA_EFFECT_CALL)
        a->field = field_id(m->cls->pool.resolved[index].field);
}

static void describe_shuffle(uint8_t op, jvm_wire_effect *a)
{
    a->pops = (uint32_t)strlen(jvm_ops[op].pops);
    a->row = jvm_ops[op].pushes;
}

static void describe_pops(const jvm_method *m, uint32_t bci, jvm_wire_effect *a)
{
    int pops;
    char pushes;
    jvm_op_effect(m, bci, &pops, &pushes);
    a->pops = (uint32_t)pops;
    if (a->kind == JAVA_EFFECT_OPERATION || a->kind == JAVA_EFFECT_BRANCH)
        a->row = jvm_ops[m->bytes[bci]].pops;
}

ebb_status agent_serve_effect(const jvm_wire_number *q, jvm_wire_effect *a, ebb_arena *arena, ebb_error *err)
{
    jvm_method *m;
    uint32_t bci;
    EBB_TRY(method_at(q->value, &m, &bci, err));
    uint8_t op = m->bytes[bci] == JVM_OP_wide ? m->bytes[bci + 1] : m->bytes[bci];
    int32_t *depths = jvm_stack_depths(m), local = jvm_named_local(m, bci);
    *a = (jvm_wire_effect){.kind = (uint8_t)kind_of(op), .nbytes = jvm_op_length(m->bytes, m->nbytes, bci), .field = UINT64_MAX};
    a->depth = depths == NULL || depths[bci] < 0 ? 0 : (uint32_t)depths[bci];
    free(depths);
    a->local = local < 0 ? UINT32_MAX : (uint32_t)local;
    if (jvm_op_is_shuffler(op))
        describe_shuffle(op, a);
    else
        describe_pops(m, bci, a);
    if (is_between(op, JVM_OP_getstatic, JVM_OP_invokedynamic))
        name_member(m, bci, a);
    else if (op == JVM_OP_new || op == JVM_OP_anewarray || op == JVM_OP_multianewarray)
        a->holder = jvm_cp_class_name(m->cls, jvm_u2(m->bytes + bci + 1))->text;
    return EBB_OK;
}
