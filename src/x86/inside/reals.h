/* reals.h - steps of conditions about real numbers (code_reals.h), in code that is built without vector registers.
 *
 * The guest's are in the CPU just now: two of them, and its modes, are borrowed for the moment.  So code_reals.c is built for the runtime such that
 * it uses no others (meson.build). */
#ifndef EBB_X86_INSIDE_REALS_H
#define EBB_X86_INSIDE_REALS_H

#include "machine/code.h"

uint64_t x86_real(machine_code_op op, uint64_t a, uint64_t b);

#endif
