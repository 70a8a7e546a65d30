/* macros.h - the preprocessor's macros at the place that the user looks at: those of the program (-g3), and the user's own. */
#ifndef EBB_SESSION_MACROS_H
#define EBB_SESSION_MACROS_H

#include "base/buf.h"
#include "session/session.h"

/* `macro expand TEXT`. */
ebb_status ses_macro_expand(session *s, const char *text, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;
/* `info macro NAME`, all of that name if so wished, and `info macros`. */
ebb_status ses_macro_info(session *s, const char *name, bool all, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;
void ses_macro_list(session *s, ebb_buf *out);
/* The user's own: "NAME BODY" or "NAME(A,B) BODY". */
ebb_status ses_macro_define(session *s, const char *definition, ebb_error *err) EBB_MUST_CHECK;
void ses_macro_undefine(session *s, const char *name);
void ses_macro_list_own(session *s, ebb_buf *out);

#endif
