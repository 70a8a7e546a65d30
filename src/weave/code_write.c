/* code_write.c - from the list of instructions to the bytes of a Code attribute. */
#include "weave/code.h"
#include "weave/frames.h"
#include "weave/tables.h"

#include "jvm/engine/ops.h"

static uint32_t offset_to(const weave_insn *insn, uint32_t i)
{
    return weave_jump_pc(insn->targets[i]) - insn->at;
}

static void put_jump(const weave_insn *insn, ebb_buf *out)
{
    uint8_t op = insn->op;
    if (insn->is_wide && op == JVM_OP_goto)
        op = JVM_OP_goto_w;
    if (insn->is_wide && op == JVM_OP_jsr)
        op = JVM_OP_jsr_w;
    weave_put_u1(out, op);
    if (insn->is_wide)
        weave_put_u4(out, offset_to(insn, 0));
    else
        weave_put_u2(out, offset_to(insn, 0));
}

static void put_switch(const weave_insn *insn, ebb_buf *out)
{
    const uint8_t *p = insn->bytes + 4 - insn->was % 4;
    bool is_table = insn->op == JVM_OP_tableswitch;
    weave_put_u1(out, insn->op);
    for (uint32_t i = 0; i < 3 - insn->at % 4; i++)
        weave_put_u1(out, 0);
    weave_put_u4(out, offset_to(insn, 0));
    weave_put(out, (weave_span){p + 4, is_table ? 8 : 4});
    for (uint32_t i = 1; i < insn->ntargets; i++) {
        if (!is_table)
            weave_put(out, (weave_span){p + 8 + (i - 1) * 8, 4});
        weave_put_u4(out, offset_to(insn, i));
    }
}

static void put_insn(const weave_insn *insn, ebb_buf *out)
{
    if (insn->op == JVM_OP_tableswitch || insn->op == JVM_OP_lookupswitch)
        put_switch(insn, out);
    else if (insn->ntargets == 1)
        put_jump(insn, out);
    else
        weave_put(out, (weave_span){insn->bytes, insn->nbytes});
}

void weave_code_put_insns(const weave_code *code, ebb_buf *out)
{
    for (const weave_insn *insn = code->head; insn != code->end; insn = insn->next)
        put_insn(insn, out);
}

static void put_handlers(const weave_code *code, ebb_buf *out)
{
    weave_put_u2(out, code->nhandlers);
    for (uint32_t i = 0; i < code->nhandlers; i++) {
        const weave_handler *h = &code->handlers[i];
        weave_put_u2(out, weave_jump_pc(h->start));
        weave_put_u2(out, weave_jump_pc(h->end));
        weave_put_u2(out, weave_jump_pc(h->handler));
        weave_put_u2(out, h->type_index);
    }
}

ebb_status weave_code_write(weave_code *code, ebb_buf *out, ebb_error *err)
{
    EBB_TRY(weave_code_layout(code, err));
    weave_put_u2(out, code->max_stack);
    weave_put_u2(out, code->max_locals);
    weave_put_u4(out, code->end->at);
    weave_code_put_insns(code, out);
    put_handlers(code, out);
    weave_tables_write(code, out);
    return EBB_OK;
}
