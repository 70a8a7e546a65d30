/* links.h - the moments that the last answer about the past named, by number, for `goto #N`.
 *
 * Numbers count from 1 within one answer (origin, why, flow); the next answer's replace them. */
#ifndef EBB_SESSION_LINKS_H
#define EBB_SESSION_LINKS_H

#include "session/state.h"

void ses_links_begin(session *s);                          /* those of a new answer follow */
unsigned ses_links_add(session *s, ebb_position at);       /* its number */
/* "#3"; *at is where it is.  EBB_BAD_INPUT: there is none. */
ebb_status ses_links_find(session *s, const char *text, ebb_position *at, ebb_error *err) EBB_MUST_CHECK;

#endif
