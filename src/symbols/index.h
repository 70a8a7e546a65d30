/* index.h - the top-level names of a module's debug information.
 *
 * Built once, by one pass over .debug_info that looks at names and skips the rest (functions are
 * passed over through DW_AT_sibling where there is one).
 *
 * SI1  definitions only: `extern int x;` and `struct s;` aren't in it;
 * SI2  entries of one name come in the order of the DIEs. */
#ifndef EBB_SYMBOLS_INDEX_H
#define EBB_SYMBOLS_INDEX_H

#include "symbols/symbols_private.h"

typedef enum sym_entry_kind {
    SYM_ENTRY_FUNCTION, /* with code of its own */
    SYM_ENTRY_INLINE,   /* abstract: may have inlined instances */
    SYM_ENTRY_VARIABLE,
    SYM_ENTRY_STRUCT,
    SYM_ENTRY_UNION,
    SYM_ENTRY_ENUM,
    SYM_ENTRY_TYPEDEF,
    SYM_ENTRY_BASE,
    SYM_ENTRY_ENUMERATOR,
} sym_entry_kind;

typedef struct sym_entry {
    const char *name; /* in the file */
    uint64_t offset;  /* of the DIE, in the unit's section */
    uint32_t unit;    /* index in module->units */
    uint32_t next;    /* of the same hash: index + 1 */
    uint32_t hash;
    uint8_t kind;     /* sym_entry_kind */
    bool is_external;
} sym_entry;

typedef struct sym_index {
    EBB_VEC(sym_entry) entries; /* in order of the DIEs */
    uint32_t *buckets;          /* first entry + 1; 0 is empty */
    size_t n_buckets;           /* a power of two */
    bool has_cross_unit_origins; /* after link-time optimisation or dwz, instances and their abstract
                                  * origins are in different units */
} sym_index;

sym_index *sym_module_index(sym_module *module); /* never NULL */
void sym_index_free(sym_index *index);

/* The entries of a name: for (e = first(...); e; e = next(...)). */
const sym_entry *sym_index_first(const sym_index *index, const char *name);
const sym_entry *sym_index_next(const sym_index *index, const sym_entry *entry);

bool sym_entry_die(sym_module *module, const sym_entry *entry, Dwarf_Die *die);
sym_unit *sym_entry_unit(sym_module *module, const sym_entry *entry);

unsigned sym_names_of_kind(uint8_t kind); /* of a sym_entry: one of sym_name_kind */

/* Whether the function at `die` is what a person calls `wanted` (demangle.h). */
bool sym_die_is_called(sym_module *module, Dwarf_Die *die, const char *wanted);

/* Every unit with an inlined instance of the abstract function at `origin` in .debug_info.  This is a
 * pass over all DIEs; where origins don't cross units, there is no need for it. */
typedef void sym_unit_fn(sym_unit *unit, void *self);
void sym_index_each_instance_unit(sym_module *module, uint64_t origin, sym_unit_fn *fn, void *self);

/* The definition of a struct, union or enum; `first` is asked before the other modules. */
sym_type *sym_index_find_definition(sym_table *table, const sym_type *declared, const char *own_name, sym_module *first);
/* The definition of an external variable. */
const sym_variable *sym_index_find_variable(sym_table *table, const char *name, sym_module *first);

#endif
