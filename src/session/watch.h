/* watch.h - watchpoints: expressions whose value is looked at whenever something it depends on changes.
 *
 * Evaluating the expression once tells what it reads: those bytes, or fields, get data points.  When one of them
 * is reached the expression is evaluated again, in the frame it was set in, and compared.  What reads
 * registers can't be left to data points: then every instruction is looked at.
 *
 * WA1  a watchpoint on something of a frame ends with that frame, where the frame returns to;
 * WA2  what the user himself changes does not count as a change;
 * WA3  one on a place in an object is about that object: it ends when another one is made there, and what happened there before it
 *      was made is no change of it;
 * WA4  a condition is executed, and hits that are to be ignored are counted, by the machine only where that can say what the value was
 *      before: what it passes by, the session has not seen;
 * WA5  going back, the machine's word that the data was touched is enough, so it may note the hits by itself (machine/search.h). */
#ifndef EBB_SESSION_WATCH_H
#define EBB_SESSION_WATCH_H

#include "session/points.h"
#include "time/queries.h"

void ses_watch_free(session *s, ses_watch_state *watch);
/* A condition is about to become the watchpoint's (NULL: none): names mean what they mean in the selected frame. */
ebb_status ses_watch_check_condition(session *s, ses_bp *bp, const char *condition, ebb_error *err) EBB_MUST_CHECK;
/* Brings the points in line with what is enabled and with what the expression reads now. */
void ses_watch_update(session *s, ses_bp *bp);
void ses_watch_clear_points(session *s, ses_watch_state *watch);
/* The debuggee ended: true if the watchpoint makes sense in the next one. */
bool ses_watch_survives(session *s, ses_bp *bp);
bool ses_watch_is_users(const ses_bp *bp); /* and not one by which a question about writes is answered */
const void *ses_watch_target(const ses_bp *bp); /* the language's */

/* Hits of it that are to be ignored need not be told: its only point, whose bytes are the value; and that some were not told (WA4). */
bool ses_watch_is_countable(const session *s, const ses_bp *bp);
machine_point_id ses_watch_point(const ses_bp *bp);
void ses_watch_passed(ses_bp *bp);

/* A thread stepped or reached points: fills *stop and answers true if a watchpoint stops. */
bool ses_check_watches(session *s, const machine_stop *at, ses_stop *stop);
/* WA5: adds the points that the watchpoint is about to those that a search judges alone, if it can. */
void ses_watch_note(session *s, ses_bp *bp, machine_note as, ses_noted *noted);
/* The place of an expression: *target is the language's (watch_drop), *data the bytes, or field, that hold it; *is_local: it is
 * something of the selected frame. */
ebb_status ses_watch_data(session *s, const char *expression, void **target, ebb_data *data, bool *is_local, ebb_error *err) EBB_MUST_CHECK;
/* The debuggee went back to where the watchpoint was judged; true: it is no stop, but what is watched is at another place before, where the points
 * are now. */
bool ses_watch_aim_anew(session *s, ses_bp *bp);
/* The debuggee went back over a change: fills *stop with the value after it (old, as time went) and before it. */
void ses_watch_went_back(session *s, ses_bp *bp, ses_stop *stop);
bool ses_watch_needs_stepping(const session *s);
void ses_watch_refresh(session *s); /* WA2 */

/* What an evaluation reads, noted while somebody asks (session.reads). */
void ses_watch_note_read(session *s, uint32_t space, uint64_t addr, size_t nbytes);
void ses_watch_note_register(session *s);
ebb_buf *ses_watch_note_local(session *s); /* gets what tells it from others; NULL: nobody asks.  Borrowed */
/* Whether an expression, which makes sense, reads something of the selected frame. */
bool ses_reads_frame(session *s, const char *expression);
/* The locals that it names in the selected frame, in a text that tells them from others.  free() */
char *ses_locals_named(session *s, const char *expression);

#endif
