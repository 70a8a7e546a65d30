/* notes.h - hits that are noted where they happen, while ebb searches (machine/search.h).
 *
 * At a stop for every hit a search would spend all its time in the kernel.  So while one is on, translated code writes the hits of
 * points into a list and goes on; ebb takes them out when the list is full, or when something else ends the run.  What a hit means
 * (groups, the last one, how many) is for ebb to say, with one exception: hits that repeat the group of the grouped hit before them
 * never count (SR3), so translated code compares the group first, and the iterations of a loop on one line cost it five instructions each.
 *
 * NT1  a hit of an EXEC point is noted before its instruction executes, one of data after; each once, however often the thread
 *      is parked and enters again meanwhile;
 * NT2  a point is noted only if its own condition held;
 * NT3  `group` (in the cache's low memory) is that of the last grouped hit, noted here or by ebb. */
#ifndef EBB_X86_INSIDE_NOTES_H
#define EBB_X86_INSIDE_NOTES_H

#include "x86/shared.h"

typedef struct x86_noted_data {
    uint64_t is;         /* of at most 8 bytes: what it is now */
    uint64_t touched_by; /* as in machine_stop */
} x86_noted_data;

typedef struct x86_hit {
    uint64_t time, place;
    uint32_t thread;
    uint32_t what; /* x86_site_copy.note, x86_watch_range.note */
    x86_noted_data data;
} x86_hit;

typedef struct x86_notes {
    x86_hit *items; /* ebb's room */
    uint64_t room, n;
} x86_notes;

/* For tcb.watch_nbytes: a hit of the point with that note at `target`; the thread goes on at the host address `watch_address`. */
enum { X86_WATCH_NOTE = 1 << 18, X86_MAX_NOTE = 0xffff };

struct x86_runtime;

/* A hit at tcb->target; `data` NULL: of an EXEC point. */
void x86_note_add(struct x86_runtime *runtime, const x86_tcb *tcb, uint32_t what, const x86_noted_data *data);
bool x86_notes_are_full(const struct x86_runtime *runtime);
/* The door's way: see X86_WATCH_NOTE. */
uint64_t x86_note_here(x86_tcb *tcb);

#endif
