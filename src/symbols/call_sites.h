/* call_sites.h - calls as debug information tells of them: where they return to, whom they call, what they pass. */
#ifndef EBB_SYMBOLS_CALL_SITES_H
#define EBB_SYMBOLS_CALL_SITES_H

#include "symbols/eval.h"

/* The call in that function which returns to `return_addr` (an address in the file). */
bool sym_call_site_find(sym_function *function, uint64_t return_addr, Dwarf_Die *site);

/* The function that the call names, by its run-time entry; false if it doesn't, or not in a way that can be followed. */
bool sym_call_site_names(sym_module *module, Dwarf_Die *site, uint64_t *entry);
/* The same; a call through a pointer is followed too, as seen from the caller's frame. */
bool sym_call_site_callee(sym_eval *caller, Dwarf_Die *site, uint64_t *entry);

/* The calls of the function that are jumps: who makes one leaves no frame. */
typedef EBB_VEC(Dwarf_Die) sym_call_sites;
void sym_tail_calls_of(sym_function *function, sym_call_sites *sites);
bool sym_call_site_return_pc(Dwarf_Die *site, uint64_t *addr); /* after the call, in the file */

#endif
