/* special.c - instructions that are not copied for reasons of their own: repeated ones, those that see the vector
 * registers that count, those that ask the world, those about the gs base, those that tell or change how code is executed. */
#include "x86/inside/making.h"

/* ---- repeated string instructions (TR4) ------------------------------------------------------- */

/* More repetitions than ticks are left: the last of them are executed one by one. */
static void emit_enough_left(x86_making *mk, const x86_at *at)
{
    static const uint8_t cmp_rcx_gs[] = {0x65, 0x48, 0x3b};
    x86_emit *e = &mk->e;
    x86_spill(mk, X86_RAX);
    x86_flags_to_rax(e);
    emit_bytes(e, cmp_rcx_gs, sizeof cmp_rcx_gs);
    emit_gs_operand(e, X86_RCX, X86_TCB_LEFT);
    uint8_t *enough = x86_jump_short(e, 0x76); /* jbe */
    x86_flags_from_rax(e);
    x86_unspill(mk, X86_RAX);
    emit_gs_store_u64(e, X86_TCB_LINK, X86_STEP_IT);
    x86_make_dispatch(mk, at->guest);
    x86_land_here(e, enough);
    x86_flags_from_rax(e);
    x86_unspill(mk, X86_RAX);
}

/* Takes what is in rax from `left`; rcx is spilled meanwhile. */
static void emit_take_from_left(x86_emit *e)
{
    static const uint8_t subtract[] = {0x48, 0xf7, 0xd0, 0x48, 0x8d, 0x4c, 0x01, 0x01}; /* not rax; lea rcx,[rcx+rax+1] */
    emit_gs_store(e, X86_TCB_SPILL_RCX, X86_RCX);
    emit_gs_load(e, X86_RCX, X86_TCB_LEFT);
    emit_bytes(e, subtract, sizeof subtract);
    emit_gs_store(e, X86_TCB_LEFT, X86_RCX);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
}

/* Adds what is in rax to the count. */
static void emit_add_to_count(x86_making *mk)
{
    static const uint8_t add_vector[] = {0x62, 0x61, 0xfd, 0x08, 0x6e, 0xf8,  /* vmovq xmm31, rax */
                                         0x62, 0x01, 0x8d, 0x00, 0xd4, 0xf7}; /* vpaddq xmm30, xmm30, xmm31 */
    static const uint8_t one_to_xmm31[] = {0x65, 0x62, 0x61, 0xfe, 0x08, 0x7e, 0x3c, 0x25};
    static const uint8_t sum[] = {0x48, 0x8d, 0x0c, 0x01}; /* lea rcx, [rcx + rax] */
    x86_emit *e = &mk->e;
    if (mk->options->tick == X86_TICK_VECTOR) {
        emit_bytes(e, add_vector, sizeof add_vector);
        emit_bytes(e, one_to_xmm31, sizeof one_to_xmm31);
        emit_u32(e, X86_TCB_ONE);
        return;
    }
    emit_gs_store(e, X86_TCB_SPILL_RCX, X86_RCX);
    emit_gs_load(e, X86_RCX, X86_TCB_COUNTER);
    emit_bytes(e, sum, sizeof sum);
    emit_gs_store(e, X86_TCB_COUNTER, X86_RCX);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
}

/* Ticks: one repetition less than there were. */
static void emit_count_repetitions(x86_making *mk)
{
    /* not rcx; lea rax, [rax + rcx]; not rcx */
    static const uint8_t add_not_rcx[] = {0x48, 0xf7, 0xd1, 0x48, 0x8d, 0x04, 0x08, 0x48, 0xf7, 0xd1};
    x86_emit *e = &mk->e;
    emit_gs_store(e, X86_TCB_SPILL_RAX, X86_RAX);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RCX);
    emit_bytes(e, add_not_rcx, sizeof add_not_rcx);
    emit_add_to_count(mk);
    if (x86_looks_at_left(mk))
        emit_take_from_left(e);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RAX);
}

/* A thread may be stopped between two repetitions: the second part is where it stands then. */
static bool make_repeated(x86_making *mk, const x86_at *at)
{
    x86_emit *e = &mk->e;
    if (mk->options->tick == X86_TICK_NONE)
        return x86_copy_plain(mk, at);
    emit_gs_store(e, X86_TCB_SPILL_RCX, X86_RCX);
    if (x86_looks_at_left(mk))
        emit_enough_left(mk, at);
    uint8_t *none = x86_jump_short(e, 0xe3);
    x86_next_part(mk);
    x86_this_boundary(mk)->repeats = true;
    emit_bytes(e, at->bytes, at->insn->nbytes);
    emit_count_repetitions(mk);
    x86_land_here(e, none);
    return true;
}

/* ---- what is asked for ------------------------------------------------------------------------ */

static void emit_ask(x86_emit *e, x86_ask ask)
{
    uint32_t packed;
    _Static_assert(sizeof ask == sizeof packed, "one word");
    __builtin_memcpy(&packed, &ask, sizeof packed);
    emit_gs_store_u32(e, X86_TCB_ASK, packed);
}

/* ---- the vector registers that count ---------------------------------------------------------- */

/* vmovq gs:[...], xmm30 and the like: the instruction up to its displacement. */
static void emit_vector(x86_emit *e, const uint8_t insn[8], uint32_t offset)
{
    emit_bytes(e, insn, 8);
    emit_u32(e, offset);
}

/* x87.h, in_use.h; after it begins another part of the instruction. */
static void emit_store_question(x86_making *mk, const x86_at *at, x86_ask_kind kind)
{
    x86_ask ask = {.kind = (uint8_t)kind};
    x86_emit *e = &mk->e;
    uint8_t *question = e->at;
    for (int pass = 0; pass < 2; pass++) { /* only the second time it is known how long the question is */
        uint64_t answer = (uint64_t)e->at;
        e->at = question;
        emit_gs_store_u64(e, X86_TCB_ANSWER, answer);
        emit_gs_store_u64(e, X86_TCB_TARGET, at->guest);
        emit_ask(e, ask);
        emit_gs_jump(e, X86_TCB_ASK_DOOR);
    }
    x86_next_part(mk);
}

/* The guest's own values stand in for ours while the instruction is executed. */
static bool make_swapped(x86_making *mk, const x86_at *at)
{
    static const uint8_t keep_count[8] = {0x65, 0x62, 0x61, 0xfd, 0x08, 0xd6, 0x34, 0x25};  /* vmovq gs:[], xmm30 */
    static const uint8_t bring_count[8] = {0x65, 0x62, 0x61, 0xfe, 0x08, 0x7e, 0x34, 0x25}; /* vmovq xmm30, gs:[] */
    static const uint8_t bring_one[8] = {0x65, 0x62, 0x61, 0xfe, 0x08, 0x7e, 0x3c, 0x25};   /* vmovq xmm31, gs:[] */
    static const uint8_t bring_zmm30[8] = {0x65, 0x62, 0x61, 0x7c, 0x48, 0x10, 0x34, 0x25}; /* vmovups zmm30, gs:[] */
    static const uint8_t bring_zmm31[8] = {0x65, 0x62, 0x61, 0x7c, 0x48, 0x10, 0x3c, 0x25};
    static const uint8_t keep_zmm30[8] = {0x65, 0x62, 0x61, 0x7c, 0x48, 0x11, 0x34, 0x25}; /* vmovups gs:[], zmm30 */
    static const uint8_t keep_zmm31[8] = {0x65, 0x62, 0x61, 0x7c, 0x48, 0x11, 0x3c, 0x25};
    x86_emit *e = &mk->e;
    if (at->insn->shows_x87)
        emit_store_question(mk, at, X86_ASK_SAVE);
    if (mk->options->tick != X86_TICK_VECTOR)
        return x86_copy_plain(mk, at);
    x86_this_boundary(mk)->swapped = true;
    emit_vector(e, keep_count, X86_TCB_COUNTER);
    emit_vector(e, bring_zmm30, X86_TCB_GUEST_ZMM30);
    emit_vector(e, bring_zmm31, X86_TCB_GUEST_ZMM31);
    if (!x86_copy_plain(mk, at))
        return false;
    emit_vector(e, keep_zmm30, X86_TCB_GUEST_ZMM30);
    emit_vector(e, keep_zmm31, X86_TCB_GUEST_ZMM31);
    emit_vector(e, bring_count, X86_TCB_COUNTER);
    emit_vector(e, bring_one, X86_TCB_ONE);
    return true;
}

/* ---- doors ------------------------------------------------------------------------------------ */

/* A door of the runtime, which finds the guest's next address in `target`. */
static bool make_door(x86_making *mk, const x86_at *at, uint32_t door)
{
    emit_gs_store_u64(&mk->e, X86_TCB_TARGET, at->guest + at->insn->nbytes);
    emit_gs_jump(&mk->e, door);
    mk->ended = true;
    return true;
}

/* TR9; in a block that ends at a tick the thread is on its way already. */
static bool make_pause(x86_making *mk, const x86_at *at)
{
    if (mk->is.to_tick)
        return x86_copy_plain(mk, at);
    emit_gs_store_u64(&mk->e, X86_TCB_LINK, X86_PAUSED);
    return make_door(mk, at, X86_TCB_DISPATCH);
}

static bool make_exchange(x86_making *mk, const x86_at *at)
{
    if (!x86_copy_plain(mk, at))
        return false;
    if (mk->is.to_tick)
        return true;
    uint8_t *succeeded = x86_jump_short(&mk->e, 0x74); /* je */
    emit_gs_store_u64(&mk->e, X86_TCB_LINK, X86_PAUSED);
    x86_make_dispatch(mk, at->guest + at->insn->nbytes);
    x86_land_here(&mk->e, succeeded);
    return true;
}

static bool make_ask(x86_making *mk, const x86_at *at)
{
    const x86_insn *insn = at->insn;
    emit_ask(&mk->e, (x86_ask){insn->ask, insn->rm, insn->operand_nbytes, insn->nbytes});
    return make_door(mk, at, X86_TCB_ASK_DOOR);
}

/* ---- the gs base ------------------------------------------------------------------------------ */

/* mov reg, gs:[...] or mov gs:[...], reg: 32 bits of it, or all. */
static void emit_move_gs(x86_emit *e, const x86_insn *insn, unsigned opcode)
{
    emit_u8(e, 0x65);
    unsigned rex = (insn->is_wide ? 0x48 : 0x40) | (insn->rm >= 8 ? 4u : 0);
    emit_u8(e, rex);
    emit_u8(e, opcode);
    emit_gs_operand(e, insn->rm, X86_TCB_GUEST_GS);
}

static bool make_wrgsbase(x86_making *mk, const x86_at *at)
{
    if (at->insn->is_wide)
        return false; /* some values fault: the CPU knows which */
    emit_move_gs(&mk->e, at->insn, 0x89);
    emit_gs_store_u32(&mk->e, X86_TCB_GUEST_GS + 4, 0);
    return true;
}

/* ---- flags ------------------------------------------------------------------------------------ */

/* If it sets the trap flag the CPU executes it, and ebb what comes then (vm/traced.c). */
static bool make_popf(x86_making *mk, const x86_at *at)
{
    /* movzx ecx, byte [rsp + 1]; lea ecx, [rcx * 8], twice; lea ecx, [rcx + rcx]; movzx ecx, cl: 128 if it is set, or 0 */
    static const uint8_t trap_flag_to_rcx[] = {0x0f, 0xb6, 0x4c, 0x24, 0x01, 0x8d, 0x0c, 0xcd, 0, 0, 0, 0, 0x8d, 0x0c, 0xcd, 0, 0, 0, 0,
                                               0x8d, 0x0c, 0x09, 0x0f, 0xb6, 0xc9};
    x86_emit *e = &mk->e;
    x86_spill(mk, X86_RCX);
    emit_bytes(e, trap_flag_to_rcx, sizeof trap_flag_to_rcx);
    uint8_t *clear = x86_jump_short(e, 0xe3);
    x86_unspill(mk, X86_RCX);
    emit_gs_store_u64(e, X86_TCB_LINK, X86_STEP_IT);
    x86_make_dispatch(mk, at->guest);
    x86_land_here(e, clear);
    x86_unspill(mk, X86_RCX);
    x86_next_part(mk);
    return x86_copy_plain(mk, at);
}

static bool make_x87_store(x86_making *mk, const x86_at *at)
{
    emit_store_question(mk, at, X86_ASK_X87);
    return x86_copy_plain(mk, at);
}

bool x86_make_special(x86_making *mk, const x86_at *at)
{
    switch (at->insn->kind) {
    case X86_KIND_REPEATED: return make_repeated(mk, at);
    case X86_KIND_SWAPPED: return make_swapped(mk, at);
    case X86_KIND_POPF: return make_popf(mk, at);
    case X86_KIND_X87_STORE: return make_x87_store(mk, at);
    case X86_KIND_PAUSE: return make_pause(mk, at);
    case X86_KIND_EXCHANGE: return make_exchange(mk, at);
    case X86_KIND_SYSCALL: return make_door(mk, at, X86_TCB_SYSCALL);
    case X86_KIND_ASK: return make_ask(mk, at);
    case X86_KIND_RDGSBASE: emit_move_gs(&mk->e, at->insn, 0x8b); return true;
    case X86_KIND_WRGSBASE: return make_wrgsbase(mk, at);
    default: return false;
    }
}
