/* replay.h - the cursor with which an execution takes its past from a recording.
 *
 * An execution that replays asks the cursor wherever it would ask the outside: "the next event is an answer of the system, and it is
 * of now?"  It is, and its values are taken; or the recording ends here; or the execution is not the one that was recorded, which
 * is a divergence.  There may be any number of cursors in a process, over the same recording or others, also while it grows.
 *
 * The rules by which events are taken are those of cursor.h (RP1 to RP3), which the runtime inside a native debuggee goes by as well: here
 * they are applied to a file, and a divergence is EBB_DIVERGED.
 *
 * RP4  a recording is foreign bytes: kinds are checked here, values as ebb_values does (EN3).  EBB_BAD_FILE says what is wrong. */
#ifndef EBB_TIME_REPLAY_H
#define EBB_TIME_REPLAY_H

#include "time/cursor.h"
#include "time/recording.h"

typedef struct ebb_replay ebb_replay;

/* At the first event.  `kinds` stays the caller's, and is there as long as the cursor.  `open_fd` duplicates the descriptor. */
ebb_status ebb_replay_open(const char *path, const ebb_kinds *kinds, ebb_replay **out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ebb_replay_open_fd(int fd, const ebb_kinds *kinds, ebb_replay **out, ebb_error *err) EBB_MUST_CHECK;
void ebb_replay_free(ebb_replay *r); /* NULL is fine */

ebb_recording *ebb_replay_get_recording(ebb_replay *r); /* borrowed, for its sections and extent; not to be moved in */

/* ---- where it is ---- */

uint64_t ebb_replay_get_number(const ebb_replay *r);   /* of the first event that was neither taken nor passed over */
uint64_t ebb_replay_get_happened(const ebb_replay *r); /* of the first event that has not happened (RP3) */
/* To any event, forward or back, or to the end. */
ebb_status ebb_replay_seek(ebb_replay *r, uint64_t number, ebb_error *err) EBB_MUST_CHECK;

/* ---- events ---- */

/* The event peeked at or being read.  The address is good as long as the cursor; what is there changes with each peek. */
ebb_event *ebb_replay_get_event(ebb_replay *r);
/* The next event, which stays the next.  EBB_NO_HISTORY: there is none (yet).  `now`: the execution's timestamp. */
ebb_status ebb_replay_peek(ebb_replay *r, uint64_t now, ebb_error *err) EBB_MUST_CHECK;
/* Takes the next event, which has to be of this kind and of now; its values are those of ebb_replay_get_event.
 * EBB_UNAVAILABLE: an edit of now is in the way, made where nothing of the program was about to be executed: it is to be
 * done again first (edits.h). */
ebb_status ebb_replay_expect(ebb_replay *r, unsigned kind, uint64_t now, ebb_error *err) EBB_MUST_CHECK;
/* True: the next event is of that kind and of now.  What can't be read is not. */
bool ebb_replay_has(ebb_replay *r, unsigned kind, uint64_t now);
/* EBB_BAD_FILE if more was taken of the event than it has. */
ebb_status ebb_replay_check_values(const ebb_replay *r, ebb_error *err) EBB_MUST_CHECK;

/* ---- going live ---- */

/* What has not happened is void from now on, and `rec`, a recorder of the same file, writes on from here.  The cursor is at the end. */
ebb_status ebb_replay_cut(ebb_replay *r, ebb_recorder *rec, uint64_t now, ebb_error *err) EBB_MUST_CHECK;

#endif
