#include "x86/inside/translate.h"
#include "x86/inside/decode.h"
#include "x86/inside/sys.h"

enum {
    MAX_CHECKED_INSNS = 12, /* of a block whose code is compared each time */
    MAX_INSNS = 48,
    MAX_EXITS = 24,
    MAX_GUEST_BYTES = MAX_INSNS * 15,
    MAX_HOST_BYTES = 16384,
};

/* One block being made. */
typedef struct making {
    x86_cache *cache;
    const x86_options *options;
    x86_emit e;
    uint64_t guest;               /* of the block */
    bool past_point;
    bool writable;                /* TR5 */
    uint32_t check_nbytes;
    uint8_t code[MAX_GUEST_BYTES]; /* the guest's bytes */
    size_t code_nbytes;
    x86_boundary boundaries[MAX_INSNS];
    x86_exit exits[MAX_EXITS];
    unsigned n_boundaries, n_exits;
    struct { uint8_t *field; uint64_t value; } literals[MAX_EXITS]; /* 8-byte constants behind the code */
    unsigned n_literals;
    bool ended;
} making;

/* ---- pieces ----------------------------------------------------------------------------------- */

/* With rcx free to be used. */
static void emit_tick_with_rcx(making *mk)
{
    x86_emit *e = &mk->e;
    static const uint8_t vpaddq_xmm30_xmm30_xmm31[] = {0x62, 0x01, 0x8d, 0x00, 0xd4, 0xf7};
    static const uint8_t lea_rcx_rcx_1[] = {0x48, 0x8d, 0x49, 0x01};
    switch (mk->options->tick) {
    case X86_TICK_NONE: break;
    case X86_TICK_VECTOR:
        emit_bytes(e, vpaddq_xmm30_xmm30_xmm31, sizeof vpaddq_xmm30_xmm30_xmm31);
        break;
    case X86_TICK_MEMORY:
        emit_gs_load(e, X86_RCX, X86_TCB_COUNTER);
        emit_bytes(e, lea_rcx_rcx_1, sizeof lea_rcx_rcx_1);
        emit_gs_store(e, X86_TCB_COUNTER, X86_RCX);
        break;
    }
}

/* One tick less is left, with rcx free to be used; rcx is 0 when none is. */
static void emit_left_to_rcx(making *mk)
{
    static const uint8_t lea_rcx_rcx_minus_1[] = {0x48, 0x8d, 0x49, 0xff};
    emit_gs_load(&mk->e, X86_RCX, X86_TCB_LEFT);
    emit_bytes(&mk->e, lea_rcx_rcx_minus_1, sizeof lea_rcx_rcx_minus_1);
    emit_gs_store(&mk->e, X86_TCB_LEFT, X86_RCX);
}

/* jrcxz over what comes next; the field it returns is for land_here. */
static uint8_t *emit_jrcxz(x86_emit *e)
{
    emit_u8(e, 0xe3);
    emit_u8(e, 0);
    return e->at - 1;
}

static void land_here(x86_emit *e, uint8_t *field)
{
    if (x86_emit_fits(e))
        *field = (uint8_t)(e->at - (field + 1));
}

/* The displacement field of a jump to `target`, whose stub comes behind the block's code. */
static void emit_exit_field(making *mk, uint64_t target)
{
    mk->exits[mk->n_exits++] = (x86_exit){.field = mk->e.at, .target = target};
    emit_u32(&mk->e, 0);
}

static void emit_jump_exit(making *mk, uint64_t target)
{
    emit_u8(&mk->e, 0xe9);
    emit_exit_field(mk, target);
}

/* To the dispatcher with a guest address that is not worth a link. */
static void emit_dispatch(making *mk, uint64_t target)
{
    emit_gs_store_u64(&mk->e, X86_TCB_TARGET, target);
    emit_gs_jump(&mk->e, X86_TCB_DISPATCH);
}

/* A tick, and the jump that it is counted for. */
static void emit_tick_and_jump(making *mk, uint64_t target)
{
    x86_emit *e = &mk->e;
    bool testing = mk->options->testing;
    bool needs_rcx = testing || mk->options->tick == X86_TICK_MEMORY;
    if (needs_rcx)
        emit_gs_store(e, X86_TCB_SPILL_RCX, X86_RCX);
    emit_tick_with_rcx(mk);
    uint8_t *none_left = NULL;
    if (testing) {
        emit_left_to_rcx(mk);
        none_left = emit_jrcxz(e);
    }
    if (needs_rcx)
        emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    emit_jump_exit(mk, target);
    if (testing) {
        land_here(e, none_left);
        emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
        emit_dispatch(mk, target);
    }
}

/* push of a 64-bit constant as one store, so that the load of a later return can be forwarded. */
static void emit_push_literal(making *mk, uint64_t value)
{
    emit_u8(&mk->e, 0xff);
    emit_u8(&mk->e, 0x35);
    mk->literals[mk->n_literals].field = mk->e.at;
    mk->literals[mk->n_literals++].value = value;
    emit_u32(&mk->e, 0);
}

/* With the guest target in rax, and rax and rcx spilled: goes to its translation (C3). */
static void emit_lookup(making *mk)
{
    x86_emit *e = &mk->e;
    uint32_t table = (uint32_t)(uint64_t)mk->cache->lookup;
    static const uint8_t index_to_rcx[] = {0x0f, 0xb7, 0xc8, 0x8d, 0x0c, 0x09}; /* movzx ecx,ax; lea ecx,[rcx+rcx] */
    static const uint8_t load_rcx[] = {0x48, 0x8b, 0x0c, 0xcd};                 /* mov rcx,[rcx*8+disp32] */
    static const uint8_t difference[] = {0x48, 0x8d, 0x0c, 0x01};               /* lea rcx,[rcx+rax] */
    static const uint8_t index_to_rax[] = {0x0f, 0xb7, 0xc0, 0x8d, 0x04, 0x00}; /* movzx eax,ax; lea eax,[rax+rax] */
    static const uint8_t load_rax[] = {0x48, 0x8b, 0x04, 0xc5};                 /* mov rax,[rax*8+disp32] */
    uint8_t *none_left = NULL;
    if (mk->options->testing) {
        emit_left_to_rcx(mk);
        none_left = emit_jrcxz(e);
    }
    emit_bytes(e, index_to_rcx, sizeof index_to_rcx);
    emit_bytes(e, load_rcx, sizeof load_rcx);
    emit_u32(e, table);
    emit_bytes(e, difference, sizeof difference);
    uint8_t *hit = emit_jrcxz(e);
    if (mk->options->testing)
        land_here(e, none_left);
    emit_gs_store(e, X86_TCB_TARGET, X86_RAX);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_gs_jump(e, X86_TCB_DISPATCH);
    land_here(e, hit);
    emit_bytes(e, index_to_rax, sizeof index_to_rax);
    emit_bytes(e, load_rax, sizeof load_rax);
    emit_u32(e, table + 8);
    emit_gs_load(e, X86_RCX, X86_TCB_SPILL_RCX);
    emit_gs_store(e, X86_TCB_JUMP, X86_RAX);
    emit_gs_load(e, X86_RAX, X86_TCB_SPILL_RAX);
    emit_gs_jump(e, X86_TCB_JUMP);
}

static void emit_spill_rax_rcx(making *mk)
{
    emit_gs_store(&mk->e, X86_TCB_SPILL_RAX, X86_RAX);
    emit_gs_store(&mk->e, X86_TCB_SPILL_RCX, X86_RCX);
    mk->boundaries[mk->n_boundaries - 1].spilled = X86_SPILLED_RAX_RCX;
}

/* ---- instructions ----------------------------------------------------------------------------- */

/* Where the rip-relative operand of the copy that begins at `copy` would have to point is out of reach:
 * false.  The displacement counts from the end of the instruction, which is as long as the original. */
static bool rebase(uint8_t *copy_disp, const uint8_t *disp, uint64_t guest, const uint8_t *copy)
{
    int32_t old;
    __builtin_memcpy(&old, disp, sizeof old);
    int64_t moved = (int64_t)old + (int64_t)(guest - (uint64_t)copy);
    if (moved != (int32_t)moved)
        return false;
    int32_t rel = (int32_t)moved;
    __builtin_memcpy(copy_disp, &rel, sizeof rel);
    return true;
}

static bool translate_plain(making *mk, const x86_insn *insn, const uint8_t *bytes, uint64_t guest)
{
    uint8_t *copy = mk->e.at;
    emit_bytes(&mk->e, bytes, insn->nbytes);
    if (!insn->is_rip_relative || !x86_emit_fits(&mk->e))
        return true;
    return rebase(copy + insn->disp_at, bytes + insn->disp_at, guest, copy);
}

/* The dynamic loader's lazy binding saves and restores all vector registers around itself. */
static bool translate_restores(making *mk, const x86_insn *insn, const uint8_t *bytes, uint64_t guest)
{
    static const uint8_t keep[] = {0x65, 0x62, 0x61, 0xfd, 0x08, 0xd6, 0x34, 0x25};      /* vmovq gs:[...], xmm30 */
    static const uint8_t bring[] = {0x65, 0x62, 0x61, 0xfe, 0x08, 0x7e, 0x34, 0x25};     /* vmovq xmm30, gs:[...] */
    static const uint8_t bring_one[] = {0x65, 0x62, 0x61, 0xfe, 0x08, 0x7e, 0x3c, 0x25}; /* vmovq xmm31, gs:[...] */
    x86_emit *e = &mk->e;
    if (mk->options->tick != X86_TICK_VECTOR)
        return translate_plain(mk, insn, bytes, guest);
    emit_bytes(e, keep, sizeof keep);
    emit_u32(e, X86_TCB_COUNTER);
    if (!translate_plain(mk, insn, bytes, guest))
        return false;
    emit_bytes(e, bring, sizeof bring);
    emit_u32(e, X86_TCB_COUNTER);
    emit_bytes(e, bring_one, sizeof bring_one);
    emit_u32(e, X86_TCB_ONE);
    return true;
}

static void translate_jcc(making *mk, const x86_insn *insn, uint64_t guest)
{
    x86_emit *e = &mk->e;
    bool backward = insn->target <= guest;
    if (!backward) {
        emit_u8(e, 0x0f);
        emit_u8(e, 0x80 | insn->condition);
        emit_exit_field(mk, insn->target);
        return;
    }
    emit_u8(e, 0x70 | (insn->condition ^ 1)); /* not taken: over the tick and the jump */
    uint8_t *skip = e->at;
    emit_u8(e, 0);
    emit_tick_and_jump(mk, insn->target);
    land_here(e, skip);
}

/* A tick comes with a jump only if the jump goes backward. */
static void emit_transfer(making *mk, uint64_t target, uint64_t guest)
{
    if (target <= guest)
        emit_tick_and_jump(mk, target);
    else
        emit_jump_exit(mk, target);
}

/* jrcxz and loop keep their short form, around a long jump. */
static void translate_short_only(making *mk, const x86_insn *insn, const uint8_t *bytes, uint64_t guest)
{
    x86_emit *e = &mk->e;
    emit_bytes(e, bytes, insn->nbytes - 1u);
    emit_u8(e, 2); /* taken: over the jump that skips */
    emit_u8(e, 0xeb);
    uint8_t *skip = e->at;
    emit_u8(e, 0);
    emit_transfer(mk, insn->target, guest);
    land_here(e, skip);
}

static void translate_jmp(making *mk, const x86_insn *insn, uint64_t guest)
{
    emit_transfer(mk, insn->target, guest);
    mk->ended = true;
}

static void translate_call(making *mk, const x86_insn *insn, uint64_t guest)
{
    emit_push_literal(mk, guest + insn->nbytes);
    emit_tick_and_jump(mk, insn->target);
    mk->ended = true;
}

/* lea rsp, [rsp + n]: drops bytes without a flag. */
static void emit_drop(x86_emit *e, uint32_t nbytes)
{
    static const uint8_t lea_rsp[] = {0x48, 0x8d, 0xa4, 0x24};
    emit_bytes(e, lea_rsp, sizeof lea_rsp);
    emit_u32(e, nbytes);
}

static void translate_ret(making *mk, const x86_insn *insn)
{
    x86_emit *e = &mk->e;
    emit_spill_rax_rcx(mk);
    emit_u8(e, 0x58); /* pop rax */
    if (insn->pop_nbytes)
        emit_drop(e, insn->pop_nbytes);
    emit_tick_with_rcx(mk);
    emit_lookup(mk);
    mk->ended = true;
}

/* mov rax, OPERAND, with the operand bytes of a `jmp` or `call` OPERAND: prefixes and ModRM stay, the
 * opcode and the register field change, and REX gets its W and loses its R. */
static bool emit_load_operand(making *mk, const x86_insn *insn, const uint8_t *bytes, uint64_t guest)
{
    x86_emit *e = &mk->e;
    unsigned opcode_at = insn->modrm_at - 1u;
    unsigned rex = 0x48;
    for (unsigned i = 0; i < opcode_at; i++) {
        if ((bytes[i] & 0xf0) == 0x40)
            rex |= bytes[i] & 3;
        else if (bytes[i] != 0xf2 && bytes[i] != 0xf3 && bytes[i] != 0x3e) /* bnd, notrack */
            emit_u8(e, bytes[i]);
    }
    emit_u8(e, rex);
    emit_u8(e, 0x8b);
    emit_u8(e, bytes[insn->modrm_at] & ~0x38u);
    uint8_t *operand = e->at;
    unsigned rest = insn->nbytes - insn->modrm_at - 1u;
    emit_bytes(e, bytes + insn->modrm_at + 1, rest);
    if (!insn->is_rip_relative || !x86_emit_fits(e))
        return true;
    /* Both end with the displacement: count from the ends. */
    return rebase(operand, bytes + insn->disp_at, guest + insn->nbytes, e->at);
}

static bool translate_indirect(making *mk, const x86_insn *insn, const uint8_t *bytes, uint64_t guest)
{
    emit_spill_rax_rcx(mk);
    if (!emit_load_operand(mk, insn, bytes, guest))
        return false;
    if (insn->kind == X86_KIND_CALL_INDIRECT)
        emit_push_literal(mk, guest + insn->nbytes);
    emit_tick_with_rcx(mk);
    emit_lookup(mk);
    mk->ended = true;
    return true;
}

/* A door of the runtime, which finds the guest's next address in `target`. */
static void translate_door(making *mk, uint64_t next_guest, uint32_t door)
{
    emit_gs_store_u64(&mk->e, X86_TCB_TARGET, next_guest);
    emit_gs_jump(&mk->e, door);
    mk->ended = true;
}

static bool translate_insn(making *mk, const x86_insn *insn, const uint8_t *bytes, uint64_t guest)
{
    switch (insn->kind) {
    case X86_KIND_PLAIN: return translate_plain(mk, insn, bytes, guest);
    case X86_KIND_JCC: translate_jcc(mk, insn, guest); return true;
    case X86_KIND_SHORT_ONLY: translate_short_only(mk, insn, bytes, guest); return true;
    case X86_KIND_JMP: translate_jmp(mk, insn, guest); return true;
    case X86_KIND_CALL: translate_call(mk, insn, guest); return true;
    case X86_KIND_RET: translate_ret(mk, insn); return true;
    case X86_KIND_JMP_INDIRECT:
    case X86_KIND_CALL_INDIRECT: return translate_indirect(mk, insn, bytes, guest);
    case X86_KIND_SYSCALL: translate_door(mk, guest + insn->nbytes, X86_TCB_SYSCALL); return true;
    case X86_KIND_CPUID: translate_door(mk, guest + insn->nbytes, X86_TCB_CPUID); return true;
    case X86_KIND_RESTORES: return translate_restores(mk, insn, bytes, guest);
    case X86_KIND_UNSUPPORTED: return false;
    }
    return false;
}

/* ---- a block ---------------------------------------------------------------------------------- */

bool x86_has_point(const x86_options *options, uint64_t guest)
{
    uint64_t lo = 0, hi = options->n_points;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (options->points[middle] < guest)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < options->n_points && options->points[lo] == guest;
}

/* Goes on if rcx is 0; the fields of the jumps that are made otherwise are for the caller to patch. */
static void emit_or_stale(making *mk, uint8_t **stale, unsigned *n_stale)
{
    static const uint8_t jump_over_jump[] = {0xe3, 0x05, 0xe9}; /* jrcxz +5; jmp rel32 */
    emit_bytes(&mk->e, jump_over_jump, sizeof jump_over_jump);
    stale[(*n_stale)++] = mk->e.at;
    emit_u32(&mk->e, 0);
}

/* Compares 8 bytes of guest code at `at`, or one byte. */
static void emit_compare(making *mk, uint32_t at, bool whole)
{
    static const uint8_t mov_rcx[] = {0x48, 0x8b, 0x0d}, movzx_ecx[] = {0x0f, 0xb6, 0x0d}; /* [rip + disp32] */
    static const uint8_t mov_rax[] = {0x48, 0xb8}, lea_rcx[] = {0x48, 0x8d, 0x0c, 0x01};
    x86_emit *e = &mk->e;
    uint64_t was = 0;
    __builtin_memcpy(&was, mk->code + at, whole ? 8 : 1);
    emit_bytes(e, whole ? mov_rcx : movzx_ecx, sizeof mov_rcx);
    emit_rel32(e, (const uint8_t *)(mk->guest + at));
    emit_bytes(e, mov_rax, sizeof mov_rax);
    emit_u64(e, -was);
    emit_bytes(e, lea_rcx, sizeof lea_rcx);
}

/* TR5 */
static void emit_check(making *mk)
{
    x86_emit *e = &mk->e;
    uint8_t *stale[MAX_CHECKED_INSNS * 15 / 8 + 8];
    unsigned n_stale = 0;
    emit_gs_store(e, X86_TCB_SPILL_RAX, X86_RAX);
    emit_gs_store(e, X86_TCB_SPILL_RCX, X86_RCX);
    mk->boundaries[mk->n_boundaries - 1].spilled = X86_SPILLED_RAX_RCX;
    for (uint32_t at = 0; at < mk->check_nbytes;) {
        bool whole = mk->check_nbytes - at >= 8;
        emit_compare(mk, at, whole);
        emit_or_stale(mk, stale, &n_stale);
        at += whole ? 8 : 1;
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
    emit_dispatch(mk, mk->guest);
    land_here(e, over);
}

/* A boundary, with the trap of a point if there is one. */
static void begin_insn(making *mk, const x86_insn *insn, uint64_t guest)
{
    bool skipped = mk->past_point && guest == mk->guest;
    bool has_point = !skipped && x86_has_point(mk->options, guest);
    mk->boundaries[mk->n_boundaries++] = (x86_boundary){
        .host = (uint16_t)(mk->e.at - mk->e.begin), .nbytes = insn->nbytes, .has_point = has_point};
    if (has_point)
        emit_u8(&mk->e, 0xcc);
    if (mk->check_nbytes && guest == mk->guest)
        emit_check(mk);
}

/* Undoes the last instruction, which could not be translated: the block ends before it. */
static void take_back(making *mk, x86_emit at, unsigned n_exits, unsigned n_literals)
{
    mk->e = at;
    mk->n_boundaries--;
    mk->n_exits = n_exits;
    mk->n_literals = n_literals;
    mk->ended = false;
}

static x86_stuck translate_code(making *mk, uint64_t *guest_end)
{
    uint64_t guest = mk->guest;
    size_t at = 0;
    unsigned max_insns = mk->writable ? MAX_CHECKED_INSNS : MAX_INSNS;
    while (!mk->ended && mk->n_boundaries < max_insns && mk->n_exits + 2 < MAX_EXITS) {
        x86_insn insn;
        if (!x86_insn_decode(mk->code + at, mk->code_nbytes - at, guest, &insn)) {
            if (mk->n_boundaries == 0)
                return at < mk->code_nbytes ? X86_STUCK_UNDECODABLE : X86_STUCK_UNREADABLE;
            break;
        }
        x86_emit before = mk->e;
        unsigned n_exits = mk->n_exits, n_literals = mk->n_literals;
        begin_insn(mk, &insn, guest);
        if (!translate_insn(mk, &insn, mk->code + at, guest)) {
            take_back(mk, before, n_exits, n_literals);
            if (mk->n_boundaries == 0)
                return X86_STUCK_UNSUPPORTED;
            break;
        }
        at += insn.nbytes;
        guest += insn.nbytes;
    }
    if (!mk->ended)
        emit_jump_exit(mk, guest);
    *guest_end = guest;
    return X86_NOT_STUCK;
}

static void emit_stubs(making *mk, const x86_exit *final_exits)
{
    for (unsigned i = 0; i < mk->n_exits; i++) {
        x86_exit *exit = &mk->exits[i];
        exit->stub = mk->e.at;
        if (x86_emit_fits(&mk->e))
            patch_rel32(exit->field, exit->stub);
        emit_gs_store_u64(&mk->e, X86_TCB_TARGET, exit->target);
        emit_gs_store_u64(&mk->e, X86_TCB_LINK, (uint64_t)&final_exits[i]);
        emit_gs_jump(&mk->e, X86_TCB_DISPATCH);
    }
}

static void emit_literals(making *mk)
{
    while ((uint64_t)mk->e.at % 8)
        emit_u8(&mk->e, 0xcc);
    for (unsigned i = 0; i < mk->n_literals; i++) {
        if (x86_emit_fits(&mk->e))
            patch_rel32(mk->literals[i].field, mk->e.at);
        emit_u64(&mk->e, mk->literals[i].value);
    }
}

static x86_block *make_block(making *mk, x86_arena *arena, uint64_t guest_end)
{
    x86_block *block = x86_cache_alloc(mk->cache, sizeof *block);
    x86_exit *exits = x86_cache_alloc(mk->cache, (mk->n_exits + 1) * sizeof *exits);
    x86_boundary *boundaries = x86_cache_alloc(mk->cache, mk->n_boundaries * sizeof *boundaries);
    if (!block || !exits || !boundaries)
        return NULL;
    emit_stubs(mk, exits);
    emit_literals(mk);
    if (!x86_emit_fits(&mk->e))
        return NULL;
    __builtin_memcpy(exits, mk->exits, mk->n_exits * sizeof *exits);
    __builtin_memcpy(boundaries, mk->boundaries, mk->n_boundaries * sizeof *boundaries);
    *block = (x86_block){
        .guest = mk->guest,
        .past_point = mk->past_point,
        .guest_nbytes = (uint32_t)(guest_end - mk->guest),
        .host = mk->e.begin,
        .host_nbytes = (uint32_t)(mk->e.at - mk->e.begin),
        .exits = exits,
        .boundaries = boundaries,
        .n_exits = (uint16_t)mk->n_exits,
        .n_boundaries = (uint16_t)mk->n_boundaries,
    };
    return x86_cache_add(mk->cache, arena, block) ? block : NULL;
}

/* Makes the code from the beginning. */
static x86_stuck begin_and_translate(making *mk, const x86_arena *arena, uint64_t *guest_end)
{
    mk->e = (x86_emit){arena->at, arena->at, arena->at + MAX_HOST_BYTES};
    mk->n_boundaries = mk->n_exits = mk->n_literals = 0;
    mk->ended = false;
    return translate_code(mk, guest_end);
}

x86_block *x86_translate(x86_cache *cache, x86_code *code, const x86_options *options, uint64_t guest, bool past_point, x86_stuck *why)
{
    x86_arena *arena = x86_cache_arena(cache, guest, MAX_HOST_BYTES);
    if (!arena) {
        *why = X86_STUCK_NO_ROOM;
        return NULL;
    }
    making mk;
    mk.cache = cache;
    mk.options = options;
    mk.guest = guest;
    mk.past_point = past_point;
    mk.check_nbytes = 0;
    mk.code_nbytes = x86_code_read(code, mk.code, guest, sizeof mk.code, &mk.writable);
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
