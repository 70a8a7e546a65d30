/* condition.c - conditions of points (machine/code.h) as host code.
 *
 * The stack of values is in registers, which are spilled meanwhile, as are the flags.  A load that faults is seen by ebb
 * from outside, which puts registers and flags back and takes the condition for true (CD3).  A step that needs further registers
 * (a division, a real number) borrows them and gives them back before the next load or jump, so that nothing but the stack's registers has to be
 * put back then. */
#include "x86/inside/making.h"

#include "machine/code_check.h"

/* Registers that hold the values of the stack, the first one at the bottom. */
static const uint8_t stack_regs[MACHINE_CODE_MAX_DEPTH] = {X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSI, X86_RDI, 8, 9};

enum { MAX_BYTES = 120 /* so that offsets are a byte */ };

/* One condition being made. */
typedef struct condition {
    x86_making *mk;
    const machine_code *code;
    unsigned n_steps;
    unsigned max_depth;
    uint8_t depths[MACHINE_CODE_MAX_STEPS + 1]; /* before each step */
    uint8_t *jumps[MACHINE_CODE_MAX_STEPS];     /* 32-bit fields of steps that jump; NULL: none */
    uint8_t *hosts[MACHINE_CODE_MAX_STEPS + 1]; /* where each step begins */
    uint8_t *doubts[2 * MACHINE_CODE_MAX_STEPS]; /* 32-bit fields of jumps to where there is no answer */
    unsigned n_doubts;
    uint64_t targets;  /* steps that others jump to: a bit for each */
    bool borrows;      /* the vector registers, just now */
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
    case MACHINE_CODE_IS_BYTES: return n > 0 && n <= MAX_BYTES;
    case MACHINE_CODE_DIVIDE:
    case MACHINE_CODE_REMAINDER:
    case MACHINE_CODE_TO_REAL:
    case MACHINE_CODE_ROUND:
    case MACHINE_CODE_TO_LONG:
    case MACHINE_CODE_DATA: return true;
    default:
        return step->op <= MACHINE_CODE_OR_ELSE || (step->op >= MACHINE_CODE_REAL_ADD && step->op <= MACHINE_CODE_REAL_GE && step->op != MACHINE_CODE_REAL_MOD) ||
               (step->op >= MACHINE_CODE_DIVIDE_U && step->op < MACHINE_CODE_N_OPS);
    }
}

/* DATA are there for all of its bytes. */
static bool has_data(const condition *c, unsigned i)
{
    uint64_t n = ((uint64_t)c->code[i].operand + 7) / 8;
    for (uint64_t k = 1; k <= n; k++)
        if (i + k >= c->n_steps || c->code[i + k].op != MACHINE_CODE_DATA)
            return false;
    return true;
}

/* CD1, CD2: fills in the depths. */
static bool check(condition *c)
{
    for (unsigned i = 0; i < c->n_steps; i++)
        if (!is_known(&c->code[i]) || (c->code[i].op == MACHINE_CODE_IS_BYTES && !has_data(c, i)))
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

/* A jump to where there is no answer. */
static void emit_doubt_if(condition *c, unsigned condition_code)
{
    x86_emit *e = &c->mk->e;
    emit_u8(e, 0x0f);
    emit_u8(e, 0x80 | condition_code);
    emit_u32(e, 0);
    c->doubts[c->n_doubts++] = e->at - 4;
}

/* ---- division --------------------------------------------------------------------------------- */

enum { SCRATCH = offsetof(x86_tcb, scratch) };

/* left = left / right; rax and rdx are borrowed.  The CPU would fault for 0, and, with signs, for the lowest number by -1. */
static void emit_division(condition *c, unsigned left, unsigned right, bool with_signs, bool wants_rest)
{
    x86_emit *e = &c->mk->e;
    emit_test(e, right);
    emit_doubt_if(c, CC_E);
    if (with_signs) {
        emit_rr(e, 1, 0x83, 7, right); /* cmp right, -1 */
        emit_u8(e, 0xff);
        emit_doubt_if(c, CC_E);
    }
    emit_gs_store(e, SCRATCH, X86_RAX);
    emit_gs_store(e, SCRATCH + 8, X86_RDX);
    emit_gs_store(e, SCRATCH + 16, right);
    emit_rr(e, 1, 0x8b, X86_RAX, left);
    if (with_signs) {
        emit_u8(e, 0x48);
        emit_u8(e, 0x99); /* cqo */
    } else {
        emit_rr(e, 0, 0x33, X86_RDX, X86_RDX);
    }
    emit_u8(e, 0x65);
    emit_u8(e, 0x48);
    emit_u8(e, 0xf7); /* idiv or div gs:[] */
    emit_gs_operand(e, with_signs ? 7 : 6, SCRATCH + 16);
    emit_gs_store(e, SCRATCH + 16, wants_rest ? X86_RDX : X86_RAX);
    emit_gs_load(e, X86_RAX, SCRATCH);
    emit_gs_load(e, X86_RDX, SCRATCH + 8);
    emit_gs_load(e, left, SCRATCH + 16);
}

/* ---- real numbers ----------------------------------------------------------------------------- */

enum { XMM0, XMM1, MXCSR = offsetof(x86_tcb, mxcsr), XMM_SAVE = SCRATCH };

/* PREFIX 0F OPCODE with an operand in the control block. */
static void emit_gs_0f(x86_emit *e, unsigned opcode, unsigned reg, uint32_t offset)
{
    emit_u8(e, 0x65);
    emit_u8(e, 0x0f);
    emit_u8(e, opcode);
    emit_gs_operand(e, reg, offset);
}

/* xmm0 and xmm1 are borrowed, with the usual modes: the guest's own may want to fault. */
static void borrow(condition *c)
{
    x86_emit *e = &c->mk->e;
    if (c->borrows)
        return;
    emit_gs_0f(e, 0x11, XMM0, XMM_SAVE);
    emit_gs_0f(e, 0x11, XMM1, XMM_SAVE + 16);
    emit_gs_0f(e, 0xae, 3, MXCSR);
    emit_gs_store_u32(e, XMM_SAVE + 32, 0x1f80);
    emit_gs_0f(e, 0xae, 2, XMM_SAVE + 32);
    c->borrows = true;
}

static void give_back(condition *c)
{
    x86_emit *e = &c->mk->e;
    if (!c->borrows)
        return;
    emit_gs_0f(e, 0xae, 2, MXCSR);
    emit_gs_0f(e, 0x10, XMM0, XMM_SAVE);
    emit_gs_0f(e, 0x10, XMM1, XMM_SAVE + 16);
    c->borrows = false;
}

static bool is_about_reals(machine_code_op op)
{
    return op == MACHINE_CODE_TO_REAL || op == MACHINE_CODE_ROUND || op == MACHINE_CODE_WIDEN || op == MACHINE_CODE_TO_LONG ||
           (op >= MACHINE_CODE_REAL_ADD && op <= MACHINE_CODE_REAL_GE);
}

/* Neither faults nor jumps, and needs no room to borrow registers itself. */
static bool goes_with_reals(machine_code_op op)
{
    return is_about_reals(op) || (op < MACHINE_CODE_AND_THEN && op != MACHINE_CODE_LOAD);
}

/* PREFIX REX.W 0F OPCODE between a vector register and a general one. */
static void emit_between(x86_emit *e, unsigned prefix, unsigned opcode, unsigned xmm, unsigned reg)
{
    emit_u8(e, prefix);
    emit_u8(e, rex(1, xmm, reg));
    emit_u8(e, 0x0f);
    emit_u8(e, opcode);
    emit_u8(e, 0xc0 | xmm << 3 | (reg & 7));
}

static void emit_to_xmm(x86_emit *e, unsigned xmm, unsigned reg)
{
    emit_between(e, 0x66, 0x6e, xmm, reg);
}

static void emit_from_xmm0(x86_emit *e, unsigned reg)
{
    emit_between(e, 0x66, 0x7e, XMM0, reg);
}

/* PREFIX 0F OPCODE xmm0, xmm1 */
static void emit_xmm(x86_emit *e, unsigned prefix, unsigned opcode, unsigned modrm)
{
    emit_u8(e, prefix);
    emit_u8(e, 0x0f);
    emit_u8(e, opcode);
    emit_u8(e, modrm);
}

static void emit_real(x86_emit *e, unsigned opcode, unsigned left, unsigned right)
{
    emit_to_xmm(e, XMM0, left);
    emit_to_xmm(e, XMM1, right);
    emit_xmm(e, 0xf2, opcode, 0xc1);
    emit_from_xmm0(e, left);
}

enum { PREDICATE_EQ, PREDICATE_LT, PREDICATE_LE };

/* cmpsd; with a NaN none of them holds. */
static void emit_real_comparison(x86_emit *e, unsigned predicate, unsigned left, unsigned right, unsigned to)
{
    emit_to_xmm(e, XMM0, left);
    emit_to_xmm(e, XMM1, right);
    emit_xmm(e, 0xf2, 0xc2, 0xc1);
    emit_u8(e, predicate);
    emit_from_xmm0(e, to);
    emit_rr(e, 1, 0x83, 4, to); /* and to, 1 */
    emit_u8(e, 1);
}

/* cvttsd2si reg, xmm0: the general register is the destination. */
static void emit_truncation(x86_emit *e, unsigned reg)
{
    emit_u8(e, 0xf2);
    emit_u8(e, rex(1, reg, 0));
    emit_u8(e, 0x0f);
    emit_u8(e, 0x2c);
    emit_u8(e, 0xc0 | (reg & 7) << 3);
}

/* The integer or the bits of a float in `reg` become a double, a double an integer or that of a float. */
static void emit_conversion(x86_emit *e, machine_code_op op, unsigned reg)
{
    if (op == MACHINE_CODE_TO_REAL)
        emit_between(e, 0xf2, 0x2a, XMM0, reg); /* cvtsi2sd */
    else
        emit_to_xmm(e, XMM0, reg);
    if (op == MACHINE_CODE_ROUND)
        emit_xmm(e, 0xf2, 0x5a, 0xc0); /* cvtsd2ss */
    if (op == MACHINE_CODE_ROUND || op == MACHINE_CODE_WIDEN)
        emit_xmm(e, 0xf3, 0x5a, 0xc0); /* cvtss2sd */
    if (op == MACHINE_CODE_TO_LONG)
        emit_truncation(e, reg);
    else
        emit_from_xmm0(e, reg);
}

/* ---- bytes ------------------------------------------------------------------------------------ */

/* cmp [reg + at], the next of the bytes: four, two or one; answers how many. */
static unsigned emit_compare_bytes(x86_emit *e, unsigned reg, unsigned at, const uint8_t *bytes, unsigned left)
{
    unsigned n = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    if (n == 2)
        emit_u8(e, 0x66);
    emit_u8(e, rex(0, 7, reg) & ~4u);
    emit_u8(e, n == 1 ? 0x80 : 0x81);
    emit_u8(e, 0x40 | 7 << 3 | (reg & 7));
    emit_u8(e, at);
    emit_bytes(e, bytes + at, n);
    return n;
}

static void emit_is_bytes(condition *c, unsigned reg, unsigned i)
{
    x86_emit *e = &c->mk->e;
    uint8_t bytes[MAX_BYTES + 8], *differs[MAX_BYTES / 4 + 3];
    unsigned n = (unsigned)c->code[i].operand, n_differs = 0;
    for (unsigned k = 0; k < n; k += 8)
        __builtin_memcpy(bytes + k, &c->code[i + 1 + k / 8].operand, 8);
    for (unsigned at = 0; at < n;) {
        at += emit_compare_bytes(e, reg, at, bytes, n - at);
        emit_u8(e, 0x0f);
        emit_u8(e, 0x80 | CC_NE);
        emit_u32(e, 0);
        differs[n_differs++] = e->at - 4;
    }
    emit_push(e, reg, 1);
    emit_u8(e, 0xeb); /* over the next one */
    emit_u8(e, 7);
    if (x86_emit_fits(e))
        for (unsigned k = 0; k < n_differs; k++)
            patch_rel32(differs[k], e->at);
    emit_push(e, reg, 0);
}

/* mov r32, gs:[] */
static void emit_thread(x86_emit *e, unsigned reg)
{
    emit_u8(e, 0x65);
    emit_u8(e, 0x40 | (reg >= 8 ? 4 : 0));
    emit_u8(e, 0x8b);
    emit_gs_operand(e, reg, offsetof(x86_tcb, thread));
}

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
    case MACHINE_CODE_DIVIDE: emit_division(c, below, top, true, false); break;
    case MACHINE_CODE_REMAINDER: emit_division(c, below, top, true, true); break;
    case MACHINE_CODE_DIVIDE_U: emit_division(c, below, top, false, false); break;
    case MACHINE_CODE_REMAINDER_U: emit_division(c, below, top, false, true); break;
    case MACHINE_CODE_TO_REAL:
    case MACHINE_CODE_ROUND:
    case MACHINE_CODE_WIDEN:
    case MACHINE_CODE_TO_LONG: emit_conversion(e, (machine_code_op)step->op, top); break;
    case MACHINE_CODE_REAL_ADD: emit_real(e, 0x58, below, top); break;
    case MACHINE_CODE_REAL_SUB: emit_real(e, 0x5c, below, top); break;
    case MACHINE_CODE_REAL_MUL: emit_real(e, 0x59, below, top); break;
    case MACHINE_CODE_REAL_DIV: emit_real(e, 0x5e, below, top); break;
    case MACHINE_CODE_REAL_EQ: emit_real_comparison(e, PREDICATE_EQ, below, top, below); break;
    case MACHINE_CODE_REAL_LT: emit_real_comparison(e, PREDICATE_LT, below, top, below); break;
    case MACHINE_CODE_REAL_LE: emit_real_comparison(e, PREDICATE_LE, below, top, below); break;
    case MACHINE_CODE_REAL_GT: emit_real_comparison(e, PREDICATE_LT, top, below, below); break;
    case MACHINE_CODE_REAL_GE: emit_real_comparison(e, PREDICATE_LE, top, below, below); break;
    case MACHINE_CODE_IS_BYTES: emit_is_bytes(c, top, i); break;
    case MACHINE_CODE_THREAD: emit_thread(e, next); break;
    default: break; /* is_known */
    }
}

/* What step i needs of the vector registers. */
static void borrow_or_give_back(condition *c, unsigned i)
{
    machine_code_op op = (machine_code_op)c->code[i].op;
    if (!goes_with_reals(op))
        give_back(c);
    if (is_about_reals(op))
        borrow(c);
}

static void find_targets(condition *c)
{
    for (unsigned i = 0; i < c->n_steps; i++)
        if (machine_code_jumps(c->code[i].op) && c->code[i].operand < MACHINE_CODE_MAX_STEPS)
            c->targets |= (uint64_t)1 << c->code[i].operand;
}

static void emit_steps(condition *c)
{
    x86_emit *e = &c->mk->e;
    find_targets(c);
    for (unsigned i = 0; i < c->n_steps; i++) {
        if (c->targets >> i & 1)
            give_back(c); /* as who jumps there has done */
        c->hosts[i] = e->at;
        c->jumps[i] = NULL;
        borrow_or_give_back(c, i);
        emit_step(c, i);
    }
    give_back(c);
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

/* It holds.  If hits are to be passed by, this is one less of them: a jump to where it is none.  The value's register is free. */
static uint8_t *emit_ignore(x86_emit *e, uint64_t left)
{
    emit_u8(e, 0x48);
    emit_u8(e, 0xb8 | X86_RAX);
    emit_u64(e, left);
    emit_bytes(e, (const uint8_t[]){0x48, 0x83, 0x38, 0}, 4); /* cmp qword [rax], 0 */
    emit_bytes(e, (const uint8_t[]){0x74, 9}, 2);             /* je over both */
    emit_bytes(e, (const uint8_t[]){0x48, 0x83, 0x28, 1}, 4); /* sub qword [rax], 1 */
    emit_u8(e, 0xe9);
    emit_u32(e, 0);
    return e->at - 4;
}

bool x86_make_condition(x86_making *mk, const x86_site_copy *site, bool is_noted)
{
    condition c = {.mk = mk, .code = mk->options->conditions + site->condition_at, .n_steps = site->n_condition};
    if (c.n_steps > MACHINE_CODE_MAX_STEPS || !check(&c))
        return false;
    x86_emit *e = &mk->e;
    x86_this_boundary(mk)->condition = true;
    emit_save(&c);
    emit_steps(&c);
    uint8_t *is_false = emit_jump_if(e, X86_RAX, CC_E);
    uint8_t *is_ignored = site->left ? emit_ignore(e, site->left) : NULL;
    for (unsigned i = 0; i < c.n_doubts && x86_emit_fits(e); i++)
        patch_rel32(c.doubts[i], e->at);
    emit_restore(&c);
    uint8_t *over = NULL;
    if (is_noted) {
        x86_make_note(mk, site);
        emit_u8(e, 0xe9);
        emit_u32(e, 0);
        over = e->at - 4;
    } else {
        x86_make_trap(mk);
        emit_u8(e, 0x90); /* nobody comes here: the address after a trap means that it was met, and the registers are given back */
    }
    if (x86_emit_fits(e))
        patch_rel32(is_false, e->at);
    if (is_ignored && x86_emit_fits(e))
        patch_rel32(is_ignored, e->at);
    emit_restore(&c);
    if (over && x86_emit_fits(e))
        patch_rel32(over, e->at);
    return true;
}
