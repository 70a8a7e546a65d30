/* expr_fake.h - a world for expressions without a debuggee: a block of memory, variables, registers.
 *
 * Types are written as C writes them ("int [5]", "struct point *"); structs are laid out as the
 * compiler would.  Everything is freed by fake_fini. */
#ifndef EBB_TESTS_EXPR_FAKE_H
#define EBB_TESTS_EXPR_FAKE_H

#include "expr/expr.h"

enum { FAKE_BASE = 0x10000, FAKE_NBYTES = 1 << 20, FAKE_MAX_SYMBOLS = 200, FAKE_MAX_HISTORY = 16 };

typedef struct fake_symbol {
    const char *name;
    expr_value value;   /* lazy, in memory, unless it is a register or constant */
    uint64_t nbytes;
    uint64_t (*call)(const expr_value *args, size_t n_args); /* of a function */
    bool is_type, is_register, is_convenience;
    uint8_t bytes[64];  /* of a register */
} fake_symbol;

typedef struct fake_world {
    expr_world world;
    ebb_arena arena;
    ebb_error err;
    uint8_t *memory;
    uint64_t used;
    fake_symbol symbols[FAKE_MAX_SYMBOLS];
    size_t n_symbols;
    expr_value history[FAKE_MAX_HISTORY];
    size_t n_history;
    size_t n_writes, n_reads, n_bytes_read, n_calls;
    expr_format format;
    ebb_buf text;
} fake_world;

void fake_init(fake_world *fake);
void fake_fini(fake_world *fake);

sym_type *fake_type(fake_world *fake, const char *text);
/* A variable with these bytes (NULL: zeros); its address. */
uint64_t fake_variable(fake_world *fake, const char *type, const char *name, const void *bytes);
/* "point", "int x; int y;" - also bit-fields "unsigned a:3" and members of made types. */
sym_type *fake_struct(fake_world *fake, sym_type_kind kind, const char *tag, const char *members);
sym_type *fake_enum(fake_world *fake, const char *tag, const sym_enumerator *enumerators, size_t n);
sym_type *fake_typedef(fake_world *fake, const char *type, const char *name);
uint64_t fake_function(fake_world *fake, const char *type, const char *name, uint64_t (*call)(const expr_value *args, size_t n_args));
void fake_register(fake_world *fake, const char *type, const char *name, uint64_t value);
/* A variable that lives in a register. */
void fake_in_register(fake_world *fake, const char *type, const char *name, const char *register_name, uint64_t value);

/* The text that `print EXPRESSION` shows, or "! " and the error; borrowed until the next call. */
const char *fake_print(fake_world *fake, const char *expression);
/* The same with a format: "/x counter". */
const char *fake_whatis(fake_world *fake, const char *expression);

#endif
