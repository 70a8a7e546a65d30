/* touch.c - computes addresses of operands from the registers, for strings, gathers and masked moves too. */
#include "x86/inside/touch.h"

#include <Zydis/Zydis.h>

typedef struct looking {
    ZydisDecodedInstruction z;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const x86_touch_cpu *cpu;
    x86_touch *out;
    size_t n;
} looking;

/* The whole area, whose length depends on what is saved. */
static bool is_xsave(const looking *l)
{
    return l->z.meta.category == ZYDIS_CATEGORY_XSAVE || l->z.meta.category == ZYDIS_CATEGORY_XSAVEOPT;
}

static bool stores(const looking *l, const ZydisDecodedOperand *o)
{
    return (o->actions & ZYDIS_OPERAND_ACTION_WRITE) && !is_xsave(l) && l->z.mnemonic != ZYDIS_MNEMONIC_ENTER;
}

static void add(looking *l, uint64_t addr, uint64_t nbytes, const ZydisDecodedOperand *o)
{
    if (!nbytes || l->n == X86_MAX_TOUCHES)
        return;
    l->out[l->n++] = (x86_touch){addr, nbytes, (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0,
                                 (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0, stores(l, o)};
}

/* ---- addresses -------------------------------------------------------------------------------- */

static uint64_t general(const looking *l, ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return l->cpu->rip + l->z.length;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? l->cpu->regs[whole - ZYDIS_REGISTER_RAX] : 0;
}

static uint64_t segment_base(const looking *l, const ZydisDecodedOperand *o)
{
    return o->mem.segment == ZYDIS_REGISTER_FS ? l->cpu->fs_base : o->mem.segment == ZYDIS_REGISTER_GS ? l->cpu->gs_base : 0;
}

/* With `index` for the index register's value. */
static uint64_t address_with(const looking *l, const ZydisDecodedOperand *o, uint64_t index)
{
    uint64_t offset = general(l, o->mem.base) + index * (o->mem.scale ? o->mem.scale : 1) +
                      (o->mem.disp.has_displacement ? (uint64_t)o->mem.disp.value : 0);
    return segment_base(l, o) + (l->z.address_width == 32 ? (uint32_t)offset : offset);
}

bool x86_is_bit_test(int mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_BT || mnemonic == ZYDIS_MNEMONIC_BTS || mnemonic == ZYDIS_MNEMONIC_BTR ||
           mnemonic == ZYDIS_MNEMONIC_BTC;
}

/* A bit that a register tells may be far from where the operand begins. */
static uint64_t bit_offset(const looking *l, uint64_t nbytes)
{
    const ZydisDecodedOperand *bit = &l->operands[1];
    if (!x86_is_bit_test(l->z.mnemonic) || bit->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return 0;
    int64_t n = (int64_t)general(l, bit->reg.value);
    n = nbytes == 2 ? (int16_t)n : nbytes == 4 ? (int32_t)n : n;
    return (uint64_t)((n >> 3) & ~(int64_t)(nbytes - 1));
}

/* ---- elements --------------------------------------------------------------------------------- */

/* Which elements are accessed: bit n for the nth.  False if that can't be known. */
static bool active_elements(const looking *l, uint64_t *active)
{
    *active = UINT64_MAX;
    bool by_register = l->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && l->z.avx.mask.reg != ZYDIS_REGISTER_NONE &&
                       l->z.avx.mask.reg != ZYDIS_REGISTER_K0;
    if (!by_register)
        return true;
    if (!l->cpu->mask)
        return false;
    *active = l->cpu->mask(l->cpu->self, l->z.avx.mask.reg - ZYDIS_REGISTER_K0);
    return true;
}

static unsigned vector_number(ZydisRegister reg)
{
    return (unsigned)(reg - ZYDIS_REGISTER_XMM0) % 32; /* xmm, ymm and zmm follow each other */
}

static uint64_t element(const uint8_t bytes[64], unsigned i, unsigned nbytes)
{
    uint64_t value = 0;
    __builtin_memcpy(&value, bytes + i * nbytes, nbytes);
    return nbytes == 4 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* VEX: the highest bit of each element of a vector. */
static uint64_t active_by_vector(const looking *l, ZydisRegister reg, unsigned n, unsigned nbytes)
{
    uint8_t mask[64];
    uint64_t active = 0;
    l->cpu->vector(l->cpu->self, vector_number(reg), mask);
    for (unsigned i = 0; i < n; i++)
        active |= (uint64_t)(element(mask, i, nbytes) >> (8 * nbytes - 1) & 1) << i;
    return active;
}

static void add_active(looking *l, uint64_t addr, uint64_t active, unsigned n, unsigned nbytes, const ZydisDecodedOperand *o)
{
    for (unsigned i = 0; i < n; i++)
        if (active >> i & 1)
            add(l, addr + (uint64_t)i * nbytes, nbytes, o);
}

/* A vector of indices: gathers and scatters. */
static void add_gathered(looking *l, const ZydisDecodedOperand *o)
{
    uint64_t active;
    if (!l->cpu->vector || !active_elements(l, &active)) {
        add(l, 0, UINT64_MAX, o);
        return;
    }
    bool wide_index = l->z.opcode & 1, has_mask_vector = l->z.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX;
    unsigned index_nbytes = wide_index ? 8 : 4, nbytes = o->element_size / 8;
    unsigned total = l->z.avx.vector_length / 8, n = total / (index_nbytes > nbytes ? index_nbytes : nbytes);
    uint8_t indices[64];
    l->cpu->vector(l->cpu->self, vector_number(o->mem.index), indices);
    if (has_mask_vector)
        active = active_by_vector(l, l->operands[2].reg.value, n, nbytes);
    for (unsigned i = 0; i < n; i++)
        if (active >> i & 1)
            add(l, address_with(l, o, element(indices, i, index_nbytes)), nbytes, o);
}

bool x86_is_masked_by_vector(int mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_VMASKMOVPS || mnemonic == ZYDIS_MNEMONIC_VMASKMOVPD || mnemonic == ZYDIS_MNEMONIC_VPMASKMOVD ||
           mnemonic == ZYDIS_MNEMONIC_VPMASKMOVQ;
}

static unsigned count_active(uint64_t active, unsigned n)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        count += active >> i & 1;
    return count;
}

static void add_vector(looking *l, const ZydisDecodedOperand *o, uint64_t addr)
{
    uint64_t active, nbytes = o->size / 8;
    unsigned n = o->element_count, each = o->element_size / 8;
    bool by_vector = x86_is_masked_by_vector(l->z.mnemonic);
    if (!active_elements(l, &active) || (by_vector && !l->cpu->vector) || n < 1 || n > 64 || !each) {
        add(l, addr, nbytes, o);
        return;
    }
    if (by_vector)
        active = active_by_vector(l, l->operands[1].reg.value, n, each);
    bool packs = l->z.meta.category == ZYDIS_CATEGORY_EXPAND || l->z.meta.category == ZYDIS_CATEGORY_COMPRESS;
    if (packs)
        add(l, addr, (uint64_t)count_active(active, n) * each, o);
    else if (active == UINT64_MAX)
        add(l, addr, nbytes, o);
    else
        add_active(l, addr, active, n, each, o);
}

/* ---- operands --------------------------------------------------------------------------------- */

/* A string operand: all repetitions, or the next one. */
static void add_repeated(looking *l, const ZydisDecodedOperand *o, uint64_t addr)
{
    enum { DIRECTION = 0x400 };
    uint64_t nbytes = o->size / 8, n = l->z.address_width == 32 ? (uint32_t)l->cpu->regs[X86_RCX] : l->cpu->regs[X86_RCX];
    if (!n)
        return;
    if (!l->cpu->all_repetitions || n > UINT64_MAX / 64)
        n = l->cpu->all_repetitions ? UINT64_MAX / 64 : 1;
    bool down = l->cpu->flags & DIRECTION;
    add(l, down ? addr - (n - 1) * nbytes : addr, n * nbytes, o);
}

static bool is_repeated(const looking *l)
{
    return l->z.meta.category == ZYDIS_CATEGORY_STRINGOP &&
           (l->z.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
}

bool x86_accesses_nothing(int category, int mnemonic)
{
    switch (category) {
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP: return true;
    default: break;
    }
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE:
    case ZYDIS_MNEMONIC_INVLPG: return true;
    default: return false;
    }
}

static void add_operand(looking *l, const ZydisDecodedOperand *o)
{
    enum { XSAVE_BYTES = 2696 };
    uint64_t nbytes = o->size / 8, addr = address_with(l, o, general(l, o->mem.index));
    bool hidden = o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN, writes = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    bool pushes = hidden && writes && o->mem.base == ZYDIS_REGISTER_RSP;
    if (o->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        add_gathered(l, o);
    else if (is_repeated(l))
        add_repeated(l, o, addr);
    else if (is_xsave(l))
        add(l, addr, XSAVE_BYTES, o);
    else if (l->z.mnemonic == ZYDIS_MNEMONIC_ENTER)
        add(l, addr - 32 * 8, 32 * 8, o);
    else if (pushes)
        add(l, addr - nbytes, nbytes, o);
    else if (o->element_count > 1)
        add_vector(l, o, addr);
    else
        add(l, addr + bit_offset(l, nbytes), nbytes, o);
}

size_t x86_touches_of(const uint8_t *code, size_t nbytes, const x86_touch_cpu *cpu, x86_touch touches[X86_MAX_TOUCHES])
{
    looking l = {.cpu = cpu, .out = touches};
    ZydisDecoder decoder;
    ZydisDecoderContext context;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, code, nbytes, &l.z)) ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, &l.z, l.operands, l.z.operand_count)) || x86_accesses_nothing(l.z.meta.category, l.z.mnemonic))
        return 0;
    for (unsigned i = 0; i < l.z.operand_count; i++)
        if (l.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && l.operands[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN)
            add_operand(&l, &l.operands[i]);
    return l.n;
}
