/* call_set.h - a set of system calls, by their numbers.  Freestanding: the runtime inside a debuggee reads the one that ebb gives it.
 *
 * A number for which there is no room counts as being in every set. */
#ifndef EBB_MACHINE_CALL_SET_H
#define EBB_MACHINE_CALL_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { MACHINE_CALL_SET_SIZE = 1024 };

typedef struct machine_call_set {
    uint64_t bits[MACHINE_CALL_SET_SIZE / 64];
} machine_call_set;

static inline void machine_call_set_add(machine_call_set *set, uint64_t number)
{
    if (number < MACHINE_CALL_SET_SIZE)
        set->bits[number / 64] |= (uint64_t)1 << number % 64;
}

static inline void machine_call_set_fill(machine_call_set *set)
{
    for (unsigned i = 0; i < MACHINE_CALL_SET_SIZE / 64; i++)
        set->bits[i] = UINT64_MAX;
}

static inline bool machine_call_set_has(const machine_call_set *set, uint64_t number)
{
    return number >= MACHINE_CALL_SET_SIZE || (set->bits[number / 64] >> number % 64 & 1);
}

#endif
