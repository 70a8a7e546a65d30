/* edits.h - what the user did to the program at a stop, as part of its recording.
 *
 * A variable that was set, a function that was called for good: the execution after it depends on that, and it came from outside.  So
 * it is an event (EDIT: place, what, how; what the last two mean is the machine's), which comes by itself (cursor.h) at the position at which it was made.
 *
 * A machine whose runtime looks ahead in its events needs nothing more (x86).  One that reads no event before it is due has to be told that
 * moment beforehand (Java): beside each such event stands a section that tells where it is, a *hint*.  There an edit is recorded before it is done, as what is done
 * may record events of its own.
 *
 * ED1  an edit happens before the instruction of its position, and after everything else that is recorded before it;
 * ED2  whether there is an edit is told by the events alone.  A hint that a cut made void finds another event there, and is
 *      passed over. */
#ifndef EBB_TIME_EDITS_H
#define EBB_TIME_EDITS_H

#include "time/position.h"
#include "time/replay.h"

/* ---- the event ---- */

typedef struct ebb_edit {
    ebb_position at;
    uint64_t what;
    const void *how; /* the machine's; borrowed */
    size_t nbytes;   /* of it */
} ebb_edit;

/* Whole or not at all (EN1): false if there is no room. */
bool ebb_edit_write(ebb_event_writer *w, const ebb_edit *e) EBB_MUST_CHECK;
static inline size_t ebb_edit_room(const ebb_edit *e) { return EBB_EVENT_PAIR_MAX_BYTES + EBB_VARINT_MAX_BYTES + e->nbytes; }
/* `how` is borrowed from the event. */
ebb_status ebb_edit_read(const ebb_event *event, ebb_edit *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- with hints: recording ---- */

/* Before it is done. */
ebb_status ebb_edit_record(ebb_recorder *rec, const ebb_edit *e, ebb_error *err) EBB_MUST_CHECK;

/* ---- with hints: replaying ---- */

typedef struct ebb_edit_hint {
    uint64_t number; /* of the event */
    ebb_position at;
} ebb_edit_hint;

typedef struct ebb_edits ebb_edits; /* the hints of a recording */
ebb_edits *ebb_edits_new(void);
void ebb_edits_free(ebb_edits *e); /* NULL is fine */
ebb_status ebb_edits_read(ebb_edits *e, ebb_recording *in, ebb_error *err) EBB_MUST_CHECK; /* anew */

/* The next edit where event `number` is the next, as far as is known; NULL: none.  Borrowed until the hints change. */
const ebb_edit_hint *ebb_edits_next(ebb_edits *e, uint64_t number);
bool ebb_edits_have(const ebb_edits *e, ebb_position at); /* one was made there, as far as is known */

/* What only the machine knows. */
typedef struct ebb_edit_hooks {
    uint64_t (*now)(void); /* the timestamp, which goes on where an edit executes code of the program */
    /* Does an edit again.  One that failed when it was recorded fails again, and that is fine.  Another status than EBB_OK ends the
     * replay: the cursor may be gone. */
    ebb_status (*redo)(uint64_t what, const ebb_buf *how, ebb_error *err);
} ebb_edit_hooks;

/* Does again all edits that are the next events and of now; *n: so many. */
ebb_status ebb_edits_redo(ebb_replay *r, const ebb_edit_hooks *hooks, size_t *n, ebb_error *err) EBB_MUST_CHECK;
/* The execution is about to go on at `at`: does again those of this moment. */
ebb_status ebb_edits_come_by(ebb_edits *e, ebb_replay *r, ebb_position at, const ebb_edit_hooks *hooks, size_t *n, ebb_error *err) EBB_MUST_CHECK;

#endif
