/* spell.c - puts the pieces of an instruction together: prefixes, name, operands. */
#include "x86/spell_private.h"

#include <stdio.h>
#include <string.h>

/* --- operands --- */

static void add_register(x86_pen *w, ZydisRegister reg)
{
    const char *name = ZydisRegisterGetString(reg);
    const char *sign = w->att ? "%" : "";
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    if (class == ZYDIS_REGCLASS_X87)
        ebb_buf_addf(&w->out, "%sst(%d)", sign, reg - ZYDIS_REGISTER_ST0);
    else if (class == ZYDIS_REGCLASS_DEBUG && w->att)
        ebb_buf_addf(&w->out, "%%db%d", reg - ZYDIS_REGISTER_DR0);
    else
        ebb_buf_addf(&w->out, "%s%s", sign, name);
}

static void add_hex(x86_pen *w, int64_t value)
{
    ebb_buf_addf(&w->out, "%#llx", (unsigned long long)value);
    if (value == 0)
        ebb_buf_adds(&w->out, "x0"); /* %#x leaves zero bare */
}

static void add_signed_hex(x86_pen *w, int64_t value, bool plus)
{
    if (value < 0)
        ebb_buf_addc(&w->out, '-');
    else if (plus)
        ebb_buf_addc(&w->out, '+');
    add_hex(w, value < 0 ? (int64_t)(0 - (uint64_t)value) : value);
}

static bool is_string_op(const ZydisDecodedOperand *op)
{
    return op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
}

static bool names_segment(const x86_insn *insn, const ZydisDecodedOperand *op)
{
    ZydisRegister seg = op->mem.segment;
    return seg == ZYDIS_REGISTER_FS || seg == ZYDIS_REGISTER_GS || is_string_op(op);
}

/* A SIB byte without index, where it wasn't needed, is written with the index that isn't there. */
static bool has_void_index(const x86_insn *insn, const ZydisDecodedOperand *op)
{
    return x86_spell_has(insn, ZYDIS_ATTRIB_HAS_SIB) && op->mem.index == ZYDIS_REGISTER_NONE && op->mem.base != ZYDIS_REGISTER_NONE &&
           insn->info.raw.sib.index == 4 && (insn->info.raw.sib.base & 7) != 4;
}

static void add_att_memory(x86_pen *w, const ZydisDecodedOperand *op)
{
    const ZydisDecodedOperandMem *mem = &op->mem;
    bool bare = mem->base == ZYDIS_REGISTER_NONE && mem->index == ZYDIS_REGISTER_NONE;
    if (names_segment(w->insn, op)) {
        add_register(w, mem->segment);
        ebb_buf_addc(&w->out, ':');
    }
    if (mem->disp.has_displacement) {
        if (bare)
            add_hex(w, mem->disp.value);
        else
            add_signed_hex(w, mem->disp.value, false);
    }
    if (bare)
        return;
    ebb_buf_addc(&w->out, '(');
    if (mem->base != ZYDIS_REGISTER_NONE)
        add_register(w, mem->base);
    if (mem->index != ZYDIS_REGISTER_NONE) {
        ebb_buf_addc(&w->out, ',');
        add_register(w, mem->index);
        ebb_buf_addf(&w->out, ",%u", mem->scale);
    } else if (has_void_index(w->insn, op)) {
        ebb_buf_addf(&w->out, ",%%%s,%u", w->insn->info.address_width == 32 ? "eiz" : "riz", 1u << w->insn->info.raw.sib.scale);
    }
    ebb_buf_addc(&w->out, ')');
}

static const char *intel_size(const x86_insn *insn, const ZydisDecodedOperand *op)
{
    if (op->mem.type != ZYDIS_MEMOP_TYPE_MEM && op->mem.type != ZYDIS_MEMOP_TYPE_VSIB)
        return "";
    if (op->mem.type == ZYDIS_MEMOP_TYPE_MEM && insn->info.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID &&
        !insn->info.avx.broadcast.is_static)
        return op->element_size == 16 ? "WORD BCST " : op->element_size == 32 ? "DWORD BCST " : "QWORD BCST ";
    switch (op->size) {
    case 8: return "BYTE PTR ";
    case 16: return "WORD PTR ";
    case 32: return "DWORD PTR ";
    case 48: return "FWORD PTR ";
    case 64: return "QWORD PTR ";
    case 80: return x86_spell_is_far(insn) ? "FWORD PTR " : "TBYTE PTR ";
    case 128: return "XMMWORD PTR ";
    case 256: return "YMMWORD PTR ";
    case 512: return insn->info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? "ZMMWORD PTR " : "";
    default: return "";
    }
}

static void add_intel_memory(x86_pen *w, const ZydisDecodedOperand *op)
{
    const ZydisDecodedOperandMem *mem = &op->mem;
    bool bare = mem->base == ZYDIS_REGISTER_NONE && mem->index == ZYDIS_REGISTER_NONE;
    ebb_buf_adds(&w->out, intel_size(w->insn, op));
    if (names_segment(w->insn, op) || bare) {
        add_register(w, mem->segment);
        ebb_buf_addc(&w->out, ':');
    }
    if (bare) {
        add_hex(w, mem->disp.value);
        return;
    }
    ebb_buf_addc(&w->out, '[');
    if (mem->base != ZYDIS_REGISTER_NONE)
        add_register(w, mem->base);
    if (mem->index != ZYDIS_REGISTER_NONE) {
        if (mem->base != ZYDIS_REGISTER_NONE)
            ebb_buf_addc(&w->out, '+');
        add_register(w, mem->index);
        ebb_buf_addf(&w->out, "*%u", mem->scale);
    } else if (has_void_index(w->insn, op)) {
        ebb_buf_addf(&w->out, "+%s*%u", w->insn->info.address_width == 32 ? "eiz" : "riz", 1u << w->insn->info.raw.sib.scale);
    }
    if (mem->base == ZYDIS_REGISTER_RIP) {
        ebb_buf_addc(&w->out, '+');
        add_hex(w, mem->disp.value);
    } else if (mem->disp.has_displacement) {
        add_signed_hex(w, mem->disp.value, true);
    }
    ebb_buf_addc(&w->out, ']');
}

/* Sign-extended immediates are shown as wide as the operation. */
static uint64_t immediate_value(const x86_insn *insn, const ZydisDecodedOperand *op)
{
    unsigned nbits = insn->info.operand_width;
    if (!op->imm.is_signed)
        return op->imm.value.u;
    if (insn->info.mnemonic == ZYDIS_MNEMONIC_PUSH)
        nbits = 64;
    return nbits < 64 ? op->imm.value.u & ((1ull << nbits) - 1) : op->imm.value.u;
}

static void add_immediate(x86_pen *w, const ZydisDecodedOperand *op)
{
    ZyanU64 target;
    if (op->imm.is_relative && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&w->insn->info, op, w->insn->place, &target))) {
        add_hex(w, (int64_t)target);
        return;
    }
    if (x86_spell_is_shift_by_one(w->insn)) {
        ebb_buf_addc(&w->out, '1');
        return;
    }
    if (w->att)
        ebb_buf_addc(&w->out, '$');
    add_hex(w, (int64_t)immediate_value(w->insn, op));
}

static bool is_port(const x86_insn *insn, const ZydisDecodedOperand *op)
{
    return op->reg.value == ZYDIS_REGISTER_DX && (insn->info.meta.category == ZYDIS_CATEGORY_IO ||
                                                  insn->info.meta.category == ZYDIS_CATEGORY_IOSTRINGOP);
}

static void add_register_operand(x86_pen *w, const ZydisDecodedOperand *op)
{
    /* The top of the x87 stack has a name of its own where no bits of the instruction choose it. */
    if (op->reg.value == ZYDIS_REGISTER_ST0 && op->encoding == ZYDIS_OPERAND_ENCODING_NONE)
        ebb_buf_adds(&w->out, w->att ? "%st" : "st");
    else if (w->att && is_port(w->insn, op))
        ebb_buf_adds(&w->out, "(%dx)");
    else
        add_register(w, op->reg.value);
}

static void add_operand(x86_pen *w, const ZydisDecodedOperand *op)
{
    switch (op->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: add_register_operand(w, op); break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE: add_immediate(w, op); break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        if (w->att)
            add_att_memory(w, op);
        else
            add_intel_memory(w, op);
        break;
    default: ebb_buf_adds(&w->out, "?"); break;
    }
}

/* --- the whole --- */

static bool is_indirect(const x86_insn *insn, const ZydisDecodedOperand *op)
{
    bool transfers = insn->info.mnemonic == ZYDIS_MNEMONIC_CALL || insn->info.mnemonic == ZYDIS_MNEMONIC_JMP;
    return transfers && op->type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static void add_mask(x86_pen *w)
{
    const ZydisDecodedInstructionAvx *avx = &w->insn->info.avx;
    if (avx->mask.mode == ZYDIS_MASK_MODE_INVALID || avx->mask.mode == ZYDIS_MASK_MODE_DISABLED || avx->mask.reg == ZYDIS_REGISTER_K0)
        return;
    ebb_buf_addc(&w->out, '{');
    add_register(w, avx->mask.reg);
    ebb_buf_addc(&w->out, '}');
    if (w->insn->info.raw.evex.z)
        ebb_buf_adds(&w->out, "{z}");
}

static void add_broadcast(x86_pen *w, const ZydisDecodedOperand *op)
{
    static const char *const texts[] = {
        [ZYDIS_BROADCAST_MODE_1_TO_2] = "{1to2}",   [ZYDIS_BROADCAST_MODE_1_TO_4] = "{1to4}",   [ZYDIS_BROADCAST_MODE_1_TO_8] = "{1to8}",
        [ZYDIS_BROADCAST_MODE_1_TO_16] = "{1to16}", [ZYDIS_BROADCAST_MODE_1_TO_32] = "{1to32}", [ZYDIS_BROADCAST_MODE_1_TO_64] = "{1to64}",
    };
    const ZydisDecodedInstructionAvx *avx = &w->insn->info.avx;
    if (!w->att || op->type != ZYDIS_OPERAND_TYPE_MEMORY || avx->broadcast.is_static ||
        avx->broadcast.mode >= sizeof texts / sizeof *texts || !texts[avx->broadcast.mode])
        return;
    ebb_buf_adds(&w->out, texts[avx->broadcast.mode]);
}

static bool is_mask_operand(const x86_insn *insn, const ZydisDecodedOperand *op)
{
    return op->encoding == ZYDIS_OPERAND_ENCODING_MASK && op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           insn->info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
}

/* Those that are written, in the order of Intel's manual. */
static size_t choose_operands(const x86_insn *insn, bool without_last, const ZydisDecodedOperand *chosen[ZYDIS_MAX_OPERAND_COUNT])
{
    size_t n = 0;
    unsigned visible = x86_spell_count(insn);
    for (unsigned i = 0; i < visible; i++)
        if (!is_mask_operand(insn, &insn->operands[i]))
            chosen[n++] = &insn->operands[i];
    if (x86_spell_is_string(insn)) {
        n = 0; /* binutils writes the operands that the manual leaves out */
        for (unsigned i = 0; i < insn->info.operand_count; i++) {
            const ZydisDecodedOperand *op = &insn->operands[i];
            bool data = op->type == ZYDIS_OPERAND_TYPE_MEMORY ||
                        (x86_spell_is_general(op) && insn->info.mnemonic != ZYDIS_MNEMONIC_XLAT && op->reg.value != ZYDIS_REGISTER_RSI && op->reg.value != ZYDIS_REGISTER_RDI &&
                         op->reg.value != ZYDIS_REGISTER_RCX && op->reg.value != ZYDIS_REGISTER_ESI &&
                         op->reg.value != ZYDIS_REGISTER_EDI && op->reg.value != ZYDIS_REGISTER_ECX);
            if (data)
                chosen[n++] = op;
        }
    }
    if (insn->info.mnemonic == ZYDIS_MNEMONIC_SHA256RNDS2 && n == 2)
        chosen[n++] = &insn->operands[2]; /* xmm0, always */
    return without_last && n > 0 ? n - 1 : n;
}

static void add_operands(x86_pen *w, bool without_last)
{
    const ZydisDecodedOperand *ops[ZYDIS_MAX_OPERAND_COUNT];
    bool backward = w->att && w->insn->info.mnemonic != ZYDIS_MNEMONIC_ENTER;
    size_t n = choose_operands(w->insn, without_last || (w->att && x86_spell_is_shift_by_one(w->insn)), ops);
    if (x86_spell_is_wide_nop(w->insn))
        ebb_buf_adds(&w->out, w->att ? "%ax,%ax" : "ax,ax");
    for (size_t i = 0; i < n; i++) {
        const ZydisDecodedOperand *op = ops[backward ? n - 1 - i : i];
        if (i > 0)
            ebb_buf_addc(&w->out, ',');
        if (w->att && is_indirect(w->insn, op))
            ebb_buf_addc(&w->out, '*');
        add_operand(w, op);
        add_broadcast(w, op);
        if (op == ops[0])
            add_mask(w);
    }
}

/* gdb shows what a pc-relative operand means. */
static void add_comment(x86_pen *w)
{
    const ZydisDecodedOperand *mem = x86_spell_memory(w->insn);
    ZyanU64 target;
    if (mem && mem->mem.base == ZYDIS_REGISTER_RIP &&
        ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&w->insn->info, mem, w->insn->place, &target))) {
        ebb_buf_adds(&w->out, "        # ");
        add_hex(w, (int64_t)target);
    }
}

void x86_spell(const x86_insn *insn, x86_flavour flavour, char *text, size_t size)
{
    x86_pen w = {.insn = insn, .att = flavour == X86_ATT};
    x86_spell_prefixes(&w);
    size_t before = w.out.n;
    bool without_last = x86_spell_name(&w);
    size_t n_name = w.out.n;
    ebb_buf_addc(&w.out, ' ');
    while (before == 0 && w.out.n < 7)
        ebb_buf_addc(&w.out, ' ');
    size_t n_before = w.out.n;
    add_operands(&w, without_last);
    if (w.out.n == n_before)
        ebb_buf_truncate(&w.out, n_name);
    add_comment(&w);
    snprintf(text, size, "%s", ebb_buf_text(&w.out));
    ebb_buf_fini(&w.out);
}
