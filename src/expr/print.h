/* print.h - what the parts of the printer share.
 *
 * PR1  the text is gdb's, to the byte, for the same value and settings;
 * PR2  what can't be read inside a larger value is shown in its place; at the top it is an error;
 * PR3  printing reads what it prints, and the run of repeated elements that it is counting. */
#ifndef EBB_EXPR_PRINT_H
#define EBB_EXPR_PRINT_H

#include "expr/eval.h"

enum { EXPR_MAX_VIRTUAL_BASES = 32 };

typedef struct expr_printer {
    ebb_arena *arena;
    const expr_world *world;
    const expr_format *format;
    ebb_buf *out;
    ebb_error *err;
    bool is_summary; /* one line, in a frame's: of containers not what is in them */
    bool prints_base; /* the struct that comes next is a base of the one around it */
    sym_type *virtual_bases[EXPR_MAX_VIRTUAL_BASES]; /* that were shown of the object, from virtual_from on */
    size_t n_virtual_bases, virtual_from;
} expr_printer;

/* print.c: `depth` is how many aggregates are open around the value. */
ebb_status expr_print_value(expr_printer *printer, expr_value *value,
                            unsigned depth) EBB_MUST_CHECK;

/* print_scalar.c: naturally, from bytes that are there. */
void expr_print_scalar(expr_printer *printer, sym_type *type, const uint8_t *bytes);
void expr_print_float(expr_printer *printer, sym_type *type, const uint8_t *bytes);
void expr_print_pointer(expr_printer *printer, sym_type *target, uint64_t addr);
void expr_print_integer(expr_printer *printer, const uint8_t *bytes, size_t nbytes, bool is_signed);
void expr_print_function(expr_printer *printer, const expr_value *function);
void expr_print_type(expr_printer *printer, sym_type *type);

/* print_format.c: by printer->format->letter, which isn't 0 or 's'. */
ebb_status expr_print_formatted(expr_printer *printer, sym_type *type,
                                const uint8_t *bytes) EBB_MUST_CHECK;

/* print_string.c */
/* How characters of a type are written: "" for char, "L" for wchar_t, "u", "U"; NULL if it isn't
 * one.  With the letter 's' any integer of one byte is one too, with other letters nothing is. */
const char *expr_text_prefix(sym_type *type, char letter);
void expr_print_character(expr_printer *printer, sym_type *type, uint32_t code);
/* `n` characters; a final NUL is left away unless more follows, which is shown by dots. */
void expr_print_text(expr_printer *printer, sym_type *type, const uint8_t *bytes, size_t n,
                     bool more_follows);
/* The string at `addr` up to its NUL or the limit, and how many bytes that were. */
size_t expr_print_text_at(expr_printer *printer, sym_type *type, uint64_t addr);

/* print_aggregate.c */
ebb_status expr_print_struct(expr_printer *printer, expr_value *value,
                             unsigned depth) EBB_MUST_CHECK;
ebb_status expr_print_array(expr_printer *printer, expr_value *value,
                            unsigned depth) EBB_MUST_CHECK;

#endif
