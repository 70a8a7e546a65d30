/* decode.c - instructions as text (Zydis), spelt as binutils and gdb spell them. */
#include "x86/native.h"

#include <Zydis/Zydis.h>
#include <string.h>

static bool is_branch(const ZydisDecodedInstruction *insn)
{
    return insn->meta.category == ZYDIS_CATEGORY_COND_BR || insn->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

static void describe(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands, machine_place place, machine_insn *out)
{
    out->nbytes = insn->length;
    out->is_call = insn->meta.category == ZYDIS_CATEGORY_CALL;
    out->is_return = insn->meta.category == ZYDIS_CATEGORY_RET;
    out->is_branch = is_branch(insn);
    out->is_indirect = (out->is_call || out->is_branch) && !insn->raw.imm[0].is_relative;
    for (unsigned i = 0; i < insn->operand_count_visible && !out->has_target; i++) {
        const ZydisDecodedOperand *op = &operands[i];
        bool relative = (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op->imm.is_relative) ||
                        (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.base == ZYDIS_REGISTER_RIP);
        if (relative)
            out->has_target = ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(insn, op, place, &out->target));
    }
}

ebb_status x86_decode(const void *code, size_t nbytes, machine_place place, x86_flavour flavour, machine_insn *out, ebb_error *err)
{
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, flavour == X86_ATT ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL);
    *out = (machine_insn){0};
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, nbytes, &insn, operands)))
        return ebb_fail(err, EBB_BAD_INPUT, "no instruction at %#llx", (unsigned long long)place);
    describe(&insn, operands, place, out);
    ZydisFormatterFormatInstruction(&formatter, &insn, operands, insn.operand_count_visible, out->text, sizeof out->text, place, NULL);
    return EBB_OK;
}
