/* why.h - the three questions that `why` asks of a Java program, each in its own file.
 *
 * WY1  whatever is told was executed: a branch is the last one that its frame executed of those that decide, and which way it went was seen, not
 *      computed. */
#ifndef EBB_SESSION_JAVA_WHY_H
#define EBB_SESSION_JAVA_WHY_H

#include "session/java/decide.h"

ebb_status ses_java_why_not(ses_java_why *w, const char *line, ebb_error *err) EBB_MUST_CHECK;       /* why_not.c */
ebb_status ses_java_why_printed(ses_java_why *w, const char *printed, ebb_error *err) EBB_MUST_CHECK; /* why_printed.c */

/* Adds a chain, each of its links followed by the branch that let it happen and by what it was computed from.  Links begin at that depth. */
ebb_status ses_java_why_chain(ses_java_why *w, ses_java_chain *c, unsigned depth, ebb_error *err) EBB_MUST_CHECK;

#endif
