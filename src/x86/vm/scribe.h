/* scribe.h - takes events out of a ring (x86/ring.h) and writes them to a recording.
 *
 * The scribe is a thread of ebb: it packs and writes on another core while the debuggee runs.  It looks every 50 ms, and when it is waked because
 * there is much to take.  It believes nothing that is in the ring: a program may write anywhere.
 *
 * SC1  an event is in the file at most 100 ms after it was written, and at once after a sync;
 * SC2  a debuggee that dies leaves whole events in the ring, which are written like any other;
 * SC3  a recording that fails (a full disk, a ring that was written over) ends with its last whole block, and says why.  The debuggee goes on, and nobody
 *      waits for room;
 * SC4  a recording with a bound has a second one beside it from its middle on, which began later and takes its place when it is full: what is kept is always the newest
 *      part, at least half of what is allowed, and a whole recording.  Only what a recording begins with may be more than that. */
#ifndef EBB_X86_VM_SCRIBE_H
#define EBB_X86_VM_SCRIBE_H

#include "time/recording.h"
#include "x86/ring.h"
#include "x86/vm/embedded.h"

typedef struct x86_scribe x86_scribe;

/* Takes the recorder, also on failure; the ring stays the caller's, and is there until the end.  So is `embedded`, but only the scribe uses it until then;
 * if it is kept, the files that become known go into the recording at once. */
ebb_status x86_scribe_begin(x86_ring *ring, ebb_recorder *rec, x86_scribe **out, ebb_error *err) EBB_MUST_CHECK;
/* SC4.  Whether it is time for the second one; the caller begins it and hands it over, while the debuggee stands still and all is written (sync). */
void x86_scribe_bound(x86_scribe *s, uint64_t nbytes);
bool x86_scribe_wants_second(x86_scribe *s);
/* Takes the recorder, whose file is at `beside`, and will be at `path`. */
void x86_scribe_give_second(x86_scribe *s, ebb_recorder *second, const char *beside, const char *path);
void x86_scribe_embed(x86_scribe *s, vm_embedded *embedded, bool at_once);
/* What the recording lacks to be kept goes into a copy of it. */
ebb_status x86_scribe_complete(x86_scribe *s, ebb_recorder *copy, ebb_error *err) EBB_MUST_CHECK;
/* All that was written to the ring is in the file, and that the program had come as far as `time`. */
void x86_scribe_sync(x86_scribe *s, uint64_t time);
/* Ends the recording for a reason that the user is told. */
void x86_scribe_stop(x86_scribe *s, const char *why);
/* Why the recording has ended; NULL: it goes on.  Borrowed until the end. */
const char *x86_scribe_ended(x86_scribe *s);
int x86_scribe_get_fd(x86_scribe *s);          /* of the file; borrowed */
uint64_t x86_scribe_get_timestamp(x86_scribe *s); /* of the last event there is */
uint64_t x86_scribe_get_nbytes(x86_scribe *s); /* of the file so far */

/* For ebb to write events itself, while the debuggee stands still: after all that is in the ring, none earlier than `time`.  NULL: the recording has ended.
 * Nobody else uses the recorder until it is given back. */
ebb_recorder *x86_scribe_lend(x86_scribe *s, uint64_t time);
void x86_scribe_take_back(x86_scribe *s);

/* Whatever is in the ring is written, the thread ends, and the recorder is the caller's. */
ebb_recorder *x86_scribe_leave(x86_scribe *s);
/* Whatever is in the ring is written; the recording is closed, the thread ends. */
void x86_scribe_end(x86_scribe *s); /* NULL is fine */

#endif
