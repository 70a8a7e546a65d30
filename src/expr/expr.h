/* expr.h - expressions of the debugged language: parsed once, evaluated against a world.
 *
 * The parser makes a tree that knows nothing of any machine.  The evaluator asks a *world*, which the
 * session implements, for names, memory, registers and calls.  C's precedence, promotions, usual
 * arithmetic conversions and pointer arithmetic are its rules; gdb's extensions are there too:
 * `*p@n`, `$register`, `$convenience`, `$`, `$$`, `$$n`, `$n`, `file.c::name`, `function::name`,
 * `{type} addr`.  Java's rules are a second evaluator over the same kind of tree: java.h.
 *
 * XE1  evaluating has no effect on the debuggee unless the expression assigns, increments or calls;
 * XE2  whatever the text is, the answer is a value or one line of error: never a crash, no unbounded
 *     recursion, no unbounded memory. */
#ifndef EBB_EXPR_EXPR_H
#define EBB_EXPR_EXPR_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "expr/value.h"

typedef struct expr_node expr_node;

/* A function to be called. */
typedef struct expr_call {
    uint64_t addr;
    sym_type *type; /* the function's */
    const expr_value *args; /* converted to the types of the parameters */
    size_t n_args;
} expr_call;

/* A function of C++, whose name may be that of others, too. */
typedef struct expr_function {
    uint64_t addr;
    sym_type *type;
} expr_function;

typedef struct expr_world {
    void *self;
    sym_types *types;

    /* A plain name, or one qualified by a file or function (scope, may be NULL).  EBB_NOT_FOUND with
     * gdb's wording (No symbol "x" in current context.) if there is none.  The value may be lazy; it
     * is allocated from `arena`.  A type name answers EBB_NOT_FOUND here: see find_type.  The scope
     * "" asks for the file-level name, past local ones (`::x`).  A function is a value of its
     * function type in memory at its entry; an enumerator an rvalue of its enum type; a symbol
     * without debug information see expr_type_without_debug_info. */
    ebb_status (*find_name)(void *self, ebb_arena *arena, const char *scope, const char *name,
                            expr_value *value, ebb_error *err);
    /* kind: SYM_TYPE_STRUCT, _UNION, _ENUM or _TYPEDEF (plain name).  NULL if there is none. */
    sym_type *(*find_type)(void *self, sym_type_kind kind, const char *name);

    ebb_status (*read)(void *self, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err);
    ebb_status (*write)(void *self, uint64_t addr, const void *bytes, size_t nbytes,
                        ebb_error *err);
    /* $name that is a register of the selected frame; EBB_NOT_FOUND if it isn't a register. */
    ebb_status (*find_register)(void *self, ebb_arena *arena, const char *name, expr_value *value,
                              ebb_error *err);
    /* Bytes of / to a REGISTER or PIECES place.  When reading, `bytes` (sym_type_size(type)) and
     * `missing` (one bit a byte, all clear) are already allocated and only filled in: the world sets
     * the bits of bytes that are optimised out, or is_optimized_out if all of them are. */
    ebb_status (*read_place)(void *self, expr_value *value, ebb_error *err);
    ebb_status (*write_place)(void *self, const expr_place *place, sym_type *type,
                              const void *bytes, ebb_error *err);

    /* $name as a convenience variable (void if never set), and $, $$, $n of the value history. */
    ebb_status (*get_convenience)(void *self, ebb_arena *arena, const char *name,
                              expr_value *value, ebb_error *err);
    ebb_status (*set_convenience)(void *self, const char *name, const expr_value *value,
                              ebb_error *err);
    ebb_status (*get_history)(void *self, ebb_arena *arena, long index_from, bool relative_to_end,
                              expr_value *value, ebb_error *err);

    ebb_status (*call)(void *self, ebb_arena *arena, const expr_call *call, expr_value *result, ebb_error *err);
    /* Puts bytes into the debuggee for a string literal or array that is passed to a call. */
    ebb_status (*place_bytes)(void *self, const void *bytes, size_t nbytes, uint64_t *addr,
                              ebb_error *err);
    /* Functions of C++ that the name means in that scope; without one, in the innermost of those around the selected frame that has any.
     * How many; 0 if the name is none of C++'s.  NULL: there are never any. */
    size_t (*find_functions)(void *self, ebb_arena *arena, const char *scope, const char *name, const expr_function **functions);
    /* Whether the selected frame is in code of C++, whose comparisons are of type bool.  NULL: it never is. */
    bool (*is_cplus)(void *self);
    bool (*is_rust)(void *self); /* the same of Rust; NULL: never */
    /* Where the code is that linkers know by that name; false if there is none.  NULL: there never is. */
    bool (*find_linked)(void *self, const char *linkage_name, uint64_t *addr);
    /* Appends "<main+4>" for an address in code or data; false if it is in neither. */
    bool (*symbolise)(void *self, uint64_t addr, bool data_too, ebb_buf *out);
    /* The text with the preprocessor's macros replaced (macro.h), or the text itself.  NULL: there are none. */
    ebb_status (*expand)(void *self, ebb_arena *arena, const char *text, const char **expanded, ebb_error *err);
    /* What a setting of the debugger is, as text; EBB_NOT_FOUND if there is none of that name.  NULL: there are none. */
    ebb_status (*setting)(void *self, const char *name, ebb_buf *text);
    /* The name of the function in a frame, counted outward from the selected one; NULL if there are fewer frames.  NULL: there are none. */
    const char *(*function_of)(void *self, uint64_t n_outward);
} expr_world;

/* ---- parsing ----------------------------------------------------------------------------------
 * The tree lives in `arena`.  Whether an identifier in a cast position is a type is asked of the
 * world, which must be the same one when evaluating. */
ebb_status expr_parse(ebb_arena *arena, const expr_world *world, const char *text,
                      const expr_node **tree, ebb_error *err) EBB_MUST_CHECK;
/* Parses as much as is an expression; *rest points after it (for `break x if cond`, `x/4 a, b`). */
ebb_status expr_parse_prefix(ebb_arena *arena, const expr_world *world, const char *text,
                             const expr_node **tree, const char **rest, ebb_error *err) EBB_MUST_CHECK;
/* A type name alone ("struct point *"), for ptype, whatis, sizeof; EBB_NOT_FOUND if it isn't one. */
ebb_status expr_parse_type(ebb_arena *arena, const expr_world *world, const char *text,
                           sym_type **type, ebb_error *err) EBB_MUST_CHECK;

/* ---- evaluating ------------------------------------------------------------------------------- */
ebb_status expr_eval(ebb_arena *arena, const expr_world *world, const expr_node *tree,
                     expr_value *value, ebb_error *err) EBB_MUST_CHECK;
/* Only the type; reads nothing and changes nothing.  A tree that is a type name gives that type. */
ebb_status expr_type_of(ebb_arena *arena, const expr_world *world, const expr_node *tree,
                        sym_type **type, bool *is_type_name, ebb_error *err) EBB_MUST_CHECK;
/* Parse and evaluate in one go. */
ebb_status expr_evaluate(ebb_arena *arena, const expr_world *world, const char *text,
                         expr_value *value, ebb_error *err) EBB_MUST_CHECK;

/* Reads a lazy value.  Bytes that are optimised out are no error here: see VA3.  A value of more than a
 * megabyte stays lazy, and `bytes` NULL: expr_print reads of it what it shows. */
ebb_status expr_value_fetch(ebb_arena *arena, const expr_world *world, expr_value *value,
                            ebb_error *err) EBB_MUST_CHECK;
/* As a number or address, as C would convert it. */
ebb_status expr_value_to_u64(ebb_arena *arena, const expr_world *world, expr_value *value,
                             uint64_t *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status expr_value_to_bool(ebb_arena *arena, const expr_world *world, expr_value *value,
                              bool *out, ebb_error *err) EBB_MUST_CHECK;
expr_value expr_value_of_u64(ebb_arena *arena, sym_type *type, uint64_t number);
expr_value expr_value_of_bytes(ebb_arena *arena, sym_type *type, const void *bytes);
/* Deep copy that survives its arena; expr_value_drop frees it. */
expr_value expr_value_keep(const expr_value *value);
void expr_value_drop(expr_value *value);

/* ---- printing --------------------------------------------------------------------------------- */
typedef struct expr_format {
    char letter;      /* x d u o t z c s a f i, or 0 for natural */
    char size;        /* b h w g, or 0 */
    bool raw;
    unsigned elements_limit; /* `set print elements`; 0 is unlimited; gdb's default is 200 */
    unsigned repeats_limit;  /* `set print repeats`: 10 */
    unsigned depth_limit;    /* `set print max-depth`: 20; 0 is unlimited */
    bool pretty;      /* `set print pretty` */
    bool address;     /* `set print address`: on */
    bool symbol;      /* `set print symbol`: on */
    bool null_stop, array_indexes, union_members;
    bool object;      /* `set print object`: as the class that an object really is of */
    bool array_lines; /* each element of an array on a line of its own */
} expr_format;

expr_format expr_format_default(void);
/* "/4xw" after a command: count, letter and size in any order; *rest after the blanks. */
ebb_status expr_format_parse(const char *text, expr_format *format, long *count,
                             const char **rest, ebb_error *err) EBB_MUST_CHECK;
/* Appends the value as gdb prints it after "$1 = ".  A part that can't be read is shown as gdb does,
 * <error: Cannot access memory at address 0x…>, <optimized out>, <unavailable>. */
ebb_status expr_print(ebb_arena *arena, const expr_world *world, const expr_format *format,
                      expr_value *value, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;
/* As expr_print at the top level of `print`: pointers are preceded by "(type *) ". */
ebb_status expr_print_top(ebb_arena *arena, const expr_world *world, const expr_format *format,
                          expr_value *value, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;
/* As in a frame line, `print frame-arguments scalars`: aggregates are "...". */
ebb_status expr_print_brief(ebb_arena *arena, const expr_world *world, const expr_format *format,
                            expr_value *value, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

#endif
