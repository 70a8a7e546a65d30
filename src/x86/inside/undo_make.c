/* undo_make.c - what comes before a store while an undo log is kept: its old bytes go into the ring.
 *
 * The sequence for one piece is
 *      mov rax, [at]; mov [rax], rcx        (the address; at the end of the ring it faults here)
 *      mov rcx, [rcx]; mov [rax+8], rcx     (the old bytes)
 *      mov byte [rax+7], nbytes; lea rax, [rax+16]; mov [at], rax
 * and changes no flag.  A piece that can't be read faults as the store would have done, and nothing is in the ring then. */
#include "x86/inside/making.h"
#include "x86/inside/store.h"
#include "x86/inside/undo.h"

/* rax and the word at `at`: 0x8b loads, 0x89 stores. */
static void emit_at(x86_making *mk, unsigned opcode)
{
    emit_u8(&mk->e, 0x48);
    emit_u8(&mk->e, opcode);
    emit_gs_operand(&mk->e, X86_RAX, (uint32_t)(uint64_t)mk->cache->undo_at); /* without the prefix: absolute */
}

static void emit_load_rcx(x86_emit *e, unsigned nbytes)
{
    static const uint8_t whole[] = {0x48, 0x8b, 0x09}, half[] = {0x8b, 0x09}, quarter[] = {0x0f, 0xb7, 0x09}, byte[] = {0x0f, 0xb6, 0x09};
    switch (nbytes) {
    case 8: emit_bytes(e, whole, sizeof whole); break;
    case 4: emit_bytes(e, half, sizeof half); break;
    case 2: emit_bytes(e, quarter, sizeof quarter); break;
    default: emit_bytes(e, byte, sizeof byte);
    }
}

/* rcx is the address; afterwards, if another piece follows, that one's. */
static void emit_piece(x86_making *mk, unsigned nbytes, bool is_last)
{
    static const uint8_t mov_rax_rcx[] = {0x48, 0x89, 0x08}, mov_rax8_rcx[] = {0x48, 0x89, 0x48, 0x08}, mov_rcx_rax[] = {0x48, 0x8b, 0x08};
    static const uint8_t lea_rcx_rcx[] = {0x48, 0x8d, 0x49}, mov_byte_rax7[] = {0xc6, 0x40, 0x07}, lea_rax_rax16[] = {0x48, 0x8d, 0x40, 0x10};
    x86_emit *e = &mk->e;
    emit_at(mk, 0x8b);
    emit_bytes(e, mov_rax_rcx, sizeof mov_rax_rcx);
    emit_load_rcx(e, nbytes);
    emit_bytes(e, mov_rax8_rcx, sizeof mov_rax8_rcx);
    if (!is_last) {
        emit_bytes(e, mov_rcx_rax, sizeof mov_rcx_rax);
        emit_bytes(e, lea_rcx_rcx, sizeof lea_rcx_rcx);
        emit_u8(e, nbytes);
    }
    emit_bytes(e, mov_byte_rax7, sizeof mov_byte_rax7);
    emit_u8(e, nbytes);
    emit_bytes(e, lea_rax_rax16, sizeof lea_rax_rax16);
    emit_at(mk, 0x89);
}

static unsigned piece_of(unsigned left)
{
    unsigned nbytes = 8;
    while (nbytes > left)
        nbytes /= 2;
    return nbytes;
}

static void emit_keep(x86_making *mk, const x86_access *a, uint64_t next_guest)
{
    x86_spill(mk, X86_RCX);
    x86_spill(mk, X86_RAX);
    x86_access_address(mk, a, next_guest);
    for (unsigned left = a->nbytes; left;) {
        unsigned nbytes = piece_of(left);
        left -= nbytes;
        emit_piece(mk, nbytes, left == 0);
    }
    x86_unspill(mk, X86_RAX);
    x86_unspill(mk, X86_RCX);
}

/* Of `pop [...]` the address is known only when the stack pointer has moved. */
static unsigned stores_of(const x86_operands *o, x86_access out[2])
{
    bool is_late = o->popped_nbytes && o->by_modrm;
    return is_late ? 0 : x86_accesses_of(o, out);
}

void x86_make_undoable(x86_making *mk, const x86_at *at)
{
    x86_operands o;
    x86_access accesses[2];
    if (at->insn->kind == X86_KIND_SYSCALL || !x86_insn_operands(at->bytes, at->insn->nbytes, &o) || !o.writes)
        return;
    unsigned n = at->insn->kind == X86_KIND_REPEATED ? 0 : stores_of(&o, accesses);
    for (unsigned i = 0; i < n; i++) /* of two operands one is only read: to keep it, too, does no harm */
        emit_keep(mk, &accesses[i], at->guest + at->insn->nbytes);
    if (n == 0)
        x86_make_question_before(mk, at->guest, X86_UNDO_BEFORE, 0);
    x86_next_part(mk);
}
