/* transfer.c - instructions that change control: ticks, exits, and the lookup of targets. */
#include "x86/inside/idle.h"
#include "x86/inside/making.h"

/* ---- ticks ------------------------------------------------------------------------------------ */

/* With rcx free to be used. */
static void emit_tick_with_rcx(x86_making *mk)
{
    x86_emit *e = &mk->e;
    static const uint8_t lea_rcx_rcx_1[] = {0x48, 0x8d, 0x49, 0x01};
    switch (mk->options->tick) {
    case X86_TICK_NONE: break;
    case X86_TICK_VECTOR:
        x86_tick_in_vector(e);
        break;
    case X86_TICK_MEMORY:
        emit_gs_load(e, X86_RCX, X86_TCB_COUNTER);
        emit_bytes(e, lea_rcx_rcx_1, sizeof lea_rcx_rcx_1);
        emit_gs_store(e, X86_TCB_COUNTER, X86_RCX);
        break;
    }
}

/* One tick less is left, with rcx free to be used; rcx is 0 when none is. */
static void emit_left_to_rcx(x86_making *mk)
{
    static const uint8_t lea_rcx_rcx_minus_1[] = {0x48, 0x8d, 0x49, 0xff};
    emit_gs_load(&mk->e, X86_RCX, X86_TCB_LEFT);
    emit_bytes(&mk->e, lea_rcx_rcx_minus_1, sizeof lea_rcx_rcx_minus_1);
    emit_gs_store(&mk->e, X86_TCB_LEFT, X86_RCX);
}

/* ---- exits ------------------------------------------------------------------------------------ */

/* The displacement field of a jump to `target`, whose stub comes after the block's code. */
static void emit_exit_field(x86_making *mk, uint64_t target)
{
    mk->exits[mk->n_exits++] = (x86_exit){.field = mk->e.at, .target = target, .testing = mk->is.testing};
    emit_u32(&mk->e, 0);
}

void x86_make_jump_exit(x86_making *mk, uint64_t target)
{
    emit_u8(&mk->e, 0xe9);
    emit_exit_field(mk, target);
}

void x86_make_dispatch(x86_making *mk, uint64_t target)
{
    emit_gs_store_u64(&mk->e, X86_TCB_TARGET, target);
    emit_gs_jump(&mk->e, X86_TCB_DISPATCH);
}

/* TR8, TR9 */
static void emit_tick_and_dispatch(x86_making *mk, uint64_t target, uint64_t link)
{
    x86_emit *e = &mk->e;
    emit_gs_store(e, X86_TCB_SPILL_RCX, X86_RCX);
    emit_tick_with_rcx(mk);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    emit_gs_store_u64(e, X86_TCB_LINK, link);
    x86_make_dispatch(mk, target);
}

/* A tick, and the jump that it is counted for. */
static void emit_tick_and_jump(x86_making *mk, uint64_t target)
{
    x86_emit *e = &mk->e;
    if (mk->is.to_tick) {
        emit_tick_and_dispatch(mk, target, X86_TICKED);
        return;
    }
    if (x86_ticks_elsewhere(mk)) {
        x86_make_jump_exit(mk, target);
        mk->exits[mk->n_exits - 1].ticks = true;
        return;
    }
    bool testing = mk->is.testing;
    bool needs_rcx = testing || mk->options->tick == X86_TICK_MEMORY;
    if (needs_rcx)
        emit_gs_store(e, X86_TCB_SPILL_RCX, X86_RCX);
    emit_tick_with_rcx(mk);
    uint8_t *none_left = NULL;
    if (testing) {
        emit_left_to_rcx(mk);
        none_left = x86_jump_short(e, 0xe3);
    }
    if (needs_rcx)
        emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    x86_make_jump_exit(mk, target);
    if (testing) {
        x86_land_here(e, none_left);
        emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
        x86_make_dispatch(mk, target);
    }
}

/* The block is a loop, with this jump at its end. */
static bool closes_idle_loop(const x86_making *mk, const x86_at *at)
{
    return at->insn->target == mk->guest && !mk->is.to_tick && x86_is_idle_loop(mk->code, at->guest + at->insn->nbytes - mk->guest);
}

/* A tick comes with a jump only if the jump goes backward. */
static void emit_transfer(x86_making *mk, const x86_at *at)
{
    uint64_t target = at->insn->target;
    if (closes_idle_loop(mk, at))
        emit_tick_and_dispatch(mk, target, X86_IDLE);
    else if (target <= at->guest)
        emit_tick_and_jump(mk, target);
    else
        x86_make_jump_exit(mk, target);
}

/* push of a 64-bit constant as one store, so that the load of a later return can be forwarded. */
static void emit_push_literal(x86_making *mk, uint64_t value)
{
    emit_u8(&mk->e, 0xff);
    emit_u8(&mk->e, 0x35);
    mk->literals[mk->n_literals].field = mk->e.at;
    mk->literals[mk->n_literals++].value = value;
    emit_u32(&mk->e, 0);
}

/* TR7, with a return or jump after it: rax is where it goes. */
static void emit_note_source(x86_emit *e)
{
    emit_gs_store_u32(e, X86_TCB_SOURCE, (uint32_t)(uint64_t)e->at);
}

/* TR7, before a call to where rax says; rax and rcx are spilled. */
static void emit_call_or_step(x86_making *mk, const x86_at *at)
{
    static const uint8_t sum_to_rcx[] = {0x48, 0x8d, 0x0c, 0x01}, movzx_ecx_gs[] = {0x65, 0x0f, 0xb7}; /* lea rcx, [rcx + rax] */
    x86_emit *e = &mk->e;
    emit_gs_load(e, X86_RCX, X86_TCB_HALF);
    emit_bytes(e, sum_to_rcx, sizeof sum_to_rcx);
    emit_gs_store(e, X86_TCB_SUM, X86_RCX);
    emit_bytes(e, movzx_ecx_gs, sizeof movzx_ecx_gs);
    emit_gs_operand(e, X86_RCX, X86_TCB_SUM + 6);
    uint8_t *can_be = x86_jump_short(e, 0xe3);
    x86_unspill(mk, X86_RCX);
    x86_unspill(mk, X86_RAX);
    emit_gs_store_u64(e, X86_TCB_LINK, X86_STEP_IT);
    x86_make_dispatch(mk, at->guest);
    x86_land_here(e, can_be);
}

/* ---- lookups ---------------------------------------------------------------------------------- */

/* With the guest target in rax, and rax and rcx spilled. */
static void emit_dispatch_to_rax(x86_emit *e)
{
    emit_gs_store(e, X86_TCB_TARGET, X86_RAX);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_gs_jump(e, X86_TCB_DISPATCH);
}

/* The same: goes to where the table says (CA3). */
static void emit_lookup(x86_making *mk)
{
    static const uint8_t index_to_rcx[] = {0x0f, 0xb7, 0xc8};    /* movzx ecx, ax */
    static const uint8_t jump_by_table[] = {0xff, 0x24, 0xcd};   /* jmp [rcx * 8 + disp32] */
    x86_emit *e = &mk->e;
    uint8_t *none_left = NULL;
    if (mk->is.to_tick) { /* TR8 */
        emit_gs_store_u64(e, X86_TCB_LINK, X86_TICKED);
        emit_dispatch_to_rax(e);
        return;
    }
    if (mk->is.testing) {
        emit_left_to_rcx(mk);
        none_left = x86_jump_short(e, 0xe3);
    }
    emit_bytes(e, index_to_rcx, sizeof index_to_rcx);
    emit_bytes(e, jump_by_table, sizeof jump_by_table);
    emit_u32(e, (uint32_t)(uint64_t)mk->cache->lookups[mk->is.testing].table);
    if (!mk->is.testing)
        return;
    x86_land_here(e, none_left);
    emit_dispatch_to_rax(e);
}

/* Is this the block that was looked for?  If so the guest's registers are put back, and the tick comes next. */
void x86_emit_lookup_entry(x86_emit *e, const x86_lookup *lookup, uint64_t guest)
{
    static const uint8_t mov_rcx[] = {0x48, 0xb9}, difference[] = {0x48, 0x8d, 0x0c, 0x01}; /* lea rcx, [rcx + rax] */
    static const uint8_t jump_absolute[] = {0xff, 0x24, 0x25};                              /* jmp [disp32] */
    emit_bytes(e, mov_rcx, sizeof mov_rcx);
    emit_u64(e, -guest);
    emit_bytes(e, difference, sizeof difference);
    uint8_t *right = x86_jump_short(e, 0xe3);
    emit_bytes(e, jump_absolute, sizeof jump_absolute);
    emit_u32(e, (uint32_t)(uint64_t)&lookup->table[X86_LOOKUP_SIZE]); /* `missed` */
    x86_land_here(e, right);
    emit_gs_load_by_rcx(e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_gs_load_by_rcx(e, X86_RCX, X86_TCB_SPILL_RCX);
}

/* ---- instructions ----------------------------------------------------------------------------- */

static void make_jcc(x86_making *mk, const x86_at *at)
{
    x86_emit *e = &mk->e;
    bool backward = at->insn->target <= at->guest, idle = closes_idle_loop(mk, at);
    if (!backward || (x86_ticks_elsewhere(mk) && !idle)) {
        emit_u8(e, 0x0f);
        emit_u8(e, 0x80 | at->insn->condition);
        emit_exit_field(mk, at->insn->target);
        mk->exits[mk->n_exits - 1].ticks = backward;
        return;
    }
    uint8_t *not_taken = x86_jump_short(e, 0x70 | (at->insn->condition ^ 1));
    emit_transfer(mk, at);
    x86_land_here(e, not_taken);
}

/* jrcxz and loop keep their short form, around a long jump. */
static void make_short_only(x86_making *mk, const x86_at *at)
{
    x86_emit *e = &mk->e;
    emit_bytes(e, at->bytes, at->insn->nbytes - 1u);
    emit_u8(e, 2); /* taken: over the jump that skips */
    uint8_t *skip = x86_jump_short(e, 0xeb);
    emit_transfer(mk, at);
    x86_land_here(e, skip);
}

static void make_call(x86_making *mk, const x86_at *at)
{
    emit_push_literal(mk, at->guest + at->insn->nbytes);
    emit_tick_and_jump(mk, at->insn->target);
    mk->ended = true;
}

/* lea rsp, [rsp + n]: drops bytes without a flag. */
static void emit_drop(x86_emit *e, uint32_t nbytes)
{
    static const uint8_t lea_rsp[] = {0x48, 0x8d, 0xa4, 0x24};
    emit_bytes(e, lea_rsp, sizeof lea_rsp);
    emit_u32(e, nbytes);
}

static void make_ret(x86_making *mk, const x86_insn *insn)
{
    x86_emit *e = &mk->e;
    x86_spill(mk, X86_RAX);
    x86_spill(mk, X86_RCX);
    emit_u8(e, 0x58); /* pop rax */
    if (insn->pop_nbytes)
        emit_drop(e, insn->pop_nbytes);
    emit_note_source(e);
    if (!x86_ticks_elsewhere(mk))
        emit_tick_with_rcx(mk);
    emit_lookup(mk);
    mk->ended = true;
}

static bool make_indirect(x86_making *mk, const x86_at *at)
{
    x86_spill(mk, X86_RAX);
    x86_spill(mk, X86_RCX);
    if (!x86_load_target(mk, at))
        return false;
    if (at->insn->kind == X86_KIND_CALL_INDIRECT) {
        emit_call_or_step(mk, at);
        emit_push_literal(mk, at->guest + at->insn->nbytes);
    } else {
        emit_note_source(&mk->e);
    }
    if (!x86_ticks_elsewhere(mk))
        emit_tick_with_rcx(mk);
    emit_lookup(mk);
    mk->ended = true;
    return true;
}

/* Direct, and beyond the end of memory. */
static bool is_wild(const x86_insn *insn)
{
    switch (insn->kind) {
    case X86_KIND_JCC:
    case X86_KIND_SHORT_ONLY:
    case X86_KIND_JMP:
    case X86_KIND_CALL: return !x86_is_canonical(insn->target);
    default: return false;
    }
}

bool x86_make_transfer(x86_making *mk, const x86_at *at)
{
    if (is_wild(at->insn))
        return false;
    switch (at->insn->kind) {
    case X86_KIND_JCC: make_jcc(mk, at); return true;
    case X86_KIND_SHORT_ONLY: make_short_only(mk, at); return true;
    case X86_KIND_CALL: make_call(mk, at); return true;
    case X86_KIND_RET: make_ret(mk, at->insn); return true;
    case X86_KIND_JMP:
        emit_transfer(mk, at);
        mk->ended = true;
        return true;
    case X86_KIND_JMP_INDIRECT:
    case X86_KIND_CALL_INDIRECT: return make_indirect(mk, at);
    default: return false;
    }
}
