#include "x86/spell.h"
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pen {
    const x86_insn *insn;
    bool att;
    ebb_buf out;
} pen;

static bool has(const x86_insn *insn, ZydisInstructionAttributes attribute)
{
    return (insn->info.attributes & attribute) != 0;
}

/* --- names --- */

static const char *special_name(ZydisMnemonic mnemonic, bool att)
{
    switch (mnemonic) {
#define X86_NAME(name, at_t, intel)                                                                \
    case ZYDIS_MNEMONIC_##name: return att ? at_t : intel;
#define X86_SIZED(name)
#include "x86/names.def"
#undef X86_NAME
#undef X86_SIZED
    default: return NULL;
    }
}

static bool needs_size(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
#define X86_NAME(name, at_t, intel)
#define X86_SIZED(name) case ZYDIS_MNEMONIC_##name:
#include "x86/names.def"
#undef X86_NAME
#undef X86_SIZED
        return true;
    default: return false;
    }
}

/* Intel's manual says "zero" where binutils says "equal". */
static void add_condition(ebb_buf *out, const char *name, size_t stem)
{
    static const char *const other[][2] = {{"z", "e"}, {"nz", "ne"}, {"nb", "ae"}, {"nbe", "a"}, {"nl", "ge"}, {"nle", "g"}};
    ebb_buf_add(out, name, stem);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        if (strcmp(name + stem, other[i][0]) == 0) {
            ebb_buf_adds(out, other[i][1]);
            return;
        }
    }
    ebb_buf_adds(out, name + stem);
}

static char size_suffix(unsigned nbits)
{
    switch (nbits) {
    case 8: return 'b';
    case 16: return 'w';
    case 32: return 'l';
    case 64: return 'q';
    default: return '\0';
    }
}

static const ZydisDecodedOperand *find_memory(const x86_insn *insn)
{
    for (unsigned i = 0; i < insn->info.operand_count_visible; i++)
        if (insn->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            return &insn->operands[i];
    return NULL;
}

static bool is_general(const ZydisDecodedOperand *op)
{
    ZydisRegisterClass class = op->type == ZYDIS_OPERAND_TYPE_REGISTER ? ZydisRegisterGetClass(op->reg.value) : ZYDIS_REGCLASS_INVALID;
    return class == ZYDIS_REGCLASS_GPR8 || class == ZYDIS_REGCLASS_GPR16 || class == ZYDIS_REGCLASS_GPR32 ||
           class == ZYDIS_REGCLASS_GPR64 || class == ZYDIS_REGCLASS_SEGMENT;
}

static bool is_shift(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_SHL || m == ZYDIS_MNEMONIC_SHR || m == ZYDIS_MNEMONIC_SAR || m == ZYDIS_MNEMONIC_ROL ||
           m == ZYDIS_MNEMONIC_ROR || m == ZYDIS_MNEMONIC_RCL || m == ZYDIS_MNEMONIC_RCR;
}

/* Operands that are written: nop's register field is not one. */
static unsigned count_operands(const x86_insn *insn)
{
    unsigned n = insn->info.operand_count_visible;
    return insn->info.mnemonic == ZYDIS_MNEMONIC_NOP && n == 2 ? 1 : n;
}

/* d0/d1: AT&T writes a shift by one without its count. */
static bool is_shift_by_one(const x86_insn *insn)
{
    return is_shift(insn->info.mnemonic) && insn->info.operand_count_visible == 2 && (insn->info.opcode & 0xfe) == 0xd0;
}

/* Whether a register among the operands tells their size. */
static bool register_tells_size(const x86_insn *insn)
{
    unsigned n = count_operands(insn);
    for (unsigned i = 0; i < n; i++)
        if (is_general(&insn->operands[i]) && !(i == 1 && is_shift(insn->info.mnemonic)))
            return true;
    return false;
}

static bool is_x87_integer(ZydisMnemonic m)
{
    switch (m) {
    case ZYDIS_MNEMONIC_FILD: case ZYDIS_MNEMONIC_FIST: case ZYDIS_MNEMONIC_FISTP: case ZYDIS_MNEMONIC_FISTTP:
    case ZYDIS_MNEMONIC_FIADD: case ZYDIS_MNEMONIC_FISUB: case ZYDIS_MNEMONIC_FISUBR: case ZYDIS_MNEMONIC_FIMUL:
    case ZYDIS_MNEMONIC_FIDIV: case ZYDIS_MNEMONIC_FIDIVR: case ZYDIS_MNEMONIC_FICOM: case ZYDIS_MNEMONIC_FICOMP:
        return true;
    default: return false;
    }
}

static bool is_x87_real(ZydisMnemonic m)
{
    switch (m) {
    case ZYDIS_MNEMONIC_FLD: case ZYDIS_MNEMONIC_FST: case ZYDIS_MNEMONIC_FSTP: case ZYDIS_MNEMONIC_FADD:
    case ZYDIS_MNEMONIC_FSUB: case ZYDIS_MNEMONIC_FSUBR: case ZYDIS_MNEMONIC_FMUL: case ZYDIS_MNEMONIC_FDIV:
    case ZYDIS_MNEMONIC_FDIVR: case ZYDIS_MNEMONIC_FCOM: case ZYDIS_MNEMONIC_FCOMP:
        return true;
    default: return false;
    }
}

static const char *att_suffix(const x86_insn *insn)
{
    static char text[2];
    const ZydisDecodedOperand *mem = find_memory(insn);
    ZydisMnemonic m = insn->info.mnemonic;
    if (!mem)
        return "";
    if (is_x87_integer(m))
        return mem->size == 16 ? "s" : mem->size == 32 ? "l" : "ll";
    if (is_x87_real(m))
        return mem->size == 32 ? "s" : mem->size == 64 ? "l" : "t";
    if (!needs_size(m) || register_tells_size(insn))
        return "";
    text[0] = size_suffix(mem->size);
    return text;
}

/* movsx and movzx name both sizes: movsbl, movzwq. */
static void add_extension(pen *w, const char *stem)
{
    ebb_buf_adds(&w->out, stem);
    ebb_buf_addc(&w->out, size_suffix(w->insn->operands[1].size));
    ebb_buf_addc(&w->out, size_suffix(w->insn->operands[0].size));
}

static bool has_wide_immediate(const x86_insn *insn)
{
    return insn->info.raw.imm[0].size == 64 || insn->info.raw.disp.size == 64;
}

static bool is_far(const x86_insn *insn)
{
    return insn->info.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

static const char *far_name(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_CALL ? "lcall" : m == ZYDIS_MNEMONIC_JMP ? "ljmp" : m == ZYDIS_MNEMONIC_RET ? "lret" : NULL;
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *const comparisons[32] = {
    "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord", "eq_uq", "nge", "ngt", "false", "neq_oq", "ge", "gt", "true",
    "eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s", "eq_us", "nge_uq", "ngt_uq", "false_os",
    "neq_os", "ge_oq", "gt_oq", "true_us"};

static const char *const integer_comparisons[8] = {"eq", "lt", "le", NULL, "neq", "nlt", "nle", NULL};

/* cmpps $1 is written cmpltps: the name takes the place of the last operand. */
static bool add_comparison(pen *w, const char *name)
{
    const x86_insn *insn = w->insn;
    unsigned n = insn->info.operand_count_visible;
    const ZydisDecodedOperand *last = n ? &insn->operands[n - 1] : NULL;
    if (!last || last->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return false;
    bool vex = name[0] == 'v';
    const char *stem = vex ? name + 1 : name;
    uint64_t which = last->imm.value.u;
    const char *middle = NULL;
    size_t n_stem = 0;
    bool real = strcmp(stem, "cmpps") == 0 || strcmp(stem, "cmppd") == 0 || strcmp(stem, "cmpss") == 0 || strcmp(stem, "cmpsd") == 0;
    if (real) {
        n_stem = 3;
        middle = which < (vex ? 32u : 8u) ? comparisons[which] : NULL;
    } else if (starts(name, "vpcmp") && !starts(name, "vpcmpestr") && !starts(name, "vpcmpistr")) {
        n_stem = 4;
        middle = which < 8 ? integer_comparisons[which] : NULL;
    }
    if (strcmp(stem, "pclmulqdq") == 0) { /* which halves are multiplied */
        static const char *const halves[] = {[0x00] = "lqlq", [0x01] = "hqlq", [0x10] = "lqhq", [0x11] = "hqhq"};
        n_stem = 6;
        stem = "pclmuldq";
        middle = which < sizeof halves / sizeof *halves ? halves[which] : NULL;
    }
    if (!middle)
        return false;
    ebb_buf_addf(&w->out, "%s%.*s%s%s", vex ? "v" : "", (int)n_stem, stem, middle, stem + n_stem);
    return true;
}

/* 66 90: binutils sees the exchange that it once was. */
static bool is_wide_nop(const x86_insn *insn)
{
    return insn->info.mnemonic == ZYDIS_MNEMONIC_NOP && insn->info.opcode == 0x90 &&
           insn->info.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && has(insn, ZYDIS_ATTRIB_HAS_OPERANDSIZE);
}

static bool is_string(const x86_insn *insn)
{
    return insn->info.mnemonic == ZYDIS_MNEMONIC_XLAT || insn->info.meta.category == ZYDIS_CATEGORY_STRINGOP || insn->info.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

/* AT&T's assembler once confused these where the result goes to st(i), and everybody followed. */
static const char *swapped_x87_name(const x86_insn *insn)
{
    if ((insn->info.opcode != 0xdc && insn->info.opcode != 0xde) || find_memory(insn))
        return NULL;
    switch (insn->info.mnemonic) {
    case ZYDIS_MNEMONIC_FSUB: return "fsubr";
    case ZYDIS_MNEMONIC_FSUBR: return "fsub";
    case ZYDIS_MNEMONIC_FSUBP: return "fsubrp";
    case ZYDIS_MNEMONIC_FSUBRP: return "fsubp";
    case ZYDIS_MNEMONIC_FDIV: return "fdivr";
    case ZYDIS_MNEMONIC_FDIVR: return "fdiv";
    case ZYDIS_MNEMONIC_FDIVP: return "fdivrp";
    case ZYDIS_MNEMONIC_FDIVRP: return "fdivp";
    default: return NULL;
    }
}

/* The name; true if it swallowed the last operand. */
static bool add_name(pen *w)
{
    const x86_insn *insn = w->insn;
    ZydisMnemonic m = insn->info.mnemonic;
    const char *name = ZydisMnemonicGetString(m), *special = special_name(m, w->att);
    if (is_wide_nop(insn))
        ebb_buf_adds(&w->out, "xchg");
    else if (w->att && m == ZYDIS_MNEMONIC_MOVSX)
        add_extension(w, "movs");
    else if (w->att && m == ZYDIS_MNEMONIC_MOVZX)
        add_extension(w, "movz");
    else if (m == ZYDIS_MNEMONIC_MOV && has_wide_immediate(insn))
        ebb_buf_adds(&w->out, "movabs");
    else if (m == ZYDIS_MNEMONIC_MOVSD && is_string(insn))
        ebb_buf_adds(&w->out, w->att ? "movsl" : "movs");
    else if (m == ZYDIS_MNEMONIC_CMPSD && is_string(insn))
        ebb_buf_adds(&w->out, w->att ? "cmpsl" : "cmps");
    else if (w->att && is_far(insn) && far_name(m))
        ebb_buf_adds(&w->out, far_name(m));
    else if (w->att && swapped_x87_name(insn))
        ebb_buf_adds(&w->out, swapped_x87_name(insn));
    else if (special)
        ebb_buf_adds(&w->out, special);
    else if (name[0] == 'j' && m != ZYDIS_MNEMONIC_JMP)
        add_condition(&w->out, name, 1);
    else if (starts(name, "set") && insn->info.meta.category == ZYDIS_CATEGORY_SETCC)
        add_condition(&w->out, name, 3);
    else if (starts(name, "cmov"))
        add_condition(&w->out, name, 4);
    else if (add_comparison(w, name))
        return true;
    else
        ebb_buf_adds(&w->out, name);
    if (w->att)
        ebb_buf_adds(&w->out, att_suffix(insn));
    return false;
}

/* --- prefixes --- */

static const char *ignored_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x26: return "es ";
    case 0x2e: return "cs ";
    case 0x36: return "ss ";
    case 0x3e: return "ds ";
    case 0x64: return "fs ";
    case 0x65: return "gs ";
    case 0x66: return "data16 ";
    case 0x67: return "addr32 ";
    case 0xf2: return "repnz ";
    case 0xf3: return "repz ";
    default: return "";
    }
}

static void add_rex(pen *w, uint8_t byte)
{
    ebb_buf_adds(&w->out, "rex");
    if (byte & 0xf)
        ebb_buf_addf(&w->out, ".%s%s%s%s", byte & 8 ? "W" : "", byte & 4 ? "R" : "", byte & 2 ? "X" : "", byte & 1 ? "B" : "");
    ebb_buf_addc(&w->out, ' ');
}

static void add_prefixes(pen *w)
{
    const x86_insn *insn = w->insn;
    for (unsigned i = 0; i < insn->info.raw.prefix_count; i++) {
        uint8_t byte = insn->info.raw.prefixes[i].value;
        if (insn->info.raw.prefixes[i].type != ZYDIS_PREFIX_TYPE_IGNORED)
            continue;
        if ((byte & 0xf0) == 0x40)
            add_rex(w, byte);
        else
            ebb_buf_adds(&w->out, ignored_prefix(byte));
    }
    static const struct {
        ZydisInstructionAttributes attribute;
        const char *text;
    } names[] = {
        {ZYDIS_ATTRIB_HAS_XACQUIRE, "xacquire "}, {ZYDIS_ATTRIB_HAS_XRELEASE, "xrelease "}, {ZYDIS_ATTRIB_HAS_LOCK, "lock "},
        {ZYDIS_ATTRIB_HAS_BND, "bnd "},           {ZYDIS_ATTRIB_HAS_NOTRACK, "notrack "},   {ZYDIS_ATTRIB_HAS_REP, "rep "},
        {ZYDIS_ATTRIB_HAS_REPE, "repz "},         {ZYDIS_ATTRIB_HAS_REPNE, "repnz "},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has(insn, names[i].attribute))
            ebb_buf_adds(&w->out, names[i].text);
}

/* --- operands --- */

static void add_register(pen *w, ZydisRegister reg)
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

static void add_hex(pen *w, int64_t value)
{
    ebb_buf_addf(&w->out, "%#llx", (unsigned long long)value);
    if (value == 0)
        ebb_buf_adds(&w->out, "x0"); /* %#x leaves zero bare */
}

static void add_signed_hex(pen *w, int64_t value, bool plus)
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
    return has(insn, ZYDIS_ATTRIB_HAS_SIB) && op->mem.index == ZYDIS_REGISTER_NONE && op->mem.base != ZYDIS_REGISTER_NONE &&
           insn->info.raw.sib.index == 4 && (insn->info.raw.sib.base & 7) != 4;
}

static void add_att_memory(pen *w, const ZydisDecodedOperand *op)
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
    case 80: return is_far(insn) ? "FWORD PTR " : "TBYTE PTR ";
    case 128: return "XMMWORD PTR ";
    case 256: return "YMMWORD PTR ";
    case 512: return insn->info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? "ZMMWORD PTR " : "";
    default: return "";
    }
}

static void add_intel_memory(pen *w, const ZydisDecodedOperand *op)
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

static void add_immediate(pen *w, const ZydisDecodedOperand *op)
{
    ZyanU64 target;
    if (op->imm.is_relative && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&w->insn->info, op, w->insn->place, &target))) {
        add_hex(w, (int64_t)target);
        return;
    }
    if (is_shift_by_one(w->insn)) {
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

static void add_register_operand(pen *w, const ZydisDecodedOperand *op)
{
    /* The top of the x87 stack has a name of its own where no bits of the instruction choose it. */
    if (op->reg.value == ZYDIS_REGISTER_ST0 && op->encoding == ZYDIS_OPERAND_ENCODING_NONE)
        ebb_buf_adds(&w->out, w->att ? "%st" : "st");
    else if (w->att && is_port(w->insn, op))
        ebb_buf_adds(&w->out, "(%dx)");
    else
        add_register(w, op->reg.value);
}

static void add_operand(pen *w, const ZydisDecodedOperand *op)
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

static void add_mask(pen *w)
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

static void add_broadcast(pen *w, const ZydisDecodedOperand *op)
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
    unsigned visible = count_operands(insn);
    for (unsigned i = 0; i < visible; i++)
        if (!is_mask_operand(insn, &insn->operands[i]))
            chosen[n++] = &insn->operands[i];
    if (is_string(insn)) {
        n = 0; /* binutils writes the operands that the manual leaves out */
        for (unsigned i = 0; i < insn->info.operand_count; i++) {
            const ZydisDecodedOperand *op = &insn->operands[i];
            bool data = op->type == ZYDIS_OPERAND_TYPE_MEMORY ||
                        (is_general(op) && insn->info.mnemonic != ZYDIS_MNEMONIC_XLAT && op->reg.value != ZYDIS_REGISTER_RSI && op->reg.value != ZYDIS_REGISTER_RDI &&
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

static void add_operands(pen *w, bool without_last)
{
    const ZydisDecodedOperand *ops[ZYDIS_MAX_OPERAND_COUNT];
    bool backward = w->att && w->insn->info.mnemonic != ZYDIS_MNEMONIC_ENTER;
    size_t n = choose_operands(w->insn, without_last || (w->att && is_shift_by_one(w->insn)), ops);
    if (is_wide_nop(w->insn))
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
static void add_comment(pen *w)
{
    const ZydisDecodedOperand *mem = find_memory(w->insn);
    ZyanU64 target;
    if (mem && mem->mem.base == ZYDIS_REGISTER_RIP &&
        ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&w->insn->info, mem, w->insn->place, &target))) {
        ebb_buf_adds(&w->out, "        # ");
        add_hex(w, (int64_t)target);
    }
}

void x86_spell(const x86_insn *insn, x86_flavour flavour, char *text, size_t size)
{
    pen w = {.insn = insn, .att = flavour == X86_ATT};
    add_prefixes(&w);
    size_t before = w.out.n;
    bool without_last = add_name(&w);
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
