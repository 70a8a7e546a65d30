/* feed.c - brings events from the recording into the copy that replays. */
#include "x86/vm/feed.h"
#include "base/log.h"
#include "x86/inside/runtime.h"
#include "x86/recorded.h"
#include "x86/vm/edits.h"
#include "x86/vm/history.h"
#include "x86/vm/record.h"
#include "time/recording.h"

#include <string.h>

static uint64_t feed_address(const x86_vm *vm)
{
    return vm->runtime + offsetof(x86_runtime, feed);
}

ebb_status vm_feed_get(x86_vm *vm, x86_feed *f, ebb_error *err)
{
    return machine_read(vm->native, feed_address(vm), f, sizeof *f, err);
}

ebb_status vm_feed_put(x86_vm *vm, const x86_feed *f, ebb_error *err)
{
    return machine_write(vm->native, feed_address(vm), f, sizeof *f, err);
}

/* ---- bringing events -------------------------------------------------------------------------- */

/* Copies an event as it is into the batch; false if there is no room for it.  Of what is not asked for, it is enough that it is there. */
static bool add(ebb_event_writer *w, const ebb_event *e)
{
    ebb_event_begin(w, e->kind, e->timestamp);
    if (!ebb_kind_is_note(&x86_recorded_kinds, e->kind))
        ebb_event_raw(w, e->values.at, (size_t)(e->values.end - e->values.at));
    return ebb_event_end(w);
}

/* *any: there are some that an execution takes. */
static ebb_status read_events(x86_vm *vm, uint64_t number, ebb_event_writer *w, bool *any, ebb_error *err)
{
    ebb_recording *recording;
    ebb_event event;
    ebb_status status;
    EBB_TRY(vm_history_recording(vm, &recording, err));
    EBB_TRY(ebb_recording_seek(recording, number, err));
    *any = false;
    while ((status = ebb_recording_next(recording, &event, err)) == EBB_OK && add(w, &event)) {
        *any = *any || !ebb_kind_is_note(&x86_recorded_kinds, event.kind);
        if (event.kind == X86_RECORDED_DOUBT)
            vm_record_doubt(vm, event.values);
    }
    return status == EBB_NO_HISTORY ? EBB_OK : status;
}

/* The timestamp of the event before the first that is not taken stays: what the batch begins with counts from it. */
ebb_status vm_feed_more(x86_vm *vm, bool *any, ebb_error *err)
{
    x86_feed f;
    EBB_TRY(vm_feed_get(vm, &f, err));
    *any = false;
    if (f.is_scratch)
        return EBB_OK;
    uint8_t *bytes = ebb_alloc(f.room);
    ebb_event_writer w;
    ebb_event_writer_init(&w, bytes, f.room, f.cursor.timestamp);
    ebb_status status = read_events(vm, f.cursor.number, &w, any, err);
    ebb_event_batch batch = ebb_event_writer_batch(&w);
    f.is_last = !*any;
    vm->undo.n_fed++;
    ebb_log("fed with %llu events from %llu on", (unsigned long long)batch.n_events, (unsigned long long)f.cursor.number);
    ebb_cursor_give(&f.cursor, batch.nbytes, batch.n_events, batch.base);
    if (status == EBB_OK && batch.nbytes)
        status = machine_write(vm->native, f.bytes, bytes, batch.nbytes, err);
    free(bytes);
    return status == EBB_OK ? vm_feed_put(vm, &f, err) : status;
}

ebb_status vm_feed_begin(x86_vm *vm, uint64_t number, ebb_error *err)
{
    x86_feed f;
    bool any;
    EBB_TRY(vm_feed_get(vm, &f, err));
    if (f.is_on) /* a copy of one that replays; more may have happened since */
        return f.cursor.at < f.cursor.end ? EBB_OK : vm_feed_more(vm, &any, err);
    f.is_on = 1;
    f.cursor = ebb_cursor_before(number);
    EBB_TRY(vm_feed_put(vm, &f, err));
    EBB_TRY(vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, ring), 0, err));
    return vm_feed_more(vm, &any, err);
}

ebb_status vm_feed_number(x86_vm *vm, uint64_t *number, ebb_error *err)
{
    x86_feed f;
    EBB_TRY(vm_feed_get(vm, &f, err));
    *number = f.cursor.number;
    return EBB_OK;
}

/* ---- looking at them -------------------------------------------------------------------------- */

enum { MOST = X86_RECORDED_MAX_PIECE + 4096 }; /* bytes of any event */

/* Looks at the next `most` bytes of the batch.  The cursor is one over the whole batch before and after. */
static ebb_peek peek_in(x86_vm *vm, ebb_cursor *c, uint64_t batch, uint8_t bytes[MOST], uint64_t most, ebb_event *event)
{
    uint64_t from = c->at, end = c->end;
    ebb_cursor here = *c, after;
    here.at = 0;
    here.end = end - from < most ? end - from : most;
    if (machine_read(vm->native, batch + from, bytes, here.end, NULL) != EBB_OK)
        return EBB_PEEK_BAD;
    ebb_peek found = ebb_cursor_peek(&here, bytes, &x86_recorded_kinds, vm->time, event, &after);
    *c = found == EBB_PEEK_EVENT ? after : here;
    c->at += from;
    c->end = end;
    return found;
}

/* The next event that an execution takes: its bytes go to `bytes`.  *after: the feed as it is when it was taken.  The first bytes are mostly all of it: long ones
 * have the memory that a call filled. */
static bool peek(x86_vm *vm, uint8_t bytes[MOST], ebb_event *event, x86_feed *after)
{
    enum { MOSTLY = 512 };
    ebb_cursor *c = &after->cursor;
    if (vm_feed_get(vm, after, NULL) != EBB_OK)
        return false;
    for (uint64_t most = MOSTLY; c->at < c->end && c->number < c->end_number;) {
        ebb_peek found = peek_in(vm, c, after->bytes, bytes, most, event);
        if (found == EBB_PEEK_EVENT)
            return true;
        if (found == EBB_PEEK_BAD && most == MOST)
            return false;
        most = MOST;
    }
    return false;
}

static bool comes_by_itself(const ebb_event *e)
{
    return ebb_kind_comes_by_itself(&x86_recorded_kinds, e->kind);
}

uint64_t vm_feed_event_time(x86_vm *vm)
{
    static uint8_t bytes[MOST];
    ebb_event event;
    x86_feed after;
    if (!vm->replaying)
        return UINT64_MAX;
    if (peek(vm, bytes, &event, &after))
        return x86_recorded_due(&event);
    return after.is_last ? UINT64_MAX : vm->time;
}

/* What is the same for every machine (a change by the user, a hash) begins with its place; another thread's turn has that thread before it, a signal its number, too. */
static uint64_t place_of(const ebb_event *e)
{
    ebb_values v = e->values;
    unsigned n_before = e->kind < EBB_EVENT_MACHINE ? 0 : x86_recorded_is_signal(e->kind) ? 2 : 1;
    while (n_before--)
        (void)ebb_values_u64(&v);
    return ebb_values_u64(&v);
}

bool vm_feed_due(x86_vm *vm, uint64_t *time, uint64_t *place)
{
    static uint8_t bytes[MOST];
    ebb_event event;
    x86_feed after;
    if (!peek(vm, bytes, &event, &after) || !comes_by_itself(&event))
        return false;
    *time = event.timestamp;
    *place = place_of(&event);
    return true;
}

bool vm_feed_signal(x86_vm *vm, ebb_event *event)
{
    static uint8_t bytes[MOST];
    x86_feed after;
    return peek(vm, bytes, event, &after) && x86_recorded_is_signal(event->kind) && event->timestamp == vm->time;
}

/* The next event, if it is a change by the user at this time. */
static bool peek_edit(x86_vm *vm, ebb_edit *edit)
{
    static uint8_t bytes[MOST];
    ebb_event event;
    x86_feed after;
    return peek(vm, bytes, &event, &after) && event.kind == EBB_EVENT_EDIT && event.timestamp == vm->time && ebb_edit_read(&event, edit, NULL) == EBB_OK;
}

bool vm_feed_edits(x86_vm *vm)
{
    ebb_edit edit;
    return peek_edit(vm, &edit);
}

bool vm_feed_edits_now(x86_vm *vm, uint64_t *place)
{
    ebb_edit edit;
    if (!peek_edit(vm, &edit))
        return false;
    *place = edit.at.place;
    return !vm_edit_ticks(&edit);
}

bool vm_feed_is_dry(x86_vm *vm)
{
    static uint8_t bytes[MOST];
    ebb_event event;
    x86_feed after;
    return !peek(vm, bytes, &event, &after) && after.cursor.at >= after.cursor.end;
}

static const char *likely_reason(const x86_vm *vm)
{
    return vm_record_doubts(vm).shares ? " (other processes may have written to its memory)" : "";
}

ebb_status vm_feed_take(x86_vm *vm, ebb_event *event, ebb_error *err)
{
    static uint8_t bytes[MOST];
    x86_feed after;
    if (!peek(vm, bytes, event, &after))
        return ebb_fail(err, EBB_DIVERGED, "replay expected a signal or another thread's turn here");
    if (!comes_by_itself(event))
        return ebb_fail(err, EBB_DIVERGED, "Replay diverged from what was recorded: the execution went past timestamp %lu, where the recording has %s%s.",
                        (unsigned long)event->timestamp, ebb_kind_text(&x86_recorded_kinds, event->kind), likely_reason(vm));
    return vm_feed_put(vm, &after, err);
}

ebb_status vm_feed_diverged(x86_vm *vm, ebb_error *err)
{
    x86_feed f;
    EBB_TRY(vm_feed_get(vm, &f, err));
    f.why[sizeof f.why - 1] = '\0';
    return ebb_fail(err, EBB_DIVERGED, "Replay diverged from what was recorded: %s%s.", f.why, likely_reason(vm));
}
