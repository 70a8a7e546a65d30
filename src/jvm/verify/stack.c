/* The stack and the local variables of a frame, as instructions use them. */
#include "jvm/verify/stack.h"

#include <string.h>

/* ---- the stack ---- */

void jvm_verify_push_slot(jvm_verifier *v, jvm_vtype t)
{
    if (v->now->depth >= v->m->max_stack)
        jvm_verify_fail(v, "Operand stack overflow");
    else
        jvm_vstack(v, v->now)[v->now->depth++] = t;
}

void jvm_verify_push(jvm_verifier *v, jvm_vtype t)
{
    jvm_verify_push_slot(v, t);
    if (jvm_vtype_is_wide(t))
        jvm_verify_push_slot(v, (jvm_vtype){t.tag + 1, 0, NULL});
}

jvm_vtype jvm_verify_pop_slot(jvm_verifier *v)
{
    if (v->now->depth == 0) {
        jvm_verify_fail(v, "Operand stack underflow");
        return JVM_VTYPE_TOP;
    }
    return jvm_vstack(v, v->now)[--v->now->depth];
}

jvm_vtype jvm_verify_pop(jvm_verifier *v, jvm_vtype want)
{
    if (jvm_vtype_is_wide(want) && jvm_verify_pop_slot(v).tag != want.tag + 1)
        jvm_verify_fail(v, "Bad type on operand stack");
    jvm_vtype got = jvm_verify_pop_slot(v);
    if (!v->failed && !jvm_vtype_assignable(v, got, want))
        jvm_verify_fail(v, "Bad type on operand stack");
    return got;
}

/* Any reference, an uninitialised one too if asked. */
jvm_vtype jvm_verify_pop_reference(jvm_verifier *v, bool uninit_too)
{
    jvm_vtype t = jvm_verify_pop_slot(v);
    bool ok = jvm_vtype_is_reference(t) || (uninit_too && (t.tag == JVM_V_UNINIT || t.tag == JVM_V_UNINIT_THIS));
    if (!v->failed && !ok)
        jvm_verify_fail(v, "Bad type on operand stack");
    return t;
}

jvm_vtype jvm_verify_letter_type(char letter)
{
    switch (letter) {
    case 'j': return (jvm_vtype){JVM_V_LONG, 0, NULL};
    case 'f': return (jvm_vtype){JVM_V_FLOAT, 0, NULL};
    case 'd': return (jvm_vtype){JVM_V_DOUBLE, 0, NULL};
    default: return JVM_VTYPE_INT;
    }
}

/* ---- locals ---- */

bool jvm_verify_check_local(jvm_verifier *v, uint32_t local, bool wide)
{
    if (local + wide < v->m->max_locals)
        return true;
    jvm_verify_fail(v, "Local variable table overflow");
    return false;
}

void jvm_verify_load_local(jvm_verifier *v, uint16_t local, char letter)
{
    jvm_vtype want = jvm_verify_letter_type(letter);
    if (!jvm_verify_check_local(v, local, jvm_vtype_is_wide(want)))
        return;
    jvm_vtype t = v->now->slots[local];
    if (letter == 'a') {
        bool ok = jvm_vtype_is_reference(t) || t.tag == JVM_V_UNINIT || t.tag == JVM_V_UNINIT_THIS;
        if (!ok)
            jvm_verify_fail(v, "Bad local variable type");
        jvm_verify_push(v, t);
        return;
    }
    if (t.tag != want.tag || (jvm_vtype_is_wide(want) && v->now->slots[local + 1].tag != want.tag + 1))
        jvm_verify_fail(v, "Bad local variable type");
    jvm_verify_push(v, want);
}

void jvm_verify_set_local(jvm_verifier *v, uint16_t local, jvm_vtype t)
{
    jvm_vtype *slots = v->now->slots;
    if (!jvm_verify_check_local(v, local, jvm_vtype_is_wide(t)))
        return;
    if (jvm_vtype_is_second_half(slots[local]) && local > 0)
        slots[local - 1] = JVM_VTYPE_TOP;
    uint32_t last = local + (jvm_vtype_is_wide(t) ? 1u : 0u);
    if (jvm_vtype_is_wide(slots[last]) && last + 1 < v->m->max_locals)
        slots[last + 1] = JVM_VTYPE_TOP;
    slots[local] = t;
    if (jvm_vtype_is_wide(t))
        slots[local + 1] = (jvm_vtype){t.tag + 1, 0, NULL};
}

void jvm_verify_store_local(jvm_verifier *v, uint16_t local, char letter)
{
    jvm_vtype t;
    if (letter == 'a') {
        t = jvm_verify_pop_slot(v);
        bool ok = jvm_vtype_is_reference(t) || t.tag == JVM_V_UNINIT || t.tag == JVM_V_UNINIT_THIS || t.tag == JVM_V_RETURN;
        if (!v->failed && !ok)
            jvm_verify_fail(v, "Bad type on operand stack");
    } else {
        t = jvm_verify_pop(v, jvm_verify_letter_type(letter));
    }
    if (!v->failed)
        jvm_verify_set_local(v, local, t);
}

/* ---- the stack shufflers: halves of long and double must not be torn apart ---- */

static bool splits(const jvm_verifier *v, int from_top)
{
    const jvm_vtype *stack = jvm_vstack(v, v->now);
    int at = v->now->depth - from_top;
    return at >= 0 && at < v->now->depth && jvm_vtype_is_second_half(stack[at]);
}

void jvm_verify_shuffle(jvm_verifier *v, uint8_t op)
{
    const jvm_op_info *info = &jvm_ops[op];
    int n = (int)strlen(info->pops);
    if (v->now->depth < n) {
        jvm_verify_fail(v, "Operand stack underflow");
        return;
    }
    /* Where the copied or moved groups begin, counted from the top. */
    int unit = op == JVM_OP_pop2 || op >= JVM_OP_dup2 ? 2 : 1;
    if (op == JVM_OP_swap)
        unit = 1;
    if (splits(v, unit) || splits(v, n)) {
        jvm_verify_fail(v, "Bad type on operand stack");
        return;
    }
    jvm_vtype saved[5];
    for (int i = 1; i <= n; i++) {
        saved[i] = jvm_verify_pop_slot(v);
        if (saved[i].tag == JVM_V_TOP) { /* nobody knows what it is */
            jvm_verify_fail(v, i == 1 && unit == 2 ? "Bad type on operand stack in %s" : "Bad type on operand stack", info->name);
            return;
        }
    }
    for (const char *p = info->pushes; *p != '\0'; p++)
        jvm_verify_push_slot(v, saved[*p - '0']);
}
