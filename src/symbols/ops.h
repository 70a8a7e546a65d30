/* ops.h - DWARF expressions taken apart, and where they are found.
 *
 * libdw can do this too, but follows broken location lists into memory that isn't there. */
#ifndef EBB_SYMBOLS_OPS_H
#define EBB_SYMBOLS_OPS_H

#include "symbols/symbols_private.h"

typedef struct sym_op {
    uint8_t atom;             /* DW_OP_* */
    uint64_t number, number2; /* operands, sign-extended where they are signed */
    uint64_t offset;          /* of the operation in its expression */
    sym_bytes block;          /* of entry_value, implicit_value, const_type: in the file */
} sym_op;

typedef EBB_VEC(sym_op) sym_ops;

/* Takes an expression apart.  False if it is broken.  The caller calls ebb_vec_fini either way. */
bool sym_ops_decode(sym_bytes expression, const sym_unit *unit, sym_ops *ops);
/* The same for an expression that libdw has taken apart (call frame information). */
void sym_ops_of_libdw(const Dwarf_Op *theirs, size_t n, sym_ops *ops);

/* The one operation of an expression that has just one; false otherwise. */
bool sym_ops_single(sym_bytes expression, const sym_unit *unit, sym_op *op);

typedef enum sym_found { SYM_FOUND, SYM_NOT_FOUND, SYM_BROKEN } sym_found;

/* The expression of an attribute; with a location list, the one for the file address `pc`. */
sym_found sym_attr_expression(sym_module *module, Dwarf_Attribute *attr, uint64_t pc, sym_bytes *expression);
/* Whether an attribute refers to a location list. */
bool sym_attr_is_list(Dwarf_Attribute *attr);
/* The unit that an attribute is in; NULL if it is in another file. */
sym_unit *sym_unit_of_attr(sym_module *module, const Dwarf_Attribute *attr);
/* An entry of .debug_addr. */
bool sym_unit_indexed_addr(sym_unit *unit, uint64_t index, uint64_t *addr);

#endif
