/* code.c - bytecode, lines and variables of methods. */
#include "jvm/stock/internal.h"

#include "jvm/engine/ops.h"

#include <string.h>

static int by_bci(const void *x, const void *y)
{
    const jvm_wire_line *a = x, *b = y;
    return (a->bci > b->bci) - (a->bci < b->bci);
}

static void read_lines(stock *k, const stock_class *cls, const stock_member *method, stock_code *code)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (stock_ask(k, &arena, &in, NULL, JDWP_METHOD_LINES, "tm", cls->type, method->id) == EBB_OK) {
        jdwp_u64(&in);
        jdwp_u64(&in);
        uint32_t n = jdwp_count(&in, 12);
        code->lines = EBB_ARENA_ARRAY(&k->for_good, jvm_wire_line, n + 1u);
        for (; code->n_lines < n && !in.bad; code->n_lines++) {
            code->lines[code->n_lines].bci = (uint16_t)jdwp_u64(&in);
            code->lines[code->n_lines].line = (uint16_t)jdwp_u32(&in);
        }
        qsort(code->lines, code->n_lines, sizeof *code->lines, by_bci);
    }
    ebb_arena_fini(&arena);
}

static void read_locals(stock *k, const stock_class *cls, const stock_member *method, stock_code *code)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (stock_ask(k, &arena, &in, NULL, JDWP_METHOD_VARIABLES, "tm", cls->type, method->id) == EBB_OK) {
        jdwp_u32(&in);
        uint32_t n = jdwp_count(&in, 24);
        code->locals = EBB_ARENA_ARRAY(&k->for_good, jvm_wire_local, n + 1u);
        for (; code->n_locals < n && !in.bad; code->n_locals++) {
            jvm_wire_local *local = &code->locals[code->n_locals];
            local->from = (uint16_t)jdwp_u64(&in);
            local->name = jdwp_text(&in, &k->for_good);
            local->descriptor = jdwp_text(&in, &k->for_good);
            local->to = (uint16_t)(local->from + jdwp_u32(&in));
            local->slot = (uint16_t)jdwp_u32(&in);
        }
    }
    ebb_arena_fini(&arena);
}

static stock_code *read_code(stock *k, const stock_class *cls, const stock_member *method)
{
    jdwp_in in;
    if (stock_ask(k, &k->for_good, &in, NULL, JDWP_METHOD_BYTECODES, "tm", cls->type, method->id) != EBB_OK)
        return NULL;
    uint32_t n = jdwp_count(&in, 1);
    if (n == 0)
        return NULL;
    stock_code *code = EBB_ARENA_NEW(&k->for_good, stock_code);
    code->bytes = in.at;
    code->nbytes = n;
    read_lines(k, cls, method, code);
    read_locals(k, cls, method, code);
    return code;
}

const stock_code *stock_code_of(stock *k, machine_place place)
{
    stock_class *cls;
    const stock_member *method = stock_method(k, place, &cls);
    if (!method)
        return NULL;
    stock_code **code = &cls->codes[method - cls->methods];
    if (!*code)
        *code = read_code(k, cls, method);
    return *code;
}

machine_place stock_place_from(stock *k, machine_place place)
{
    const stock_code *code = stock_code_of(k, place);
    uint32_t at = 0, n;
    while (code && at < java_place_bci(place) && (n = jvm_op_length(code->bytes, code->nbytes, at)) > 0)
        at += n;
    return code && at < code->nbytes && at >= java_place_bci(place) ? java_place_method(place) | at : 0;
}

machine_place stock_next_place(stock *k, machine_place place)
{
    const stock_code *code = stock_code_of(k, place);
    uint32_t n = code ? jvm_op_length(code->bytes, code->nbytes, java_place_bci(place)) : 0;
    return n > 0 && java_place_bci(place) + n < code->nbytes ? place + n : place;
}

/* ---- answers ---- */

static ebb_status no_code(uint64_t place, ebb_error *err)
{
    return ebb_fail(err, EBB_NOT_FOUND, "No code of Java is at %#lx.", (unsigned long)place);
}

ebb_status stock_serve_code(stock *k, const jvm_wire_number *q, jvm_wire_code *a, ebb_arena *arena, ebb_error *err)
{
    const stock_code *code = stock_code_of(k, q->value);
    stock_class *cls;
    if (!code && !stock_method(k, q->value, &cls))
        return no_code(q->value, err);
    if (!code)
        return EBB_OK;
    a->bytes = (jvm_wire_bytes){code->bytes, code->nbytes};
    a->lines.items = code->lines;
    a->lines.n = code->n_lines;
    a->locals.items = code->locals;
    a->locals.n = code->n_locals;
    return EBB_OK;
}

/* Constants are shown by their number: the protocol has no names for them. */
static const char *insn_text(ebb_arena *arena, const uint8_t *at)
{
    const jvm_op_info *op = &jvm_ops[*at];
    switch (op->operands[0]) {
    case 'b': return ebb_arena_printf(arena, "%s %d", op->name, (int8_t)at[1]);
    case 's': return ebb_arena_printf(arena, "%s %d", op->name, jvm_s2(at + 1));
    case 'l': return ebb_arena_printf(arena, "%s %u", op->name, at[1]);
    case 'c': return ebb_arena_printf(arena, "%s #%u", op->name, at[1]);
    case 'C': case 'F': case 'M': case 'I': case 'D': case 'K': return ebb_arena_printf(arena, "%s #%u", op->name, jvm_u2(at + 1));
    default: return op->name;
    }
}

ebb_status stock_serve_decode(stock *k, const jvm_wire_number *q, jvm_wire_insn *a, ebb_arena *arena, ebb_error *err)
{
    const stock_code *code = stock_code_of(k, q->value);
    uint32_t bci = java_place_bci(q->value), n = code ? jvm_op_length(code->bytes, code->nbytes, bci) : 0;
    if (n == 0)
        return no_code(q->value, err);
    const uint8_t *at = code->bytes + bci;
    char operand = jvm_ops[*at].operands[0];
    *a = (jvm_wire_insn){.nbytes = n, .text = insn_text(arena, at)};
    a->is_call = *at >= JVM_OP_invokevirtual && *at <= JVM_OP_invokedynamic;
    a->is_return = *at >= JVM_OP_ireturn && *at <= JVM_OP_return;
    a->is_branch = (operand && strchr("oOTS", operand)) || *at == JVM_OP_ret || *at == JVM_OP_athrow;
    a->has_target = operand == 'o' || operand == 'O';
    if (a->has_target) {
        int32_t offset = operand == 'o' ? jvm_s2(at + 1) : jvm_s4(at + 1);
        a->target = java_place_method(q->value) | (uint16_t)((int32_t)bci + offset);
        a->text = ebb_arena_printf(arena, "%s %d", jvm_ops[*at].name, (int32_t)bci + offset);
    }
    return EBB_OK;
}
