/* store.c - stores that are looked at: what data points (watch.h) put around instructions that write memory.
 *
 * This is also where an undo log gets to know each store: `emit_address_of_store` has its address in rcx before it
 * happens, so that the old contents can be kept there. */
#include "x86/inside/making.h"

#include <cpuid.h>

/* What is stored to. */
typedef struct store {
    x86_operands at;
    unsigned nbytes; /* 0: not one plain operand */
} store;

/* rcx is spilled, and holds the address; it is noted in the control block. */
static void emit_address_of_store(x86_making *mk, const store *s, uint64_t next_guest)
{
    x86_spill(mk, X86_RCX);
    x86_address_to(mk, &s->at, next_guest, X86_RCX);
    emit_gs_store(&mk->e, X86_TCB_WATCH_ADDRESS, X86_RCX);
}

static bool has_rorx(void)
{
    static int known; /* 1: no, 2: yes */
    unsigned a, b, c, d;
    if (!known)
        known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI2) ? 2 : 1;
    return known == 2;
}

/* Bits 8 to 23 of an address in rcx.  Loading them from where it was noted is not aligned, and fails if the guest has asked for
 * alignment checks; but old CPUs have no other way that leaves the flags alone. */
static void emit_line_of_rcx(x86_emit *e)
{
    static const uint8_t rorx_ecx_8_movzx_ecx_cx[] = {0xc4, 0xe3, 0x7b, 0xf0, 0xc9, 0x08, 0x0f, 0xb7, 0xc9};
    static const uint8_t movzx_ecx_gs[] = {0x65, 0x0f, 0xb7};
    if (has_rorx()) {
        emit_bytes(e, rorx_ecx_8_movzx_ecx_cx, sizeof rorx_ecx_8_movzx_ecx_cx);
        return;
    }
    emit_bytes(e, movzx_ecx_gs, sizeof movzx_ecx_gs);
    emit_gs_operand(e, X86_RCX, X86_TCB_WATCH_ADDRESS + 1);
}

/* Goes on if nothing is watched where rcx points to: the field of that short jump. */
static uint8_t *emit_filter(x86_making *mk)
{
    static const uint8_t movzx_ecx_table[] = {0x0f, 0xb6, 0x89};
    x86_emit *e = &mk->e;
    emit_line_of_rcx(e);
    emit_bytes(e, movzx_ecx_table, sizeof movzx_ecx_table);
    emit_u32(e, (uint32_t)(uint64_t)mk->cache->watch_table);
    return x86_jump_short(e, 0xe3);
}

/* Asks the runtime, which goes on behind the instruction. */
static void emit_question(x86_making *mk, const x86_at *at, unsigned nbytes)
{
    emit_gs_store_u32(&mk->e, X86_TCB_WATCH_NBYTES, nbytes);
    emit_gs_store_u64(&mk->e, X86_TCB_TARGET, at->guest + at->insn->nbytes);
    emit_gs_jump(&mk->e, X86_TCB_WATCH_DOOR);
}

static bool reaches_short(const x86_emit *e, const uint8_t *field)
{
    return e->at - (field + 1) <= 127;
}

/* An instruction that is copied: it is there twice, with the question behind it and without. */
static bool make_store(x86_making *mk, const x86_at *at, const store *s)
{
    x86_emit *e = &mk->e;
    emit_address_of_store(mk, s, at->guest + at->insn->nbytes);
    uint8_t *quiet = emit_filter(mk);
    x86_unspill(mk, X86_RCX);
    if (!x86_copy_plain(mk, at))
        return false;
    emit_question(mk, at, s->nbytes);
    if (!reaches_short(e, quiet))
        return false;
    x86_land_here(e, quiet);
    x86_unspill(mk, X86_RCX);
    return x86_copy_plain(mk, at);
}

/* A call pushes: where that is watched, the CPU itself makes it. */
static bool make_call(x86_making *mk, const x86_at *at, const store *s)
{
    x86_emit *e = &mk->e;
    emit_address_of_store(mk, s, 0);
    uint8_t *quiet = emit_filter(mk);
    x86_unspill(mk, X86_RCX);
    emit_gs_store_u64(e, X86_TCB_LINK, X86_STEP_IT);
    x86_make_dispatch(mk, at->guest);
    x86_land_here(e, quiet);
    x86_unspill(mk, X86_RCX);
    x86_next_part(mk);
    return x86_make_transfer(mk, at);
}

/* Asks before; the answer comes behind the question. */
static bool make_repeated(x86_making *mk, const x86_at *at)
{
    x86_emit *e = &mk->e;
    uint8_t *question = e->at;
    for (int pass = 0; pass < 2; pass++) { /* only the second time it is known how long the question is */
        uint64_t answer = (uint64_t)e->at;
        e->at = question;
        emit_gs_store_u64(e, X86_TCB_WATCH_ADDRESS, answer);
        emit_gs_store_u32(e, X86_TCB_WATCH_NBYTES, X86_WATCH_REPETITIONS);
        emit_gs_store_u64(e, X86_TCB_TARGET, at->guest);
        emit_gs_jump(e, X86_TCB_WATCH_DOOR);
    }
    x86_next_part(mk);
    return x86_make_special(mk, at);
}

/* Whatever it writes: all data points are looked at behind it. */
static bool make_odd_store(x86_making *mk, const x86_at *at)
{
    if (!(at->insn->kind == X86_KIND_PLAIN ? x86_copy_plain(mk, at) : x86_make_special(mk, at)))
        return false;
    emit_question(mk, at, 0);
    mk->ended = true;
    return true;
}

static store store_of(const x86_operands *o)
{
    if (o->pushed_nbytes)
        return (store){{.base = X86_RSP, .index = X86_NO_REG, .scale = 1, .disp = -(int64_t)o->pushed_nbytes}, o->pushed_nbytes};
    bool plain = o->is_plain && !o->has_other && !o->has_fs && !o->has_gs && o->nbytes && o->nbytes <= 64;
    return (store){*o, plain ? o->nbytes : 0};
}

bool x86_make_looked_at(x86_making *mk, const x86_at *at, bool *made)
{
    x86_operands o;
    *made = false;
    if (!x86_insn_operands(at->bytes, at->insn->nbytes, &o) || !o.writes)
        return true;
    store s = store_of(&o);
    *made = true;
    switch (at->insn->kind) {
    case X86_KIND_CALL:
    case X86_KIND_CALL_INDIRECT: return make_call(mk, at, &s);
    case X86_KIND_PLAIN: return s.nbytes ? make_store(mk, at, &s) : make_odd_store(mk, at);
    case X86_KIND_REPEATED: return make_repeated(mk, at);
    case X86_KIND_X87_STORE:
    case X86_KIND_SWAPPED: return make_odd_store(mk, at);
    default: *made = false; return true;
    }
}
