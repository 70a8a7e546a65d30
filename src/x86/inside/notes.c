/* notes.c - the list of hits, and the code that writes to it. */
#include "x86/inside/notes.h"
#include "x86/inside/making.h"
#include "x86/inside/runtime.h"

/* ---- the list --------------------------------------------------------------------------------- */

void x86_note_add(x86_runtime *runtime, const x86_tcb *tcb, uint32_t what, const x86_noted_data *data)
{
    x86_notes *notes = &runtime->notes;
    x86_hit hit = {.time = x86_count_get(tcb), .place = tcb->target, .thread = tcb->thread, .what = what};
    if (data)
        hit.data = *data;
    notes->items[notes->n++] = hit;
}

/* With room for what one store can hit at once. */
bool x86_notes_are_full(const x86_runtime *runtime)
{
    return runtime->notes.n >= runtime->notes.room;
}

/* NT1 */
uint64_t x86_note_here(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    x86_note_add(runtime, tcb, (uint32_t)tcb->watch_nbytes & X86_MAX_NOTE, NULL);
    bool full = x86_notes_are_full(runtime);
    if (!full && !tcb->stop_wanted)
        return tcb->watch_address;
    tcb->skip_at = tcb->target;
    tcb->link = 0;
    return full ? x86_give_up(tcb, X86_STUCK_NOTES) : x86_dispatch(tcb);
}

/* ---- the code --------------------------------------------------------------------------------- */

/* mov dword [group], number */
static void emit_set_group(x86_making *mk, uint32_t number)
{
    static const uint8_t mov_dword_absolute[] = {0xc7, 0x04, 0x25};
    emit_bytes(&mk->e, mov_dword_absolute, sizeof mov_dword_absolute);
    emit_u32(&mk->e, (uint32_t)(uint64_t)mk->cache->note_group);
    emit_u32(&mk->e, number);
}

/* Goes on if the last grouped hit had that group: the field of that short jump.  rcx is spilled. */
static uint8_t *emit_compare_group(x86_making *mk, uint32_t number)
{
    static const uint8_t mov_ecx_absolute[] = {0x8b, 0x0c, 0x25}, lea_ecx_rcx[] = {0x8d, 0x89};
    x86_emit *e = &mk->e;
    emit_bytes(e, mov_ecx_absolute, sizeof mov_ecx_absolute);
    emit_u32(e, (uint32_t)(uint64_t)mk->cache->note_group);
    emit_bytes(e, lea_ecx_rcx, sizeof lea_ecx_rcx);
    emit_u32(e, -number);
    return x86_jump_short(e, 0xe3);
}

/* A jump over what is made if the group is another one: jmp rel32, from where the short one lands. */
static uint8_t *emit_same_group_leaves(x86_making *mk, uint32_t number)
{
    x86_emit *e = &mk->e;
    x86_spill(mk, X86_RCX);
    uint8_t *same = emit_compare_group(mk, number);
    x86_unspill(mk, X86_RCX);
    uint8_t *other = x86_jump_short(e, 0xeb);
    x86_land_here(e, same);
    x86_unspill(mk, X86_RCX);
    emit_u8(e, 0xe9);
    emit_u32(e, 0);
    uint8_t *leaves = e->at - 4;
    x86_land_here(e, other);
    return leaves;
}

void x86_emit_question(x86_emit *e, uint64_t guest, uint32_t what, uint64_t answer)
{
    emit_gs_store_u64(e, X86_TCB_WATCH_ADDRESS, answer);
    emit_gs_store_u32(e, X86_TCB_WATCH_NBYTES, what);
    emit_gs_store_u64(e, X86_TCB_TARGET, guest);
    emit_gs_jump(e, X86_TCB_WATCH_DOOR);
}

void x86_make_question_before(x86_making *mk, uint64_t guest, uint32_t what, unsigned more)
{
    x86_emit *e = &mk->e;
    uint8_t *question = e->at;
    for (int pass = 0; pass < 2; pass++) { /* only the second time it is known how long the question is */
        uint64_t answer = (uint64_t)e->at + more;
        e->at = question;
        x86_emit_question(e, guest, what, answer);
    }
}

void x86_make_note(x86_making *mk, const x86_site_copy *site)
{
    if (site->group)
        emit_set_group(mk, site->group);
    x86_make_question_before(mk, site->guest, X86_WATCH_NOTE | site->note, 0);
}

/* The group is asked first: whether the condition holds does not matter if it is the same (NT3). */
bool x86_make_noting(x86_making *mk, const x86_site_copy *site)
{
    uint8_t *leaves = NULL;
    if (site->group && site->group != UINT32_MAX)
        leaves = emit_same_group_leaves(mk, site->group);
    x86_next_part(mk);
    if (!site->n_condition)
        x86_make_note(mk, site);
    else if (!x86_make_condition(mk, site, true))
        return false;
    x86_this_boundary(mk)->notes = true;
    if (leaves && x86_emit_fits(&mk->e))
        patch_rel32(leaves, mk->e.at);
    x86_next_part(mk);
    return true;
}
