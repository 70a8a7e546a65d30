/* types_dwarf.h - what a type remembers of the DIE that it was made from. */
#ifndef EBB_SYMBOLS_TYPES_DWARF_H
#define EBB_SYMBOLS_TYPES_DWARF_H

#include "symbols/symbols_private.h"

typedef struct sym_dwarf_type {
    sym_module *module;
    Dwarf_Die die;       /* of an array's inner dimension: the subrange */
    unsigned generation; /* of the table when a declaration last looked for its definition */
    bool in_progress;
} sym_dwarf_type;

sym_dwarf_type *sym_dwarf_type_new(sym_module *module, Dwarf_Die *die);

/* Name, type and place of a member. */
void sym_read_member(sym_module *module, Dwarf_Die *die, sym_member *m);
/* variants.c: the forms of an enum of Rust. */
void sym_read_variants(sym_module *module, sym_type *type, Dwarf_Die *parent);

/* DW_AT_const_value as a number. */
bool sym_die_constant(Dwarf_Die *die, int64_t *value);

#endif
