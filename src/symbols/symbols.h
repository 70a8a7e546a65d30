/* symbols.h - the program as its source text sees it: functions, lines, scopes, variables, types.
 *
 * A sym_table holds the modules of one program.  A module is a file with code: an ELF file read with
 * libdw, found together with its separate debug file if it has one; class files later.
 *
 * SY1  nothing is read before it is needed: adding a module maps the file and looks at its headers;
 *     address questions read the unit that covers the address (through .debug_aranges where there is
 *     one); name questions use the ELF symbol table and, when that can't tell, an index of the
 *     top-level names that is built once, on the first such question;
 * SY2  foreign bytes are hostile: a broken file gives an error or less information, never a crash or
 *     an endless loop;
 * SY3  what is returned is owned by the table and lives until the module is removed, except where a
 *     vector of the caller's is filled;
 * SY4  addresses are run-time addresses everywhere in this interface: the bias of the module is
 *     already added. */
#ifndef EBB_SYMBOLS_SYMBOLS_H
#define EBB_SYMBOLS_SYMBOLS_H

#include "base/error.h"
#include "base/mem.h"
#include "symbols/type.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sym_table sym_table;
typedef struct sym_module sym_module;
typedef struct sym_function sym_function; /* a concrete or inlined function, see sym_function_info */
typedef struct sym_block sym_block;       /* a lexical scope */
typedef struct sym_variable sym_variable;

sym_table *sym_table_new(void);
void sym_table_free(sym_table *table);
sym_types *sym_table_types(sym_table *table); /* the pool that the table's types live in */

/* ---- modules ---------------------------------------------------------------------------------- */

/* Adds the ELF file at `path`, loaded with `bias`.  Only a file that isn't a usable x86-64 ELF file
 * fails; one without debug information, or with a broken part, is added (see sym_module_warning). */
ebb_status sym_table_add(sym_table *table, const char *path, uint64_t bias, sym_module **module, ebb_error *err) EBB_MUST_CHECK;
/* The same of a file that is elsewhere than its name says. */
ebb_status sym_table_add_as(sym_table *table, const char *name, const char *path, uint64_t bias, sym_module **module, ebb_error *err) EBB_MUST_CHECK;
/* The same for an ELF image held in memory (the vdso), which is copied. */
typedef struct sym_image {
    const char *name; /* the module's path */
    const void *bytes;
    size_t nbytes;
} sym_image;
ebb_status sym_table_add_image(sym_table *table, const sym_image *image, uint64_t bias, sym_module **module, ebb_error *err) EBB_MUST_CHECK;
void sym_table_remove(sym_table *table, sym_module *module);
/* Takes a module out of all answers, but what it gave stays good (SY3): its types may still be in use.  The table
 * frees it in the end, unless it is revived, which costs no reading. */
void sym_table_retire(sym_table *table, sym_module *module);
void sym_table_revive(sym_table *table, sym_module *module, uint64_t bias);
/* The same file at another address: when the program starts, a position-independent one moves. */
void sym_module_rebase(sym_module *module, uint64_t bias);
size_t sym_table_n_modules(const sym_table *table);
sym_module *sym_table_module(const sym_table *table, size_t i); /* in the order they were added */
sym_module *sym_module_at(sym_table *table, uint64_t addr); /* covering the address; NULL if none */

const char *sym_module_path(const sym_module *module);
const char *sym_module_debug_path(const sym_module *module); /* of the separate file; NULL if none */
bool sym_module_has_debug_info(const sym_module *module);
bool sym_module_text(const sym_module *module, uint64_t *lo, uint64_t *hi); /* where its .text is; false: it has none */
/* A line for the user about what could not be read (corrupt DWARF, ...); NULL if all is well. */
const char *sym_module_warning(const sym_module *module);
void sym_module_span(const sym_module *module, uint64_t *lo, uint64_t *hi);

/* ---- addresses to source ---------------------------------------------------------------------- */

typedef struct sym_line {
    const char *file; /* full path: compilation directory joined with the name in the line table */
    const char *name; /* as the line table has it, which is how gdb prints it */
    unsigned line, column;
    uint64_t lo, hi;  /* the addresses of this row, up to the next row (which may be of the same line) */
    bool is_stmt;     /* `lo` is the beginning of a statement */
} sym_line;

/* The line that the instruction at `addr` belongs to, as gdb sees it: code that the compiler gives no
 * line (line 0) counts to the row before it.  False if there is none. */
bool sym_line_at(sym_table *table, uint64_t addr, sym_line *line);

/* The nearest ELF symbol at or before `addr` in its section; NULL if there is none. */
const char *sym_symbol_at(sym_table *table, uint64_t addr, uint64_t *offset);

/* The name of a symbol as people write it: "shop::total(int)" of C++'s "_ZN4shop5totalEi", Rust's likewise.  Others come back as they are. */
const char *sym_shown_name(sym_table *table, const char *name);

/* ---- functions and scopes --------------------------------------------------------------------- */

typedef struct sym_function_info {
    const char *name;         /* as in the source, with all scopes around it: "shop::Item::cost" */
    const char *linkage_name; /* ELF name where it differs; else the same */
    const char *full_name;    /* C++: with its parameters, "shop::Item::cost(int) const"; else as `name` */
    const char *language;     /* "c", "c++", "rust", ...: in gdb's words */
    sym_type *type;           /* SYM_TYPE_FUNCTION; NULL without debug information */
    sym_module *module;
    uint64_t lo, hi;          /* the range that holds the entry; lo is the entry */
    const char *decl_file;    /* full path; NULL if unknown */
    unsigned decl_line;
    bool is_external;
    bool is_nested;           /* inside of another function, as GNU C has them */
    bool is_inlined;          /* this is an inlined instance: */
    const char *call_file;    /*   where it was called from */
    const char *call_file_name; /* the same as the line table has it */
    unsigned call_line;
} sym_function_info;

const sym_function_info *sym_function_get_info(const sym_function *function);

/* The functions whose code is at `addr`, innermost inlined instance first, the concrete function
 * last.  Fills up to `max` and returns how many there are.  0 without debug information. */
size_t sym_functions_at(sym_table *table, uint64_t addr, const sym_function **functions, size_t max);
/* Whether `inner`, which is nested, was written inside of `outer`. */
bool sym_function_encloses(const sym_function *outer, const sym_function *inner);
bool sym_function_covers(const sym_function *function, uint64_t addr); /* any of its ranges */
/* The n-th range of its code, in no order; false if it has fewer. */
bool sym_function_code(const sym_function *function, size_t n, uint64_t *lo, uint64_t *hi);

/* The innermost scope at `addr` that belongs to `function` (one of sym_functions_at there). */
const sym_block *sym_block_at(const sym_function *function, uint64_t addr);
const sym_block *sym_block_parent(const sym_block *block); /* NULL at the function's outermost one */
/* Variables and parameters of the scope, in order of declaration. */
const sym_variable *const *sym_block_variables(const sym_block *block, size_t *n);
/* What `name` means in that scope: a variable of it, or of the nearest one around it in the same function.  NULL if there is none,
 * or no block. */
const sym_variable *sym_block_find(const sym_block *block, const char *name);

/* ---- names to addresses ----------------------------------------------------------------------- */

typedef EBB_VEC(uint64_t) sym_addrs;
typedef EBB_VEC(const char *) sym_names;

/* One place where a breakpoint goes. */
typedef struct sym_spot {
    uint64_t addr;
    sym_module *module;
    const char *function; /* NULL if unknown */
    const char *file;     /* full path; NULL if unknown */
    const char *file_name; /* as the line table has it */
    unsigned line;        /* 0 if unknown */
} sym_spot;
typedef EBB_VEC(sym_spot) sym_spots;

/* Where to stop in the functions of that name (demangle.h: C++'s without what is around it, or with its parameters, too): after the prologue, and in each inlined instance.
 * `file` (may be NULL) restricts to functions of that source file.  A function known only to the ELF
 * symbol table counts too.  Spots are appended; EBB_NOT_FOUND if there are none. */
ebb_status sym_spots_of_function(sym_table *table, const char *file, const char *name, sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;

/* Where to stop for file:line.  `file` matches whole trailing path components.  A line without code
 * moves on to the next line that has some, as in gdb. */
ebb_status sym_spots_of_line(sym_table *table, const char *file, unsigned line, sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;

/* The spot of an address as such. */
sym_spot sym_spot_at(sym_table *table, uint64_t addr);

/* The first address after the prologue of the function that begins at `entry`. */
uint64_t sym_skip_prologue(sym_table *table, uint64_t entry);

/* Every concrete function that the name means (demangle.h), each once: of C++ there may be several.  Appended. */
typedef EBB_VEC(const sym_function *) sym_function_list;
void sym_functions_named(sym_table *table, const char *name, sym_function_list *found);
/* The concrete function of that name, an external one first; NULL if there is none. */
const sym_function *sym_function_find(sym_table *table, const char *name);
/* The entry of the concrete function or ELF symbol of that name.  False if there is none. */
bool sym_function_entry(sym_table *table, const char *name, uint64_t *entry, sym_type **type); /* type may be NULL */
/* The same, as seen from `near` (0: nowhere): a function of its own unit, static ones too, comes first. */
bool sym_function_entry_near(sym_table *table, const char *name, uint64_t near, uint64_t *entry, sym_type **type);
/* The address and size of an ELF data symbol without debug information. */
bool sym_symbol_address(sym_table *table, const char *name, uint64_t *addr, uint64_t *nbytes, bool *is_function);

/* Whether the code at `addr` is a chooser (STT_GNU_IFUNC): called, it answers the address of the function that
 * its name stands for on this CPU. */
bool sym_symbol_is_chooser(sym_table *table, uint64_t addr);

/* Source files, as full paths, that the program was built from; `match` NULL is all of them. */
void sym_source_files(sym_table *table, const char *match, sym_names *files);
/* How the unit was made whose main file is `file`, or else one that includes it; false if there is none. */
typedef struct sym_origin {
    const char *producer; /* NULL if unknown */
    const char *language; /* as sym_function_info has it */
    const char *directory; /* in which it was compiled; NULL if unknown */
    unsigned dwarf_version;
    bool has_macros;
} sym_origin;
bool sym_source_origin(sym_table *table, const char *file, sym_origin *origin);
/* Names of functions, variables, types and files that begin with `prefix`, sorted, for completion. */
typedef enum sym_name_kind {
    SYM_NAMES_FUNCTIONS = 1, SYM_NAMES_VARIABLES = 2, SYM_NAMES_TYPES = 4, SYM_NAMES_FILES = 8,
} sym_name_kind;
void sym_complete(sym_table *table, const char *prefix, unsigned kinds, size_t max, sym_names *names);
/* As `info functions/variables/types REGEX` list them: by file, then by name; last, what has no debug information.  Texts are borrowed for the call. */
typedef struct sym_listed {
    const char *file; /* NULL: no place is known */
    unsigned line;
    const char *name; /* C++: with scopes and parameters */
    const char *declaration;
} sym_listed;
typedef struct sym_searcher {
    void *self;
    void (*found)(void *self, const sym_listed *found);
    size_t at_most; /* so many are told; of the others only how many they are */
} sym_searcher;
ebb_status sym_search(sym_table *table, const char *regex, sym_name_kind kind, const sym_searcher *to, size_t *n_left_out, ebb_error *err) EBB_MUST_CHECK;

/* ---- types and variables by name -------------------------------------------------------------- */

/* `kind` is SYM_TYPE_STRUCT, _UNION, _ENUM for tags, SYM_TYPE_TYPEDEF for plain type names (typedefs
 * and basic types).  The unit that covers `near` (0: none) is asked first.  NULL if there is none. */
sym_type *sym_type_find(sym_table *table, sym_type_kind kind, const char *name, uint64_t near);

/* A global or file-static variable; the unit that covers `near` first, then external ones, then
 * statics of other units; the program itself before its libraries, wherever `near` is.  `file` (may be NULL) asks for the variable of that source file. */
const sym_variable *sym_variable_find(sym_table *table, const char *file, const char *name, uint64_t near);
/* A static variable inside the function of that name (gdb's 'function::variable'). */
const sym_variable *sym_variable_in_function(sym_table *table, const char *function, const char *name);
/* A constant of an enumeration visible from anywhere; false if there is none. */
bool sym_enumerator_find(sym_table *table, const char *name, uint64_t near, sym_type **type, int64_t *value);

typedef struct sym_variable_info {
    const char *name;
    sym_type *type;
    bool is_parameter;
    bool is_static;   /* lives in memory whether or not a frame is active */
    bool is_declaration; /* `extern` in a scope: in scope there, but no local of it */
    const char *decl_file;
    unsigned decl_line;
    sym_module *module;
} sym_variable_info;
const sym_variable_info *sym_variable_get_info(const sym_variable *variable);

/* ---- frames: registers, unwinding, locations -------------------------------------------------- */

/* Where the value that a register had in a frame is now. */
typedef enum sym_reg_kind {
    SYM_REG_UNKNOWN, /* a callee overwrote it */
    SYM_REG_LIVE,    /* in the CPU's register itself */
    SYM_REG_SAVED,   /* in memory at `addr` */
    SYM_REG_VALUE,   /* only the value is known (the stack pointer of a caller) */
} sym_reg_kind;

typedef struct sym_reg {
    sym_reg_kind kind;
    uint64_t addr;  /* SAVED */
    uint64_t value; /* all but UNKNOWN: the value */
} sym_reg;

enum { SYM_MAX_TAIL_CALLS = 16 };
enum { SYM_N_REGS = 17, SYM_REG_RBP = 6, SYM_REG_RSP = 7, SYM_REG_RIP = 16 }; /* DWARF numbers */

typedef struct sym_frame {
    sym_reg regs[SYM_N_REGS];
    uint64_t cfa;           /* canonical frame address, once unwound; 0 before */
    bool is_signal_frame;   /* this is the trampoline that the kernel pushed */
    bool pc_is_exact;       /* false: a return address, so the call is at pc - 1 */
    /* A function that is gone: it jumped (a tail call) to the one whose frame is one further in.  Registers are those of the
     * next frame further out that isn't gone; the CFA is that of the next one further in. */
    bool is_tail;
    unsigned n_tail;                        /* how many such frames there are from here on */
    uint64_t tail_pcs[SYM_MAX_TAIL_CALLS];  /* their pcs, outermost first */
    sym_reg return_pc;                      /* the pc of the one that isn't gone */
} sym_frame;

/* How the symbols read the debuggee. */
typedef struct sym_target {
    void *self;
    ebb_status (*read)(void *self, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err);
    /* A register that isn't among the SYM_N_REGS (xmm0 is 17, ...) in the innermost frame. */
    ebb_status (*reg)(void *self, int dwarf, void *bytes, size_t nbytes, ebb_error *err);
    ebb_status (*tls_block)(void *self, sym_module *module, uint64_t *block, ebb_error *err);
} sym_target;

/* Fills frame->cfa and makes `caller` the frame that called `frame`.  Uses .eh_frame and
 * .debug_frame, then, where there is none, frame pointers.  EBB_NOT_FOUND at the outermost frame. */
ebb_status sym_unwind(sym_table *table, const sym_target *target, sym_frame *frame, sym_frame *caller, ebb_error *err) EBB_MUST_CHECK;
/* Where the rules begin to hold by which a frame at pc is unwound: an instruction begins there.  0 if there are none. */
uint64_t sym_unwind_rules_begin(sym_table *table, uint64_t pc);

/* Where functions between the two left by a tail call, as far as debug information leaves no doubt, makes `caller`, which sym_unwind
 * gave for `frame`, the frame of the innermost of them. */
void sym_tail_frames(sym_table *table, const sym_frame *frame, sym_frame *caller);
/* The frame further out than one that is_tail. */
void sym_tail_caller(const sym_frame *tail, sym_frame *caller);

/* Where (a part of) a variable is. */
typedef enum sym_piece_kind {
    SYM_PIECE_OPTIMIZED_OUT,
    SYM_PIECE_MEMORY,   /* at addr */
    SYM_PIECE_REGISTER, /* in the register with that DWARF number, as of the frame */
    SYM_PIECE_VALUE,    /* nowhere: these bytes are the value */
    SYM_PIECE_POINTER,  /* a pointer to something that was optimised away */
} sym_piece_kind;

typedef struct sym_piece {
    sym_piece_kind kind;
    unsigned nbits;     /* 0: all of the variable */
    unsigned bit_offset; /* within what `kind` names */
    uint64_t addr;
    int reg;
    uint8_t bytes[16];      /* VALUE that fits */
    const uint8_t *block;   /* VALUE that doesn't; the table's */
    size_t block_nbytes;
} sym_piece;

/* The first `nbytes` of a VALUE.  Where it has fewer, the rest of `to` is left as it is. */
void sym_piece_copy(const sym_piece *piece, uint8_t *to, size_t nbytes);

enum { SYM_MAX_PIECES = 32 };

typedef struct sym_location {
    sym_piece pieces[SYM_MAX_PIECES];
    size_t n_pieces; /* 1 for nearly everything */
} sym_location;

/* Where `variable` is, as seen from `frame` (NULL is fine for statics) whose concrete function is
 * at frame's pc.  Optimised out is a location, not an error. */
ebb_status sym_variable_locate(const sym_variable *variable, const sym_target *target, sym_frame *frame, sym_location *location, ebb_error *err) EBB_MUST_CHECK;

/* The value that a parameter had when the frame's function was entered, where the caller's debug
 * information tells it (gdb's x@entry): the 64 bits of the register it was passed in. */
ebb_status sym_variable_entry_value(const sym_variable *parameter, const sym_target *target, sym_frame *frame, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;

/* The type that a variable-length array, or a pointer to one, has in `frame`: its bounds are computed.  Any other type, or
 * one whose bounds aren't known there, comes back as it is. */
sym_type *sym_type_resolve_dynamic(sym_type *type, const sym_target *target, sym_frame *frame);

#endif
