/* run_code.h - executes code of conditions (machine/code.h) step by step, where it was not made into host code: at single steps,
 * by ebb, and at hits of data points, by the runtime.
 *
 * Freestanding.  Who asks says how registers, memory and real numbers are come by.
 *
 * CR1  the code was checked (machine/code_check.h), and its registers are in the CPU's numbering;
 * CR2  an answer that can't be had counts as true (CD3). */
#ifndef EBB_X86_RUN_CODE_H
#define EBB_X86_RUN_CODE_H

#include "machine/code.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct x86_code_world {
    const void *self;
    /* False: there is none. */
    bool (*load)(const void *self, uint64_t addr, void *bytes, size_t nbytes);
    bool (*reg)(const void *self, unsigned number, uint64_t *value);
    /* Steps about real numbers; of those that take one, it is `a`. */
    uint64_t (*real)(machine_code_op op, uint64_t a, uint64_t b);
    uint64_t place;  /* where the thread stands */
    uint64_t thread; /* its number */
} x86_code_world;

/* n_steps 0: it holds. */
bool x86_code_holds(const x86_code_world *world, const machine_code *code, size_t n_steps);

#endif
