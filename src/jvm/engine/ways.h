/* ways.h - where control may go in a method: from each instruction to the next, by exceptions to handlers, and around loops.
 *
 * A *way* is an edge of the method's graph of instructions.  Ways that the code itself chooses (the next instruction, jumps, cases) are told apart from those that
 * only an exception takes, from an instruction that may throw to a handler around it.
 *
 * WN1  a throw of the code itself (athrow) is no surprise: it goes to the handlers around it, to one of them for certain if what it throws was made
 *      right there and its class is known, and out of the method if none of them takes it.  Of what comes from elsewhere, a handler around it is
 *      taken to be meant for it;
 * WN2  a way goes *around* if it closes a loop: it leads to an instruction by which the loop was entered. */
#ifndef EBB_JVM_ENGINE_WAYS_H
#define EBB_JVM_ENGINE_WAYS_H

#include "jvm/engine/reach.h"

typedef struct jvm_way {
    uint32_t to;
    bool goes_around;
} jvm_way;
typedef EBB_VEC(jvm_way) jvm_way_list;

typedef struct jvm_ways {
    const jvm_method *m;
    int32_t *depth;               /* by bci; below zero: no instruction, or never reached */
    jvm_way_list *after;          /* by bci; none: it leaves the method */
    EBB_VEC(uint32_t) *thrown;    /* by bci: the handlers to which an exception would go from there */
    EBB_VEC(uint32_t) *before;    /* by bci: all that may have come just before it, of either kind */
} jvm_ways;

/* False: nobody knows (subroutines). */
bool jvm_ways_init(jvm_ways *w, const jvm_method *m);
void jvm_ways_fini(jvm_ways *w);

static inline bool jvm_is_reached(const jvm_ways *w, uint32_t bci) { return w->depth[bci] >= 0; }

/* The first and the last instruction of the loop that is entered by `header`.  What lies between them is taken to be in it, also what leaves it (a break and what
 * comes just before it), from which no way goes around. */
void jvm_loop_extent(const jvm_ways *w, uint32_t header, uint32_t *first, uint32_t *last);

#endif
