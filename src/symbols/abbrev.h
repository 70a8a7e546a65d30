/* abbrev.h - abbreviation tables, compiled for scanning.
 *
 * libdw answers questions about one DIE well, but a pass over all DIEs of a big program wants to do
 * less per DIE: a compiled abbreviation knows the fixed distance to the attributes that the pass
 * asks for, and the size of the DIE where that is fixed too. */
#ifndef EBB_SYMBOLS_ABBREV_H
#define EBB_SYMBOLS_ABBREV_H

#include "symbols/symbols_private.h"
#include "symbols/reader.h"

typedef struct sym_abbrev_attr {
    uint16_t name, form;
    int64_t implicit; /* of DW_FORM_implicit_const */
} sym_abbrev_attr;

typedef struct sym_abbrev {
    uint16_t tag; /* 0: there is no such abbreviation */
    bool has_children;
    bool has_sibling;
    uint32_t first_attr, n_attrs; /* in the table's attrs */
} sym_abbrev;

typedef struct sym_abbrevs {
    uint64_t offset;      /* in .debug_abbrev: which table this is */
    bool is_valid;
    EBB_VEC(sym_abbrev) by_code; /* codes are small and dense in practice */
    EBB_VEC(sym_abbrev_attr) attrs;
} sym_abbrevs;

/* Reads the table at `offset`; zero-initialised is empty, and one may be used again and again. */
bool sym_abbrevs_read(sym_abbrevs *abbrevs, sym_bytes section, uint64_t offset);
void sym_abbrevs_fini(sym_abbrevs *abbrevs);

/* The size of a form's value where that is fixed, else -1. */
int sym_form_size(unsigned form, const sym_unit *unit);
/* Moves over a value; false for an unknown form. */
bool sym_form_skip(sym_reader *r, unsigned form, const sym_unit *unit);

bool sym_abbrevs_have_loclist(sym_unit *unit);

#endif
