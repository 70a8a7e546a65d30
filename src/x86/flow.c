/* flow.c - where an instruction takes a value from (machine/flow.h), by its operands as Zydis decodes them. */
#include "x86/flow.h"
#include "machine/native.h"
#include "x86/spell.h"

#include <stdio.h>
#include <string.h>

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

/* Of vector registers, only the lowest 16 bytes are followed. */
static bool register_datum(const looking *l, const ZydisDecodedOperand *op, machine_datum *out)
{
    ZydisRegister reg = op->reg.value;
    char name[8];
    const char *whole = NULL;
    if (is_general(reg)) {
        whole = ZydisRegisterGetString(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg));
    } else if (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg) >= ZYDIS_REGISTER_ZMM0 && ZydisRegisterGetId(reg) < 16 &&
               ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg) <= ZYDIS_REGISTER_ZMM31) {
        snprintf(name, sizeof name, "xmm%d", ZydisRegisterGetId(reg));
        whole = name;
    }
    int index = whole ? machine_reg_by_name(l->m, whole) : -1;
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

/* ---- what is written -------------------------------------------------------------------------- */

static uint64_t begin_of(const machine_datum *d)
{
    return d->is_register ? d->offset : d->addr;
}

/* How much of a register an instruction sets that writes `nbytes` of it: the upper half goes with the lower. */
static unsigned set_nbytes(const ZydisDecodedOperand *op, unsigned nbytes)
{
    return op->type == ZYDIS_OPERAND_TYPE_REGISTER && is_general(op->reg.value) && nbytes == 4 ? 8 : nbytes;
}

/* MF2.  *at: the byte of the operand that `wanted` begins with. */
static bool narrow(const machine_datum *to, unsigned to_nbytes, machine_datum *wanted, unsigned *at)
{
    uint64_t lo = begin_of(to), hi = lo + to_nbytes, begin = begin_of(wanted), end = begin + wanted->nbytes;
    if (to->is_register != wanted->is_register || (to->is_register && to->reg != wanted->reg) || begin >= hi || end <= lo)
        return false;
    uint64_t from = begin > lo ? begin : lo, until = end < hi ? end : hi;
    wanted->nbytes = (unsigned)(until - from);
    if (wanted->is_register)
        wanted->offset = (unsigned)from;
    else
        wanted->addr = from;
    *at = (unsigned)(from - lo);
    return true;
}

/* The operand that writes some of the datum; NULL: none does. */
static const ZydisDecodedOperand *writer_of(const looking *l, machine_datum *wanted, unsigned *at)
{
    for (unsigned i = 0; i < l->insn.info.operand_count; i++) {
        const ZydisDecodedOperand *op = &l->insn.operands[i];
        machine_datum to;
        if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && datum_of(l, op, &to) && narrow(&to, set_nbytes(op, to.nbytes), wanted, at))
            return op;
    }
    return NULL;
}

/* ---- what it is ------------------------------------------------------------------------------- */

typedef enum copying { COPIES_NOT, COPIES, COPIES_WITH_SIGN } copying;

/* Instructions whose result is the other operand, with zeros or signs before it. */
static copying copying_of(const ZydisDecodedInstruction *info)
{
    switch (info->mnemonic) {
    case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_MOVZX: case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_MOVSB: case ZYDIS_MNEMONIC_MOVSW: case ZYDIS_MNEMONIC_MOVSD: case ZYDIS_MNEMONIC_MOVSQ:
    case ZYDIS_MNEMONIC_STOSB: case ZYDIS_MNEMONIC_STOSW: case ZYDIS_MNEMONIC_STOSD: case ZYDIS_MNEMONIC_STOSQ:
    case ZYDIS_MNEMONIC_LODSB: case ZYDIS_MNEMONIC_LODSW: case ZYDIS_MNEMONIC_LODSD: case ZYDIS_MNEMONIC_LODSQ:
    case ZYDIS_MNEMONIC_MOVAPS: case ZYDIS_MNEMONIC_MOVUPS: case ZYDIS_MNEMONIC_MOVAPD: case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA: case ZYDIS_MNEMONIC_MOVDQU: case ZYDIS_MNEMONIC_MOVQ: case ZYDIS_MNEMONIC_MOVD: case ZYDIS_MNEMONIC_MOVSS:
    case ZYDIS_MNEMONIC_VMOVAPS: case ZYDIS_MNEMONIC_VMOVUPS: case ZYDIS_MNEMONIC_VMOVAPD: case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQA: case ZYDIS_MNEMONIC_VMOVDQU: case ZYDIS_MNEMONIC_VMOVQ: case ZYDIS_MNEMONIC_VMOVD:
    case ZYDIS_MNEMONIC_VMOVDQU8: case ZYDIS_MNEMONIC_VMOVDQU16: case ZYDIS_MNEMONIC_VMOVDQU32: case ZYDIS_MNEMONIC_VMOVDQU64:
    case ZYDIS_MNEMONIC_VMOVDQA32: case ZYDIS_MNEMONIC_VMOVDQA64: case ZYDIS_MNEMONIC_MOVNTDQ: case ZYDIS_MNEMONIC_MOVNTI: return COPIES;
    case ZYDIS_MNEMONIC_MOVSX: case ZYDIS_MNEMONIC_MOVSXD: return COPIES_WITH_SIGN;
    default: return COPIES_NOT;
    }
}

/* Masked moves leave some of what was there. */
static bool is_masked(const x86_insn *insn)
{
    return insn->info.avx.mask.reg != ZYDIS_REGISTER_NONE && insn->info.avx.mask.reg != ZYDIS_REGISTER_K0;
}

/* xor %eax,%eax and the like. */
static bool makes_zero(const x86_insn *insn)
{
    const ZydisDecodedOperand *o = insn->operands;
    unsigned n = insn->info.operand_count_visible;
    switch (insn->info.mnemonic) {
    case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_SUB: case ZYDIS_MNEMONIC_PXOR: case ZYDIS_MNEMONIC_XORPS: case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VPXOR: case ZYDIS_MNEMONIC_VXORPS: case ZYDIS_MNEMONIC_VXORPD: case ZYDIS_MNEMONIC_VPXORD: case ZYDIS_MNEMONIC_VPXORQ:
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

/* Of a vector register only so much is copied by some, and only so much is followed at all. */
static bool is_followed(const looking *l, const ZydisDecodedOperand *source, machine_datum *from, unsigned at)
{
    enum { VECTOR_NBYTES = 16 };
    ZydisMnemonic mnemonic = l->insn.info.mnemonic;
    if (!from->is_register || is_general(source->reg.value))
        return true;
    if (mnemonic == ZYDIS_MNEMONIC_MOVSS || mnemonic == ZYDIS_MNEMONIC_MOVSD)
        from->nbytes = mnemonic == ZYDIS_MNEMONIC_MOVSS ? 4 : 8;
    if (from->nbytes > VECTOR_NBYTES)
        from->nbytes = VECTOR_NBYTES;
    return at < from->nbytes;
}

static void copy_from(const looking *l, const ZydisDecodedOperand *to, unsigned at, bool has_sign, machine_flow *f)
{
    const ZydisDecodedOperand *source = source_of(l, to);
    f->kind = MACHINE_FLOW_UNKNOWN;
    if (source && source->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        f->kind = MACHINE_FLOW_CONSTANT;
        return;
    }
    if (!source || !datum_of(l, source, &f->from))
        return;
    if (at >= f->from.nbytes) {
        f->kind = has_sign ? MACHINE_FLOW_OPERATION : MACHINE_FLOW_CONSTANT; /* what stands before it */
        return;
    }
    if (!is_followed(l, source, &f->from, at))
        return;
    unsigned left = f->from.nbytes - at;
    f->kind = MACHINE_FLOW_COPY;
    f->has_sign = has_sign;
    f->from.nbytes = f->wanted.nbytes < left ? f->wanted.nbytes : left;
    if (f->from.is_register)
        f->from.offset += at;
    else
        f->from.addr += at;
}

static void add_operands(const looking *l, machine_flow *f)
{
    for (unsigned i = 0; i < l->insn.info.operand_count_visible && f->n_operands < MACHINE_FLOW_MAX_OPERANDS; i++) {
        const ZydisDecodedOperand *op = &l->insn.operands[i];
        machine_datum *d = &f->operands[f->n_operands];
        if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ && datum_of(l, op, d) && d->nbytes <= MACHINE_DATUM_MAX)
            f->n_operands++;
    }
}

static void explain(const looking *l, const ZydisDecodedOperand *to, unsigned at, machine_flow *f)
{
    copying how = copying_of(&l->insn.info);
    if (l->insn.info.meta.category == ZYDIS_CATEGORY_CALL) {
        f->kind = MACHINE_FLOW_CALL;
    } else if (makes_zero(&l->insn)) {
        f->kind = MACHINE_FLOW_CONSTANT;
    } else if (how != COPIES_NOT && !is_masked(&l->insn) && to->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
        copy_from(l, to, at, how == COPIES_WITH_SIGN, f);
    } else if (how != COPIES_NOT && !is_masked(&l->insn) && to->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        copy_from(l, to, at, false, f); /* a push, a string */
    } else {
        f->kind = MACHINE_FLOW_OPERATION;
        add_operands(l, f);
    }
}

/* The kernel writes the result, two registers of its own, and whatever memory the call is about. */
static void explain_kernel(const looking *l, const machine_datum *wanted, machine_flow *f)
{
    bool is_result = wanted->is_register && (int)wanted->reg == machine_reg_by_name(l->m, "rax");
    f->kind = is_result || !wanted->is_register ? MACHINE_FLOW_KERNEL : MACHINE_FLOW_NONE;
}

ebb_status x86_flow(machine *m, machine_tid tid, const machine_datum *wanted, machine_flow *out, ebb_error *err)
{
    looking l = {.m = m, .tid = tid};
    uint8_t code[15];
    uint64_t rip;
    unsigned at;
    ZydisDecoder decoder;
    *out = (machine_flow){.wanted = *wanted};
    EBB_TRY(machine_reg_get_u64(m, tid, (unsigned)machine_reg_by_name(m, "rip"), &rip, err));
    size_t n = sizeof code;
    while (n > 1 && machine_read(m, rip, code, n, NULL) != EBB_OK)
        n--;
    l.insn.place = rip;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &l.insn.info, l.insn.operands)))
        return ebb_fail(err, EBB_BAD_INPUT, "no instruction at %#llx", (unsigned long long)rip);
    if (l.insn.info.mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
        explain_kernel(&l, wanted, out);
        return EBB_OK;
    }
    const ZydisDecodedOperand *to = writer_of(&l, &out->wanted, &at);
    if (to)
        explain(&l, to, at, out);
    return EBB_OK;
}
