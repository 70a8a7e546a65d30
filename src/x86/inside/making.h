/* making.h - one block while it is being made: what the parts of the translator share.
 *
 * translate.c goes through the guest's instructions, transfer.c makes those that change control, operand.c those whose
 * memory operand has to be addressed in another way, special.c the rest that can't be copied, condition.c the
 * conditions of points, notes.c points whose hits are noted, store.c what looks at stores, undo_make.c what asks for their old bytes to be kept.
 *
 * Functions that return bool say whether it can be done; if not, the instruction is executed natively (X86_STUCK_STEP). */
#ifndef EBB_X86_INSIDE_MAKING_H
#define EBB_X86_INSIDE_MAKING_H

#include "x86/inside/decode.h"
#include "x86/inside/translate.h"

enum {
    X86_MAX_CHECKED_INSNS = 12, /* of a block whose code is compared each time */
    X86_MAX_INSNS = 48,
    X86_MAX_PARTS = X86_MAX_INSNS + 32, /* some instructions have several, */
    X86_MAX_PARTS_OF_INSN = 7,          /* ... but not more */
    X86_MAX_EXITS = 24,
    X86_MAX_GUEST_BYTES = X86_MAX_INSNS * 15,
    X86_MAX_HOST_BYTES = 16384,
    X86_BLOCK_ALIGNMENT = 16,
};

_Static_assert(2 * X86_MAX_HOST_BYTES <= X86_ARENA_BYTES, "a block fits into an empty arena, with what is seldom needed");
_Static_assert(sizeof(x86_exit) * (X86_MAX_EXITS + 1) <= X86_HEAP_CHUNK_BYTES - 16, "the metadata of a block fits into a chunk");

/* The undo log has what is at that address, and after it to the length of a line: undo_make.c. */
enum { X86_MAX_ASKED = 8 };
typedef struct x86_asked {
    uint8_t base, index, scale;
    int64_t disp;
} x86_asked;

typedef struct x86_making {
    x86_cache *cache;
    const x86_options *options;
    x86_emit e;
    uint64_t guest;               /* of the block */
    unsigned tick_nbytes, prefix_nbytes;
    bool looked_up;
    x86_block_kind is;
    bool writable;                /* TR5 */
    uint32_t check_nbytes;
    uint8_t code[X86_MAX_GUEST_BYTES]; /* the guest's bytes */
    size_t code_nbytes;
    x86_boundary boundaries[X86_MAX_PARTS];
    x86_exit exits[X86_MAX_EXITS];
    unsigned n_boundaries, n_exits, n_insns;
    struct { uint8_t *field; uint64_t value; } literals[X86_MAX_EXITS]; /* 8-byte constants after the code */
    unsigned n_literals;
    struct { uint8_t *field; uint64_t guest; uint8_t *answer; } questions[X86_MAX_INSNS]; /* undo_make.c */
    unsigned n_questions;
    x86_asked asked[X86_MAX_ASKED];
    unsigned n_asked;
    bool ended;
} x86_making;

/* The instruction that is being translated. */
typedef struct x86_at {
    const x86_insn *insn;
    const uint8_t *bytes;
    uint64_t guest;
} x86_at;

static inline x86_boundary *x86_this_boundary(x86_making *mk)
{
    return &mk->boundaries[mk->n_boundaries - 1];
}

/* vpaddq xmm30, xmm30, xmm31: a tick, where it is counted in a vector register. */
enum { X86_TICK_NBYTES = 6 };
static inline void x86_tick_in_vector(x86_emit *e)
{
    static const uint8_t vpaddq_xmm30_xmm30_xmm31[X86_TICK_NBYTES] = {0x62, 0x01, 0x8d, 0x00, 0xd4, 0xf7};
    emit_bytes(e, vpaddq_xmm30_xmm30_xmm31, X86_TICK_NBYTES);
}

/* A second part of the instruction begins here: at this place, too, host state is guest state. */
void x86_next_part(x86_making *mk);

/* Registers to the control block and back (TR3). */
void x86_spill(x86_making *mk, unsigned reg);
void x86_unspill(x86_making *mk, unsigned reg);

/* A short jump's field, to land where the code goes on. */
static inline void x86_land_here(x86_emit *e, uint8_t *field)
{
    if (x86_emit_fits(e))
        *field = (uint8_t)(e->at - (field + 1));
}

/* A jump with that opcode (0xe3: jrcxz); the field is for x86_land_here. */
static inline uint8_t *x86_jump_short(x86_emit *e, unsigned opcode)
{
    emit_u8(e, opcode);
    emit_u8(e, 0);
    return e->at - 1;
}

/* The trap of a point; the thread stands at the instruction then. */
void x86_make_trap(x86_making *mk);

/* The flags to rax (ah, and the overflow flag in al) and back.  rax is spilled meanwhile. */
static inline void x86_flags_to_rax(x86_emit *e)
{
    static const uint8_t lahf_seto_al[] = {0x9f, 0x0f, 0x90, 0xc0};
    emit_bytes(e, lahf_seto_al, sizeof lahf_seto_al);
}

static inline void x86_flags_from_rax(x86_emit *e)
{
    static const uint8_t add_al_7f_sahf[] = {0x04, 0x7f, 0x9e};
    emit_bytes(e, add_al_7f_sahf, sizeof add_al_7f_sahf);
}

/* condition.c: if the site's condition holds, and no hits are to be passed by any more, traps, or notes the hit.  False, and nothing
 * made, if the code is not as it should be. */
bool x86_make_condition(x86_making *mk, const x86_site_copy *site, bool is_noted);

/* notes.c */
/* Asks the runtime before the instruction at `guest`; what is asked goes to tcb.watch_nbytes.  The answer is at that host address. */
void x86_emit_question(x86_emit *e, uint64_t guest, uint32_t what, uint64_t answer);
/* The same here; the answer is at `more` bytes after it. */
void x86_make_question_before(x86_making *mk, uint64_t guest, uint32_t what, unsigned more);
void x86_make_note(x86_making *mk, const x86_site_copy *site); /* a hit, whatever its condition */
bool x86_make_noting(x86_making *mk, const x86_site_copy *site); /* all of a site that is noted, and a new part after it */

/* store.c: an instruction that writes memory, while stores are looked at.  Others are left to be made: !*made. */
bool x86_make_looked_at(x86_making *mk, const x86_at *at, bool *made);

/* undo_make.c: before an instruction that writes memory, and a new part after it; and away from the code that runs all the time, the n-th question. */
void x86_make_undoable(x86_making *mk, const x86_at *at);
enum { X86_QUESTION_NBYTES = 112 }; /* at most */
void x86_emit_undo_question(x86_emit *e, const x86_making *mk, unsigned n);

/* operand.c */
bool x86_copy_plain(x86_making *mk, const x86_at *at);
/* The address of an operand without a segment. */
void x86_address_to(x86_making *mk, const x86_operands *o, uint64_t next_guest, unsigned reg);
/* mov rax, OPERAND of an indirect jump or call; rax and rcx are spilled. */
bool x86_load_target(x86_making *mk, const x86_at *at);

/* Ticks of jumps are counted where they lead to (CA6). */
static inline bool x86_ticks_at_entry(const x86_options *options, bool testing)
{
    return options->tick == X86_TICK_VECTOR && !testing;
}

/* ... but for those of this block. */
static inline bool x86_ticks_elsewhere(const x86_making *mk)
{
    return x86_ticks_at_entry(mk->options, mk->is.testing) && !mk->is.to_tick;
}

/* Every tick is looked at: `left` has to be right. */
static inline bool x86_looks_at_left(const x86_making *mk)
{
    return mk->is.testing || mk->is.to_tick;
}

/* transfer.c */
void x86_emit_lookup_entry(x86_emit *e, const x86_lookup *lookup, uint64_t guest);
void x86_make_jump_exit(x86_making *mk, uint64_t target);
void x86_make_dispatch(x86_making *mk, uint64_t target); /* for addresses that are not worth a link */
bool x86_make_transfer(x86_making *mk, const x86_at *at);

/* special.c */
bool x86_make_special(x86_making *mk, const x86_at *at);

#endif
