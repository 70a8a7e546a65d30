/* feed.h - the events that a copy replays (inside/replay.h), out of the recording.
 *
 * The state of the feed is in the copy's own memory: so a copy of a copy goes on where that one stood, and ebb asks for it instead of
 * keeping it.
 *
 * FE1  the feed holds events in the order of the recording, without gaps, beginning with the first that has not happened. */
#ifndef EBB_X86_VM_FEED_H
#define EBB_X86_VM_FEED_H

#include "x86/vm/private.h"
#include "time/event.h"
#include "x86/inside/runtime.h"

/* The process begins to replay, with the event of that number as the next. */
ebb_status vm_feed_begin(x86_vm *vm, uint64_t number, ebb_error *err) EBB_MUST_CHECK;
/* More events; *any is false if there are no more in the recording. */
ebb_status vm_feed_more(x86_vm *vm, bool *any, ebb_error *err) EBB_MUST_CHECK;
/* Whether nothing is left in it. */
bool vm_feed_is_dry(x86_vm *vm);
/* Its state, for whoever takes the copy back to when it was so. */
ebb_status vm_feed_get(x86_vm *vm, x86_feed *feed, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_feed_put(x86_vm *vm, const x86_feed *feed, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_feed_number(x86_vm *vm, uint64_t *number, ebb_error *err) EBB_MUST_CHECK;
/* The timestamp of the next event if it is one that the program didn't ask for; now if that isn't known yet; else UINT64_MAX. */
uint64_t vm_feed_event_time(x86_vm *vm);
/* The same with the place at which it comes: false if there is none. */
bool vm_feed_due(x86_vm *vm, uint64_t *time, uint64_t *place);
/* The next event, if it is a signal of this time; its values are good until the next call. */
bool vm_feed_signal(x86_vm *vm, ebb_event *event);
bool vm_feed_edits(x86_vm *vm); /* the next event is a change by the user at this time */
/* The next event is a change by the user that belongs to the present moment (edits.h, EU1), and was made at that place. */
bool vm_feed_edits_now(x86_vm *vm, uint64_t *place);
/* Why replay diverged. */
ebb_status vm_feed_diverged(x86_vm *vm, ebb_error *err);

/* Takes the next event, which is one of those.  Its values are in `bytes`, good until the next call. */
ebb_status vm_feed_take(x86_vm *vm, ebb_event *event, ebb_error *err) EBB_MUST_CHECK;

#endif
