/* data.h - looking at values, memory, registers and code, and changing them. */
#ifndef EBB_SESSION_DATA_H
#define EBB_SESSION_DATA_H

#include "machine/native.h"
#include "session/frames.h"
#include "session/session.h"

/* The world that expressions see from the selected frame; works (for statics, types and constants)
 * before the program runs, too. */
const expr_world *ses_world(session *s);

typedef struct ses_print_request {
    const char *expression;
    const expr_format *format;
    bool keeps_void; /* print; call: a void value is neither printed nor kept */
} ses_print_request;
/* Evaluates, keeps the value among the printed ones (*number is its $N, 0 if it isn't kept), prints. */
ebb_status ses_print(session *s, const ses_print_request *request, int *number, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
/* The same, kept nowhere: output, display, printf's arguments. */
ebb_status ses_output(session *s, const char *expression, const expr_format *format, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
/* Evaluates for its effect: set var, call of a void function. */
ebb_status ses_assign(session *s, const char *expression, ebb_error *err) EBB_MUST_CHECK;
/* The value of an expression of C; whatever that changed in the past is gone when this returns. */
ebb_status ses_evaluate_aside(session *s, ebb_arena *arena, const char *expression, expr_value *value, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_evaluate_u64(session *s, const char *expression, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_evaluate_bool(session *s, const char *expression, bool *value, ebb_error *err) EBB_MUST_CHECK;
/* whatis and ptype: how is 0, or SES_TYPE_OPEN (the struct is shown with its members) and further wishes. */
enum { SES_TYPE_OPEN = 1, SES_TYPE_OFFSETS = 2, SES_TYPE_HEX = 4, SES_TYPE_NO_METHODS = 8, SES_TYPE_NO_TYPEDEFS = 16, SES_TYPE_RAW = 32 };
ebb_status ses_type(session *s, const char *expression, unsigned how, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
/* printf "format", args...  / echo's escapes. */
ebb_status ses_printf(session *s, const char *arguments, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
expr_format ses_default_format(session *s); /* from the settings `print elements` and friends */

/* x/NFU: one text line per row of output.  The address, format and size carry over to the next `x`. */
ebb_status ses_examine(session *s, const char *arguments, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
/* info vtbl OBJECT: where the virtual functions of an object of C++ are. */
ebb_status ses_info_vtbl(session *s, const char *expression, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
/* info symbol ADDR, info address SYMBOL */
ebb_status ses_symbol_at(session *s, const char *expression, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_address_of(session *s, const char *name, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
/* The first of the addresses at which one stops for a place that a user names. */
ebb_status ses_first_spot(session *s, const char *where, uint64_t *addr, ebb_error *err) EBB_MUST_CHECK;

/* Convenience variables ($name) for `show convenience`; order of first setting. */
void ses_convenience_list(session *s, ebb_buf *text);

/* ---- displays --------------------------------------------------------------------------------- */
typedef struct ses_display {
    int number;
    const char *expression;
    const char *format_text; /* "/x" or "" */
    bool enabled;
    bool is_in_scope; /* its variables are those of the selected frame */
} ses_display;
ebb_status ses_display_add(session *s, const char *arguments, int *number, ebb_error *err) EBB_MUST_CHECK; /* "/x expr" */
ebb_status ses_display_delete(session *s, int number, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_display_enable(session *s, int number, bool enabled, ebb_error *err) EBB_MUST_CHECK;
void ses_display_delete_all(session *s);
size_t ses_display_count(const session *s);
ses_display ses_display_at(session *s, size_t i);
/* "1: x = 5"; a display whose variables aren't in scope here shows nothing and answers false. */
bool ses_display_text(session *s, size_t i, ebb_buf *text);

/* ---- registers -------------------------------------------------------------------------------- */
typedef struct ses_register {
    const char *name;
    const char *raw;     /* 0x... ; "<not saved>" in an outer frame that lost it */
    const char *natural; /* as gdb's third column */
    machine_reg_group group;
} ses_register;
typedef EBB_VEC(ses_register) ses_registers;
/* names: those asked for; NULL: the general ones, flags and segments; "all": every one. */
ebb_status ses_registers_get(session *s, ebb_arena *arena, const char *names, ses_registers *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- source ----------------------------------------------------------------------------------- */
typedef struct ses_source_line {
    unsigned number;
    const char *text;
    bool is_current;
} ses_source_line;
typedef EBB_VEC(ses_source_line) ses_source_lines;
/* One line of a source file; NULL if the file or line isn't there.  Borrowed until the session ends
 * or the file changes.  `directories` and `substitute-path` settings are searched. */
const char *ses_source_text(session *s, const char *file, unsigned line);
/* False: the text comes from the recording, and there is no such file here, or another text in it. */
bool ses_source_is_as_on_disk(session *s, const char *file);
/* list: "", "-", "LINE", "FIRST,LAST", "FUNCTION", "FILE:LINE", ...; remembers where it was. */
ebb_status ses_list(session *s, ebb_arena *arena, const char *arguments, const char **file, ses_source_lines *out, ebb_error *err) EBB_MUST_CHECK;
void ses_list_forget(session *s); /* the next plain list is around the selected frame again */
ebb_status ses_info_line(session *s, const char *where, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_info_source(session *s, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_info_frame(session *s, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;

/* ---- code ------------------------------------------------------------------------------------- */
typedef struct ses_code_line {
    uint64_t addr;
    const char *place;  /* of Java: "Main.add:12"; NULL: it is the address that is shown */
    const char *symbol; /* "main" */
    uint64_t offset;
    const char *bytes;  /* "48 89 e5" */
    const char *text;   /* "call   0x401136 <add>" */
    bool is_current;
    const char *file;   /* with_source: set on the first instruction of a line */
    const char *file_shown; /* how people know it; NULL: by `file` */
    unsigned line;
    uint64_t range_end; /* of the addresses that were asked for */
} ses_code_line;
typedef EBB_VEC(ses_code_line) ses_code_lines;
/* disassemble: "" is the function around the selected pc, "FUNCTION", "START,END", "START,+LENGTH". */
ebb_status ses_disassemble(session *s, ebb_arena *arena, const char *arguments, const char **function, ses_code_lines *out, ebb_error *err) EBB_MUST_CHECK;

/* info stack: what a Java frame has at the level of its bytecode.  EBB_UNSUPPORTED: frames here have no such thing. */
typedef struct ses_operand {
    bool is_stack;     /* of the operand stack, else a local variable slot */
    unsigned number;   /* its slot; on the stack from 0, the bottom */
    const char *name;  /* of the variable that is in the slot here; NULL if unknown */
    const char *type;  /* "int", "reference", ... */
    const char *value; /* printed */
} ses_operand;
typedef EBB_VEC(ses_operand) ses_operands;
ebb_status ses_operands_get(session *s, ebb_arena *arena, ses_operands *out, ebb_error *err) EBB_MUST_CHECK;

/* Classes that are loaded, in order of loading. */
typedef struct ses_class {
    const char *name, *source; /* source: NULL if unknown */
    const char *path;          /* of the source, where it is found; NULL of the library's own classes */
    bool is_library;
} ses_class;
typedef EBB_VEC(ses_class) ses_classes;
ebb_status ses_class_list(session *s, ebb_arena *arena, ses_classes *out, ebb_error *err) EBB_MUST_CHECK;
/* Where the sources are of which there is code; of classes, those that are loaded and found.  The session's, as long as nothing moves. */
ebb_status ses_source_list(session *s, sym_names *paths, ebb_error *err) EBB_MUST_CHECK;
/* Whether there is code of that very line: a breakpoint can be set there.  Fails where nothing is known of the file. */
ebb_status ses_line_has_code(session *s, const char *file, unsigned line, bool *has, ebb_error *err) EBB_MUST_CHECK;

/* ---- completion ------------------------------------------------------------------------------- */
enum ses_names_kind { /* the first four as sym_name_kind */
    SES_NAMES_FUNCTIONS = 1, SES_NAMES_VARIABLES = 2, SES_NAMES_TYPES = 4, SES_NAMES_FILES = 8, SES_NAMES_LOCALS = 16,
};
typedef EBB_VEC(const char *) ses_name_list;
/* Names that begin with `prefix`; the arena's or the session's. */
ebb_status ses_names(session *s, ebb_arena *arena, unsigned kinds, const char *prefix, ses_name_list *out, ebb_error *err) EBB_MUST_CHECK;
/* Names of the members of what the expression is, nothing being evaluated that has an effect. */
ebb_status ses_members(session *s, ebb_arena *arena, const char *expression, ses_name_list *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- signals ---------------------------------------------------------------------------------- */
typedef struct ses_signal_policy {
    int number;
    const char *name; /* "SIGINT" */
    const char *description;
    bool stop, print, pass;
} ses_signal_policy;
size_t ses_signal_count(void);
ses_signal_policy ses_signal_at(const session *s, size_t i);
/* handle: "SIGUSR1 nostop noprint pass", "all nostop", "14-16 stop". */
ebb_status ses_handle(session *s, const char *arguments, ebb_error *err) EBB_MUST_CHECK;
int ses_signal_number(const char *name); /* "SIGINT", "INT", "2"; 0 if there is none */
const char *ses_signal_name(int number);
const char *ses_signal_description(int number);

/* ---- modules ---------------------------------------------------------------------------------- */
typedef struct ses_module {
    const char *path;
    uint64_t lo, hi;
    uint64_t text_lo, text_hi; /* its code, as gdb tells of a library; without sections the same as lo, hi */
    bool has_debug_info;
    const char *debug_path; /* separate file; NULL if none */
} ses_module;
typedef EBB_VEC(ses_module) ses_modules;
void ses_module_list(session *s, ses_modules *out);
/* Says what is wrong with debug information, once: it is read when it is needed, and may be found to be broken late. */
void ses_module_warnings(session *s);

#endif
