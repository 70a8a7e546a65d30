/* copies.c - how copies of a native program are made, restored and ended (time/copies.h). */
#include "x86/vm/branch.h"
#include "x86/vm/feed.h"
#include "x86/vm/history_private.h"
#include "x86/vm/record.h"
#include "x86/vm/replay.h"
#include "x86/vm/undo.h"

static ebb_position where(void *self, machine_tid *thread)
{
    x86_vm *vm = self;
    machine_tid tid = vm->last ? vm->last : vm->threads.n ? vm->threads.items[0].tid : 0;
    uint64_t place = 0;
    *thread = tid;
    if (tid && vm_place_of_thread(vm, tid, &place, NULL) != EBB_OK)
        place = 0;
    return (ebb_position){vm->time, place};
}

ebb_status vm_copies_next_number(x86_vm *vm, uint64_t *number, ebb_error *err)
{
    if (vm->replaying)
        return vm_feed_number(vm, number, err);
    ebb_recording *recording;
    ebb_recording_extent extent;
    EBB_TRY(vm_history_recording(vm, &recording, err));
    ebb_recording_get_extent(recording, &extent);
    *number = extent.n_events;
    return EBB_OK;
}

ebb_status vm_copies_take(void *self, ebb_snapshot *out, ebb_error *err)
{
    x86_vm *vm = self;
    if (!vm->replaying && (!vm->recording.scribe || !vm->installed))
        return ebb_fail(err, EBB_UNAVAILABLE, "nothing is recorded yet");
    vm_frozen *frozen = EBB_NEW(vm_frozen);
    out->at = where(vm, &out->thread);
    out->copy = frozen;
    ebb_status status = vm_copies_next_number(vm, &frozen->number, err);
    if (status == EBB_OK)
        status = vm_worn_fork(vm, &frozen->worn, err);
    if (status != EBB_OK)
        free(frozen);
    return status;
}

static void end_replaying(x86_vm *vm)
{
    vm_history *h = vm->history;
    vm_wear(vm, &h->live); /* the copy is there now */
    vm_worn_end(&h->live);
    h->live = (vm_worn){.body.mem = -1};
}

/* A copy of what is executed just now is executed instead, and begins to replay.  *was gets what was executed. */
static ebb_status replay_copy(x86_vm *vm, uint64_t number, vm_worn *was, ebb_error *err)
{
    vm_worn copy;
    EBB_TRY(vm_worn_fork(vm, &copy, err));
    vm_wear(vm, &copy);
    *was = copy;
    vm->replaying = true;
    ebb_status status = vm_feed_begin(vm, number, err);
    if (status == EBB_OK)
        status = vm_replay_edits(vm, err);
    if (status == EBB_OK)
        return EBB_OK;
    vm_wear(vm, was);
    vm_worn_end(was);
    return status;
}

static ebb_status restore_frozen(x86_vm *vm, vm_frozen *frozen, ebb_error *err)
{
    vm_worn live = {.body.mem = -1}, back;
    if (!x86_body_is_alive(&frozen->worn.body))
        return ebb_fail(err, EBB_NOT_FOUND, "a snapshot's process is gone");
    vm_wear(vm, &frozen->worn); /* the frozen one is executed, and what was is there */
    live = frozen->worn;
    ebb_status status = replay_copy(vm, frozen->number, &back, err);
    if (status != EBB_OK) {
        vm_wear(vm, &live);
        frozen->worn = live;
        return status;
    }
    frozen->worn = back;
    if (live.replaying)
        vm_worn_end(&live); /* the copy that replayed before */
    else
        vm->history->live = live;
    return EBB_OK;
}

static ebb_status restore_live(x86_vm *vm, ebb_error *err)
{
    uint64_t number;
    EBB_TRY(vm_copies_next_number(vm, &number, err));
    return replay_copy(vm, number, &vm->history->live, err);
}

static ebb_status restore(void *self, const ebb_snapshot *from, ebb_position until, ebb_error *err)
{
    x86_vm *vm = self;
    if (!vm->replaying)
        vm_record_sync(vm); /* the copy reads all that has happened */
    return from ? restore_frozen(vm, from->copy, err) : restore_live(vm, err);
}

static void end(void *self, void *copy)
{
    vm_frozen *frozen = copy;
    vm_worn_end(&frozen->worn);
    free(frozen);
}

static uint64_t nbytes(void *self, void *copy)
{
    return x86_body_private_nbytes(&((vm_frozen *)copy)->worn.body);
}

static ebb_status leave(void *self, const ebb_newest *newest, ebb_error *err)
{
    end_replaying(self);
    return EBB_OK;
}

static void pace(void *self, ebb_pace_rule rule)
{
    vm_snapshots_set_pace(self, rule);
}

/* FC5 */
static ebb_status take_again(void *self, const ebb_snapshot *from, ebb_snapshot *out, ebb_error *err)
{
    x86_vm *vm = self;
    vm_frozen *frozen = from->copy, *again = EBB_NEW(vm_frozen);
    again->number = frozen->number;
    vm_wear(vm, &frozen->worn);
    ebb_status status = vm_worn_fork(vm, &again->worn, err);
    vm_wear(vm, &frozen->worn);
    if (status != EBB_OK) {
        free(again);
        return status;
    }
    *out = (ebb_snapshot){.at = from->at, .thread = from->thread, .copy = again};
    return EBB_OK;
}

const ebb_copies_hooks vm_copies_hooks = {
    .where = where,
    .take = vm_copies_take,
    .restore = restore,
    .end = end,
    .nbytes = nbytes,
    .leave = leave,
    .take_again = take_again,
    .branch = vm_branch,
    .adopt = vm_adopt,
    .undo_oldest = vm_undo_oldest,
    .rewind = vm_undo_rewind,
    .pace = pace,
};
