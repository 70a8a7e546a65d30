/* symbols_interrogate.h - asks a symbol table everything there is to ask, about whatever it holds, and
 * looks at all the answers.  For broken files: nothing may crash, hang or read what isn't there. */
#ifndef EBB_TESTS_SYMBOLS_INTERROGATE_H
#define EBB_TESTS_SYMBOLS_INTERROGATE_H

#include "symbols/symbols.h"

/* Returns a sum over the answers, so that none of them can be optimised away. */
uint64_t interrogate(sym_table *table);

/* A copy of `file` with some of its bytes changed, most of them in debug sections; which ones follows
 * from `seed` alone.  The caller frees it. */
uint8_t *corrupt(const uint8_t *file, size_t nbytes, uint64_t seed);

/* Adds the bytes as a module and asks; a refusal is fine. */
void interrogate_bytes(const uint8_t *bytes, size_t nbytes);

#endif
