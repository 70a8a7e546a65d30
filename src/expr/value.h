/* value.h - a value of the debuggee: typed bytes, and where they came from.
 *
 * VA1  `bytes` holds sym_type_size(type) bytes (a bit-field holds its already extracted, sign-extended
 *     value in the declared type) unless the value is lazy;
 * VA2  a lazy value has a place and no bytes yet: expr_value_fetch reads them, so that &huge_array or
 *     sizeof never reads memory;
 * VA3  a value with parts that are not available says which, and every operation on such a part fails
 *     with EBB_UNAVAILABLE instead of inventing bits.
 * Values live in the arena of the evaluation that made them; expr_value_keep moves one to the heap. */
#ifndef EBB_EXPR_VALUE_H
#define EBB_EXPR_VALUE_H

#include "base/arena.h"
#include "base/error.h"
#include "symbols/symbols.h"
#include "symbols/type.h"

typedef enum expr_place_kind {
    EXPR_PLACE_NONE,     /* an rvalue */
    EXPR_PLACE_MEMORY,   /* at addr */
    EXPR_PLACE_REGISTER, /* register `reg` (the machine's index) of frame `frame` */
    EXPR_PLACE_PIECES,   /* described by `location` */
    EXPR_PLACE_CONVENIENCE, /* the variable $name */
} expr_place_kind;

struct expr_value;

typedef struct expr_place {
    expr_place_kind kind;
    uint64_t addr;
    int reg;      /* DWARF number, or -1 - machine index for registers without one */
    unsigned frame; /* level of the frame it was seen from */
    unsigned bit_offset, nbits; /* a bit-field within the bytes at addr; nbits == 0: none */
    const sym_location *location;
    const char *name; /* REGISTER: "rax", may be NULL; CONVENIENCE: the variable's, without the $ */
    /* A part of a value that isn't in memory: the whole and the byte where the part begins.  The
     * evaluator's own; the world only ever sees places of wholes. */
    const struct expr_value *whole;
    uint64_t whole_offset;
} expr_place;

typedef struct expr_value {
    sym_type *type;
    expr_place place;
    bool is_lazy;
    bool is_optimized_out; /* wholly */
    bool is_synthetic_pointer; /* points to something that was optimised away */
    sym_type *reference; /* it was seen through a reference of C++ of this type; NULL: it was not */
    uint8_t *bytes;
    /* One bit per byte that is not available (partly optimised out); NULL if all are there. */
    uint8_t *missing;
} expr_value;

/* What stands for the type of a symbol that only the ELF symbol table knows: find_name answers such
 * a function or variable in memory with this type, as gdb's "<text variable, no debug info>". */
sym_type *expr_type_without_debug_info(sym_types *types, bool is_function);
bool expr_type_has_no_debug_info(const sym_type *type);

#endif
