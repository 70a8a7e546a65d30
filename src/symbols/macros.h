/* macros.h - the preprocessor's macros, which compilers tell with -g3.
 *
 * A unit's macros are what the preprocessor did, in its order: files begin and end, macros are defined and undefined.  What a name means
 * at a line is what was done to it last before the preprocessor came by that line. */
#ifndef EBB_SYMBOLS_MACROS_H
#define EBB_SYMBOLS_MACROS_H

#include "symbols/symbols.h"

enum { SYM_MACRO_MAX_DEPTH = 64 };

typedef struct sym_macro {
    const char *name;
    const char *parameters; /* between its parentheses; NULL: it has none and takes no arguments */
    const char *body;
    const char *file; /* where it is defined; line 0: on the command line, or by the compiler itself */
    unsigned line;
    /* Where that file was included, innermost first. */
    const char *includers[SYM_MACRO_MAX_DEPTH];
    unsigned include_lines[SYM_MACRO_MAX_DEPTH];
    size_t n_includers;
} sym_macro;

/* A line of the unit that covers an address. */
typedef struct sym_macro_scope {
    uint64_t pc;      /* 0: the unit is the one that `file` is the main file of, or else one that includes it */
    const char *file; /* full path */
    unsigned line;
} sym_macro_scope;

/* Whether anything is known of macros there. */
bool sym_macros_known(sym_table *table, const sym_macro_scope *scope);
/* What the name means there; false: it is no macro. */
bool sym_macro_find(sym_table *table, const sym_macro_scope *scope, const char *name, sym_macro *macro);
/* All macros of that name in the unit, or, for NULL, all that mean something at the scope, sorted by name.  Each is given out once. */
void sym_macro_each(sym_table *table, const sym_macro_scope *scope, const char *name, void (*tell)(void *self, const sym_macro *macro), void *self);

#endif
