/* translate.h - guest code to host code.
 *
 * A translation does what the guest code does, with the guest's registers in the CPU's registers and the
 * guest's memory at its own addresses.  So most instructions are their own translation.
 *
 * TR1  no sequence that is put in changes a flag or a vector register of the guest, or touches the
 *      guest's stack other than the guest instruction does (there is a red zone below rsp);
 * TR2  at every boundary, host state is guest state: no register is spilled there;
 * TR3  an instruction that can fault does so with the guest's registers in place, or with those spilled
 *      that its boundary names;
 * TR4  the tick goes up once for every taken backward jump, call, return and indirect jump, and whenever a string
 *      instruction repeats itself: once less than its repetitions are.  Outside translated code it goes up when a signal handler is
 *      entered, when one returns, and when the turn goes to another thread (turn.h);
 * TR5  a block from memory that the guest can write begins by comparing its code with what it was, and ends after the
 *      first instruction that writes; if it has changed, it goes to the dispatcher with X86_STALE for a link;
 * TR6  an instruction that translated code can't execute is left to the CPU: X86_STUCK_STEP, or X86_STEP_IT for a link;
 * TR7  a transfer to where no code can be is made by the CPU, which faults at the instruction.  A call finds out before it
 *      changes anything, a return or jump after it: `source` tells then which one it was, and ebb takes it back;
 * TR8  a block may be made `to_tick`: the first transfer that ticks goes to the dispatcher, with X86_TICKED for a link, and so does whatever
 *      else leaves the block.  Neither exits nor the lookup table lead to such blocks, or from them.  A string instruction in one is
 *      executed with all its repetitions;
 * TR9  the jump back of an idle loop goes to the dispatcher, with X86_IDLE for a link, and so do `pause` and a
 *      locked exchange that fails, with X86_PAUSED (idle.h);
 * TR10 a block may be made `testing`: each tick takes one from `left`, and goes to the dispatcher when none is left.  The dispatcher chooses such
 *      blocks while something is to happen at a known time (turn.h, TU8), and those without tests, which cost less, while nothing is. */
#ifndef EBB_X86_INSIDE_TRANSLATE_H
#define EBB_X86_INSIDE_TRANSLATE_H

#include "x86/inside/cache.h"
#include "machine/code.h"
#include "x86/inside/code.h"

typedef enum x86_tick {
    X86_TICK_NONE,   /* for comparison in benchmarks */
    X86_TICK_VECTOR = X86_TICK_IN_VECTOR, /* xmm30 += xmm31: with AVX-512, masked from the program */
    X86_TICK_MEMORY, /* in the control block */
} x86_tick;

/* A place with points.  Where it has a condition, it traps only if that holds; where hits are to be passed by, only after as many at
 * which it held.  One whose only point is noted (notes.h) does not trap. */
typedef struct x86_site_copy {
    uint64_t guest;
    uint32_t condition_at, n_condition; /* steps in x86_options.conditions; 0: none */
    uint32_t note;                      /* by which it is noted; 0: it traps */
    uint32_t group;                     /* as machine_noted has it */
    uint64_t left;                      /* address of how many hits are still to be passed by (x86_runtime.ignores); 0: none are */
} x86_site_copy;

/* How far steps back mostly go: what is nearer than that is replayed (vm/undo.h). */
typedef enum x86_unit { X86_UNIT_INSN, X86_UNIT_LINE, X86_UNIT_PROC } x86_unit;

typedef struct x86_tuning {
    uint32_t unit;        /* an x86_unit: how often registers are saved */
    uint32_t unoptimized; /* blocks are not joined: each is left through the dispatcher */
} x86_tuning;

typedef struct x86_options {
    x86_tick tick;
    x86_tuning tuning;
    bool watching;          /* stores are looked at (watch.h) */
    bool watching_reads;    /* ... and loads */
    bool watching_stores;   /* a store counts although it changes nothing */
    bool undoing;           /* stores keep what they overwrite (undo.h) */
    const x86_site_copy *points; /* where translated code traps first; by address */
    uint64_t n_points;
    const machine_code *conditions; /* the code of all of them; registers are in the CPU's numbering */
} x86_options;

/* NULL if there is none. */
const x86_site_copy *x86_point_at(const x86_options *options, uint64_t guest);

/* Makes the block that begins at `guest` and adds it to the cache.  NULL if that can't be done: *why. */
#define X86_STALE 1
#define X86_STEP_IT 2
#define X86_TICKED 3
#define X86_IDLE 4   /* the same, in an idle loop (idle.h) */
#define X86_PAUSED 5
typedef struct x86_wish {
    uint64_t guest;
    x86_block_kind is;
    bool looked_up;  /* it will be found through the lookup table */
} x86_wish;
x86_block *x86_translate(x86_cache *cache, x86_code *code, const x86_options *options, x86_wish wish, x86_stuck *why);
/* The block gets an entry for the lookup table, if there is room and it has none; false if not. */
bool x86_make_lookup_entry(x86_cache *cache, x86_block *block);
/* Where lookups go that find nothing, from blocks that test or from others. */
uint64_t x86_missed(const x86_options *options, bool testing);

#endif
