/* spell_name.c - prefixes and the name of an instruction. */
#include "x86/spell_private.h"

#include <string.h>

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

const ZydisDecodedOperand *x86_spell_memory(const x86_insn *insn)
{
    for (unsigned i = 0; i < insn->info.operand_count_visible; i++)
        if (insn->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            return &insn->operands[i];
    return NULL;
}

bool x86_spell_is_general(const ZydisDecodedOperand *op)
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
unsigned x86_spell_count(const x86_insn *insn)
{
    unsigned n = insn->info.operand_count_visible;
    return insn->info.mnemonic == ZYDIS_MNEMONIC_NOP && n == 2 ? 1 : n;
}

/* d0/d1: AT&T writes a shift by one without its count. */
bool x86_spell_is_shift_by_one(const x86_insn *insn)
{
    return is_shift(insn->info.mnemonic) && insn->info.operand_count_visible == 2 && (insn->info.opcode & 0xfe) == 0xd0;
}

/* Whether a register among the operands tells their size. */
static bool register_tells_size(const x86_insn *insn)
{
    unsigned n = x86_spell_count(insn);
    for (unsigned i = 0; i < n; i++)
        if (x86_spell_is_general(&insn->operands[i]) && !(i == 1 && is_shift(insn->info.mnemonic)))
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
    const ZydisDecodedOperand *mem = x86_spell_memory(insn);
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
static void add_extension(x86_pen *w, const char *stem)
{
    ebb_buf_adds(&w->out, stem);
    ebb_buf_addc(&w->out, size_suffix(w->insn->operands[1].size));
    ebb_buf_addc(&w->out, size_suffix(w->insn->operands[0].size));
}

static bool has_wide_immediate(const x86_insn *insn)
{
    return insn->info.raw.imm[0].size == 64 || insn->info.raw.disp.size == 64;
}

bool x86_spell_is_far(const x86_insn *insn)
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
static bool add_comparison(x86_pen *w, const char *name)
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
bool x86_spell_is_wide_nop(const x86_insn *insn)
{
    return insn->info.mnemonic == ZYDIS_MNEMONIC_NOP && insn->info.opcode == 0x90 &&
           insn->info.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && x86_spell_has(insn, ZYDIS_ATTRIB_HAS_OPERANDSIZE);
}

bool x86_spell_is_string(const x86_insn *insn)
{
    return insn->info.mnemonic == ZYDIS_MNEMONIC_XLAT || insn->info.meta.category == ZYDIS_CATEGORY_STRINGOP || insn->info.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

/* AT&T's assembler once confused these where the result goes to st(i), and everybody followed. */
static const char *swapped_x87_name(const x86_insn *insn)
{
    if ((insn->info.opcode != 0xdc && insn->info.opcode != 0xde) || x86_spell_memory(insn))
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
bool x86_spell_name(x86_pen *w)
{
    const x86_insn *insn = w->insn;
    ZydisMnemonic m = insn->info.mnemonic;
    const char *name = ZydisMnemonicGetString(m), *special = special_name(m, w->att);
    if (x86_spell_is_wide_nop(insn))
        ebb_buf_adds(&w->out, "xchg");
    else if (w->att && m == ZYDIS_MNEMONIC_MOVSX)
        add_extension(w, "movs");
    else if (w->att && m == ZYDIS_MNEMONIC_MOVZX)
        add_extension(w, "movz");
    else if (m == ZYDIS_MNEMONIC_MOV && has_wide_immediate(insn))
        ebb_buf_adds(&w->out, "movabs");
    else if (m == ZYDIS_MNEMONIC_MOVSD && x86_spell_is_string(insn))
        ebb_buf_adds(&w->out, w->att ? "movsl" : "movs");
    else if (m == ZYDIS_MNEMONIC_CMPSD && x86_spell_is_string(insn))
        ebb_buf_adds(&w->out, w->att ? "cmpsl" : "cmps");
    else if (w->att && x86_spell_is_far(insn) && far_name(m))
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

static void add_rex(x86_pen *w, uint8_t byte)
{
    ebb_buf_adds(&w->out, "rex");
    if (byte & 0xf)
        ebb_buf_addf(&w->out, ".%s%s%s%s", byte & 8 ? "W" : "", byte & 4 ? "R" : "", byte & 2 ? "X" : "", byte & 1 ? "B" : "");
    ebb_buf_addc(&w->out, ' ');
}

void x86_spell_prefixes(x86_pen *w)
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
        if (x86_spell_has(insn, names[i].attribute))
            ebb_buf_adds(&w->out, names[i].text);
}
