/* archives.h - source and class files inside of archives: a JDK's src.zip, the -sources.jar beside a jar.
 *
 * Such a file is named "ARCHIVE!/ENTRY", as Java does it, wherever a file is named by its path.
 *
 * AC1  an archive is opened when something is looked for in it, and stays so until the session ends; one that changes meanwhile is
 *      what it was. */
#ifndef EBB_SESSION_ARCHIVES_H
#define EBB_SESSION_ARCHIVES_H

#include "session/state.h"

void ses_archives_fini(session *s);

/* The name of the entry whose path ends with `relative`, whole folders counted; interned; NULL: there is none, or no archive. */
const char *ses_archive_find(session *s, const char *archive, const char *relative);
bool ses_archive_names(const char *file); /* it is a name of that kind */
/* Entries whose path begins like that, one after the other: *at is 0 at first; NULL: no more. */
const char *ses_archive_next(session *s, const char *archive, const char *prefix, size_t *at);
char *ses_archive_name(const char *archive, const char *entry); /* of the entry with that path; caller frees */
/* What an entry holds, with a NUL after it; caller frees; NULL: it can't be read. */
char *ses_archive_read(session *s, const char *file, size_t *nbytes);

#endif
