/* edits.h - what the user did to the program at a stop, as part of its recording.
 *
 * A variable that was set, a function that was called for good: the execution after it depends on that, and it came from outside.  So
 * it is an event (EDIT: place, what, how; what they mean is the machine's), recorded before it is done, as what is done may record
 * events of its own.  Replay does it again when it comes by the position at which it was made.  It has to know that moment
 * beforehand, without reading events that are not due: beside each such event stands a section that tells where it is, a *hint*.
 *
 * ED1  an edit happens before the instruction of its position, and after everything else that is recorded before it;
 * ED2  whether there is an edit is told by the events alone.  A hint that a cut made void finds another event there, and is
 *      passed over. */
#ifndef EBB_TIME_EDITS_H
#define EBB_TIME_EDITS_H

#include "time/position.h"
#include "time/replay.h"

/* ---- recording ---- */

/* Before it is done.  `how` is the machine's. */
ebb_status ebb_edit_record(ebb_recorder *rec, ebb_position at, uint64_t what, const void *how, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;

/* ---- replaying ---- */

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
