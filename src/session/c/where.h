/* where.h - places as users name them: `file:line`, `line`, `function`, `file:function`, `*address`,
 * `+n`, `-n`, and nothing at all for the place of the selected frame. */
#ifndef EBB_SESSION_C_WHERE_H
#define EBB_SESSION_C_WHERE_H

#include "session/state.h"

typedef enum ses_where_kind { SES_WHERE_ADDRESS, SES_WHERE_LINE, SES_WHERE_FUNCTION } ses_where_kind;

typedef struct ses_where {
    ses_where_kind kind;
    uint64_t addr;
    const char *file;     /* LINE; FUNCTION: NULL is any */
    unsigned line;
    const char *function;
} ses_where;

/* The texts are `arena`'s. */
ebb_status ses_where_parse(session *s, ebb_arena *arena, const char *text, ses_where *where, ebb_error *err) EBB_MUST_CHECK;
/* Appends the spots where one stops for it; EBB_NOT_FOUND if there are none. */
ebb_status ses_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;

/* The file and line that `42` and `+3` are relative to; false if there is none. */
bool ses_where_default(session *s, const char **file, unsigned *line);

#endif
