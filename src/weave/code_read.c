/* code_read.c - from the bytes of a Code attribute to the list of instructions. */
#include "weave/code.h"
#include "weave/frames.h"
#include "weave/tables.h"

#include "jvm/engine/ops.h"

#include <string.h>

static const char *const operands[256] = {
#define JVM_OP(code, name, operands, pops, pushes, undo, throws) [code] = operands,
#include "jvm/engine/ops.def"
#undef JVM_OP
};

static ebb_status fail_code(const weave_code *code, const char *what, ebb_error *err)
{
    const weave_method *m = code->method;
    return ebb_fail(err, EBB_BAD_FILE, "the code of %.*s.%.*s is broken: %s", (int)code->cls->name.nbytes,
                    (const char *)code->cls->name.bytes, (int)m->name.nbytes, (const char *)m->name.bytes, what);
}

/* ---- sizes ---- */

static uint32_t operand_size(char letter, bool wide)
{
    switch (letter) {
    case 'b': return wide ? 2 : 1;
    case 'l': return wide ? 2 : 1;
    case 'c': case 't': case 'd': return 1;
    case 's': case 'C': case 'F': case 'M': case 'K': case 'o': return 2;
    case 'I': case 'D': case 'O': return 4;
    default: return 0;
    }
}

static void skip_switch(weave_in *in, const uint8_t *code, bool is_table)
{
    weave_take(in, (uint32_t)(3 - ((in->at - code) + 3) % 4));
    weave_u4(in); /* default */
    if (is_table) {
        int64_t low = (int32_t)weave_u4(in), high = (int32_t)weave_u4(in);
        if (low > high || high - low > 0xffff)
            in->failed = true;
        else
            weave_take(in, (uint32_t)(high - low + 1) * 4);
    } else {
        uint32_t n = weave_u4(in);
        if (n > 0xffff)
            in->failed = true;
        else
            weave_take(in, n * 8);
    }
}

static void skip_operands(weave_in *in, const char *letters, bool wide)
{
    for (; *letters; letters++)
        weave_take(in, operand_size(*letters, wide));
}

/* Moves on over one instruction that begins at in->at. */
static void skip_insn(weave_in *in, const uint8_t *code)
{
    uint8_t op = weave_u1(in);
    const char *letters = operands[op];
    bool is_wide = op == JVM_OP_wide;
    if (is_wide)
        letters = operands[weave_u1(in)];
    if (!letters || (is_wide && letters[0] != 'l'))
        in->failed = true;
    else if (letters[0] == 'T' || letters[0] == 'S')
        skip_switch(in, code, letters[0] == 'T');
    else
        skip_operands(in, letters, is_wide);
}

/* ---- instructions ---- */

static weave_insn *new_insn(weave_code *code, const uint8_t *bytes, uint32_t nbytes)
{
    weave_insn *insn = EBB_ARENA_NEW(&code->cls->arena, weave_insn);
    insn->bytes = bytes;
    insn->nbytes = nbytes;
    insn->op = nbytes ? bytes[0] : 0;
    insn->was = WEAVE_NEW;
    insn->first = insn;
    return insn;
}

weave_insn *weave_insn_new(weave_code *code, const uint8_t *bytes, uint32_t nbytes)
{
    uint8_t *copy = ebb_arena_alloc(&code->cls->arena, nbytes);
    memcpy(copy, bytes, nbytes);
    return new_insn(code, copy, nbytes);
}

void weave_link_after(weave_insn *before, weave_insn *insn)
{
    insn->prev = before;
    insn->next = before->next;
    if (before->next)
        before->next->prev = insn;
    before->next = insn;
}

static ebb_status read_insns(weave_code *code, weave_span bytes, ebb_error *err)
{
    weave_in in = weave_in_of(bytes);
    weave_insn *last = NULL;
    code->ncode = bytes.nbytes;
    code->by_pc = EBB_ARENA_ARRAY(&code->cls->arena, weave_insn *, bytes.nbytes + 1u);
    while (in.at < in.end) {
        const uint8_t *start = in.at;
        skip_insn(&in, bytes.bytes);
        if (in.failed)
            return fail_code(code, "an instruction is unknown or cut off", err);
        weave_insn *insn = new_insn(code, start, (uint32_t)(in.at - start));
        insn->was = (uint32_t)(start - bytes.bytes);
        code->by_pc[insn->was] = insn;
        if (last)
            weave_link_after(last, insn);
        else
            code->head = code->first_read = insn;
        last = insn;
    }
    if (!last)
        return fail_code(code, "it has no instructions", err);
    code->end = new_insn(code, bytes.bytes + bytes.nbytes, 0);
    code->end->was = bytes.nbytes;
    code->by_pc[bytes.nbytes] = code->end;
    weave_link_after(last, code->end);
    return EBB_OK;
}

weave_insn *weave_code_at(const weave_code *code, uint32_t bci)
{
    return bci <= code->ncode ? code->by_pc[bci] : NULL;
}

/* ---- targets ---- */

static bool set_target(weave_code *code, weave_insn *insn, uint32_t i, int32_t offset)
{
    weave_insn *target = weave_code_at(code, insn->was + (uint32_t)offset);
    insn->targets[i] = target;
    return target && target != code->end;
}

static bool read_switch(weave_code *code, weave_insn *insn, bool is_table)
{
    const uint8_t *p = insn->bytes + 4 - insn->was % 4;
    const uint8_t *rows = p + (is_table ? 12 : 8);
    uint32_t stride = is_table ? 4 : 8;
    uint32_t n = (uint32_t)(insn->bytes + insn->nbytes - rows) / stride;
    insn->ntargets = n + 1;
    insn->targets = EBB_ARENA_ARRAY(&code->cls->arena, weave_insn *, n + 1u);
    bool ok = set_target(code, insn, 0, jvm_s4(p));
    for (uint32_t i = 0; i < n; i++)
        ok = set_target(code, insn, i + 1, jvm_s4(rows + i * stride + stride - 4)) && ok;
    return ok;
}

static bool read_jump(weave_code *code, weave_insn *insn, char letter)
{
    insn->ntargets = 1;
    insn->targets = EBB_ARENA_ARRAY(&code->cls->arena, weave_insn *, 1);
    insn->is_wide = letter == 'O';
    return set_target(code, insn, 0, insn->is_wide ? jvm_s4(insn->bytes + 1) : jvm_s2(insn->bytes + 1));
}

static bool read_target(weave_code *code, weave_insn *insn)
{
    char letter = operands[insn->op][0];
    if (letter == 'T' || letter == 'S')
        return read_switch(code, insn, letter == 'T');
    return letter == 'o' || letter == 'O' ? read_jump(code, insn, letter) : true;
}

static ebb_status read_targets(weave_code *code, ebb_error *err)
{
    for (weave_insn *insn = code->head; insn != code->end; insn = insn->next)
        if (!read_target(code, insn))
            return fail_code(code, "a jump goes nowhere", err);
    return EBB_OK;
}

/* ---- handlers ---- */

static ebb_status read_handlers(weave_code *code, weave_in *in, ebb_error *err)
{
    uint16_t n = weave_u2(in);
    code->nhandlers = n;
    code->handlers = EBB_ARENA_ARRAY(&code->cls->arena, weave_handler, n + 1u);
    for (uint32_t i = 0; i < n; i++) {
        weave_handler *h = &code->handlers[i];
        h->start = weave_code_at(code, weave_u2(in));
        h->end = weave_code_at(code, weave_u2(in));
        h->handler = weave_code_at(code, weave_u2(in));
        h->type_index = weave_u2(in);
        if (in->failed || !h->start || !h->end || !h->handler || h->handler == code->end)
            return fail_code(code, "an exception handler is nowhere", err);
    }
    return EBB_OK;
}

static ebb_status read_parts(weave_code *code, ebb_error *err)
{
    weave_in in = weave_in_of(code->method->code_bytes);
    code->max_stack = weave_u2(&in);
    code->max_locals = weave_u2(&in);
    weave_span bytes = weave_take(&in, weave_u4(&in));
    if (in.failed || bytes.nbytes > 0xffff)
        return fail_code(code, "it is cut off or too long", err);
    EBB_TRY(read_insns(code, bytes, err));
    EBB_TRY(read_targets(code, err));
    EBB_TRY(read_handlers(code, &in, err));
    EBB_TRY(weave_tables_read(code, &in, err));
    return in.failed || in.at != in.end ? fail_code(code, "an attribute is cut off", err) : EBB_OK;
}

ebb_status weave_code_read(weave_class *cls, weave_method *method, weave_code **out, ebb_error *err)
{
    weave_code *code = EBB_ARENA_NEW(&cls->arena, weave_code);
    code->cls = cls;
    code->method = method;
    if (!method->code_bytes.bytes)
        return fail_code(code, "it has none", err);
    EBB_TRY(read_parts(code, err));
    *out = code;
    return EBB_OK;
}
