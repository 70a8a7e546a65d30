/* code_edit.c - code is put in between instructions, and instructions are asked what they are. */
#include "weave/code.h"

#include "jvm/engine/ops.h"
#include "weave/frames.h"

#include <string.h>

weave_insn *weave_insn_call_static(weave_code *code, uint16_t method_index)
{
    const uint8_t bytes[] = {JVM_OP_invokestatic, (uint8_t)(method_index >> 8), (uint8_t)method_index};
    return weave_insn_new(code, bytes, sizeof bytes);
}

weave_insn *weave_insn_plain(weave_code *code, uint8_t op)
{
    return weave_insn_new(code, &op, 1);
}

weave_insn *weave_insn_local(weave_code *code, uint8_t op, uint16_t local)
{
    const uint8_t bytes[] = {JVM_OP_wide, op, (uint8_t)(local >> 8), (uint8_t)local};
    const uint8_t narrow[] = {op, (uint8_t)local};
    return local > 0xff ? weave_insn_new(code, bytes, sizeof bytes) : weave_insn_new(code, narrow, sizeof narrow);
}

static void link_before(weave_code *code, weave_insn *after, weave_insn *insn)
{
    if (after->prev) {
        weave_link_after(after->prev, insn);
        return;
    }
    insn->next = after;
    after->prev = insn;
    code->head = insn;
}

void weave_insert_before(weave_code *code, weave_insn *at, weave_insn *insn)
{
    link_before(code, at, insn);
    if (at->first == at)
        at->first = insn;
}

void weave_insert_at_entry(weave_code *code, weave_insn *insn)
{
    link_before(code, code->first_read->first, insn);
}

void weave_code_need(weave_code *code, uint32_t more_stack)
{
    code->max_stack = (uint16_t)(code->max_stack + more_stack);
}

uint16_t weave_code_new_long(weave_code *code)
{
    uint16_t local = code->max_locals;
    if (local > 0xffff - 2)
        return 0xffff;
    code->max_locals = (uint16_t)(local + 2);
    weave_frames_add_long(code, local);
    return local;
}

void weave_append(weave_code *code, weave_insn *insn)
{
    weave_insert_before(code, code->end, insn); /* so ranges that reached to the end still end where they did */
}

void weave_add_handler(weave_code *code, weave_insn *start, weave_insn *end, weave_insn *handler)
{
    if (code->nhandlers >= code->cap_handlers) {
        code->cap_handlers = (uint16_t)(code->nhandlers + 16);
        weave_handler *grown = EBB_ARENA_ARRAY(&code->cls->arena, weave_handler, code->cap_handlers);
        memcpy(grown, code->handlers, code->nhandlers * sizeof *grown);
        code->handlers = grown;
    }
    code->handlers[code->nhandlers++] = (weave_handler){start, end, handler, 0};
}

void weave_add_handler_frame(weave_code *code, weave_insn *handler, uint16_t local)
{
    if (code->has_frames)
        weave_frame_of_handler(code, handler, local);
}

bool weave_insn_is_return(const weave_insn *insn)
{
    return insn->op >= JVM_OP_ireturn && insn->op <= JVM_OP_return;
}

bool weave_insn_is_call(const weave_insn *insn)
{
    return insn->op >= JVM_OP_invokevirtual && insn->op <= JVM_OP_invokedynamic;
}

bool weave_insn_goes_back(const weave_insn *insn)
{
    for (uint32_t i = 0; i < insn->ntargets; i++)
        if (insn->targets[i]->was <= insn->was)
            return true;
    return insn->op == JVM_OP_ret || (insn->op == JVM_OP_wide && insn->bytes[1] == JVM_OP_ret);
}

bool weave_insn_falls_through(const weave_insn *insn)
{
    switch (insn->op) {
    case JVM_OP_goto: case JVM_OP_goto_w: case JVM_OP_athrow: case JVM_OP_ret: case JVM_OP_tableswitch: case JVM_OP_lookupswitch:
        return false;
    case JVM_OP_wide:
        return insn->bytes[1] != JVM_OP_ret;
    default:
        return !weave_insn_is_return(insn);
    }
}
