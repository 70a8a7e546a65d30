/* skip.h - functions and files that a step passes over (`skip`).
 *
 * An entry names a file, a function, or both: then both have to fit.  A file's name fits whole trailing parts of a path; a pattern
 * (glob) fits all of it, or its last part if it has no slash.  A function's name is as in the source, or a regular expression. */
#ifndef EBB_SESSION_SKIP_H
#define EBB_SESSION_SKIP_H

#include "session/session.h"

typedef struct ses_skip {
    int number;
    bool is_enabled;
    char *file, *function; /* owned; NULL: any */
    bool file_is_pattern, function_is_regex;
} ses_skip;

/* The texts are copied; *number is what it is called by. */
ebb_status ses_skip_add(session *s, const ses_skip *wish, int *number, ebb_error *err) EBB_MUST_CHECK;
size_t ses_skip_count(const session *s);
const ses_skip *ses_skip_at(const session *s, size_t i); /* borrowed */

typedef enum ses_skip_change { SES_SKIP_ENABLE, SES_SKIP_DISABLE, SES_SKIP_DELETE } ses_skip_change;
/* number 0: all of them. */
ebb_status ses_skip_alter(session *s, int number, ses_skip_change change, ebb_error *err) EBB_MUST_CHECK;

/* Whether a step passes a function.  Each text may be NULL: unknown; `full_name` is the name with its parameters. */
bool ses_skip_fits(session *s, const char *function, const char *full_name, const char *file);
void ses_skip_fini(session *s);

#endif
