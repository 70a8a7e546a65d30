/* kept_sources.h - the texts of sources inside of a recording: they are there where it is opened, as they were when it was made.
 *
 * KS1  a text is kept under the path that the symbols name it by, so that whoever looks for a line finds it by the same words;
 * KS2  where a recording is opened, its own text comes before a file of that name, which may have been changed since;
 * KS3  what belongs to the system (below /usr/include, /usr/lib, ...) is not kept, and of a program with huge sources only the first ones are. */
#ifndef EBB_SESSION_KEPT_SOURCES_H
#define EBB_SESSION_KEPT_SOURCES_H

#include "session/state.h"
#include "time/recording.h"

/* Those of these files that are there and fit (KS3). */
ebb_status ses_kept_sources_put(ebb_recorder *rec, const sym_names *paths, ebb_error *err) EBB_MUST_CHECK;
/* Those of the programs and libraries that lie in a native program's recording, which nobody writes any more. */
ebb_status ses_kept_sources_add(const char *recording, ebb_error *err) EBB_MUST_CHECK;

/* Of the recording that the session has opened; NULL: it has none of that name.  Caller frees. */
char *ses_kept_source_read(session *s, const char *path, size_t *nbytes);
/* The path of one that ends with `relative`, whole names; NULL: there is none.  The session's. */
const char *ses_kept_source_find(session *s, const char *relative);
void ses_kept_sources_fini(session *s);

#endif
