/* undo_make.c - what comes before a store while an undo log is kept: has the log what it overwrites (undo.h, UE2)?
 *
 * The question is
 *      lea rcx, OPERAND; rorx rax, rcx, 24; rorx ecx, ecx, 8; movzx ecx, cx     (its line; the higher bits of the line's number)
 *      mov ecx, [lines + rcx * 4]; lea ecx, [rcx + rax + 1]; jrcxz
 * and changes no flag.  Only where the answer is no, the runtime is asked to keep the line.
 *
 * One answer holds for a line's length from the address that was asked about, so the block remembers it until a register of that address
 * changes.  On a stack the place that is asked about lies below the store: the next stores mostly go there. */
#include "x86/inside/making.h"
#include "x86/inside/store.h"
#include "x86/inside/undo.h"

enum { BELOW_ON_STACK = X86_UNDO_LINE_BYTES / 2, UNDO_ADDRESS = offsetof(x86_tcb, undo_address) };

/* ---- the question ----------------------------------------------------------------------------- */

/* The address in rcx: its number in the table to rcx, and what that leaves out to eax.  Old CPUs find it in the control block. */
static void emit_split_rcx(x86_emit *e)
{
    static const uint8_t rorx_rax_rcx_24[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xc1, 0x18};
    static const uint8_t rorx_ecx_8_movzx_ecx_cx[] = {0xc4, 0xe3, 0x7b, 0xf0, 0xc9, 0x08, 0x0f, 0xb7, 0xc9};
    static const uint8_t mov_eax_gs[] = {0x65, 0x8b}, movzx_ecx_gs[] = {0x65, 0x0f, 0xb7};
    if (x86_has_rorx()) {
        emit_bytes(e, rorx_rax_rcx_24, sizeof rorx_rax_rcx_24);
        emit_bytes(e, rorx_ecx_8_movzx_ecx_cx, sizeof rorx_ecx_8_movzx_ecx_cx);
        return;
    }
    emit_gs_store(e, UNDO_ADDRESS, X86_RCX);
    emit_bytes(e, mov_eax_gs, sizeof mov_eax_gs);
    emit_gs_operand(e, X86_RAX, UNDO_ADDRESS + 3);
    emit_bytes(e, movzx_ecx_gs, sizeof movzx_ecx_gs);
    emit_gs_operand(e, X86_RCX, UNDO_ADDRESS + 1);
}

/* The field of the short jump that is made if the line is kept. */
static uint8_t *emit_look(x86_making *mk)
{
    static const uint8_t mov_ecx_table[] = {0x8b, 0x0c, 0x8d}, lea_ecx_sum_1[] = {0x8d, 0x4c, 0x01, 0x01};
    x86_emit *e = &mk->e;
    emit_split_rcx(e);
    emit_bytes(e, mov_ecx_table, sizeof mov_ecx_table);
    emit_u32(e, (uint32_t)(uint64_t)mk->cache->undo_lines);
    emit_bytes(e, lea_ecx_sum_1, sizeof lea_ecx_sum_1);
    return x86_jump_short(e, 0xe3);
}

/* rax has the whole address, turned. */
static void emit_tell_address(x86_emit *e)
{
    static const uint8_t rorx_rax_rax_40[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xc0, 0x28};
    if (!x86_has_rorx())
        return;
    emit_bytes(e, rorx_rax_rax_40, sizeof rorx_rax_rax_40);
    emit_gs_store(e, UNDO_ADDRESS, X86_RAX);
}

/* To rcx; rax is free, too. */
static void emit_address(x86_making *mk, const x86_operands *o, uint64_t next_guest)
{
    static const uint8_t rdfsbase_rcx[] = {0xf3, 0x48, 0x0f, 0xae, 0xc1}, lea_rcx_sum[] = {0x48, 0x8d, 0x0c, 0x01};
    x86_address_to(mk, o, next_guest, o->has_fs ? X86_RAX : X86_RCX);
    if (!o->has_fs)
        return;
    emit_bytes(&mk->e, rdfsbase_rcx, sizeof rdfsbase_rcx);
    emit_bytes(&mk->e, lea_rcx_sum, sizeof lea_rcx_sum);
}

static void emit_keep(x86_making *mk, const x86_access *a, const x86_at *at)
{
    x86_spill(mk, X86_RCX);
    x86_spill(mk, X86_RAX);
    emit_address(mk, &a->at, at->guest + at->insn->nbytes);
    uint8_t *is_kept = emit_look(mk);
    emit_u8(&mk->e, 0xe9);
    uint8_t *field = mk->e.at;
    emit_u32(&mk->e, 0);
    x86_land_here(&mk->e, is_kept);
    emit_gs_load_by_rcx(&mk->e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_gs_load_by_rcx(&mk->e, X86_RCX, X86_TCB_SPILL_RCX);
    mk->questions[mk->n_questions].field = field;
    mk->questions[mk->n_questions].guest = at->guest;
    mk->questions[mk->n_questions++].answer = mk->e.at;
}

void x86_emit_undo_question(x86_emit *e, const x86_making *mk, unsigned n)
{
    patch_rel32(mk->questions[n].field, e->at);
    emit_tell_address(e);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    x86_emit_question(e, mk->questions[n].guest, X86_UNDO_LINE, (uint64_t)mk->questions[n].answer);
}

/* ---- what was asked --------------------------------------------------------------------------- */

/* Addresses that are the same wherever they are asked about; of others nothing is remembered. */
static bool is_lasting(const x86_operands *o)
{
    return !o->has_fs && !o->is_address32 && o->base != X86_REG_RIP;
}

static bool covers(const x86_asked *asked, const x86_access *a)
{
    const x86_operands *o = &a->at;
    return asked->base == o->base && asked->index == o->index && asked->scale == o->scale && asked->disp <= o->disp &&
           o->disp + a->nbytes <= asked->disp + X86_UNDO_LINE_BYTES;
}

static bool was_asked(const x86_making *mk, const x86_access *a)
{
    for (unsigned i = 0; is_lasting(&a->at) && i < mk->n_asked; i++)
        if (covers(&mk->asked[i], a))
            return true;
    return false;
}

static void remember(x86_making *mk, const x86_operands *o)
{
    if (!is_lasting(o))
        return;
    unsigned i = mk->n_asked < X86_MAX_ASKED ? mk->n_asked++ : 0;
    mk->asked[i] = (x86_asked){o->base, o->index, o->scale, o->disp};
}

/* How far an instruction moves the stack pointer, if it does nothing else with it. */
static bool stack_move(const x86_at *at, const x86_operands *o, int64_t *by)
{
    const uint8_t *c = at->bytes;
    bool adds_short = at->insn->nbytes == 4 && c[0] == 0x48 && c[1] == 0x83, adds = at->insn->nbytes == 7 && c[0] == 0x48 && c[1] == 0x81;
    int32_t word = 0;
    *by = (int64_t)o->popped_nbytes - o->pushed_nbytes;
    if (!o->by_modrm && *by && (o->written & 1u << X86_RSP) && !(o->visibly_written & 1u << X86_RSP))
        return true;
    if ((!adds_short && !adds) || (c[2] != 0xec && c[2] != 0xc4)) /* sub rsp, n; add rsp, n */
        return false;
    if (adds)
        __builtin_memcpy(&word, c + 3, sizeof word);
    else
        word = (int8_t)c[3];
    *by = c[2] == 0xec ? -(int64_t)word : word;
    return true;
}

static bool uses(const x86_asked *asked, uint16_t regs)
{
    return (asked->base < X86_N_GPRS && regs >> asked->base & 1) || (asked->index < X86_N_GPRS && regs >> asked->index & 1);
}

/* After the instruction. */
static void forget_moved(x86_making *mk, const x86_at *at, const x86_operands *o)
{
    int64_t by = 0;
    uint16_t written = o->written, rsp = 1u << X86_RSP;
    if (stack_move(at, o, &by))
        written &= (uint16_t)~rsp;
    for (unsigned i = 0; i < mk->n_asked;) {
        x86_asked *asked = &mk->asked[i];
        if (uses(asked, written)) {
            *asked = mk->asked[--mk->n_asked];
            continue;
        }
        if (asked->base == X86_RSP)
            asked->disp -= by;
        i++;
    }
}

/* ---- a store ---------------------------------------------------------------------------------- */

/* The one operand that is written; false if that is not known beforehand.  Of `pop [...]` the address is known only when the stack pointer has moved. */
static bool store_of(const x86_at *at, const x86_operands *o, x86_access *out)
{
    x86_access all[2];
    x86_operands without_fs = *o;
    bool is_late = o->popped_nbytes && o->by_modrm;
    without_fs.has_fs = false;
    unsigned n = is_late || at->insn->kind == X86_KIND_REPEATED ? 0 : x86_accesses_of(&without_fs, all);
    if (!n)
        return false;
    *out = all[o->pushed_nbytes && o->by_modrm ? 1 : 0]; /* push [...] */
    out->at.has_fs = o->has_fs && !o->pushed_nbytes;
    return true;
}

static void keep_before(x86_making *mk, const x86_at *at, const x86_operands *o)
{
    x86_access a;
    if (!store_of(at, o, &a)) {
        x86_make_question_before(mk, at->guest, X86_UNDO_BEFORE, 0);
        x86_next_part(mk);
        return;
    }
    if (was_asked(mk, &a))
        return;
    if ((a.at.base == X86_RSP || a.at.base == X86_RBP) && a.at.index == X86_NO_REG)
        a.at.disp -= BELOW_ON_STACK;
    emit_keep(mk, &a, at);
    remember(mk, &a.at);
    x86_next_part(mk);
}

void x86_make_undoable(x86_making *mk, const x86_at *at)
{
    x86_operands o;
    if (at->insn->kind == X86_KIND_SYSCALL || !x86_insn_operands(at->bytes, at->insn->nbytes, &o)) {
        mk->n_asked = 0;
        return;
    }
    if (o.writes)
        keep_before(mk, at, &o);
    forget_moved(mk, at, &o);
}
