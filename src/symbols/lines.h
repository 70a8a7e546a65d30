/* lines.h - the line table of a unit, kept as gdb keeps it: one table of rows per source file.
 *
 * LT1  rows of a source are sorted by address; rows at the same address stay in the program's order,
 *     except that an end comes first;
 * LT2  a row with line 0 is an end: from here on the code belongs to another source or to none.  It is
 *     put where a sequence ends and where the program switches to another file;
 * LT3  the program's own line 0 (code that no line made) is left out, so that the row before it goes on;
 * LT4  the unit's primary source is the first one. */
#ifndef EBB_SYMBOLS_LINES_H
#define EBB_SYMBOLS_LINES_H

#include "symbols/symbols_private.h"

typedef struct sym_row {
    uint64_t addr;
    uint32_t line;
    uint32_t order; /* in the program */
    uint16_t column;
    bool is_stmt;
} sym_row;

typedef struct sym_source {
    const char *name; /* as gdb prints it */
    const char *path; /* in full */
    EBB_VEC(sym_row) rows;
} sym_source;

typedef struct sym_lines {
    EBB_VEC(sym_source) sources;
    EBB_VEC(uint32_t) source_of_file; /* number in the file table -> index in sources */
    bool rows_read;

    /* Of the header, for reading the rows later. */
    uint64_t program, program_end; /* in .debug_line */
    uint8_t min_insn, line_range, opcode_base;
    int8_t line_base;
    bool default_is_stmt;
    uint8_t n_operands[256];
} sym_lines;

/* The sources of a unit; never NULL, but empty where there is no line table. */
sym_lines *sym_unit_sources(sym_unit *unit);
/* The same with their rows. */
sym_lines *sym_unit_lines(sym_unit *unit);
void sym_lines_free(sym_lines *lines);

/* The full path of a number in the unit's file table; NULL if there is none. */
const char *sym_unit_file_path(sym_unit *unit, uint64_t file, const char **name);

/* gdb's find_pc_line for file addresses.  The addresses of `line` are the file's own. */
bool sym_unit_line_at(sym_unit *unit, uint64_t addr, sym_line *line);

/* Whether `file` names the source: whole trailing components, or all of an absolute path. */
bool sym_source_matches(const sym_source *source, const char *file);

#endif
