/* cache.h - translated code: where it is, how it is found, how it is joined together.
 *
 * A block is the translation of a run of guest instructions.  It is entered only at its beginning and
 * may be left in several places, its exits.  Blocks lie in arenas, each within reach of a 32-bit
 * displacement from the guest code that it was made from, so that rip-relative operands stay such.
 *
 * CA1  a block's host code begins at a boundary: host state is guest state there (translate.h);
 * CA2  an exit either goes to its stub, which tells the dispatcher where the guest wants to go, or it is
 *     linked and goes to the block of that guest address directly; every linked exit stands in the
 *     `incoming` list of the block it goes to;
 * CA3  a lookup table, by which returns and indirect jumps find their way, holds 65536 host addresses, chosen by the
 *     guest address's low 16 bits: the lookup entry of a block that is in the cache, which makes sure that it is the
 *     right one, or else the way to the dispatcher (`missed`).  There are two, for blocks that test and for those that don't (CA9);
 * CA4  blocks are dropped (x86_cache_flush, x86_cache_drop_range) only while no thread is inside one:
 *     ebb parks every thread at its guest address whenever the debuggee stops, and while it runs only
 *     the thread that does the dropping runs;
 * CA5  `index` of an arena lists its blocks in order of their host addresses, dropped ones too, so that ebb
 *     can tell from outside which guest instruction a host address belongs to;
 * CA6  a block may have another entry just before its beginning, where a tick is counted first (translate.h);
 * CA7  the low half of a host address tells which arena it is in;
 * CA8  half of the arenas are only for code that has none within reach: flushing makes room in arenas, but moves none to where it is
 *     needed;
 * CA9  exits and lookup tables lead from blocks that test (translate.h, TR10) to such blocks only, and from those that don't to the others. */
#ifndef EBB_X86_INSIDE_CACHE_H
#define EBB_X86_INSIDE_CACHE_H

#include "base/sizes.h"
#include "x86/inside/emit.h"
#include "x86/inside/watch.h"

#include <stddef.h>

enum {
    X86_LOOKUP_SIZE = 65536,
    X86_HASH_SIZE = 1 << X86_HASH_BITS,
    X86_PAGE_HASH_SIZE = 1 << X86_PAGE_HASH_BITS,
};

typedef struct x86_exit x86_exit;
typedef struct x86_block x86_block;

struct x86_exit {
    uint8_t *field;   /* the 32-bit displacement of the jump */
    uint8_t *stub;    /* where it goes when it isn't linked */
    uint64_t target;  /* guest address */
    bool ticks;       /* the jump is counted: by the block's other entry, or by the stub */
    bool testing;     /* of a block that tests */
    x86_block *to;    /* NULL: not linked */
    x86_exit *next_incoming;
};

/* A guest address may have several blocks: one meets the point at its first instruction, another one goes past it, and each of them
 * may go on for ever, with tests or without, or to the next tick only.  Exits and lookup tables lead to those that meet the point and go on. */
typedef struct x86_block_kind {
    bool past_point; /* the point at its first instruction is left out */
    bool to_tick;    /* TR8 */
    bool testing;    /* TR10 */
} x86_block_kind;

/* One guest instruction of a block, or the first part of one: host code from `host` to the next one's.  What a fault inside
 * it has to put back is told by the other fields; whatever is spilled is so before anything in there can fault. */
typedef struct x86_boundary {
    uint16_t host;    /* offset in the block */
    uint16_t spilled; /* bit n: register n is in the control block */
    uint16_t trap;    /* offset after a trap of ours; 0: it has none */
    uint8_t nbytes;   /* of the guest instruction; 0: another part of it follows */
    uint8_t condition : 1; /* of a point: the flags are spilled, too, and a fault is the condition's */
    uint8_t repeats : 1;   /* here, the time is the count and as many ticks as rcx is below its spilled value */
    uint8_t notes : 1;     /* once it is through, the hits of the points here are noted */
    uint8_t swapped : 1;   /* the count is in the control block, and the guest's own values in its register */
} x86_boundary;

struct x86_block {
    uint64_t guest;
    x86_block_kind is;
    uint32_t guest_nbytes;
    uint32_t host_nbytes;
    uint8_t *host;
    uint8_t tick_nbytes; /* before `host`: another entry, for jumps that count */
    uint8_t prefix_nbytes; /* before `host`: all that belongs to the block */
    uint8_t *lookup_entry; /* NULL: it has none (yet) */
    x86_exit *exits;
    x86_boundary *boundaries;
    uint16_t n_exits, n_boundaries;
    x86_exit *incoming;
    x86_block *next; /* in its hash chain */
};

/* The blocks that were made from one page of guest code (a block may be on two lists). */
typedef struct x86_page_entry {
    uint64_t page; /* address / 4096 */
    x86_block *block;
    struct x86_page_entry *next;
} x86_page_entry;

typedef struct x86_arena {
    uint8_t *begin, *at;   /* blocks grow up from the beginning */
    uint8_t *cold, *end;   /* what is seldom needed, stubs and constants, grows down from the end */
    x86_block **index; /* CA5 */
    uint64_t n_index;
} x86_arena;

typedef struct x86_lookup {
    uint64_t *table; /* X86_LOOKUP_SIZE places, below 2 GB; after them stands `missed` once more */
    uint64_t missed;
} x86_lookup;

typedef struct x86_cache {
    x86_arena arenas[X86_MAX_ARENAS];
    unsigned n_arenas;
    x86_block **hash;         /* X86_HASH_SIZE chains, by guest address */
    x86_page_entry **pages;   /* X86_PAGE_HASH_SIZE chains, by page */
    x86_lookup lookups[2];    /* [1]: of blocks that test */
    uint8_t *watch_table;     /* below 2 GB; see watch.h */
    uint32_t *undo_lines;     /* likewise; see undo.h */
    uint32_t *note_group;     /* likewise; see notes.h */
    uint8_t *heap_at, *heap_end;
    uint8_t *heap_first;      /* chunks of metadata, linked through their first word */
    uint64_t n_blocks, n_flushes;
} x86_cache;

/* With these for the empty places of the lookup tables.  False if the memory can't be had. */
bool x86_cache_init(x86_cache *cache, const uint64_t missed[2]);
void x86_cache_flush(x86_cache *cache);
/* Drops every block that was made from a byte of [lo, hi). */
void x86_cache_drop_range(x86_cache *cache, uint64_t lo, uint64_t hi);

x86_block *x86_cache_find(const x86_cache *cache, uint64_t guest, x86_block_kind kind);
/* An arena with room near `guest`; NULL if there is none. */
x86_arena *x86_cache_arena(x86_cache *cache, uint64_t guest, size_t nbytes);
void *x86_cache_alloc(x86_cache *cache, size_t nbytes); /* until the next flush; NULL if there is no memory */
/* Takes the block in, whose host code is the newest in `arena`.  False if there is no memory. */
bool x86_cache_add(x86_cache *cache, x86_arena *arena, x86_block *block);

/* The guest instruction that the code at `host` was made from; false if there is none. */
bool x86_cache_guest_of(const x86_cache *cache, uint64_t host, uint64_t *guest);

void x86_cache_link(x86_exit *exit, x86_block *to);
void x86_cache_remember(x86_cache *cache, const x86_block *block); /* in the lookup table of its kind; it has an entry for that */
/* Notes a piece of code that belongs to a block but lies elsewhere, the newest in `arena`. */
void x86_cache_add_piece(x86_arena *arena, x86_block *piece);

#endif
