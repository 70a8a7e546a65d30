/* code_reals.h - steps of conditions about real numbers (machine/code_numbers.def), as native programs have them.
 *
 * Freestanding; who can't have vector registers used as a compiler likes lends some: inside/reals.h. */
#ifndef EBB_X86_CODE_REALS_H
#define EBB_X86_CODE_REALS_H

#include "machine/code.h"

/* Of steps that take one, it is `a`. */
uint64_t x86_code_real(machine_code_op op, uint64_t a, uint64_t b);

#endif
