/* store.c - stores and loads that are looked at: what data points (watch.h) put around instructions that access memory. */
#include "x86/inside/store.h"

#include <cpuid.h>

static x86_access at_register(unsigned base, int64_t disp, unsigned nbytes)
{
    return (x86_access){{.base = (uint8_t)base, .index = X86_NO_REG, .scale = 1, .disp = disp}, nbytes};
}

void x86_access_address(x86_making *mk, const x86_access *a, uint64_t next_guest)
{
    const x86_operands *o = &a->at;
    static const uint8_t rdfsbase_rcx[] = {0xf3, 0x48, 0x0f, 0xae, 0xc1}, lea_rcx_rcx[] = {0x48, 0x8d, 0x89};
    if (!o->has_fs) {
        x86_address_to(mk, o, next_guest, X86_RCX);
        return;
    }
    emit_bytes(&mk->e, rdfsbase_rcx, sizeof rdfsbase_rcx);
    emit_bytes(&mk->e, lea_rcx_rcx, sizeof lea_rcx_rcx);
    emit_u32(&mk->e, (uint32_t)o->disp);
}

bool x86_has_rorx(void)
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
    if (x86_has_rorx()) {
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

/* Asks the runtime, which goes on after the instruction. */
static void emit_question(x86_making *mk, const x86_at *at, uint32_t what)
{
    emit_gs_store_u32(&mk->e, X86_TCB_WATCH_NBYTES, what | (uint32_t)at->insn->nbytes << X86_WATCH_INSN_SHIFT);
    emit_gs_store_u64(&mk->e, X86_TCB_TARGET, at->guest + at->insn->nbytes);
    emit_gs_jump(&mk->e, X86_TCB_WATCH_DOOR);
}

/* ... at that host address, if nobody has to be told. */
static void emit_question_within(x86_making *mk, const x86_at *at, uint32_t what, const uint8_t *answer)
{
    emit_gs_store_u64(&mk->e, X86_TCB_ANSWER, (uint64_t)answer);
    emit_question(mk, at, what);
}

/* Again, now that it is known where the instruction's code ends. */
static void answer_here(x86_making *mk, const x86_at *at, uint32_t what, uint8_t *question)
{
    uint8_t *here = mk->e.at;
    mk->e.at = question;
    emit_question_within(mk, at, what, here);
    mk->e.at = here;
}

static bool reaches_short(const x86_emit *e, const uint8_t *field)
{
    return e->at - (field + 1) <= 127;
}

/* An instruction that is copied: it is there twice, with the question after it and without. */
static bool make_asking_after(x86_making *mk, const x86_at *at, const x86_access *a, uint32_t how)
{
    x86_emit *e = &mk->e;
    x86_spill(mk, X86_RCX);
    x86_access_address(mk, a, at->guest + at->insn->nbytes);
    emit_gs_store(e, X86_TCB_WATCH_ADDRESS, X86_RCX);
    uint8_t *quiet = emit_filter(mk);
    x86_unspill(mk, X86_RCX);
    if (!x86_copy_plain(mk, at))
        return false;
    uint8_t *question = e->at;
    emit_question_within(mk, at, a->nbytes | how, NULL);
    if (!reaches_short(e, quiet))
        return false;
    x86_land_here(e, quiet);
    x86_unspill(mk, X86_RCX);
    if (!x86_copy_plain(mk, at))
        return false;
    if (x86_emit_fits(e))
        answer_here(mk, at, a->nbytes | how, question);
    return true;
}

static bool make_itself(x86_making *mk, const x86_at *at)
{
    if (at->insn->kind == X86_KIND_PLAIN)
        return x86_copy_plain(mk, at);
    return x86_make_transfer(mk, at) || x86_make_special(mk, at);
}

/* Asks before, if one of up to two addresses is near to what is watched; if they aren't known, always. */
static bool make_asking_before(x86_making *mk, const x86_at *at, const x86_access *accesses, unsigned n)
{
    enum { UNSPILL_NBYTES = 9 };
    x86_emit *e = &mk->e;
    uint8_t *near = NULL, *quiet = NULL;
    if (n)
        x86_spill(mk, X86_RCX);
    for (unsigned i = 0; i < n; i++) {
        x86_access_address(mk, &accesses[i], at->guest + at->insn->nbytes);
        quiet = emit_filter(mk);
        if (i + 1 == n)
            break;
        near = x86_jump_short(e, 0xeb);
        x86_land_here(e, quiet);
    }
    if (near)
        x86_land_here(e, near);
    if (n)
        x86_unspill(mk, X86_RCX);
    x86_make_question_before(mk, at->guest, X86_WATCH_BEFORE, n ? UNSPILL_NBYTES : 0);
    if (n) {
        x86_land_here(e, quiet);
        x86_unspill(mk, X86_RCX);
    }
    x86_next_part(mk);
    return make_itself(mk, at);
}

/* Whatever it writes: all data points are looked at after it. */
static bool make_odd_store(x86_making *mk, const x86_at *at)
{
    if (!make_itself(mk, at))
        return false;
    emit_question(mk, at, 0);
    mk->ended = true;
    return true;
}

static bool is_simple(const x86_operands *o)
{
    bool fixed = o->base == X86_NO_REG && o->index == X86_NO_REG && !o->is_address32;
    return o->is_plain && !o->is_bit && !o->is_masked && !o->has_gs && (!o->has_fs || fixed) && o->nbytes && o->nbytes <= 64;
}

unsigned x86_accesses_of(const x86_operands *o, x86_access out[2])
{
    unsigned n = 0;
    bool by_modrm = o->by_modrm;
    if (o->has_unknown || (by_modrm && !is_simple(o)))
        return 0;
    if (by_modrm)
        out[n++] = (x86_access){*o, o->nbytes};
    if (o->pushed_nbytes)
        out[n++] = at_register(X86_RSP, -(int64_t)o->pushed_nbytes, o->pushed_nbytes);
    if (o->popped_nbytes && n < 2)
        out[n++] = at_register(X86_RSP, 0, o->popped_nbytes);
    if (o->framed_nbytes && n < 2)
        out[n++] = at_register(X86_RBP, 0, o->framed_nbytes);
    return n;
}

/* Comparing bytes is not enough. */
static bool looks_at_operands(const x86_making *mk)
{
    return mk->options->watching_reads || mk->options->watching_stores;
}

/* Copied instructions. */
static bool make_plain(x86_making *mk, const x86_at *at, const x86_operands *o)
{
    x86_access accesses[2];
    unsigned n = x86_accesses_of(o, accesses);
    uint32_t how = (o->reads ? X86_WATCH_READS : 0) | (o->stores ? X86_WATCH_WRITES : 0);
    bool one_store = !mk->options->watching_reads && n == 2 && o->pushed_nbytes; /* push [...]: only that counts */
    if (one_store)
        return make_asking_after(mk, at, &accesses[1], how);
    if (n == 1)
        return make_asking_after(mk, at, &accesses[0], how);
    return looks_at_operands(mk) ? make_asking_before(mk, at, accesses, n) : make_odd_store(mk, at);
}

bool x86_make_looked_at(x86_making *mk, const x86_at *at, bool *made)
{
    x86_operands o;
    x86_access accesses[2];
    *made = false;
    if (!x86_insn_operands(at->bytes, at->insn->nbytes, &o) || !(o.writes || (o.reads && mk->options->watching_reads)))
        return true;
    *made = true;
    switch (at->insn->kind) {
    case X86_KIND_PLAIN:
    case X86_KIND_EXCHANGE: return make_plain(mk, at, &o);
    case X86_KIND_X87_STORE:
    case X86_KIND_SWAPPED:
        if (!looks_at_operands(mk))
            return make_odd_store(mk, at);
        break;
    case X86_KIND_CALL:
    case X86_KIND_CALL_INDIRECT:
    case X86_KIND_RET:
    case X86_KIND_JMP_INDIRECT:
    case X86_KIND_POPF:
    case X86_KIND_REPEATED: break;
    default: *made = false; return true;
    }
    return make_asking_before(mk, at, accesses, x86_accesses_of(&o, accesses));
}
