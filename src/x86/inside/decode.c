#include "x86/inside/decode.h"

#include <Zydis/Zydis.h>

/* TRANSFER stands for jmp, call and ret, which their operands tell further apart. */
enum { X86_KIND_TRANSFER = 100 };

static int kind_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
#define X86_OP(name, kind, why)                                                                    \
    case ZYDIS_MNEMONIC_##name: return X86_KIND_##kind;
#include "x86/inside/ops.def"
#undef X86_OP
    default: return X86_KIND_PLAIN;
    }
}

static bool has_rip_operand(const ZydisDecodedInstruction *z)
{
    return (z->attributes & ZYDIS_ATTRIB_HAS_MODRM) && z->raw.modrm.mod == 0 &&
           z->raw.modrm.rm == 5;
}

static x86_kind transfer_kind(const ZydisDecodedInstruction *z)
{
    if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return X86_KIND_UNSUPPORTED;
    if (z->mnemonic == ZYDIS_MNEMONIC_RET)
        return X86_KIND_RET;
    bool direct = z->raw.imm[0].is_relative;
    if (z->mnemonic == ZYDIS_MNEMONIC_JMP)
        return direct ? X86_KIND_JMP : X86_KIND_JMP_INDIRECT;
    return direct ? X86_KIND_CALL : X86_KIND_CALL_INDIRECT;
}

/* With REX.W the prefix means nothing: calls for thread-local variables are padded with it. */
static bool has_16_bit_operand(const ZydisDecodedInstruction *z)
{
    return (z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !z->raw.rex.W;
}

static void fill(const ZydisDecodedInstruction *z, uint64_t guest, x86_insn *insn)
{
    int kind = kind_of(z->mnemonic);
    *insn = (x86_insn){.nbytes = z->length};
    insn->kind = kind == X86_KIND_TRANSFER ? transfer_kind(z) : (x86_kind)kind;
    insn->uses_gs = (z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS) != 0;
    insn->is_rip_relative = has_rip_operand(z);
    insn->disp_at = z->raw.disp.offset;
    insn->modrm_at = z->raw.modrm.offset;
    insn->condition = z->opcode & 15;
    if (insn->kind == X86_KIND_RET && z->raw.imm[0].size)
        insn->pop_nbytes = (uint16_t)z->raw.imm[0].value.u;
    if (z->raw.imm[0].is_relative)
        insn->target = guest + z->length + (uint64_t)z->raw.imm[0].value.s;
    /* A 16-bit jump target or a 32-bit rip-relative address: nobody makes these on purpose. */
    bool odd = (kind != X86_KIND_PLAIN && insn->kind != X86_KIND_RET && has_16_bit_operand(z)) ||
               (insn->is_rip_relative && z->address_width != 64) || insn->uses_gs;
    if (odd)
        insn->kind = X86_KIND_UNSUPPORTED;
}

bool x86_insn_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecodedInstruction z;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, nbytes, &z)))
        return false;
    fill(&z, guest, insn);
    return true;
}
