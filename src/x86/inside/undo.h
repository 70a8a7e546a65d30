/* undo.h - the undo log of a copy that replays: what its last moments overwrote.
 *
 * While the log is on, whatever writes to the guest's memory has the old bytes put into a ring first (time/undo_ring.h): translated stores by asking the
 * runtime (undo_make.c), the runtime by x86_undo_keep, ebb from outside (vm/undo.h).  To go back, the records are put back, newest first, to where
 * a checkpoint was: ebb has the registers of that moment, and so the list of them.
 *
 * Nobody goes back to anything but a checkpoint, so what is overwritten twice between two of them has to be kept once.  Memory is
 * divided into lines of 256 bytes, and a table of 65536 says which of them are kept since the last checkpoint: translated code looks there, and mostly finds
 * that nothing has to be done.  A program writes to few lines for long, so the log is short, too.
 *
 * Before a range of memory is mapped, unmapped or moved (undo_maps.c), records say what was there: of each mapping its protection, its contents but for
 * zeros, and that it was there at all; then that the range has to be emptied.  Put back newest first, they make the range what it was.
 *
 * A change that records can't take back is a *cut*: whoever makes it counts it, and nobody goes back over one.  So are mappings that are shared,
 * can't be read or are huge.
 *
 * UE1  a record has old contents, or is about a mapping; when it is put back, each of its words of 8 bytes can be written, or is what it was;
 * UE2  a line's place in the table, by the low 16 bits of its number, is the complement of the others, if it and the line after it are kept since
 *      the last checkpoint and since the mappings last changed: as far as they can be read, and are not the runtime's.  So a store of up to 256 bytes whose first byte is in it needs nothing more. */
#ifndef EBB_X86_INSIDE_UNDO_H
#define EBB_X86_INSIDE_UNDO_H

#include "time/undo_ring.h"
#include "x86/shared.h"

#include <stdbool.h>

/* Kinds of records: bytes, or about whole pages from that address on.  Then `what` is how many bytes they have, and the protection in the lowest bits. */
enum { X86_SAVED_BYTES, X86_SAVED_PROTECTION, X86_SAVED_MAPPING, X86_SAVED_EMPTINESS };
enum { X86_UNDO_PROTECTION = 7 };

typedef struct x86_undo {
    ebb_undo_ring ring; /* made by ebb */
    uint64_t n_cuts;
    uint64_t begins;    /* set by ebb: a checkpoint was taken, so no line is kept */
} x86_undo;

enum {
    X86_UNDO_LINE_BITS = 8,
    X86_UNDO_LINE_BYTES = 1 << X86_UNDO_LINE_BITS,
    X86_UNDO_PLACE_BITS = 16, /* as undo_make.c has it */
    X86_UNDO_LINES_BYTES = 4 << X86_UNDO_PLACE_BITS,
    X86_MAX_MARKS = 4096,
};

/* Which places of the table are not empty. */
typedef struct x86_undo_marks {
    uint64_t n; /* more than X86_MAX_MARKS: any may be */
    uint16_t places[X86_MAX_MARKS];
    uint64_t page; /* one that is not the runtime's: its number */
} x86_undo_marks;

static inline uint64_t x86_undo_where(unsigned kind, uint64_t address)
{
    return ebb_undo_where(kind, (const void *)address);
}

/* Whether a record can name that address.  Others are the kernel's: no program can write there. */
static inline bool x86_undo_can_name(uint64_t address)
{
    return address >> EBB_UNDO_KIND_SHIFT == 0;
}

/* For tcb.watch_nbytes: the instruction at `target` is about to be executed by the host code at `watch_address`, and nobody has kept
 * what it overwrites.  LINE: that is after `undo_address`. */
enum { X86_UNDO_BEFORE = 0x7ffffffe, X86_UNDO_LINE = 0x7ffffffd };

struct x86_runtime;

/* Before the mappings from lo to hi are made others, or gone; before they are only protected otherwise. */
void x86_undo_mapping(x86_tcb *tcb, uint64_t lo, uint64_t hi);
void x86_undo_protection(x86_tcb *tcb, uint64_t lo, uint64_t hi);
/* Puts a record of such back. */
void x86_undo_map_back(struct x86_runtime *runtime, const ebb_undo_record *r);

/* Adds one of bytes, few of them. */
enum { X86_UNDO_PIECE_WORDS = 64 };
static inline void x86_undo_add_bytes(x86_undo *u, uint64_t address, const void *bytes, size_t nbytes)
{
    if (nbytes)
        (void)ebb_undo_add(&u->ring, x86_undo_where(X86_SAVED_BYTES, address), (ebb_undo_bytes){bytes, nbytes}, (ebb_undo_bytes){0});
}

/* No line is kept any more: a checkpoint was taken, or UE2 says so. */
void x86_undo_begin(struct x86_runtime *runtime);
/* The runtime is about to write there.  More than a quarter of the ring is a cut. */
void x86_undo_keep(x86_tcb *tcb, uint64_t address, uint64_t nbytes);
/* At the next tick ebb is told (X86_STUCK_TIME), so that the log begins anew. */
void x86_undo_cut(x86_tcb *tcb);
/* The door's way: see X86_UNDO_BEFORE. */
uint64_t x86_undo_before(x86_tcb *tcb);
/* Called by ebb: puts everything back that was kept since that position. */
uint64_t x86_undo_back(struct x86_runtime *runtime, uint64_t position);

#endif
