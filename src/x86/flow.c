/* flow.c - where an instruction takes a value from (machine/flow.h), by its operands as Zydis decodes them. */
#include "x86/flow.h"
#include "machine/native.h"
#include "x86/flow_pieces.h"
#include "x86/spell.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* The instruction that a thread stands at. */
typedef struct looking {
    machine *m;
    machine_tid tid;
    x86_insn insn;
} looking;

/* ---- operands --------------------------------------------------------------------------------- */

static bool read_register(const looking *l, ZydisRegister reg, uint64_t *value)
{
    const char *name = ZydisRegisterGetString(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg));
    int index = name ? machine_reg_by_name(l->m, name) : -1;
    return index >= 0 && machine_reg_get_u64(l->m, l->tid, (unsigned)index, value, NULL) == EBB_OK;
}

static bool segment_base(const looking *l, ZydisRegister segment, uint64_t *base)
{
    *base = 0;
    if (segment != ZYDIS_REGISTER_FS && segment != ZYDIS_REGISTER_GS)
        return true;
    int index = machine_reg_by_name(l->m, segment == ZYDIS_REGISTER_FS ? "fs_base" : "gs_base");
    return index >= 0 && machine_reg_get_u64(l->m, l->tid, (unsigned)index, base, NULL) == EBB_OK;
}

/* What is pushed goes below where the stack pointer is before it. */
static bool is_pushed(const looking *l, const ZydisDecodedOperand *op)
{
    ZydisInstructionCategory category = l->insn.info.meta.category;
    return (category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_CALL) && op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
           op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static bool address_of(const looking *l, const ZydisDecodedOperand *op, uint64_t *addr)
{
    uint64_t base = 0, index = 0, segment;
    if (op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_EIP)
        return ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&l->insn.info, op, l->insn.place, addr));
    if (op->mem.base != ZYDIS_REGISTER_NONE && !read_register(l, op->mem.base, &base))
        return false;
    if (op->mem.index != ZYDIS_REGISTER_NONE && !read_register(l, op->mem.index, &index))
        return false;
    if (!segment_base(l, op->mem.segment, &segment))
        return false;
    *addr = base + index * op->mem.scale + (uint64_t)op->mem.disp.value;
    if (l->insn.info.address_width == 32)
        *addr = (uint32_t)*addr;
    *addr += segment - (is_pushed(l, op) ? op->size / 8 : 0);
    return true;
}

static bool is_general(ZydisRegister reg)
{
    return ZydisRegisterGetClass(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)) == ZYDIS_REGCLASS_GPR64;
}

static bool is_vector(ZydisRegister reg)
{
    return ZydisRegisterGetClass(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)) == ZYDIS_REGCLASS_ZMM;
}

/* A vector register is followed under the name of its 32 bytes, where the CPU has them. */
static int vector_index(machine *m, unsigned number)
{
    char name[16];
    snprintf(name, sizeof name, "ymm%u", number);
    int index = machine_reg_by_name(m, name);
    name[0] = 'x';
    return index >= 0 ? index : machine_reg_by_name(m, name);
}

static bool register_datum(const looking *l, const ZydisDecodedOperand *op, machine_datum *out)
{
    ZydisRegister reg = op->reg.value;
    int index = -1;
    if (is_general(reg))
        index = machine_reg_by_name(l->m, ZydisRegisterGetString(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)));
    else if (is_vector(reg) && ZydisRegisterGetId(reg) < 16)
        index = vector_index(l->m, (unsigned)ZydisRegisterGetId(reg));
    bool is_high = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
    *out = (machine_datum){.is_register = true, .reg = (unsigned)index, .offset = is_high, .nbytes = op->size / 8};
    return index >= 0;
}

static bool datum_of(const looking *l, const ZydisDecodedOperand *op, machine_datum *out)
{
    if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
        return register_datum(l, op, out);
    if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.type != ZYDIS_MEMOP_TYPE_MEM)
        return false;
    *out = (machine_datum){.nbytes = op->size / 8};
    return address_of(l, op, &out->addr);
}

/* The bytes of an operand from `at` on. */
static machine_datum part_of(machine_datum d, unsigned at, unsigned nbytes)
{
    if (d.is_register)
        d.offset += at;
    else
        d.addr += at;
    d.nbytes = nbytes;
    return d;
}

static bool read_number(const looking *l, const ZydisDecodedOperand *op, uint64_t *value)
{
    machine_datum d;
    uint8_t bytes[MACHINE_REG_MAX_BYTES] = {0};
    *value = 0;
    if (!datum_of(l, op, &d) || d.nbytes > sizeof *value)
        return false;
    if (!d.is_register)
        return machine_read(l->m, d.addr, value, d.nbytes, NULL) == EBB_OK;
    if (l->m->native->reg_read(l->m, l->tid, d.reg, bytes, NULL) != EBB_OK)
        return false;
    memcpy(value, bytes + d.offset, d.nbytes);
    return true;
}

/* ---- what is written -------------------------------------------------------------------------- */

static uint64_t begin_of(const machine_datum *d)
{
    return d->is_register ? d->offset : d->addr;
}

/* How much of a register an instruction sets that writes `nbytes` of it: the upper half goes with the lower; of vectors, all with any
 * instruction but the old ones. */
static unsigned set_nbytes(const looking *l, const ZydisDecodedOperand *op, unsigned nbytes)
{
    if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return nbytes;
    if (is_vector(op->reg.value))
        return l->insn.info.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ? X86_FLOW_XMM_NBYTES : X86_FLOW_VECTOR_NBYTES;
    return is_general(op->reg.value) && nbytes == 4 ? 8 : nbytes;
}

/* MF2.  *at: the byte of the operand that `wanted` begins with. */
static bool narrow(const machine_datum *to, unsigned to_nbytes, machine_datum *wanted, unsigned *at)
{
    uint64_t lo = begin_of(to), hi = lo + to_nbytes, begin = begin_of(wanted), end = begin + wanted->nbytes;
    if (to->is_register != wanted->is_register || (to->is_register && to->reg != wanted->reg) || begin >= hi || end <= lo)
        return false;
    uint64_t from = begin > lo ? begin : lo, until = end < hi ? end : hi;
    *wanted = part_of(*wanted, (unsigned)(from - begin), (unsigned)(until - from));
    *at = (unsigned)(from - lo);
    return true;
}

/* The operand that writes some of the datum; NULL: none does. */
static const ZydisDecodedOperand *writer_of(const looking *l, machine_datum *wanted, unsigned *at)
{
    for (unsigned i = 0; i < l->insn.info.operand_count; i++) {
        const ZydisDecodedOperand *op = &l->insn.operands[i];
        machine_datum to;
        if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && datum_of(l, op, &to) && narrow(&to, set_nbytes(l, op, to.nbytes), wanted, at))
            return op;
    }
    return NULL;
}

/* ---- copies ------------------------------------------------------------------------------------- */

typedef enum copying { COPIES_NOT, COPIES, COPIES_WITH_SIGN } copying;

/* Instructions whose result is the other operand, with zeros or signs before it. */
static copying copying_of(const ZydisDecodedInstruction *info)
{
    bool is_string = info->meta.category == ZYDIS_CATEGORY_STRINGOP;
    switch (info->mnemonic) {
    case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_MOVZX: case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_POP: case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVSB: case ZYDIS_MNEMONIC_MOVSW: case ZYDIS_MNEMONIC_MOVSQ:
    case ZYDIS_MNEMONIC_STOSB: case ZYDIS_MNEMONIC_STOSW: case ZYDIS_MNEMONIC_STOSD: case ZYDIS_MNEMONIC_STOSQ:
    case ZYDIS_MNEMONIC_LODSB: case ZYDIS_MNEMONIC_LODSW: case ZYDIS_MNEMONIC_LODSD: case ZYDIS_MNEMONIC_LODSQ: return COPIES;
    case ZYDIS_MNEMONIC_MOVSD: return is_string ? COPIES : COPIES_NOT;
    case ZYDIS_MNEMONIC_MOVSX: case ZYDIS_MNEMONIC_MOVSXD: return COPIES_WITH_SIGN;
    default: return COPIES_NOT;
    }
}

/* xor %eax,%eax and the like; comparing a vector with itself makes all its bits 1. */
static bool makes_constant(const x86_insn *insn)
{
    const ZydisDecodedOperand *o = insn->operands;
    unsigned n = insn->info.operand_count_visible;
    switch (insn->info.mnemonic) {
    case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_SUB: case ZYDIS_MNEMONIC_PXOR: case ZYDIS_MNEMONIC_XORPS: case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VPXOR: case ZYDIS_MNEMONIC_VXORPS: case ZYDIS_MNEMONIC_VXORPD: case ZYDIS_MNEMONIC_VPXORD: case ZYDIS_MNEMONIC_VPXORQ:
    case ZYDIS_MNEMONIC_PCMPEQB: case ZYDIS_MNEMONIC_PCMPEQW: case ZYDIS_MNEMONIC_PCMPEQD: case ZYDIS_MNEMONIC_PCMPEQQ:
    case ZYDIS_MNEMONIC_VPCMPEQB: case ZYDIS_MNEMONIC_VPCMPEQW: case ZYDIS_MNEMONIC_VPCMPEQD: case ZYDIS_MNEMONIC_VPCMPEQQ:
        return n >= 2 && o[n - 1].type == ZYDIS_OPERAND_TYPE_REGISTER && o[n - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               o[n - 1].reg.value == o[n - 2].reg.value;
    default: return false;
    }
}

/* The one operand that is read, of an instruction that copies. */
static const ZydisDecodedOperand *source_of(const looking *l, const ZydisDecodedOperand *to)
{
    const ZydisDecodedOperand *found = NULL;
    bool is_string = l->insn.info.meta.category == ZYDIS_CATEGORY_STRINGOP, is_pop = l->insn.info.mnemonic == ZYDIS_MNEMONIC_POP;
    for (unsigned i = 0; i < l->insn.info.operand_count; i++) {
        const ZydisDecodedOperand *op = &l->insn.operands[i];
        bool counts = op->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN || (is_pop && op->type == ZYDIS_OPERAND_TYPE_MEMORY) || is_string;
        bool is_pointer = is_string && op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        if (op == to || !counts || is_pointer || !(op->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
            continue;
        if (is_string && op->type == ZYDIS_OPERAND_TYPE_REGISTER && ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_FLAGS)
            continue;
        if (!found)
            found = op;
    }
    return found;
}

/* From byte `at` of an operand; what stands before it is zeros or the sign. */
static void copy_operand(const looking *l, const ZydisDecodedOperand *source, unsigned at, bool has_sign, machine_flow *f)
{
    machine_datum from;
    f->kind = MACHINE_FLOW_UNKNOWN;
    if (source && source->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        f->kind = MACHINE_FLOW_CONSTANT;
        return;
    }
    if (!source || !datum_of(l, source, &from))
        return;
    if (at >= from.nbytes) {
        f->kind = has_sign ? MACHINE_FLOW_OPERATION : MACHINE_FLOW_CONSTANT;
        return;
    }
    unsigned left = from.nbytes - at;
    f->kind = MACHINE_FLOW_COPY;
    f->has_sign = has_sign;
    f->from = part_of(from, at, f->wanted.nbytes < left ? f->wanted.nbytes : left);
}

/* ---- vectors ------------------------------------------------------------------------------------ */

/* What comes after a piece may be more of the same. */
static unsigned joined_nbytes(const looking *l, unsigned at, x86_piece first, unsigned wanted)
{
    unsigned n = first.nbytes;
    while (n < wanted) {
        x86_piece next = x86_piece_of(&l->insn, at + n);
        bool follows = next.kind == first.kind && (next.kind != X86_PIECE_FROM || (next.operand == first.operand && next.at == first.at + n));
        if (!follows)
            break;
        n += next.nbytes;
    }
    return n < wanted ? n : wanted;
}

/* The instruction moves elements: the first that it changes are told of (MF2).  False: it is none of these. */
static bool explain_piece(const looking *l, unsigned at, machine_flow *f)
{
    machine_datum from;
    x86_piece piece = x86_piece_of(&l->insn, at);
    while (piece.kind == X86_PIECE_SAME && piece.nbytes < f->wanted.nbytes) {
        f->wanted = part_of(f->wanted, piece.nbytes, f->wanted.nbytes - piece.nbytes);
        at += piece.nbytes;
        piece = x86_piece_of(&l->insn, at);
    }
    if (piece.kind == X86_PIECE_UNKNOWN)
        return false;
    f->kind = piece.kind == X86_PIECE_SAME ? MACHINE_FLOW_NONE : piece.kind == X86_PIECE_ZERO ? MACHINE_FLOW_CONSTANT : MACHINE_FLOW_UNKNOWN;
    f->wanted.nbytes = joined_nbytes(l, at, piece, f->wanted.nbytes);
    if (piece.kind == X86_PIECE_FROM && datum_of(l, &l->insn.operands[piece.operand], &from)) {
        f->kind = MACHINE_FLOW_COPY;
        f->from = part_of(from, piece.at, f->wanted.nbytes);
    }
    return true;
}

/* Where a vector register is in the memory that `xsave`, `fxsave` and signals fill. */
enum { SAVED_XMM = 160, SAVED_YMM = 576, SAVED_IN_USE = 512, N_VECTORS = 16, HAS_XMM = 2, HAS_YMM = 4 };

/* Narrows `wanted` to one half of a vector register, and says which; false: it is none. */
static bool vector_half(const looking *l, machine_datum *wanted, unsigned *number, bool *is_upper)
{
    for (*number = 0; wanted->is_register && *number < N_VECTORS; ++*number) {
        if (vector_index(l->m, *number) != (int)wanted->reg)
            continue;
        *is_upper = wanted->offset >= X86_FLOW_XMM_NBYTES;
        unsigned end = *is_upper ? X86_FLOW_VECTOR_NBYTES : X86_FLOW_XMM_NBYTES;
        if (wanted->offset + wanted->nbytes > end)
            wanted->nbytes = end - wanted->offset;
        return true;
    }
    return false;
}

/* The registers come from memory that was filled so; `groups` are those that are loaded at all. */
static void load_vector(const looking *l, uint64_t area, uint64_t groups, uint64_t in_use, machine_flow *f)
{
    unsigned number;
    bool is_upper;
    if (!vector_half(l, &f->wanted, &number, &is_upper) || !(groups & (is_upper ? HAS_YMM : HAS_XMM)))
        return;
    uint64_t at = area + (is_upper ? SAVED_YMM - X86_FLOW_XMM_NBYTES : SAVED_XMM) + 16 * number + f->wanted.offset;
    f->kind = in_use & (is_upper ? HAS_YMM : HAS_XMM) ? MACHINE_FLOW_COPY : MACHINE_FLOW_CONSTANT;
    f->from = (machine_datum){.addr = at, .nbytes = f->wanted.nbytes};
}

static void explain_restore(const looking *l, uint64_t area, bool has_groups, machine_flow *f)
{
    uint64_t rax = 0, in_use = HAS_XMM;
    bool known = !has_groups || (read_register(l, ZYDIS_REGISTER_RAX, &rax) && machine_read(l->m, area + SAVED_IN_USE, &in_use, sizeof in_use, NULL) == EBB_OK);
    if (known)
        load_vector(l, area, has_groups ? rax : HAS_XMM, in_use, f);
}

/* Memory that an instruction fills with registers. */
static void explain_save(const looking *l, uint64_t area, machine_flow *f)
{
    uint64_t at = f->wanted.addr - area;
    bool is_xmm = at >= SAVED_XMM && at < SAVED_XMM + 16 * N_VECTORS, is_ymm = at >= SAVED_YMM && at < SAVED_YMM + 16 * N_VECTORS;
    if (f->wanted.is_register || at >= 4096)
        return;
    f->kind = MACHINE_FLOW_OPERATION;
    if (!is_xmm && !is_ymm)
        return;
    unsigned in = (unsigned)(at - (is_xmm ? SAVED_XMM : SAVED_YMM)), left = 16 - in % 16;
    if (f->wanted.nbytes > left)
        f->wanted.nbytes = left;
    f->kind = MACHINE_FLOW_COPY;
    f->from = (machine_datum){.is_register = true, .reg = (unsigned)vector_index(l->m, in / 16), .offset = in % 16 + (is_ymm ? 16 : 0), .nbytes = f->wanted.nbytes};
}

static void explain_clearing(const looking *l, machine_flow *f)
{
    unsigned number;
    bool is_upper, is_all = l->insn.info.mnemonic == ZYDIS_MNEMONIC_VZEROALL;
    machine_datum upper = f->wanted;
    if (!is_all && upper.offset < X86_FLOW_XMM_NBYTES && upper.offset + upper.nbytes > X86_FLOW_XMM_NBYTES)
        upper = part_of(upper, X86_FLOW_XMM_NBYTES - upper.offset, upper.offset + upper.nbytes - X86_FLOW_XMM_NBYTES);
    if (vector_half(l, &upper, &number, &is_upper) && (is_upper || is_all)) {
        f->kind = MACHINE_FLOW_CONSTANT;
        f->wanted = upper;
    }
}

/* Instructions that write more than their operands tell.  False: it is none of these. */
static bool explain_many(const looking *l, machine_flow *f)
{
    uint64_t area = 0;
    switch (l->insn.info.mnemonic) {
    case ZYDIS_MNEMONIC_VZEROALL: case ZYDIS_MNEMONIC_VZEROUPPER: explain_clearing(l, f); return true;
    case ZYDIS_MNEMONIC_FXRSTOR: case ZYDIS_MNEMONIC_FXRSTOR64: case ZYDIS_MNEMONIC_XRSTOR: case ZYDIS_MNEMONIC_XRSTOR64:
        if (address_of(l, &l->insn.operands[0], &area))
            explain_restore(l, area, l->insn.info.mnemonic == ZYDIS_MNEMONIC_XRSTOR || l->insn.info.mnemonic == ZYDIS_MNEMONIC_XRSTOR64, f);
        return true;
    case ZYDIS_MNEMONIC_FXSAVE: case ZYDIS_MNEMONIC_FXSAVE64: case ZYDIS_MNEMONIC_XSAVE: case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEC: case ZYDIS_MNEMONIC_XSAVEC64: case ZYDIS_MNEMONIC_XSAVEOPT: case ZYDIS_MNEMONIC_XSAVEOPT64:
        if (address_of(l, &l->insn.operands[0], &area))
            explain_save(l, area, f);
        return true;
    default: return false;
    }
}

/* ---- what depends on something ------------------------------------------------------------------ */

static bool condition_holds(unsigned code, uint64_t flags)
{
    enum { CF = 1, PF = 4, ZF = 0x40, SF = 0x80, OF = 0x800 };
    bool differ = !(flags & SF) != !(flags & OF), holds = false;
    switch (code >> 1) {
    case 0: holds = flags & OF; break;
    case 1: holds = flags & CF; break;
    case 2: holds = flags & ZF; break;
    case 3: holds = flags & (CF | ZF); break;
    case 4: holds = flags & SF; break;
    case 5: holds = flags & PF; break;
    case 6: holds = differ; break;
    default: holds = differ || flags & ZF; break;
    }
    return holds != (code & 1);
}

/* If the condition doesn't hold, 32 bits stay as they are, and those before them become 0. */
static void explain_conditional(const looking *l, unsigned at, machine_flow *f)
{
    uint64_t flags = 0;
    int index = machine_reg_by_name(l->m, "eflags");
    if (index < 0 || machine_reg_get_u64(l->m, l->tid, (unsigned)index, &flags, NULL) != EBB_OK)
        f->kind = MACHINE_FLOW_UNKNOWN;
    else if (condition_holds(l->insn.info.opcode & 15, flags))
        copy_operand(l, &l->insn.operands[1], at, false, f);
    else
        f->kind = at >= l->insn.operands[0].size / 8 ? MACHINE_FLOW_CONSTANT : MACHINE_FLOW_NONE;
}

/* cmpxchg: the first operand becomes the second if it is what rax is, else rax becomes the first. */
static void explain_exchange_if(const looking *l, const ZydisDecodedOperand *to, unsigned at, machine_flow *f)
{
    uint64_t there, expected;
    const ZydisDecodedOperand *o = l->insn.operands;
    f->kind = MACHINE_FLOW_UNKNOWN;
    if (!read_number(l, &o[0], &there) || !read_number(l, &o[2], &expected))
        return;
    if (to == &o[0] && there == expected)
        copy_operand(l, &o[1], at, false, f);
    else if (to != &o[0] && there != expected)
        copy_operand(l, &o[0], at, false, f);
    else
        f->kind = MACHINE_FLOW_NONE;
}

/* The address that `lea` computes may be a register's value, or said by the instruction alone. */
static void explain_address(const looking *l, unsigned at, machine_flow *f)
{
    const ZydisDecodedOperand *op = &l->insn.operands[1];
    ZydisRegister parts[] = {op->mem.base, op->mem.index};
    f->kind = MACHINE_FLOW_OPERATION;
    if (op->mem.base == ZYDIS_REGISTER_RIP || (op->mem.base == ZYDIS_REGISTER_NONE && op->mem.index == ZYDIS_REGISTER_NONE)) {
        f->kind = MACHINE_FLOW_CONSTANT;
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        ZydisDecodedOperand reg = {.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = parts[i], .size = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, parts[i])};
        if (parts[i] != ZYDIS_REGISTER_NONE && register_datum(l, &reg, &f->operands[f->n_operands]))
            f->n_operands++;
    }
    bool is_alone = op->mem.index == ZYDIS_REGISTER_NONE && op->mem.disp.value == 0 && f->n_operands == 1;
    unsigned nbytes = is_alone && f->operands[0].nbytes < l->insn.operands[0].size / 8u ? f->operands[0].nbytes : l->insn.operands[0].size / 8u;
    if (is_alone && at < nbytes) {
        f->kind = MACHINE_FLOW_COPY;
        f->from = part_of(f->operands[0], at, f->wanted.nbytes < nbytes - at ? f->wanted.nbytes : nbytes - at);
    } else if (is_alone) {
        f->kind = MACHINE_FLOW_CONSTANT;
    }
}

/* ---- all of them -------------------------------------------------------------------------------- */

static bool is_told_already(const machine_flow *f, const machine_datum *d)
{
    for (size_t i = 0; i < f->n_operands; i++)
        if (d->is_register && f->operands[i].is_register && f->operands[i].reg == d->reg)
            return true;
    return false;
}

static void explain_operation(const looking *l, machine_flow *f)
{
    f->kind = MACHINE_FLOW_OPERATION;
    for (unsigned i = 0; i < l->insn.info.operand_count_visible && f->n_operands < MACHINE_FLOW_MAX_OPERANDS; i++) {
        const ZydisDecodedOperand *op = &l->insn.operands[i];
        machine_datum *d = &f->operands[f->n_operands];
        if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ && datum_of(l, op, d) && d->nbytes <= MACHINE_DATUM_MAX && !is_told_already(f, d))
            f->n_operands++;
    }
}

/* The value of rax is that of a half of it, whose sign goes before it. */
static void explain_widening(const looking *l, unsigned at, machine_flow *f)
{
    unsigned half = l->insn.info.operand_width / 16u;
    f->kind = at == 0 ? MACHINE_FLOW_COPY : MACHINE_FLOW_OPERATION;
    f->has_sign = true;
    f->from = part_of(f->wanted, 0, f->wanted.nbytes < half ? f->wanted.nbytes : half);
    f->n_operands = 1;
    f->operands[0] = f->from;
}

/* The frame pointer that is popped. */
static void explain_leave(const looking *l, const ZydisDecodedOperand *to, unsigned at, machine_flow *f)
{
    uint64_t rbp;
    bool is_popped = to->reg.value == ZYDIS_REGISTER_RBP && read_register(l, ZYDIS_REGISTER_RBP, &rbp);
    f->kind = is_popped ? MACHINE_FLOW_COPY : MACHINE_FLOW_OPERATION;
    if (is_popped)
        f->from = (machine_datum){.addr = rbp + at, .nbytes = f->wanted.nbytes};
}

static void explain_other(const looking *l, const ZydisDecodedOperand *to, unsigned at, machine_flow *f)
{
    const ZydisDecodedOperand *o = l->insn.operands;
    if (l->insn.info.meta.category == ZYDIS_CATEGORY_CMOV) {
        explain_conditional(l, at, f);
        return;
    }
    switch (l->insn.info.mnemonic) {
    case ZYDIS_MNEMONIC_XCHG: copy_operand(l, to == &o[0] ? &o[1] : &o[0], at, false, f); break;
    case ZYDIS_MNEMONIC_XADD:
        if (to == &o[1])
            copy_operand(l, &o[0], at, false, f);
        else
            explain_operation(l, f);
        break;
    case ZYDIS_MNEMONIC_CMPXCHG: explain_exchange_if(l, to, at, f); break;
    case ZYDIS_MNEMONIC_LEA: explain_address(l, at, f); break;
    case ZYDIS_MNEMONIC_LEAVE: explain_leave(l, to, at, f); break;
    case ZYDIS_MNEMONIC_CBW: case ZYDIS_MNEMONIC_CWDE: case ZYDIS_MNEMONIC_CDQE: explain_widening(l, at, f); break;
    case ZYDIS_MNEMONIC_CPUID: case ZYDIS_MNEMONIC_RDTSC: case ZYDIS_MNEMONIC_RDTSCP: case ZYDIS_MNEMONIC_RDRAND: case ZYDIS_MNEMONIC_RDSEED:
    case ZYDIS_MNEMONIC_RDPID: case ZYDIS_MNEMONIC_XGETBV: f->kind = MACHINE_FLOW_CPU; break;
    default: explain_operation(l, f);
    }
}

static bool is_repetition(const looking *l)
{
    return l->insn.info.meta.category == ZYDIS_CATEGORY_STRINGOP && l->insn.info.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static void explain(const looking *l, const ZydisDecodedOperand *to, unsigned at, machine_flow *f)
{
    copying how = copying_of(&l->insn.info);
    bool is_plain = how != COPIES_NOT && (to->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN || to->type == ZYDIS_OPERAND_TYPE_MEMORY ||
                                          (l->insn.info.meta.category == ZYDIS_CATEGORY_STRINGOP && !(to->actions & ZYDIS_OPERAND_ACTION_MASK_READ)));
    f->repeats = is_repetition(l);
    if (l->insn.info.meta.category == ZYDIS_CATEGORY_CALL && to->type == ZYDIS_OPERAND_TYPE_MEMORY)
        f->kind = MACHINE_FLOW_CALL;
    else if (makes_constant(&l->insn))
        f->kind = MACHINE_FLOW_CONSTANT;
    else if (is_plain)
        copy_operand(l, source_of(l, to), at, how == COPIES_WITH_SIGN, f);
    else if (to != &l->insn.operands[0] || !explain_piece(l, at, f))
        explain_other(l, to, at, f);
}

/* ---- the kernel --------------------------------------------------------------------------------- */

/* Where a handler's frame has a register; -1: nowhere. */
static int frame_slot(const looking *l, unsigned reg)
{
    static const struct {
        const char *name;
        int slot;
    } slots[] = {{"r8", REG_R8}, {"r9", REG_R9}, {"r10", REG_R10}, {"r11", REG_R11}, {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15},
                 {"rdi", REG_RDI}, {"rsi", REG_RSI}, {"rbp", REG_RBP}, {"rbx", REG_RBX}, {"rdx", REG_RDX}, {"rax", REG_RAX}, {"rcx", REG_RCX}, {"rsp", REG_RSP}};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (machine_reg_by_name(l->m, slots[i].name) == (int)reg)
            return slots[i].slot;
    return -1;
}

/* A handler is over: every register comes from its frame. */
static void explain_end_of_handler(const looking *l, machine_flow *f)
{
    uint64_t context, area = 0, in_use = 0;
    int slot = f->wanted.is_register ? frame_slot(l, f->wanted.reg) : -1;
    if (!f->wanted.is_register || !read_register(l, ZYDIS_REGISTER_RSP, &context))
        return;
    if (slot >= 0) {
        f->kind = MACHINE_FLOW_COPY;
        f->from = (machine_datum){.addr = context + offsetof(ucontext_t, uc_mcontext.gregs) + 8 * (unsigned)slot + f->wanted.offset, .nbytes = f->wanted.nbytes};
    } else if (machine_read(l->m, context + offsetof(ucontext_t, uc_mcontext.fpregs), &area, sizeof area, NULL) == EBB_OK && area &&
               machine_read(l->m, area + SAVED_IN_USE, &in_use, sizeof in_use, NULL) == EBB_OK) {
        load_vector(l, area, HAS_XMM | HAS_YMM, in_use, f);
    }
}

/* The kernel writes the result, two registers of its own, and whatever memory the call is about. */
static void explain_kernel(const looking *l, machine_flow *f)
{
    uint64_t number = 0;
    const machine_datum *d = &f->wanted;
    bool is_result = d->is_register && (int)d->reg == machine_reg_by_name(l->m, "rax");
    bool is_lost = d->is_register && ((int)d->reg == machine_reg_by_name(l->m, "rcx") || (int)d->reg == machine_reg_by_name(l->m, "r11"));
    if (read_register(l, ZYDIS_REGISTER_RAX, &number) && number == SYS_rt_sigreturn)
        explain_end_of_handler(l, f);
    else
        f->kind = is_lost ? MACHINE_FLOW_OPERATION : is_result || !d->is_register ? MACHINE_FLOW_KERNEL : MACHINE_FLOW_NONE;
}

/* Whoever asks may name a vector register by its lower half. */
static machine_datum by_our_name(machine *m, machine_datum d)
{
    size_t n;
    unsigned number;
    const char *name = d.is_register ? m->native->registers(m, &n)[d.reg].name : "";
    if ((name[0] == 'x' || name[0] == 'y') && sscanf(name + 1, "mm%u", &number) == 1)
        d.reg = (unsigned)vector_index(m, number);
    return d;
}

static bool decode(machine *m, machine_place place, x86_insn *insn)
{
    uint8_t code[ZYDIS_MAX_INSTRUCTION_LENGTH];
    size_t n = sizeof code;
    ZydisDecoder decoder;
    insn->place = place;
    while (n > 1 && machine_read(m, place, code, n, NULL) != EBB_OK)
        n--; /* the next page may not be there */
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &insn->info, insn->operands));
}

ebb_status x86_flow(machine *m, machine_tid tid, const machine_datum *wanted, machine_flow *out, ebb_error *err)
{
    looking l = {.m = m, .tid = tid};
    uint64_t rip;
    unsigned at;
    *out = (machine_flow){.wanted = by_our_name(m, *wanted)};
    EBB_TRY(machine_reg_get_u64(m, tid, (unsigned)machine_reg_by_name(m, "rip"), &rip, err));
    if (!decode(m, rip, &l.insn))
        return ebb_fail(err, EBB_BAD_INPUT, "no instruction at %#llx", (unsigned long long)rip);
    if (l.insn.info.mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
        explain_kernel(&l, out);
        return EBB_OK;
    }
    if (explain_many(&l, out))
        return EBB_OK;
    const ZydisDecodedOperand *to = writer_of(&l, &out->wanted, &at);
    if (to)
        explain(&l, to, at, out);
    return EBB_OK;
}

/* ---- code alone --------------------------------------------------------------------------------- */

/* Whoever is called gives these back. */
static bool is_kept_by_calls(const char *name)
{
    static const char *const kept[] = {"rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(kept[i], name) == 0)
            return true;
    return false;
}

static bool writes_register(const looking *l, unsigned reg)
{
    machine_datum to;
    for (unsigned i = 0; i < l->insn.info.operand_count; i++) {
        const ZydisDecodedOperand *op = &l->insn.operands[i];
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && register_datum(l, op, &to) && to.reg == reg)
            return true;
    }
    return false;
}

machine_place x86_sets(machine *m, machine_place at, unsigned reg, bool *sets)
{
    size_t n;
    looking l = {.m = m};
    machine_datum d = by_our_name(m, (machine_datum){.is_register = true, .reg = reg});
    const char *name = m->native->registers(m, &n)[d.reg].name;
    if (!decode(m, at, &l.insn))
        return 0;
    switch (l.insn.info.mnemonic) {
    case ZYDIS_MNEMONIC_CALL: *sets = !is_kept_by_calls(name); break;
    case ZYDIS_MNEMONIC_SYSCALL: *sets = strcmp(name, "rax") == 0 || strcmp(name, "rcx") == 0 || strcmp(name, "r11") == 0; break;
    case ZYDIS_MNEMONIC_VZEROALL: case ZYDIS_MNEMONIC_VZEROUPPER: case ZYDIS_MNEMONIC_FXRSTOR: case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_XRSTOR: case ZYDIS_MNEMONIC_XRSTOR64: *sets = name[0] != 'r'; break;
    default: *sets = writes_register(&l, d.reg);
    }
    return at + l.insn.info.length;
}
