/* pace.h - when a debuggee that runs is worth a snapshot.
 *
 * A snapshot now and then keeps every moment of a run near one from which it is replayed.  Each has a price, which the running
 * program pays: it stands still while the copy is made, and afterwards it is the first to write to a page that two of them share, so
 * the system copies that page for it.  Both are counted here, and the next snapshot is put off until the last one was worth it:
 *
 * PC1  two snapshots are at least the interval apart;
 * PC2  all of them together take at most a share of the running time, as far as it is known what they cost;
 * PC3  whatever they cost, or a clock that jumped says they cost, the next comes within EBB_PACE_MOST_INTERVALS intervals.
 *
 * Whoever lets the debuggee run asks, often, whether one is due, and makes it.  That may be code inside the debuggee: nothing here
 * allocates, reads a clock or calls anything. */
#ifndef EBB_TIME_PACE_H
#define EBB_TIME_PACE_H

#include "base/sizes.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    EBB_PACE_SHARE = 33, /* three in a hundred are less than recording itself costs */
    EBB_PACE_MOST_INTERVALS = 1000, /* a minute: a program with gigabytes that it keeps writing to pays seconds for each */
};

/* What is asked for.  It travels to where the debuggee runs. */
typedef struct ebb_pace_rule {
    uint32_t interval_ms; /* 0: none is ever due */
    uint32_t share;       /* PC2: one part in so many; 0: they may cost what they like */
} ebb_pace_rule;

typedef struct ebb_pace {
    ebb_pace_rule rule;
    uint64_t due_us; /* by the caller's clock, which never goes back */
} ebb_pace;

/* What the last one cost. */
typedef struct ebb_pace_cost {
    uint64_t copying_us; /* of the processor's time, not of the clock's: another process that ran meanwhile is not its fault */
    uint64_t pages;      /* that the debuggee was the first to write to since the snapshot before */
} ebb_pace_cost;

void ebb_pace_begin(ebb_pace *pace, ebb_pace_rule rule, uint64_t now_us);
bool ebb_pace_is_due(const ebb_pace *pace, uint64_t now_us);
void ebb_pace_taken(ebb_pace *pace, const ebb_pace_cost *cost, uint64_t now_us); /* or tried in vain */

#endif
