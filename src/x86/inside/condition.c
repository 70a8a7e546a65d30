/* condition.c - conditions of points (machine/code.h) as host code.
 *
 * The stack of values is in registers, which are spilled meanwhile, as are the flags.  A load that faults is seen by ebb
 * from outside, which puts registers and flags back and takes the condition for true (CD3). */
#include "x86/inside/making.h"

#include "machine/code_check.h"

/* Registers that hold the values of the stack, the first one at the bottom. */
static const uint8_t stack_regs[MACHINE_CODE_MAX_DEPTH] = {X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSI, X86_RDI, 8, 9};

/* One condition being made. */
typedef struct condition {
    x86_making *mk;
    const machine_code *code;
    unsigned n_steps;
    unsigned max_depth;
    uint8_t depths[MACHINE_CODE_MAX_STEPS + 1]; /* before each step */
    uint8_t *jumps[MACHINE_CODE_MAX_STEPS];     /* 32-bit fields of steps that jump; NULL: none */
    uint8_t *hosts[MACHINE_CODE_MAX_STEPS + 1]; /* where each step begins */
} condition;

/* ---- checking --------------------------------------------------------------------------------- */

static bool is_known(const machine_code *step)
{
    int64_t n = step->operand;
    switch (step->op) {
    case MACHINE_CODE_REG: return n >= 0 && n < X86_N_GPRS;
    case MACHINE_CODE_LOAD: return n == 1 || n == 2 || n == 4 || n == 8;
    case MACHINE_CODE_SIGN:
    case MACHINE_CODE_ZERO: return n == 1 || n == 2 || n == 4;
    case MACHINE_CODE_SHL:
    case MACHINE_CODE_SHR:
    case MACHINE_CODE_SAR: return n >= 0 && n < 64;
    default: return step->op <= MACHINE_CODE_OR_ELSE; /* what follows is the Java machine's */
    }
}

/* CD1, CD2: fills in the depths. */
static bool check(condition *c)
{
    for (unsigned i = 0; i < c->n_steps; i++)
        if (!is_known(&c->code[i]))
            return false;
    return machine_code_check(c->code, c->n_steps, MACHINE_CODE_MAX_DEPTH, c->depths, &c->max_depth);
}

/* ---- steps ------------------------------------------------------------------------------------ */

static unsigned rex(unsigned wide, unsigned reg, unsigned rm)
{
    return 0x40u | wide << 3 | (reg >= 8 ? 4u : 0) | (rm >= 8 ? 1u : 0);
}

/* OPCODE reg, rm with both in registers. */
static void emit_rr(x86_emit *e, unsigned wide, unsigned opcode, unsigned reg, unsigned rm)
{
    emit_u8(e, rex(wide, reg, rm));
    if (opcode > 0xff)
        emit_u8(e, opcode >> 8);
    emit_u8(e, opcode & 0xff);
    emit_u8(e, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static void emit_push(x86_emit *e, unsigned reg, int64_t value)
{
    emit_u8(e, rex(1, 0, reg));
    if (value == (int32_t)value) {
        emit_u8(e, 0xc7);
        emit_u8(e, 0xc0 | (reg & 7));
        emit_u32(e, (uint32_t)value);
    } else {
        emit_u8(e, 0xb8 | (reg & 7));
        emit_u64(e, (uint64_t)value);
    }
}

/* mov reg, [reg]; none of stack_regs needs more than ModRM. */
static void emit_load(x86_emit *e, unsigned reg, int64_t nbytes)
{
    emit_u8(e, rex(nbytes == 8, reg, reg));
    if (nbytes < 4)
        emit_u8(e, 0x0f);
    emit_u8(e, nbytes == 1 ? 0xb6 : nbytes == 2 ? 0xb7 : 0x8b);
    emit_u8(e, (reg & 7) << 3 | (reg & 7));
}

static void emit_extend(x86_emit *e, unsigned reg, int64_t nbytes, bool with_sign)
{
    if (nbytes == 4)
        emit_rr(e, with_sign, with_sign ? 0x63 : 0x8b, reg, reg);
    else
        emit_rr(e, with_sign, (with_sign ? 0x0fbeu : 0x0fb6u) + (nbytes == 2), reg, reg);
}

/* 1 or 0 by the flags: setcc, movzx. */
static void emit_truth(x86_emit *e, unsigned reg, unsigned condition_code)
{
    emit_rr(e, 0, 0x0f90 | condition_code, 0, reg);
    emit_rr(e, 0, 0x0fb6, reg, reg);
}

static void emit_comparison(x86_emit *e, unsigned left, unsigned right, unsigned condition_code)
{
    emit_rr(e, 1, 0x3b, left, right);
    emit_truth(e, left, condition_code);
}

static void emit_shift(x86_emit *e, unsigned digit, unsigned reg, int64_t count)
{
    emit_rr(e, 1, 0xc1, digit, reg);
    emit_u8(e, (unsigned)count);
}

static void emit_test(x86_emit *e, unsigned reg)
{
    emit_rr(e, 1, 0x85, reg, reg);
}

static void emit_reg(condition *c, unsigned to, unsigned reg)
{
    if (x86_this_boundary(c->mk)->spilled >> reg & 1)
        emit_gs_load(&c->mk->e, to, X86_TCB_SPILL(reg));
    else
        emit_rr(&c->mk->e, 1, 0x8b, to, reg);
}

static uint8_t *emit_jump_if(x86_emit *e, unsigned reg, unsigned condition_code)
{
    emit_test(e, reg);
    emit_u8(e, 0x0f);
    emit_u8(e, 0x80 | condition_code);
    emit_u32(e, 0);
    return e->at - 4;
}

enum { CC_B = 2, CC_E = 4, CC_NE = 5, CC_BE = 6, CC_L = 12, CC_LE = 14 };

static void emit_step(condition *c, unsigned i)
{
    x86_emit *e = &c->mk->e;
    const machine_code *step = &c->code[i];
    unsigned depth = c->depths[i];
    unsigned next = depth < MACHINE_CODE_MAX_DEPTH ? stack_regs[depth] : 0;   /* where a new value goes */
    unsigned top = depth ? stack_regs[depth - 1] : 0, below = depth > 1 ? stack_regs[depth - 2] : 0;
    switch ((machine_code_op)step->op) {
    case MACHINE_CODE_PUSH: emit_push(e, next, step->operand); break;
    case MACHINE_CODE_REG: emit_reg(c, next, (unsigned)step->operand); break;
    case MACHINE_CODE_LOAD: emit_load(e, top, step->operand); break;
    case MACHINE_CODE_SIGN: emit_extend(e, top, step->operand, true); break;
    case MACHINE_CODE_ZERO: emit_extend(e, top, step->operand, false); break;
    case MACHINE_CODE_NEGATE: emit_rr(e, 1, 0xf7, 3, top); break;
    case MACHINE_CODE_COMPLEMENT: emit_rr(e, 1, 0xf7, 2, top); break;
    case MACHINE_CODE_IS_ZERO: emit_test(e, top); emit_truth(e, top, CC_E); break;
    case MACHINE_CODE_IS_TRUE: emit_test(e, top); emit_truth(e, top, CC_NE); break;
    case MACHINE_CODE_SHL: emit_shift(e, 4, top, step->operand); break;
    case MACHINE_CODE_SHR: emit_shift(e, 5, top, step->operand); break;
    case MACHINE_CODE_SAR: emit_shift(e, 7, top, step->operand); break;
    case MACHINE_CODE_ADD: emit_rr(e, 1, 0x03, below, top); break;
    case MACHINE_CODE_SUB: emit_rr(e, 1, 0x2b, below, top); break;
    case MACHINE_CODE_MUL: emit_rr(e, 1, 0x0faf, below, top); break;
    case MACHINE_CODE_AND: emit_rr(e, 1, 0x23, below, top); break;
    case MACHINE_CODE_OR: emit_rr(e, 1, 0x0b, below, top); break;
    case MACHINE_CODE_XOR: emit_rr(e, 1, 0x33, below, top); break;
    case MACHINE_CODE_EQ: emit_comparison(e, below, top, CC_E); break;
    case MACHINE_CODE_NE: emit_comparison(e, below, top, CC_NE); break;
    case MACHINE_CODE_LT: emit_comparison(e, below, top, CC_L); break;
    case MACHINE_CODE_LE: emit_comparison(e, below, top, CC_LE); break;
    case MACHINE_CODE_BELOW: emit_comparison(e, below, top, CC_B); break;
    case MACHINE_CODE_BELOW_EQ: emit_comparison(e, below, top, CC_BE); break;
    case MACHINE_CODE_AND_THEN: c->jumps[i] = emit_jump_if(e, top, CC_E); break;
    case MACHINE_CODE_OR_ELSE: c->jumps[i] = emit_jump_if(e, top, CC_NE); break;
    default: break; /* is_known */
    }
}

static void emit_steps(condition *c)
{
    x86_emit *e = &c->mk->e;
    for (unsigned i = 0; i < c->n_steps; i++) {
        c->hosts[i] = e->at;
        c->jumps[i] = NULL;
        emit_step(c, i);
    }
    c->hosts[c->n_steps] = e->at;
    for (unsigned i = 0; i < c->n_steps && x86_emit_fits(e); i++)
        if (c->jumps[i])
            patch_rel32(c->jumps[i], c->hosts[c->code[i].operand]);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static void emit_save(condition *c)
{
    for (unsigned i = 0; i < c->max_depth; i++)
        x86_spill(c->mk, stack_regs[i]);
    x86_flags_to_rax(&c->mk->e);
    emit_gs_store(&c->mk->e, X86_TCB_SPILL_FLAGS, X86_RAX);
}

static void emit_restore(condition *c)
{
    emit_gs_load(&c->mk->e, X86_RAX, X86_TCB_SPILL_FLAGS);
    x86_flags_from_rax(&c->mk->e);
    for (unsigned i = 0; i < c->max_depth; i++)
        x86_unspill(c->mk, stack_regs[i]);
}

bool x86_make_condition(x86_making *mk, const machine_code *code, unsigned n_steps, const x86_site_copy *noted)
{
    condition c = {.mk = mk, .code = code, .n_steps = n_steps};
    if (n_steps > MACHINE_CODE_MAX_STEPS || !check(&c))
        return false;
    x86_emit *e = &mk->e;
    x86_this_boundary(mk)->condition = true;
    emit_save(&c);
    emit_steps(&c);
    uint8_t *is_false = emit_jump_if(e, X86_RAX, CC_E);
    emit_restore(&c);
    uint8_t *over = NULL;
    if (noted) {
        x86_make_note(mk, noted);
        emit_u8(e, 0xe9);
        emit_u32(e, 0);
        over = e->at - 4;
    } else {
        x86_make_trap(mk);
    }
    if (x86_emit_fits(e))
        patch_rel32(is_false, e->at);
    emit_restore(&c);
    if (over && x86_emit_fits(e))
        patch_rel32(over, e->at);
    return true;
}
