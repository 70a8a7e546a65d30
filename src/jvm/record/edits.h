/* edits.h - what the user did to a Java program at a stop (time/edits.h).
 *
 * What is done has a number of edits.def; how, is the request as wire/wire.def lays it out; it is done again by the agent. */
#ifndef EBB_JVM_RECORD_EDITS_H
#define EBB_JVM_RECORD_EDITS_H

#include "time/edits.h"

/* Recording, before it is done. */
void jvm_edit_log(uint64_t what, uint64_t place, const void *request, size_t nbytes);

/* Replaying: those of the recording, read again by `read`. */
ebb_edits *jvm_edits(void);
ebb_status jvm_edits_read(ebb_error *err) EBB_MUST_CHECK;
const ebb_edit_hint *jvm_edit_next(void); /* from here; NULL: none, or nothing is replayed */

/* Called where an edit is in the way of what replay asks for: it was made while no bytecode was about to be executed. */
extern void (*jvm_edit_hook)(void);

#endif
