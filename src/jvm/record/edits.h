/* edits.h - what the user did to the program at a stop, as part of its recording.
 *
 * A variable that was set, a method that was called for good: the execution behind it depends on that, and it came from outside.  So
 * it is an event (EDIT: place, number of edits.def, the request as wire/wire.def lays it out), logged before it is done, as what is
 * done may log events of its own.  Replay does it again (agent/edits.c) when it comes by the position at which it was made, whose
 * moment it has to know beforehand, without reading events that are not due: beside each such event stands a section
 * that tells where it is.
 *
 * RE1  an edit happens before the bytecode of its position, behind everything else that is logged before it;
 * RE2  what a section says is a hint: whether there is an edit is told by the log alone.  One that a cut made void finds another
 *      event there, and is passed over. */
#ifndef EBB_JVM_RECORD_EDITS_H
#define EBB_JVM_RECORD_EDITS_H

#include "base/buf.h"
#include "base/error.h"

#include <stdint.h>

typedef struct jvm_edit_hint {
    uint64_t number; /* of the event */
    uint64_t time, place;
} jvm_edit_hint;

/* Recording, before it is done. */
void jvm_edit_log(uint64_t what, uint64_t place, const void *request, size_t nbytes);

/* Replaying: reads the hints of the recording anew; the log is read, from its beginning or from anywhere. */
ebb_status jvm_edits_read(ebb_error *err) EBB_MUST_CHECK;
/* The next edit from here, as far as is known; NULL: none. */
const jvm_edit_hint *jvm_edit_next(void);
bool jvm_edit_is_at(uint64_t time, uint64_t place); /* one was made there, as far as is known */
void jvm_edit_pass(void); /* that one is void (RE2) */
/* True: an edit is the next event, and is taken from the log. */
bool jvm_edit_take(uint64_t *what, ebb_buf *request);

/* Called where an edit is in the way of what replay asks for: it was made while no bytecode was about to be executed. */
extern void (*jvm_edit_hook)(void);

#endif
