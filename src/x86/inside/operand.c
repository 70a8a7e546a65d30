/* operand.c - copies of instructions, and what becomes of their memory operands.
 *
 * An operand that means the same here as there is copied with the instruction.  Otherwise (gs:, rip-relative and out of
 * reach) its address is computed into a register that the instruction doesn't use, which is spilled meanwhile, and
 * the copy has that register for an operand. */
#include "x86/inside/making.h"

/* Registers that can be an address alone, without an extension bit, a SIB byte or a displacement. */
static const uint8_t simple_regs[] = {X86_RSI, X86_RDI, X86_RBX, X86_RDX, X86_RCX, X86_RAX};

static uint8_t free_reg(uint16_t used)
{
    for (unsigned i = 0; i < sizeof simple_regs; i++)
        if (!(used >> simple_regs[i] & 1))
            return simple_regs[i];
    return X86_NO_REG;
}

/* lea reg, [base + index * scale + disp], as far as it has a base and an index. */
static void emit_lea(x86_emit *e, unsigned reg, const x86_operands *o)
{
    static const uint8_t scales[9] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3};
    unsigned base = o->base == X86_NO_REG ? 5 : o->base, index = o->index == X86_NO_REG ? 4 : o->index;
    if (o->is_address32)
        emit_u8(e, 0x67);
    emit_u8(e, 0x48 | (reg >= 8 ? 4 : 0) | (index >= 8 ? 2 : 0) | (base >= 8 ? 1 : 0));
    emit_u8(e, 0x8d);
    emit_u8(e, (o->base == X86_NO_REG ? 0x04 : 0x84) | (reg & 7) << 3);
    emit_u8(e, (unsigned)scales[o->scale] << 6 | (index & 7) << 3 | (base & 7));
    emit_u32(e, (uint32_t)o->disp);
}

/* mov reg, imm64 */
static void emit_constant(x86_emit *e, unsigned reg, uint64_t value)
{
    emit_u8(e, 0x48 | (reg >= 8 ? 1 : 0));
    emit_u8(e, 0xb8 | (reg & 7));
    emit_u64(e, value);
}

/* lea to, [to + from] */
static void emit_sum(x86_emit *e, unsigned to, unsigned from)
{
    emit_u8(e, 0x48);
    emit_u8(e, 0x8d);
    emit_u8(e, 0x04 | to << 3);
    emit_u8(e, from << 3 | to);
}

void x86_address_to(x86_making *mk, const x86_operands *o, uint64_t next_guest, unsigned reg)
{
    if (o->base == X86_REG_RIP)
        emit_constant(&mk->e, reg, next_guest + (uint64_t)o->disp);
    else
        emit_lea(&mk->e, reg, o);
}

/* The operand's address into `to`; `other` is used on the way.  Both are spilled and simple. */
static void emit_address(x86_making *mk, const x86_operands *o, uint64_t next_guest, unsigned to, unsigned other)
{
    x86_emit *e = &mk->e;
    x86_address_to(mk, o, next_guest, o->has_gs ? other : to);
    if (!o->has_gs)
        return;
    emit_gs_load(e, to, X86_TCB_GUEST_GS);
    emit_sum(e, to, other);
}

/* The instruction with [reg] for its memory operand. */
static void emit_with_address(x86_emit *e, const x86_operands *o, const x86_at *at, unsigned reg)
{
    const uint8_t *bytes = at->bytes;
    for (unsigned i = 0; i < o->modrm_at; i++) {
        unsigned byte = bytes[i];
        bool is_idle_rex = (byte & 0xf0) == 0x40 && i != o->extension_at;
        if (i < o->opcode_at && (x86_is_address_prefix(bytes[i]) || is_idle_rex))
            continue;
        if (i == o->extension_at)
            byte = o->extension_inverted ? byte | 0x60 : byte & ~3u;
        emit_u8(e, byte);
    }
    emit_u8(e, (bytes[o->modrm_at] & 0x38u) | reg);
    emit_bytes(e, bytes + o->tail_at, at->insn->nbytes - o->tail_at);
}

static bool copy_with_address(x86_making *mk, const x86_at *at)
{
    x86_operands o;
    if (!x86_insn_operands(at->bytes, at->insn->nbytes, &o))
        return false;
    if (!o.has_memory) { /* a prefix that means nothing */
        emit_bytes(&mk->e, at->bytes, at->insn->nbytes);
        return true;
    }
    uint8_t to = free_reg(o.used), other = to == X86_NO_REG ? to : free_reg(o.used | (uint16_t)(1u << to));
    bool moves_with_stack = o.base == X86_RSP && (o.used >> X86_RSP & 1); /* pop [rsp + n] counts from rsp after it */
    if (!o.is_plain || other == X86_NO_REG || moves_with_stack)
        return false;
    x86_spill(mk, to);
    x86_spill(mk, other);
    emit_address(mk, &o, at->guest + at->insn->nbytes, to, other);
    emit_with_address(&mk->e, &o, at, to);
    x86_unspill(mk, other);
    x86_unspill(mk, to);
    return true;
}

/* Where the rip-relative operand of the copy that begins at `copy` would have to point is out of reach:
 * false.  The displacement counts from the end of the instruction, which is as long as the original. */
static bool rebase(uint8_t *copy_disp, const uint8_t *disp, uint64_t guest, const uint8_t *copy)
{
    int32_t old;
    __builtin_memcpy(&old, disp, sizeof old);
    int64_t moved = (int64_t)old + (int64_t)(guest - (uint64_t)copy);
    if (moved != (int32_t)moved)
        return false;
    int32_t rel = (int32_t)moved;
    __builtin_memcpy(copy_disp, &rel, sizeof rel);
    return true;
}

bool x86_copy_plain(x86_making *mk, const x86_at *at)
{
    const x86_insn *insn = at->insn;
    if (insn->uses_gs)
        return copy_with_address(mk, at);
    uint8_t *copy = mk->e.at;
    emit_bytes(&mk->e, at->bytes, insn->nbytes);
    if (!insn->is_rip_relative || !x86_emit_fits(&mk->e))
        return true;
    if (rebase(copy + insn->disp_at, at->bytes + insn->disp_at, at->guest, copy))
        return true;
    mk->e.at = copy;
    return copy_with_address(mk, at);
}

/* ---- targets ---------------------------------------------------------------------------------- */

/* mov rax, [address]; the address is computed in rcx. */
static bool load_target_by_address(x86_making *mk, const x86_at *at)
{
    static const uint8_t mov_rax_rax[] = {0x48, 0x8b, 0x00}; /* mov rax, [rax] */
    x86_operands o;
    if (!x86_insn_operands(at->bytes, at->insn->nbytes, &o))
        return false;
    emit_address(mk, &o, at->guest + at->insn->nbytes, X86_RAX, X86_RCX);
    emit_bytes(&mk->e, mov_rax_rax, sizeof mov_rax_rax);
    return true;
}

/* With the operand bytes of a `jmp` or `call` OPERAND: prefixes and ModRM stay, the opcode and the register field
 * change, and REX gets its W and loses its R. */
bool x86_load_target(x86_making *mk, const x86_at *at)
{
    x86_emit *e = &mk->e;
    const x86_insn *insn = at->insn;
    bool in_memory = at->bytes[insn->modrm_at] < 0xc0;
    if (insn->uses_gs && in_memory)
        return load_target_by_address(mk, at);
    uint8_t *begin = e->at;
    unsigned opcode_at = insn->modrm_at - 1u;
    unsigned rex = 0x48;
    for (unsigned i = 0; i < opcode_at; i++) {
        uint8_t byte = at->bytes[i];
        if ((byte & 0xf0) == 0x40)
            rex |= i == opcode_at - 1 ? byte & 3 : 0;
        else if (byte != 0xf2 && byte != 0xf3 && byte != 0x3e && byte != 0x65 && byte != 0x66) /* bnd, notrack, padding */
            emit_u8(e, byte);
    }
    emit_u8(e, rex);
    emit_u8(e, 0x8b);
    emit_u8(e, at->bytes[insn->modrm_at] & ~0x38u);
    uint8_t *operand = e->at;
    unsigned rest = insn->nbytes - insn->modrm_at - 1u;
    emit_bytes(e, at->bytes + insn->modrm_at + 1, rest);
    if (!insn->is_rip_relative || !x86_emit_fits(e))
        return true;
    /* Both end with the displacement: count from the ends. */
    if (rebase(operand, at->bytes + insn->disp_at, at->guest + insn->nbytes, e->at))
        return true;
    e->at = begin;
    return load_target_by_address(mk, at);
}
