/* decode.c - asks the library for what the tables of quick.c do not know, and puts it in the translator's terms. */
#include "x86/inside/decode.h"
#include "x86/inside/operands.h"
#include "x86/inside/quick.h"
#include "x86/inside/touch.h"
#include "x86/shared.h"

/* TRANSFER stands for jmp, call and ret, which their operands tell further apart. */
enum { X86_KIND_TRANSFER = 100 };

static int kind_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
#define X86_OP(name, kind, why)                                                                    \
    case ZYDIS_MNEMONIC_##name: return X86_KIND_##kind;
#define X86_ASK(name, ask)                                                                         \
    case ZYDIS_MNEMONIC_##name: return X86_KIND_ASK;
#define X86_SHOWS_X87(name)
#include "x86/inside/ops.def"
#undef X86_OP
#undef X86_ASK
#undef X86_SHOWS_X87
    default: return X86_KIND_PLAIN;
    }
}

static x86_ask_kind ask_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
#define X86_OP(name, kind, why)
#define X86_ASK(name, ask)                                                                         \
    case ZYDIS_MNEMONIC_##name: return ask;
#define X86_SHOWS_X87(name)
#include "x86/inside/ops.def"
#undef X86_OP
#undef X86_ASK
#undef X86_SHOWS_X87
    default: return X86_ASK_CPUID;
    }
}

static bool shows_x87(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
#define X86_OP(name, kind, why)
#define X86_ASK(name, ask)
#define X86_SHOWS_X87(name)                                                                        \
    case ZYDIS_MNEMONIC_##name: return true;
#include "x86/inside/ops.def"
#undef X86_OP
#undef X86_ASK
#undef X86_SHOWS_X87
    default: return false;
    }
}

/* ---- kinds ------------------------------------------------------------------------------------ */

static bool has_rip_operand(const ZydisDecodedInstruction *z)
{
    return (z->attributes & ZYDIS_ATTRIB_HAS_MODRM) && z->raw.modrm.mod == 0 && z->raw.modrm.rm == 5 &&
           z->raw.disp.size != 0; /* moves of control registers have none, whatever they look like */
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

/* Not ins and outs, whose privileges are checked even if there is nothing to repeat. */
static bool is_repeated(const ZydisDecodedInstruction *z)
{
    if (!(z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)))
        return false;
    switch (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? z->opcode & 0xfe : 0) {
    case 0xa4: /* movs */
    case 0xa6: /* cmps */
    case 0xaa: /* stos */
    case 0xac: /* lods */
    case 0xae: /* scas */ return true;
    default: return false;
    }
}

/* The x87 unit remembers the operand's address without the base of its segment. */
static bool is_x87_with_gs(const ZydisDecodedInstruction *z, const x86_insn *insn)
{
    bool x87 = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && z->opcode >= 0xd8 && z->opcode <= 0xdf;
    return x87 && insn->uses_gs && z->raw.modrm.mod != 3;
}

/* What only the details tell. */
static x86_kind kind_by_details(const ZydisDecodedInstruction *z, const x86_insn *insn)
{
    bool odd_transfer = is_transfer(insn->kind) && (has_16_bit_operand(z) || (insn->is_rip_relative && z->address_width != 64));
    if (odd_transfer || loads_gs(z) || is_x87_with_gs(z, insn))
        return X86_KIND_STEPPED;
    bool copied = insn->kind == X86_KIND_PLAIN || insn->kind == X86_KIND_EXCHANGE;
    if (copied && insn->is_rip_relative && z->address_width != 64)
        return X86_KIND_STEPPED;
    if (insn->kind != X86_KIND_PLAIN)
        return insn->kind;
    if (is_repeated(z))
        return z->address_width == 64 && !insn->uses_gs ? X86_KIND_REPEATED : X86_KIND_STEPPED;
    return X86_KIND_PLAIN;
}

static void fill(const ZydisDecodedInstruction *z, uint64_t guest, x86_insn *insn)
{
    int kind = kind_of(z->mnemonic);
    *insn = (x86_insn){.nbytes = z->length};
    insn->kind = kind == X86_KIND_TRANSFER ? transfer_kind(z) : (x86_kind)kind;
    if (insn->kind == X86_KIND_EXCHANGE && !(z->attributes & ZYDIS_ATTRIB_HAS_LOCK))
        insn->kind = X86_KIND_PLAIN; /* nobody else is meant */
    if (insn->kind == X86_KIND_PAUSE && z->raw.rex.B)
        insn->kind = X86_KIND_PLAIN; /* AMD's CPUs exchange r8 and rax then: the CPU decides */
    insn->uses_gs = (z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS) != 0;
    insn->is_rip_relative = has_rip_operand(z);
    insn->shows_x87 = insn->kind == X86_KIND_SWAPPED && shows_x87(z->mnemonic);
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

bool x86_decode_operands(const uint8_t *code, size_t nbytes, ZydisDecodedInstruction *z, ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
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
    if (!x86_decode_operands(code, nbytes, &z, operands))
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

static void add_used(x86_operands *to, const ZydisDecodedOperand *o)
{
    uint8_t number = general_reg(o->reg.value);
    if (number >= X86_N_GPRS)
        return;
    uint16_t bit = (uint16_t)(1u << number);
    to->used |= bit;
    if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return;
    to->written |= bit;
    if (o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
        to->visibly_written |= bit;
}

static void fill_memory(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o, x86_operands *to)
{
    bool only_address = o->mem.type == ZYDIS_MEMOP_TYPE_AGEN; /* lea: nothing is accessed, no segment counts */
    bool by_modrm = o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
    to->reads = to->reads || (!only_address && (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ));
    to->writes = to->writes || (!only_address && (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE));
    to->stores = to->stores || (!only_address && (o->actions & ZYDIS_OPERAND_ACTION_WRITE));
    to->has_memory = true;
    to->has_other = to->has_other || !by_modrm;
    uint8_t base = general_reg(o->mem.base);
    bool hidden = o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN, writes = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (hidden && base == X86_RSP && writes)
        to->pushed_nbytes = (uint16_t)(o->size / 8);
    else if (hidden && base == X86_RSP)
        to->popped_nbytes = (uint16_t)(o->size / 8);
    else if (hidden && base == X86_RBP)
        to->framed_nbytes = (uint16_t)(o->size / 8);
    else if (!by_modrm)
        to->has_unknown = true;
    if (!by_modrm)
        return;
    to->is_plain = o->mem.type == ZYDIS_MEMOP_TYPE_MEM || only_address;
    to->by_modrm = !only_address;
    to->has_fs = !only_address && o->mem.segment == ZYDIS_REGISTER_FS;
    to->has_gs = !only_address && o->mem.segment == ZYDIS_REGISTER_GS;
    bool no_base = z->raw.modrm.mod == 0 && z->raw.modrm.rm == 4 && z->raw.sib.base == 5; /* the decoder may say r13d */
    to->base = no_base ? X86_NO_REG : general_reg(o->mem.base);
    to->index = general_reg(o->mem.index);
    to->scale = o->mem.scale ? o->mem.scale : 1;
    to->disp = no_base ? z->raw.disp.value : o->mem.disp.has_displacement ? o->mem.disp.value : 0;
    to->nbytes = (uint16_t)(o->size / 8);
}

bool x86_is_address_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x67: return true;
    default: return false;
    }
}

static bool is_legacy_prefix(uint8_t byte)
{
    return x86_is_address_prefix(byte) || byte == 0x66 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3;
}

static bool is_rex(uint8_t byte)
{
    return (byte & 0xf0) == 0x40;
}

/* Where the number of the base register is completed. */
static void find_extension(const ZydisDecodedInstruction *z, const uint8_t *code, x86_operands *to)
{
    while (is_legacy_prefix(code[to->opcode_at]) || is_rex(code[to->opcode_at]))
        to->opcode_at++;
    to->extension_inverted = z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY && z->encoding != ZYDIS_INSTRUCTION_ENCODING_3DNOW;
    bool has_short_vex = z->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && z->raw.vex.size == 2;
    bool has_rex = to->opcode_at > 0 && is_rex(code[to->opcode_at - 1]); /* any other one means nothing */
    if (to->extension_inverted && !has_short_vex)
        to->extension_at = (uint8_t)(to->opcode_at + 1);
    else if (!to->extension_inverted && has_rex)
        to->extension_at = (uint8_t)(to->opcode_at - 1);
    else
        to->extension_at = X86_NO_EXTENSION;
}

static bool is_masked(const ZydisDecodedInstruction *z)
{
    bool by_register = z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && z->avx.mask.reg != ZYDIS_REGISTER_NONE &&
                       z->avx.mask.reg != ZYDIS_REGISTER_K0;
    return by_register || x86_is_masked_by_vector(z->mnemonic);
}

bool x86_insn_operands(const uint8_t *code, size_t nbytes, x86_operands *to)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    *to = (x86_operands){.base = X86_NO_REG, .index = X86_NO_REG};
    if (!x86_decode_operands(code, nbytes, &z, operands))
        return false;
    for (unsigned i = 0; i < z.operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i];
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
            add_used(to, o);
        else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
            fill_memory(&z, o, to);
    }
    to->is_address32 = z.address_width == 32;
    find_extension(&z, code, to);
    if (z.mnemonic == ZYDIS_MNEMONIC_ENTER) { /* that is not all */
        to->pushed_nbytes = 0;
        to->has_unknown = true;
    }
    to->is_bit = x86_is_bit_test(z.mnemonic) && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    to->is_masked = is_masked(&z);
    if (x86_accesses_nothing(z.meta.category, z.mnemonic))
        to->reads = to->writes = to->stores = false;
    to->modrm_at = z.raw.modrm.offset;
    to->tail_at = z.raw.imm[0].size ? z.raw.imm[0].offset : z.length;
    return true;
}

bool x86_full_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn)
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

bool x86_insn_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn)
{
    return x86_quick_decode(code, nbytes, guest, insn) || x86_full_decode(code, nbytes, guest, insn);
}
