#include "x86/inside/decode.h"
#include "x86/shared.h"

#include <Zydis/Zydis.h>

/* TRANSFER stands for jmp, call and ret, which their operands tell further apart. */
enum { X86_KIND_TRANSFER = 100 };

static int kind_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
#define X86_OP(name, kind, why)                                                                    \
    case ZYDIS_MNEMONIC_##name: return X86_KIND_##kind;
#define X86_ASK(name, ask)                                                                         \
    case ZYDIS_MNEMONIC_##name: return X86_KIND_ASK;
#include "x86/inside/ops.def"
#undef X86_OP
#undef X86_ASK
    default: return X86_KIND_PLAIN;
    }
}

static x86_ask_kind ask_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
#define X86_OP(name, kind, why)
#define X86_ASK(name, ask)                                                                         \
    case ZYDIS_MNEMONIC_##name: return ask;
#include "x86/inside/ops.def"
#undef X86_OP
#undef X86_ASK
    default: return X86_ASK_CPUID;
    }
}

/* ---- kinds ------------------------------------------------------------------------------------ */

static bool has_rip_operand(const ZydisDecodedInstruction *z)
{
    return (z->attributes & ZYDIS_ATTRIB_HAS_MODRM) && z->raw.modrm.mod == 0 &&
           z->raw.modrm.rm == 5;
}

static x86_kind transfer_kind(const ZydisDecodedInstruction *z)
{
    if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return X86_KIND_STEPPED;
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

static bool is_transfer(x86_kind kind)
{
    switch (kind) {
    case X86_KIND_JCC:
    case X86_KIND_JMP:
    case X86_KIND_CALL:
    case X86_KIND_RET:
    case X86_KIND_JMP_INDIRECT:
    case X86_KIND_CALL_INDIRECT:
    case X86_KIND_SHORT_ONLY: return true;
    default: return false;
    }
}

static bool loads_gs(const ZydisDecodedInstruction *z)
{
    bool pops = z->mnemonic == ZYDIS_MNEMONIC_POP && z->opcode_map == ZYDIS_OPCODE_MAP_0F && z->opcode == 0xa9;
    bool moves = z->mnemonic == ZYDIS_MNEMONIC_MOV && z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && z->opcode == 0x8e;
    return pops || (moves && z->raw.modrm.reg == 5);
}

static const ZyanU64 any_repeat = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;

/* What only the details tell. */
static x86_kind kind_by_details(const ZydisDecodedInstruction *z, const x86_insn *insn)
{
    bool odd_transfer = is_transfer(insn->kind) && (has_16_bit_operand(z) || (insn->is_rip_relative && z->address_width != 64));
    if (odd_transfer || loads_gs(z))
        return X86_KIND_STEPPED;
    if (insn->kind != X86_KIND_PLAIN)
        return insn->kind;
    if (insn->is_rip_relative && z->address_width != 64)
        return X86_KIND_STEPPED;
    if (z->attributes & any_repeat)
        return z->address_width == 64 && !insn->uses_gs ? X86_KIND_REPEATED : X86_KIND_STEPPED;
    return X86_KIND_PLAIN;
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
    if (insn->kind == X86_KIND_ASK || insn->kind == X86_KIND_RDGSBASE || insn->kind == X86_KIND_WRGSBASE) {
        insn->ask = (uint8_t)ask_of(z->mnemonic);
        insn->rm = (uint8_t)(z->raw.modrm.rm | z->raw.rex.B << 3);
        insn->operand_nbytes = (uint8_t)(z->operand_width / 8);
        insn->is_wide = z->raw.rex.W;
    }
    insn->kind = kind_by_details(z, insn);
}

/* ---- operands --------------------------------------------------------------------------------- */

static bool decode_operands(const uint8_t *code, size_t nbytes, ZydisDecodedInstruction *z, ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
    ZydisDecoder decoder;
    ZydisDecoderContext context;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, code, nbytes, z)) &&
           ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, z, operands, z->operand_count));
}

/* Its number if it is (a part of) a general register. */
static uint8_t general_reg(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return X86_REG_RIP;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (uint8_t)(whole - ZYDIS_REGISTER_RAX) : X86_NO_REG;
}

static bool is_counting_reg(ZydisRegister reg)
{
    switch (reg) {
    case ZYDIS_REGISTER_XMM30:
    case ZYDIS_REGISTER_XMM31:
    case ZYDIS_REGISTER_YMM30:
    case ZYDIS_REGISTER_YMM31:
    case ZYDIS_REGISTER_ZMM30:
    case ZYDIS_REGISTER_ZMM31: return true;
    default: return false;
    }
}

/* Some instructions (vp4dpwssd and its kind) use a group of four. */
static bool uses_counting_reg(const uint8_t *code, size_t nbytes)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!decode_operands(code, nbytes, &z, operands))
        return true;
    for (unsigned i = 0; i < z.operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i];
        bool group = (o->attributes & ZYDIS_OATTRIB_IS_MULTISOURCE4) != 0;
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && (group || is_counting_reg(o->reg.value)))
            return true;
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && is_counting_reg(o->mem.index))
            return true;
    }
    return false;
}

static void add_used(x86_operands *to, ZydisRegister reg)
{
    uint8_t number = general_reg(reg);
    if (number < X86_N_GPRS)
        to->used |= (uint16_t)(1u << number);
}

static void fill_memory(const ZydisDecodedOperand *o, x86_operands *to)
{
    bool only_address = o->mem.type == ZYDIS_MEMOP_TYPE_AGEN; /* lea: nothing is accessed, no segment counts */
    bool by_modrm = o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
    to->reads = to->reads || (!only_address && (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ));
    to->writes = to->writes || (!only_address && (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE));
    to->has_memory = true;
    to->has_other = to->has_other || !by_modrm;
    if (!by_modrm)
        return;
    to->is_plain = o->mem.type == ZYDIS_MEMOP_TYPE_MEM || only_address;
    to->has_fs = !only_address && o->mem.segment == ZYDIS_REGISTER_FS;
    to->has_gs = !only_address && o->mem.segment == ZYDIS_REGISTER_GS;
    to->base = general_reg(o->mem.base);
    to->index = general_reg(o->mem.index);
    to->scale = o->mem.scale ? o->mem.scale : 1;
    to->disp = o->mem.disp.has_displacement ? o->mem.disp.value : 0;
    to->nbytes = (uint16_t)(o->size / 8);
}

/* Where the number of the base register is completed. */
static void find_extension(const ZydisDecodedInstruction *z, x86_operands *to)
{
    to->extension_inverted = true;
    switch (z->encoding) {
    case ZYDIS_INSTRUCTION_ENCODING_VEX:
        to->opcode_at = z->raw.vex.offset;
        to->extension_at = z->raw.vex.size == 3 ? (uint8_t)(z->raw.vex.offset + 1) : 0;
        break;
    case ZYDIS_INSTRUCTION_ENCODING_XOP:
        to->opcode_at = z->raw.xop.offset;
        to->extension_at = (uint8_t)(z->raw.xop.offset + 1);
        break;
    case ZYDIS_INSTRUCTION_ENCODING_EVEX:
    case ZYDIS_INSTRUCTION_ENCODING_MVEX:
        to->opcode_at = z->raw.evex.offset;
        to->extension_at = (uint8_t)(z->raw.evex.offset + 1);
        break;
    default:
        to->opcode_at = z->raw.prefix_count;
        to->extension_inverted = false;
        if (z->attributes & ZYDIS_ATTRIB_HAS_REX)
            to->extension_at = z->raw.rex.offset, to->opcode_at = z->raw.rex.offset;
    }
}

bool x86_insn_operands(const uint8_t *code, size_t nbytes, x86_operands *to)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    *to = (x86_operands){.base = X86_NO_REG, .index = X86_NO_REG};
    if (!decode_operands(code, nbytes, &z, operands))
        return false;
    for (unsigned i = 0; i < z.operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i];
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
            add_used(to, o->reg.value);
        else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
            fill_memory(o, to);
    }
    to->is_address32 = z.address_width == 32;
    find_extension(&z, to);
    to->modrm_at = z.raw.modrm.offset;
    to->tail_at = z.raw.imm[0].size ? z.raw.imm[0].offset : z.length;
    return true;
}

bool x86_insn_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecodedInstruction z;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, nbytes, &z)))
        return false;
    fill(&z, guest, insn);
    if (z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && insn->kind == X86_KIND_PLAIN && uses_counting_reg(code, nbytes))
        insn->kind = X86_KIND_SWAPPED;
    return true;
}
