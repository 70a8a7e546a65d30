/* symbols_private.h - what the files of this folder share.
 *
 * SP1  addresses in these structures are the file's own; the bias is added where an answer leaves
 *      the folder (SY4) and taken off where a question enters it;
 * SP2  everything here lives in the arena of its module, except where a free is named;
 * SP3  lazily made parts have a flag `..._read`; whoever needs the part calls the reader, which is
 *      free when the flag is set.  The questions of symbols.h take const objects: filling in what
 *      they would have held from the start is not a change that a caller could see. */
#ifndef EBB_SYMBOLS_PRIVATE_H
#define EBB_SYMBOLS_PRIVATE_H

#include "symbols/symbols.h"
#include "symbols/elf_file.h"
#include "base/arena.h"
#include "base/map.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

typedef struct sym_unit sym_unit;

typedef struct sym_range {
    uint64_t lo, hi;
} sym_range;

typedef EBB_VEC(sym_range) sym_ranges;

struct sym_table {
    EBB_VEC(sym_module *) modules;
    EBB_VEC(sym_module *) retired; /* out of use, alive for what they gave */
    sym_types *types;
    ebb_map *shown_names; /* mangled -> char *, as people write them; owned */
    unsigned generation; /* counts changes of `modules`: what was looked up in vain may be there now */
};

/* The debug sections as bytes, for what we read ourselves. */
typedef struct sym_sections {
    sym_bytes info, types, abbrev, str, line, line_str, str_offsets, aranges, loc, loclists, addr, alt_str;
} sym_sections;

/* An ELF symbol with an address. */
typedef struct sym_symbol {
    uint64_t addr, nbytes;
    const char *name;
    uint8_t type;    /* STT_* */
    uint8_t binding; /* STB_* */
    bool is_plt;     /* the linker's stub for the function `name`; made up here */
    bool is_old;     /* a version for programs that were linked long ago ("exp@GLIBC_2.2.5") */
    uint32_t next_same; /* index + 1 of another symbol with that name; 0: no more */
} sym_symbol;

typedef struct sym_unit_range {
    uint64_t lo, hi;
    sym_unit *unit;
} sym_unit_range;

struct sym_module {
    sym_table *table;
    uint64_t bias;
    uint64_t lo, hi; /* the span of the loadable segments */
    sym_ranges code; /* the executable ones */
    ebb_arena arena;
    char *warning;   /* free() */

    sym_elf file;
    sym_elf debug;      /* closed if the file has its debug information itself, or there is none */
    sym_elf *info_file; /* the one with .debug_info; NULL if neither */

    bool dwarf_read;
    Dwarf *dwarf; /* NULL if there is none or it is broken */
    sym_sections sections;

    bool units_read;
    EBB_VEC(sym_unit *) units; /* those of .debug_info by offset, then those of .debug_types */
    size_t n_info_units;
    ebb_map *split_units; /* Dwarf of a split file -> its unit */
    bool unit_ranges_read;
    EBB_VEC(sym_unit_range) unit_ranges; /* by address */

    bool symbols_read;
    EBB_VEC(sym_symbol) symbols; /* by address */
    ebb_map *scoped_names;       /* DIE -> name in full, of those that have something around them (scopes.h) */
    ebb_map *symbols_by_name;    /* name -> index + 1 of the best one */
    ebb_map *copies;             /* name -> address of the program's own copy of a library's variable */

    struct sym_index *index; /* NULL until needed */
    ebb_map *types;          /* address of the DIE -> sym_type */
    ebb_map *variables;      /* address of the DIE -> sym_variable */

    bool cfi_read;
    Dwarf_CFI *eh_cfi;    /* of the file; dwarf_cfi_end */
    Dwarf_CFI *debug_cfi; /* libdw's */
};

typedef struct sym_function_range {
    uint64_t lo, hi;
    sym_function *function;
} sym_function_range;

typedef struct sym_macros sym_macros; /* macros.c */

struct sym_unit {
    sym_module *module;
    size_t index; /* in module->units */

    /* From the header. */
    bool is_in_types;     /* .debug_types, where DWARF 4 put its type units */
    uint64_t offset, end; /* in its section */
    /* Where its DIEs are.  Of a split unit (split.c) that is another file, once the unit is open; what follows is of the header
     * there, too. */
    const sym_sections *sections;
    uint64_t dies_start, die_offset, dies_end; /* in sym_unit_section: what references count from, its own DIE, the end */
    uint64_t abbrev_offset;
    uint16_t version;
    uint8_t unit_type; /* DW_UT_*; 0 before DWARF 5 */
    uint8_t offset_size;

    bool is_open; /* from here on: valid once sym_unit_open returned true */
    bool is_broken;
    Dwarf_Die die;
    Dwarf *split;       /* the file that the DIEs are in; NULL: they aren't split off */
    Dwarf_Die skeleton; /* what the module itself has: bases, ranges and lines; `die`, if they aren't */
    const char *name, *comp_dir, *producer;
    int language;

    bool locations_valid_read, locations_valid;

    struct sym_lines *lines; /* NULL until needed */
    sym_macros *macros;      /* macros.c; NULL until needed */

    bool scopes_read; /* scopes.h */
    bool functions_read, nested_read;
    EBB_VEC(sym_function *) functions;              /* concrete ones, in order of the DIEs */
    EBB_VEC(sym_function_range) function_ranges; /* by address */
};

struct sym_function {
    sym_function_info info;
    bool info_read;
    sym_unit *unit;
    Dwarf_Die die;
    sym_range *ranges; /* at least one; the first holds the entry */
    size_t n_ranges;
    bool is_nested; /* inside of another one: GNU C */
    sym_function *concrete; /* itself, or for an inlined instance where it was inlined into */
    bool tree_read;         /* of a concrete function: block and everything below it */
    sym_block *block;       /* the outermost one */
};

struct sym_block {
    sym_function *function;
    sym_block *outer; /* also across the border of an inlined function; NULL at the concrete one's */
    sym_block *first_child, *last_child, *next;
    sym_range *ranges;
    size_t n_ranges;
    Dwarf_Die die;
    bool variables_read;
    const sym_variable **variables;
    size_t n_variables;
};

struct sym_variable {
    sym_variable_info info;
    bool info_read;
    sym_unit *unit;
    Dwarf_Die die;
    Dwarf_Die definition;    /* of an `extern` declaration; zeroed otherwise */
};

/* ---- module.c --------------------------------------------------------------------------------- */

/* Remembers the first thing that went wrong, for sym_module_warning. */
void sym_module_warn(sym_module *module, const char *format, ...) __attribute__((format(printf, 2, 3)));
Dwarf *sym_module_dwarf(sym_module *module);
/* The debug sections of a file, whose names end in `suffix`. */
void sym_sections_read(const sym_elf *file, const char *suffix, sym_sections *out);
/* Bytes of code as the file has them; false where it has none. */
bool sym_module_code(const sym_module *module, uint64_t addr, void *bytes, size_t nbytes);
bool sym_module_has_code_at(const sym_module *module, uint64_t addr);

/* ---- macros.c --------------------------------------------------------------------------------- */

void sym_macros_free(sym_macros *macros);

/* ---- units.c ---------------------------------------------------------------------------------- */

void sym_units_read(sym_module *module);
sym_bytes sym_unit_section(const sym_unit *unit); /* with its DIEs */
/* Reads the header at `offset` of that section: sets the fields from `offset` on, but not `sections`. */
bool sym_unit_read_header(sym_unit *unit, sym_bytes section, uint64_t offset);
bool sym_unit_open(sym_unit *unit);
bool sym_unit_die_at(sym_unit *unit, uint64_t offset, Dwarf_Die *die);
sym_unit *sym_unit_at(sym_module *module, uint64_t addr);          /* covering the file address */
sym_unit *sym_unit_of_offset(sym_module *module, uint64_t offset); /* covering it in .debug_info */
const char *sym_unit_language(const sym_unit *unit); /* in gdb's words */
sym_unit *sym_unit_of_die(sym_module *module, Dwarf_Die *die);     /* NULL: in another file */
bool sym_unit_locations_valid(sym_unit *unit);

/* ---- split.c ---------------------------------------------------------------------------------- */

/* If the unit's DIE is a skeleton, opens the file with the others and lets `unit` stand for what is there. */
void sym_unit_open_split(sym_unit *unit);
/* The offset of a thread-local variable in its block: gcc gives split units an address in the block's initial image instead. */
uint64_t sym_split_tls_offset(sym_module *module, uint64_t offset_or_addr);

/* ---- die.c: libdw with our rules -------------------------------------------------------------- */

bool sym_die_flag(Dwarf_Die *die, unsigned name);
bool sym_die_has(Dwarf_Die *die, unsigned name);
bool sym_die_unsigned(Dwarf_Die *die, unsigned name, uint64_t *value);
bool sym_die_ref(Dwarf_Die *die, unsigned name, Dwarf_Die *target);
const char *sym_die_name(Dwarf_Die *die);
const char *sym_die_linkage_name(Dwarf_Die *die); /* NULL: it has none, and its own name counts */         /* through abstract origins; NULL if none */
const char *sym_die_own_name(Dwarf_Die *die);
bool sym_die_type(Dwarf_Die *die, Dwarf_Die *type); /* through abstract origins */
/* The source position of a declaration; the file is NULL if unknown. */
void sym_die_decl(sym_module *module, Dwarf_Die *die, const char **file, unsigned *line);
/* The ranges of a DIE, empty and removed ones left out. */
size_t sym_die_ranges(sym_module *module, Dwarf_Die *die, ebb_arena *arena, sym_range **ranges);
bool sym_ranges_cover(const sym_range *ranges, size_t n, uint64_t addr);

/* ---- functions.c ------------------------------------------------------------------------------ */

void sym_unit_read_functions(sym_unit *unit);
/* Names, language and type of the function at `die`, whether it has code or not; the rest stays empty. */
void sym_function_names(sym_unit *unit, Dwarf_Die *die, sym_function_info *info);
sym_function *sym_function_of_addr(sym_module *module, uint64_t addr); /* the concrete one */
/* Any DIE of a concrete function; NULL if it has no code. */
sym_function *sym_function_of_die(sym_unit *unit, Dwarf_Die *die);

void sym_functions_forget_addresses(sym_unit *unit); /* the bias has changed */
/* For every inlined instance in the unit of the abstract function at `origin`. */
typedef void sym_instance_fn(sym_function *instance, void *self);
void sym_unit_each_instance(sym_unit *unit, Dwarf_Die *origin, sym_instance_fn *fn, void *self);

/* ---- blocks.c --------------------------------------------------------------------------------- */

void sym_function_read_tree(sym_function *function);
/* The innermost block at the file address, in whatever function; NULL if none. */
sym_block *sym_innermost_block(sym_function *concrete, uint64_t addr);

/* ---- types_dwarf.c ---------------------------------------------------------------------------- */

sym_type *sym_type_of_die(sym_module *module, Dwarf_Die *die);
/* What DW_AT_type of `die` names; void without one. */
sym_type *sym_type_of_attr(sym_module *module, Dwarf_Die *die);
void sym_types_forget_module(sym_module *module);

/* ---- variables.c ------------------------------------------------------------------------------ */

const sym_variable *sym_variable_of_die(sym_unit *unit, Dwarf_Die *die);

/* ---- elf_symbols.c ---------------------------------------------------------------------------- */

void sym_symbols_read(sym_module *module);
const sym_symbol *sym_symbol_covering(sym_module *module, uint64_t addr);
const sym_symbol *sym_symbol_named(sym_module *module, const char *name); /* the best one: what a program of today is linked to */
const sym_symbol *sym_symbol_next_named(const sym_module *module, const sym_symbol *symbol); /* NULL: no more */
/* A library's variable that the program uses directly (stdout, optarg) lives in the program: the loader copies it there
 * (R_X86_64_COPY), and everybody uses that copy.  False if `module` holds no copy of that name. */
bool sym_symbol_copied(sym_module *module, const char *name, uint64_t *addr);

#endif
