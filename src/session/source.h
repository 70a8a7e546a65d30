/* source.h - the text of source files: found, read once, kept until the file changes. */
#ifndef EBB_SESSION_SOURCE_H
#define EBB_SESSION_SOURCE_H

#include "session/state.h"

void ses_sources_init(session *s);
void ses_sources_fini(session *s);
/* How many lines the file has; false if it can't be found or read. */
bool ses_source_count(session *s, const char *file, unsigned *n);
/* How gdb would print the file: as the line table has it, where that is known. */
const char *ses_source_name(session *s, const char *file);

#endif
