/* macro.h - the preprocessor's half of an expression: macros replaced by what they stand for.
 *
 * It works on text, as the preprocessor does: names that are macros are replaced, arguments are put in (as text after #, joined at ##,
 * with their own macros replaced elsewhere), and the result is looked at again together with what follows it.  A macro's own name in its
 * replacement stays as it is.
 *
 * MX1  whatever macros there are, it ends: no macro is replaced within itself, and the result is bounded. */
#ifndef EBB_EXPR_MACRO_H
#define EBB_EXPR_MACRO_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

typedef struct expr_macro {
    const char *parameters; /* "x, y", "fmt, ...", ""; NULL: it takes no arguments */
    const char *body;
} expr_macro;

typedef struct expr_macros {
    void *self;
    bool (*find)(void *self, ebb_arena *arena, const char *name, expr_macro *macro);
} expr_macros;

/* *out is `text` itself if there is nothing to replace. */
ebb_status expr_macro_expand(ebb_arena *arena, const expr_macros *macros, const char *text, const char **out, ebb_error *err) EBB_MUST_CHECK;

#endif
