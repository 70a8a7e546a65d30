/* rust.h - values of Rust as Rust writes them: structs, tuples, enums, texts, slices.
 *
 * The forms are gdb's for Rust.  A String and a Vec, which gdb shows member by member, are shown as what they hold, as those of C++'s library are
 * (library.h), unless the format is `r`.
 *
 * RU1  nothing of the program is executed;
 * RU2  an enum whose discriminant is that of no form is shown as such, never as one of them. */
#ifndef EBB_EXPR_RUST_H
#define EBB_EXPR_RUST_H

#include "expr/print.h"

/* A STRUCT or UNION whose bytes are there. */
ebb_status expr_print_rust(expr_printer *printer, expr_value *value, unsigned depth) EBB_MUST_CHECK;

/* The form that an enum has, as the struct of its fields, so that its members can be asked for; anything else is left as it is. */
ebb_status expr_rust_form(expr_ev *ev, const char *member, expr_value *value) EBB_MUST_CHECK;
/* Element i of a slice, a Vec or a text; false if it is none. */
bool expr_rust_element(expr_ev *ev, const expr_value *container, uint64_t i, expr_value *out);
/* How many elements it has that are shown one by one: a text has none, as it is shown whole. */
bool expr_rust_count(expr_ev *ev, const expr_value *container, uint64_t *n);

#endif
