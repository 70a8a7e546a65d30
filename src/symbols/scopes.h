/* scopes.h - what things of C++ and Rust are called in full, by the namespaces and classes around their DIEs.
 *
 * A DIE doesn't know what is around it, so the first question about a unit walks over all its namespaces and classes, once. */
#ifndef EBB_SYMBOLS_SCOPES_H
#define EBB_SYMBOLS_SCOPES_H

#include "symbols/symbols_private.h"

bool sym_unit_has_scopes(sym_unit *unit); /* its language has: not C */
bool sym_unit_is_rust(sym_unit *unit);
/* "shop::Item" of the DIE of a type; its own name where nothing is around it; NULL if it has none. */
const char *sym_die_scoped_name(sym_module *module, Dwarf_Die *die);
/* The same of a function that linkers have no name for, because it is of this unit only: "(anonymous namespace)::Item::cost". */
const char *sym_die_function_name(sym_module *module, Dwarf_Die *die);

#endif
