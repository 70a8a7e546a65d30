/* position.h - points of the execution as users name them: TIMESTAMP@WHERE.
 *
 * WHERE may be exact (an address, a method and bytecode index) or a line.  A line is several places, one for each function
 * that has code of it; which one is meant is known only at that time: it is the one in the function that then runs.  So one
 * goes to the first moment of the timestamp, and from there on to the place, which lies ahead: within a timestamp places only
 * grow.
 *
 * PN1  if its place isn't passed at its time, one stands at the first moment after it. */
#ifndef EBB_SESSION_POSITION_H
#define EBB_SESSION_POSITION_H

#include "session/state.h"
#include "session/where.h"

/* "18234@list.c:42", "18234@Main.add:12", "18234" (places is empty then: the first moment of it). */
typedef struct ses_position {
    uint64_t time;
    sym_spots places;
    char *line; /* FILE:LINE as it was typed; NULL: that is not what was typed.  Then the places may be none: a line that only goes on, and never begins */
} ses_position;
ebb_status ses_position_parse(session *s, const char *text, ses_position *position, ebb_error *err) EBB_MUST_CHECK;
/* A line without places may still be what a stop is shown to be on: its code was moved into that of others. */
bool ses_position_is_shown(session *s, const ses_where *where);
/* Of a line that has no beginning of its own, the places are those of the next one that has: they are dropped. */
void ses_position_keep_line(ses_position *position);
void ses_position_fini(ses_position *position);

/* As `when` writes it; the arena's. */
const char *ses_position_words(session *s, ebb_arena *arena, ebb_position at, bool to_instruction);

/* EBB_UNSUPPORTED where the machine counts no time. */
ebb_status ses_need_time(session *s, ebb_error *err) EBB_MUST_CHECK;

/* "18234@WHERE" in its parts; `where` points into the text.  False if it is no position, or half of one. */
bool ses_position_split(const char *text, uint64_t *time, const char **where);

/* The moment to stop at for those of `places` that lie ahead of now at that time; false: there is none any more. */
bool ses_position_next(session *s, uint64_t time, const uint64_t *places, size_t n, uint64_t *until_place);
/* Brings breakpoints at positions into a request: it ends at the first of them. */
void ses_position_request(session *s, machine_request *request);
/* Whether now is the time of such a breakpoint. */
bool ses_position_is_now(session *s, uint64_t time);

#endif
