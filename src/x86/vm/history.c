/* history.c - the machine's history as the rest of ebb sees it. */
#include "x86/vm/history_private.h"
#include "base/log.h"
#include "x86/vm/caught.h"
#include "x86/vm/feed.h"
#include "x86/vm/kept.h"
#include "x86/vm/record.h"
#include "x86/vm/scratch.h"
#include "x86/vm/scribe.h"
#include "x86/vm/undo.h"

#include <stdio.h>


/* ---- lifetime --------------------------------------------------------------------------------- */

static void begin(x86_vm *vm)
{
    vm->history = EBB_NEW(vm_history);
    vm->history->live.body.mem = vm->history->aside.body.mem = -1;
    vm->history->copies = ebb_copies_new(&vm_copies_hooks, vm);
    vm->base.history = &vm_history_ops;
    x86_of(vm->native)->outlives = true;
}

void x86_vm_keep_history_from_here(machine *m, const char *why)
{
    begin(vm_of(m));
    vm_of(m)->history->gap = vm_of(m)->history->begins_after = why;
}

/* The program may go live from its past: more is recorded than replay needs. */
static ebb_status record_all(x86_vm *vm, ebb_error *err)
{
    EBB_TRY(x86_vm_record(&vm->base, NULL, err));
    vm_kept_begin(vm);
    vm_kept_note_all(vm);
    return EBB_OK;
}

ebb_status x86_vm_keep_history(machine *m, ebb_error *err)
{
    EBB_TRY(record_all(vm_of(m), err));
    begin(vm_of(m));
    return EBB_OK;
}

/* How the recorded program ended.  False: nobody saw it. */
static bool find_end(ebb_recording *r, machine_stop *stop)
{
    int64_t how;
    if (!ebb_recording_find_exit(r, &how))
        return false;
    *stop = how >= 0 ? (machine_stop){.kind = MACHINE_STOP_EXITED, .exit_status = (int)how}
                     : (machine_stop){.kind = MACHINE_STOP_KILLED, .signal = (int)-how};
    return true;
}

/* Where nobody saw the end, replay ends where the last mark is or, if it tells only when that was, as its timestamp begins: what was done in that need not be
 * written. */
ebb_status vm_history_open(x86_vm *vm, const char *path, ebb_error *err)
{
    machine_stop stop;
    ebb_recording *r;
    EBB_TRY(ebb_recording_open(path, &r, err));
    begin(vm);
    vm->history->recording = r;
    vm->history->live.body.gone = true;
    vm->recording.path = ebb_strdup(path);
    ebb_position reach = ebb_recording_find_reach(r);
    ebb_copies_open(vm->history->copies, reach);
    if (find_end(r, &stop))
        ebb_copies_note_end(vm->history->copies, reach.timestamp, &stop);
    else
        ebb_copies_note_newest(vm->history->copies, reach);
    return EBB_OK;
}

void vm_history_free(x86_vm *vm)
{
    vm_history *h = vm->history;
    if (!h)
        return;
    ebb_copies_end(h->copies);
    ebb_copies_free(h->copies);
    ebb_recording_free(h->recording);
    ebb_vec_fini(&h->listed);
    free(h);
    vm->history = NULL;
    vm->base.history = NULL;
    x86_of(vm->native)->outlives = false;
}

/* ---- the recording ---------------------------------------------------------------------------- */

ebb_status vm_history_recording(x86_vm *vm, ebb_recording **out, ebb_error *err)
{
    vm_history *h = vm->history;
    if (!vm->replaying)
        vm_record_sync(vm);
    if (!h->recording)
        EBB_TRY(ebb_recording_open_fd(x86_scribe_get_fd(vm->recording.scribe), &h->recording, err));
    *out = h->recording;
    return ebb_recording_refresh(h->recording, err);
}

static ebb_status complete(machine *m, ebb_recorder *copy, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    return vm->recording.scribe ? x86_scribe_complete(vm->recording.scribe, copy, err) : EBB_OK;
}

static ebb_status n_happened(machine *m, uint64_t *n, ebb_error *err)
{
    return vm_copies_next_number(vm_of(m), n, err);
}

static const char *doubt(x86_vm *vm)
{
    static char text[160];
    vm_doubts doubts = vm_record_doubts(vm);
    if (doubts.shares)
        return "another process may have written to memory that the program shares with it";
    if (!doubts.unknown_call)
        return NULL;
    const char *name = x86_syscall_name((long)doubts.unknown_call - 1);
    snprintf(text, sizeof text, "what the system call %s (%u) wrote is not known", name ? name : "?", doubts.unknown_call - 1);
    return text;
}

static void get(machine *m, machine_history *out)
{
    x86_vm *vm = vm_of(m);
    *out = (machine_history){.undo_oldest = vm_undo_oldest(vm), .undo_nbytes = vm_undo_nbytes(vm), .undo_limit = vm->replaying ? vm->undo_wanted : 0, .doubt = doubt(vm), .n_verified = vm->verify.n_compared};
    out->undo_cut_by = vm->undo.checkpoints.cut_by;
    out->ended_by = x86_vm_recording_ended(m);
    out->begins_after = vm_of(m)->history->begins_after;
    ebb_recording_extent extent = {0};
    if (vm_of(m)->recording.scribe)
        out->recording_nbytes = x86_scribe_get_nbytes(vm_of(m)->recording.scribe);
    else if (vm_of(m)->history->recording) {
        ebb_recording_get_extent(vm_of(m)->history->recording, &extent);
        out->recording_nbytes = extent.nbytes;
    }
}

static ebb_copies *copies(machine *m)
{
    return vm_of(m)->history->copies;
}

/* ---- ends ------------------------------------------------------------------------------------- */

void vm_history_note_end(x86_vm *vm, const machine_stop *stop)
{
    if (!vm->history)
        return;
    uint64_t last = vm->recording.scribe ? x86_scribe_get_timestamp(vm->recording.scribe) : 0;
    ebb_copies_note_end(vm->history->copies, last > vm->time ? last : vm->time, stop); /* it was last looked at some time before its end */
}

void vm_history_gap(x86_vm *vm, const char *why)
{
    vm_record_stop(vm, why);
    if (vm->history)
        vm->history->gap = vm->history->begins_after = why;
}

static ebb_status begin_again(x86_vm *vm, ebb_error *err)
{
    vm_history *h = vm->history;
    ebb_snapshot first = {0};
    for (size_t i = 0; i < vm->threads.n; i++)
        EBB_TRY(vm_record_leaves(vm, &vm->threads.items[i], err));
    EBB_TRY(vm_record_forget_calls(vm, err));
    ebb_recording_free(h->recording);
    h->recording = NULL;
    vm_record_fini(vm);
    EBB_TRY(record_all(vm, err));
    EBB_TRY(vm_copies_take(vm, &first, err));
    ebb_copies_add(h->copies, &first);
    h->taken_at = vm->time;
    ebb_pace_rule rule = h->rule;
    vm_snapshots_set_pace(vm, rule);
    return EBB_OK;
}

/* The program goes on, whether or not it can be recorded. */
void vm_history_after_gap(x86_vm *vm)
{
    ebb_error why;
    if (!vm->history || !vm->history->gap || vm->replaying || vm->native_until_exec)
        return;
    vm->history->gap = NULL;
    if (begin_again(vm, &why) != EBB_OK)
        ebb_log("no history after the gap: %s", why.text);
}

void vm_history_cut(x86_vm *vm)
{
    size_t n;
    const ebb_snapshot *all;
    if (!vm->history)
        return;
    while ((all = ebb_copies_list(vm->history->copies, &n)) && n > 0)
        ebb_copies_drop(vm->history->copies, all[n - 1].id);
    ebb_pace_rule rule = vm->history->rule;
    vm_snapshots_set_pace(vm, (ebb_pace_rule){0});
    vm->history->rule = rule;
}

void vm_history_tell_end(x86_vm *vm, machine_stop *stop)
{
    ebb_newest newest = ebb_copies_newest(vm->history->copies);
    machine_stop here = *stop;
    *stop = newest.has_ended ? newest.end : (machine_stop){.kind = MACHINE_STOP_HISTORY_END, .thread = here.thread, .place = here.place};
}

const machine_history_ops vm_history_ops = {
    .get = get,
    .copies = copies,
    .search = vm_search,
    .undo_set = vm_undo_set,
    .recording = x86_vm_recording,
    .complete = complete,
    .n_happened = n_happened,
    .state_hash = vm_state_hash,
    .scratch_begin = vm_scratch_begin,
    .scratch_end = vm_scratch_end,
    .show = vm_caught_show,
};
