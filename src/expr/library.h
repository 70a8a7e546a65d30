/* library.h - objects of C++'s library (GNU's, libstdc++) as what they hold.
 *
 * A std::vector is three pointers in a base of a base to the debug information; to a person it is its elements.  What is known of each class is a row
 * of library.def: how it is called, and what it is.  How to get at what it holds is told by its members' names, which have been the same for
 * many versions.  An object whose members are not as expected, or can't be read, is shown like any other struct.
 *
 * LB1  nothing of the program is executed;
 * LB2  what is damaged (a length beyond all memory, a tree with a cycle) ends at the limit on elements. */
#ifndef EBB_EXPR_LIBRARY_H
#define EBB_EXPR_LIBRARY_H

#include "expr/cplus.h"
#include "expr/print.h"

typedef enum expr_library {
    EXPR_LIBRARY_NONE,
#define EXPR_LIBRARY_CLASS(kind, name, shown)
#define EXPR_LIBRARY_KIND(kind, way, form, print) EXPR_LIBRARY_##kind,
#include "expr/library.def"
#undef EXPR_LIBRARY_CLASS
#undef EXPR_LIBRARY_KIND
} expr_library;

/* Which kind of object a value of that type is; *shown is what it is called. */
expr_library expr_library_of(sym_type *type, const char **shown);

/* Shows the object; false if it isn't what it should be, and nothing was shown. */
bool expr_print_library(expr_printer *printer, expr_value *value, unsigned depth);

/* What operators would give, had the program been asked: container[i] of those that have their elements in a row, *pointer and pointer->. */
bool expr_library_element(expr_ev *ev, const expr_value *container, uint64_t i, expr_value *out);
bool expr_library_pointee(expr_ev *ev, const expr_value *pointer, expr_value *out);
/* What a member function would give that only tells something about the object: size(), empty(), front(), get(), ...  False if it isn't known. */
bool expr_library_method(expr_ev *ev, const expr_value *object, const char *name, const expr_args *args, expr_value *out);
/* How many elements it has. */
bool expr_library_count(expr_ev *ev, const expr_value *object, uint64_t *count);
/* What a map has for the first key of which is_key says so; false if there is none, or if it is no map. */
typedef bool expr_library_is_key(void *self, expr_value *key);
bool expr_library_find(expr_ev *ev, const expr_value *container, expr_library_is_key *is_key, void *self, expr_value *value);
/* The pointer that a smart pointer holds. */
bool expr_library_pointer(expr_ev *ev, const expr_value *object, expr_value *pointer);
/* Whether a std::optional holds something. */
bool expr_library_is_engaged(expr_ev *ev, const expr_value *object, bool *is_there);
/* The characters of a string, as one value: an array of them. */
bool expr_library_text(expr_ev *ev, const expr_value *object, expr_value *out);

/* ---- piece by piece: what an object holds, as it is shown --------------------------------------------------------------------- */

/* container[i]; numbered, without such an operator; by keys; the only one, of what is a pointer, an optional, a variant, ... */
typedef enum expr_pieces { EXPR_PIECES_INDEXED, EXPR_PIECES_NUMBERED, EXPR_PIECES_KEYED, EXPR_PIECES_ONE } expr_pieces;
/* How many; a string has none, as it is shown whole.  False: it is no object that holds something, or not as it should be. */
bool expr_library_pieces(expr_ev *ev, const expr_value *object, expr_pieces *form, uint64_t *n);

typedef struct expr_piece {
    uint64_t i;
    expr_value key; /* if they are KEYED */
    expr_value value;
} expr_piece;
typedef void expr_piece_fn(void *self, expr_piece *piece);
/* At most n of them, from `first` on. */
void expr_library_each_piece(expr_ev *ev, const expr_value *object, uint64_t first, uint64_t n, expr_piece_fn *each, void *self);
/* One of them; of those with keys, the pair. */
ebb_status expr_library_piece(expr_ev *ev, const expr_value *object, uint64_t i, expr_value *out) EBB_MUST_CHECK;

#endif
