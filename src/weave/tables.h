/* tables.h - attributes of Code that name places of the code: lines, variables, annotations of types.
 *
 * They are kept as bytes, with a list of the places in them.  Which attributes there are, is one table in tables.c.
 * One that is not known there is kept as it is. */
#ifndef EBB_WEAVE_TABLES_H
#define EBB_WEAVE_TABLES_H

#include "weave/code.h"

typedef enum weave_mark_kind {
    WEAVE_MARK_START,  /* u2: where a row about the instruction begins */
    WEAVE_MARK_LINE,   /* the same of a row of lines */
    WEAVE_MARK_LENGTH, /* u2: bytes from `from` to the instruction */
    WEAVE_MARK_LAST,   /* u2: the last byte before the instruction */
    WEAVE_MARK_EXACT,  /* u2: the instruction itself, without code put before it */
} weave_mark_kind;

typedef struct weave_mark {
    weave_mark_kind kind;
    uint32_t offset;   /* in the attribute */
    weave_insn *insn, *from;
} weave_mark;

struct weave_table {
    uint16_t name_index;
    bool is_frames;    /* the StackMapTable: frames.h */
    weave_span bytes;
    weave_mark *marks;
    uint32_t nmarks, cap;
};

ebb_status weave_tables_read(weave_code *code, weave_in *in, ebb_error *err) EBB_MUST_CHECK;
/* Lines, as they were read.  The first bytecode of the line: UINT32_MAX if the method has none of it.  The line of a bytecode: 0 if it is not known. */
uint32_t weave_line_start(const weave_code *code, uint32_t line);
uint32_t weave_line_of(const weave_code *code, uint32_t bci);

void weave_tables_write(weave_code *code, ebb_buf *out);

#endif
