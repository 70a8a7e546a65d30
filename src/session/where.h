/* where.h - places as users name them: `file:line`, `line`, `+n`, `-n`, nothing at all for the place of the selected
 * frame, and what the language has: `function`, `file:function`, `*address`; `Class.method`, `Class.method:bci`. */
#ifndef EBB_SESSION_WHERE_H
#define EBB_SESSION_WHERE_H

#include "session/state.h"

typedef enum ses_where_kind { SES_WHERE_ADDRESS, SES_WHERE_LINE, SES_WHERE_FUNCTION } ses_where_kind;

typedef struct ses_where {
    ses_where_kind kind;
    uint64_t addr;
    const char *file;     /* LINE; FUNCTION: NULL is any */
    unsigned line;
    const char *function;
    bool has_offset;      /* FUNCTION: that far into its code, not at its beginning */
    unsigned offset;
} ses_where;

/* The texts are `arena`'s. */
ebb_status ses_where_parse(session *s, ebb_arena *arena, const char *text, ses_where *where, ebb_error *err) EBB_MUST_CHECK;
/* Appends the spots where one stops for it; EBB_NOT_FOUND if there are none. */
ebb_status ses_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;

ebb_status ses_where_parse_line(const char *text, unsigned *line, ebb_error *err) EBB_MUST_CHECK;

/* The selected frame, if it has a line of the program; NULL before main, when only a launcher's code runs. */
const ses_frame *ses_where_frame(session *s);
/* The file and line that `42` and `+3` are relative to; false if there is none. */
bool ses_where_default(session *s, const char **file, unsigned *line);

/* position.c: whether the text is a timestamp and an '@': a point of the execution, not of the code. */
bool ses_is_position(const char *text);

#endif
