/* translate.c - makes a block: one instruction after the other, then its stubs and its description. */
#include "x86/inside/making.h"
#include "x86/inside/runtime.h"

enum { LOOKUP_ENTRY_NBYTES = 39 };

/* ---- pieces ----------------------------------------------------------------------------------- */

void x86_spill(x86_making *mk, unsigned reg)
{
    emit_gs_store(&mk->e, X86_TCB_SPILL(reg), reg);
    x86_this_boundary(mk)->spilled |= (uint16_t)(1u << reg);
}

void x86_unspill(x86_making *mk, unsigned reg)
{
    emit_gs_load(&mk->e, reg, X86_TCB_SPILL(reg));
}

void x86_make_trap(x86_making *mk)
{
    emit_u8(&mk->e, 0xcc);
    x86_this_boundary(mk)->trap = (uint16_t)(mk->e.at - mk->e.begin);
}

static x86_boundary boundary_here(const x86_making *mk, unsigned nbytes)
{
    return (x86_boundary){.host = (uint16_t)(mk->e.at - mk->e.begin), .nbytes = (uint8_t)nbytes};
}

void x86_next_part(x86_making *mk)
{
    unsigned nbytes = x86_this_boundary(mk)->nbytes;
    x86_this_boundary(mk)->nbytes = 0;
    mk->boundaries[mk->n_boundaries++] = boundary_here(mk, nbytes);
}

static bool translate_insn(x86_making *mk, const x86_at *at)
{
    bool made = false;
    if (mk->options->undoing)
        x86_make_undoable(mk, at);
    if (mk->options->watching && !x86_make_looked_at(mk, at, &made))
        return false;
    if (made)
        return true;
    if (at->insn->kind == X86_KIND_PLAIN)
        return x86_copy_plain(mk, at);
    return x86_make_transfer(mk, at) || x86_make_special(mk, at);
}

/* ---- a block ---------------------------------------------------------------------------------- */

const x86_site_copy *x86_point_at(const x86_options *options, uint64_t guest)
{
    uint64_t lo = 0, hi = options->n_points;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (options->points[middle].guest < guest)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < options->n_points && options->points[lo].guest == guest ? &options->points[lo] : NULL;
}

/* Goes on if rcx is 0; the fields of the jumps that are made otherwise are for the caller to patch. */
static void emit_or_stale(x86_making *mk, uint8_t **stale, unsigned *n_stale)
{
    static const uint8_t jump_over_jump[] = {0xe3, 0x05, 0xe9}; /* jrcxz +5; jmp rel32 */
    emit_bytes(&mk->e, jump_over_jump, sizeof jump_over_jump);
    stale[(*n_stale)++] = mk->e.at;
    emit_u32(&mk->e, 0);
}

/* How much of the code at `at` one load compares: as much as is left, and aligned, for the guest may have asked for
 * alignment checks. */
static unsigned piece_at(const x86_making *mk, uint32_t at)
{
    unsigned nbytes = 8;
    while (nbytes > mk->check_nbytes - at || (mk->guest + at) % nbytes)
        nbytes /= 2;
    return nbytes;
}

/* Compares that many bytes of guest code at `at`. */
static void emit_compare(x86_making *mk, uint32_t at, unsigned nbytes)
{
    static const uint8_t load_rcx[] = {0x48, 0x8b, 0x0d}, load_ecx[] = {0x8b, 0x0d}; /* [rip + disp32] */
    static const uint8_t load_cx[] = {0x0f, 0xb7, 0x0d}, load_cl[] = {0x0f, 0xb6, 0x0d};
    static const uint8_t mov_rax[] = {0x48, 0xb8}, lea_rcx[] = {0x48, 0x8d, 0x0c, 0x01};
    x86_emit *e = &mk->e;
    uint64_t was = 0;
    __builtin_memcpy(&was, mk->code + at, nbytes);
    switch (nbytes) {
    case 8: emit_bytes(e, load_rcx, sizeof load_rcx); break;
    case 4: emit_bytes(e, load_ecx, sizeof load_ecx); break;
    case 2: emit_bytes(e, load_cx, sizeof load_cx); break;
    default: emit_bytes(e, load_cl, sizeof load_cl);
    }
    emit_rel32(e, (const uint8_t *)(mk->guest + at));
    emit_bytes(e, mov_rax, sizeof mov_rax);
    emit_u64(e, -was);
    emit_bytes(e, lea_rcx, sizeof lea_rcx);
}

/* TR5 */
static void emit_check(x86_making *mk)
{
    x86_emit *e = &mk->e;
    uint8_t *stale[X86_MAX_CHECKED_INSNS * 15 / 8 + 8];
    unsigned n_stale = 0;
    x86_spill(mk, X86_RAX);
    x86_spill(mk, X86_RCX);
    for (uint32_t at = 0; at < mk->check_nbytes;) {
        unsigned nbytes = piece_at(mk, at);
        emit_compare(mk, at, nbytes);
        emit_or_stale(mk, stale, &n_stale);
        at += nbytes;
    }
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_u8(e, 0xeb);
    emit_u8(e, 0);
    uint8_t *over = e->at - 1;
    for (unsigned i = 0; i < n_stale && x86_emit_fits(e); i++)
        patch_rel32(stale[i], e->at);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_gs_store_u64(e, X86_TCB_LINK, X86_STALE);
    x86_make_dispatch(mk, mk->guest);
    x86_land_here(e, over);
}

static void make_point(x86_making *mk, const x86_site_copy *point)
{
    if (point->note && x86_make_noting(mk, point))
        return;
    if (point->n_condition && x86_make_condition(mk, point, false))
        x86_next_part(mk);
    else
        x86_make_trap(mk);
}

/* A boundary, with the trap of a point if there is one. */
static void begin_insn(x86_making *mk, const x86_insn *insn, uint64_t guest)
{
    bool skipped = mk->is.past_point && guest == mk->guest;
    mk->n_insns++;
    mk->boundaries[mk->n_boundaries++] = boundary_here(mk, insn->nbytes);
    const x86_site_copy *point = skipped ? NULL : x86_point_at(mk->options, guest);
    if (point)
        make_point(mk, point);
    if (mk->check_nbytes && guest == mk->guest) {
        emit_check(mk);
        x86_next_part(mk);
    }
}

/* Whether the next instruction may be another one than a moment ago. */
static bool may_change_code(const x86_making *mk, const x86_at *at)
{
    x86_operands o;
    return mk->writable && (!x86_insn_operands(at->bytes, at->insn->nbytes, &o) || o.writes);
}

/* One instruction; the block is as before if it can't be translated. */
static bool translate_next(x86_making *mk, const x86_at *at)
{
    x86_emit e = mk->e;
    unsigned n_boundaries = mk->n_boundaries, n_insns = mk->n_insns, n_exits = mk->n_exits, n_literals = mk->n_literals, n_questions = mk->n_questions;
    begin_insn(mk, at->insn, at->guest);
    if (translate_insn(mk, at))
        return true;
    mk->e = e;
    mk->n_boundaries = n_boundaries;
    mk->n_insns = n_insns;
    mk->n_exits = n_exits;
    mk->n_literals = n_literals;
    mk->n_questions = n_questions;
    mk->ended = false;
    return false;
}

static bool has_room(const x86_making *mk)
{
    unsigned max_insns = mk->writable ? X86_MAX_CHECKED_INSNS : X86_MAX_INSNS;
    return mk->n_insns < max_insns && mk->n_boundaries + X86_MAX_PARTS_OF_INSN < X86_MAX_PARTS && mk->n_exits + 2 < X86_MAX_EXITS &&
           mk->e.at - mk->e.begin < X86_MAX_HOST_BYTES / 2;
}

static x86_stuck translate_code(x86_making *mk, uint64_t *guest_end)
{
    uint64_t guest = mk->guest;
    size_t done = 0;
    bool goes_on = true;
    while (!mk->ended && goes_on && has_room(mk)) {
        x86_insn insn;
        x86_at at = {&insn, mk->code + done, guest};
        if (!x86_insn_decode(at.bytes, mk->code_nbytes - done, guest, &insn)) {
            if (mk->n_insns == 0)
                return done < mk->code_nbytes ? X86_STUCK_UNDECODABLE : X86_STUCK_UNREADABLE;
            break;
        }
        if (!translate_next(mk, &at)) {
            if (mk->n_insns == 0)
                return X86_STUCK_STEP;
            break;
        }
        goes_on = !may_change_code(mk, &at);
        done += insn.nbytes;
        guest += insn.nbytes;
    }
    if (!mk->ended)
        x86_make_jump_exit(mk, guest);
    *guest_end = guest;
    return X86_NOT_STUCK;
}

/* ---- what is seldom needed -------------------------------------------------------------------- */

enum { STUB_NBYTES = 2 * 24 + 8 + X86_TICK_NBYTES };

static void emit_stub(x86_emit *e, x86_exit *exit, uint64_t link)
{
    exit->stub = e->at;
    patch_rel32(exit->field, exit->stub);
    if (exit->ticks)
        x86_tick_in_vector(e);
    emit_gs_store_u64(e, X86_TCB_TARGET, exit->target);
    emit_gs_store_u64(e, X86_TCB_LINK, link);
    emit_gs_jump(e, X86_TCB_DISPATCH);
}

/* Constants, stubs and questions, away from the code that runs all the time.  False if there is no room. */
static bool emit_cold(x86_making *mk, x86_arena *arena, const x86_exit *final_exits)
{
    size_t nbytes = (mk->n_literals * 8 + mk->n_exits * STUB_NBYTES + mk->n_questions * X86_QUESTION_NBYTES + 7) & ~(size_t)7;
    if ((size_t)(arena->cold - mk->e.at) < nbytes)
        return false;
    uint8_t *begin = arena->cold - nbytes;
    x86_emit e = {begin, begin, arena->cold};
    for (unsigned i = 0; i < mk->n_literals; i++) {
        patch_rel32(mk->literals[i].field, e.at);
        emit_u64(&e, mk->literals[i].value);
    }
    for (unsigned i = 0; i < mk->n_exits; i++)
        emit_stub(&e, &mk->exits[i], mk->is.to_tick ? 0 : (uint64_t)&final_exits[i]);
    for (unsigned i = 0; i < mk->n_questions; i++)
        x86_emit_undo_question(&e, mk, i);
    arena->cold = begin;
    return x86_emit_fits(&e);
}

static x86_block *make_block(x86_making *mk, x86_arena *arena, uint64_t guest_end)
{
    x86_block *block = x86_cache_alloc(mk->cache, sizeof *block);
    x86_exit *exits = x86_cache_alloc(mk->cache, (mk->n_exits + 1) * sizeof *exits);
    x86_boundary *boundaries = x86_cache_alloc(mk->cache, mk->n_boundaries * sizeof *boundaries);
    if (!block || !exits || !boundaries)
        return NULL;
    if (!x86_emit_fits(&mk->e) || !emit_cold(mk, arena, exits))
        return NULL;
    __builtin_memcpy(exits, mk->exits, mk->n_exits * sizeof *exits);
    __builtin_memcpy(boundaries, mk->boundaries, mk->n_boundaries * sizeof *boundaries);
    *block = (x86_block){
        .guest = mk->guest,
        .is = mk->is,
        .guest_nbytes = (uint32_t)(guest_end - mk->guest),
        .host = mk->e.begin,
        .tick_nbytes = (uint8_t)mk->tick_nbytes,
        .prefix_nbytes = (uint8_t)mk->prefix_nbytes,
        .lookup_entry = mk->looked_up ? mk->e.begin - mk->prefix_nbytes : NULL,
        .host_nbytes = (uint32_t)(mk->e.at - mk->e.begin),
        .exits = exits,
        .boundaries = boundaries,
        .n_exits = (uint16_t)mk->n_exits,
        .n_boundaries = (uint16_t)mk->n_boundaries,
    };
    return x86_cache_add(mk->cache, arena, block) ? block : NULL;
}

/* What comes before the block proper, which begins at a multiple of 16, as compilers align loops. */
static void emit_entries(x86_making *mk)
{
    x86_emit *e = &mk->e;
    unsigned lookup_nbytes = mk->looked_up ? LOOKUP_ENTRY_NBYTES : 0;
    mk->tick_nbytes = x86_ticks_elsewhere(mk) ? X86_TICK_NBYTES : 0;
    mk->prefix_nbytes = lookup_nbytes + mk->tick_nbytes;
    while (((uint64_t)e->at + mk->prefix_nbytes) % X86_BLOCK_ALIGNMENT)
        emit_u8(e, 0xcc);
    if (mk->looked_up)
        x86_emit_lookup_entry(e, &mk->cache->lookups[mk->is.testing], mk->guest);
    if (mk->tick_nbytes)
        x86_tick_in_vector(e);
    e->begin = e->at;
}

bool x86_make_lookup_entry(x86_cache *cache, x86_block *block)
{
    enum { ROOM = 64 };
    if (block->lookup_entry)
        return true;
    x86_arena *arena = x86_cache_arena(cache, block->guest, ROOM);
    x86_block *piece = arena ? x86_cache_alloc(cache, sizeof *piece) : NULL;
    if (!piece || !reaches_rel32(arena->at, block->host))
        return false;
    x86_emit e = {arena->at, arena->at, arena->at + ROOM};
    x86_emit_lookup_entry(&e, &cache->lookups[block->is.testing], block->guest);
    emit_u8(&e, 0xe9);
    emit_rel32(&e, block->host - block->tick_nbytes);
    *piece = (x86_block){.guest = block->guest, .host = e.begin, .host_nbytes = (uint32_t)(e.at - e.begin)};
    x86_cache_add_piece(arena, piece);
    block->lookup_entry = e.begin;
    return true;
}

uint64_t x86_missed(const x86_options *options, bool testing)
{
    return (uint64_t)(x86_ticks_at_entry(options, testing) ? x86_inside_missed_ticking : x86_inside_missed);
}

/* Makes the code from the beginning. */
static x86_stuck begin_and_translate(x86_making *mk, const x86_arena *arena, uint64_t *guest_end)
{
    mk->e = (x86_emit){arena->at, arena->at, arena->at + X86_MAX_HOST_BYTES};
    emit_entries(mk);
    mk->n_boundaries = mk->n_insns = mk->n_exits = mk->n_literals = mk->n_questions = mk->n_asked = 0;
    mk->ended = false;
    return translate_code(mk, guest_end);
}

x86_block *x86_translate(x86_cache *cache, x86_code *code, const x86_options *options, x86_wish wish, x86_stuck *why)
{
    uint64_t guest = wish.guest;
    x86_making mk;
    mk.code_nbytes = x86_code_read(code, mk.code, guest, sizeof mk.code, &mk.writable);
    x86_arena *arena = mk.code_nbytes ? x86_cache_arena(cache, guest, X86_MAX_HOST_BYTES) : NULL;
    if (!arena) {
        *why = mk.code_nbytes ? X86_STUCK_NO_ROOM : X86_STUCK_UNREADABLE;
        return NULL;
    }
    mk.cache = cache;
    mk.options = options;
    mk.guest = guest;
    mk.is = wish.is;
    mk.looked_up = wish.looked_up;
    mk.check_nbytes = 0;
    uint64_t guest_end;
    *why = begin_and_translate(&mk, arena, &guest_end);
    if (*why == X86_NOT_STUCK && mk.writable) { /* only now it is known how much there is to check */
        mk.check_nbytes = (uint32_t)(guest_end - guest);
        *why = begin_and_translate(&mk, arena, &guest_end);
    }
    if (*why != X86_NOT_STUCK)
        return NULL;
    x86_block *block = make_block(&mk, arena, guest_end);
    if (!block)
        *why = X86_STUCK_NO_ROOM;
    return block;
}
