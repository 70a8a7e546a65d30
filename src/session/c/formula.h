/* formula.h - where a variable is, in every frame of its function alike.
 *
 * Locations are programs that compute with registers and memory.  As a formula, one is found by asking the symbols several
 * times, each time for a frame with other registers and other memory: an address that keeps its distance from one register is
 * at that distance, one that stays is static, and all others are given up. */
#ifndef EBB_SESSION_C_FORMULA_H
#define EBB_SESSION_C_FORMULA_H

#include "symbols/symbols.h"

typedef struct ses_formula {
    enum {
        SES_AT_ADDRESS,  /* number */
        SES_AT_DISTANCE, /* number bytes from what is in reg */
        SES_IN_REGISTER, /* reg */
        SES_IS_NUMBER,   /* number: a constant without a place */
    } kind;
    int reg; /* by its DWARF number */
    int64_t number;
} ses_formula;

/* As seen from `pc`; false: there is no such formula. */
bool ses_formula_of(const sym_variable *variable, uint64_t pc, ses_formula *out);
/* The same of the canonical frame address of whoever stands at `pc`: AT_DISTANCE. */
bool ses_formula_of_frame(sym_table *table, uint64_t pc, ses_formula *out);

#endif
