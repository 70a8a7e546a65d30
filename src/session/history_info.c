/* history_info.c - history itself: what is kept, leaving it, keeping it; see time.h. */
#include "session/counted.h"
#include "session/data.h"
#include "session/kept_sources.h"
#include "session/language.h"
#include "session/launch.h"
#include "session/points.h"
#include "session/recordings.h"
#include "session/travel.h"
#include "session/time.h"
#include "time/copies.h"

static const char *state_word(ebb_timeline_state state)
{
    switch (state) {
    case EBB_TIMELINE_LIVE: return "live";
    case EBB_TIMELINE_REPLAYING: return "replaying";
    case EBB_TIMELINE_ENDED: return "ended";
    case EBB_TIMELINE_APART: return "apart";
    case EBB_TIMELINE_POISONED: break;
    }
    return "lost";
}

ebb_status ses_history_info_get(session *s, ses_history_info *out, ebb_error *err)
{
    *out = (ses_history_info){.machine = s->machine ? s->machine->ops->name : "none", .runs_again = ses_is_counted(s)};
    if (!s->machine)
        return EBB_OK;
    if (!machine_can(s->machine, MACHINE_RECORDS))
        return s->language->aliases_info(s, &out->aliases, err);
    ebb_timeline_history history;
    EBB_TRY(ebb_timeline_get_history(s->timeline, &history, err));
    *out = (ses_history_info){
        .machine = s->machine->ops->name,
        .is_kept = true,
        .state = state_word(history.state),
        .oldest = history.oldest,
        .newest = history.newest,
        .now = history.state == EBB_TIMELINE_ENDED ? history.newest : s->machine->ops->timestamp(s->machine), /* a machine may stand elsewhere */
        .recording_nbytes = history.machine.recording_nbytes,
        .n_verified = history.machine.n_verified,
        .undo_nbytes = history.machine.undo_nbytes,
        .undo_limit = history.machine.undo_limit,
        .undo_oldest = history.machine.undo_oldest,
        .begins_after = history.machine.begins_after,
        .ended_by = history.machine.ended_by,
        .doubt = history.machine.doubt,
        .undo_cut_by = history.machine.undo_cut_by,
        .n_snapshots = history.n_snapshots,
        .snapshot_nbytes = history.snapshot_nbytes,
    };
    if (history.state != EBB_TIMELINE_ENDED)
        EBB_TRY(s->language->aliases_info(s, &out->aliases, err));
    return EBB_OK;
}

ebb_status ses_branch(session *s, ebb_buf *undone, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    EBB_TRY(ses_need_history(s, err));
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ebb_timeline_now(s->timeline, 0, &now, err));
    EBB_TRY(ebb_timeline_branch(s->timeline, undone, err));
    if (s->bookmarks)
        ebb_bookmarks_cut(s->bookmarks, now);
    machine_stop at = {.kind = MACHINE_STOP_POSITION, .thread = ebb_timeline_get_thread(s->timeline), .place = now.place};
    ses_settle_at(s, &at, SES_STOP_POSITION, stop);
    if (s->language->sync_code(s)) /* code that is still to come need not come as it did: it is waited for again */
        ses_points_resolve(s);
    return EBB_OK;
}

/* Where a program stands that has not ended: that is how far its recording goes. */
static ebb_status mark_newest(session *s, ebb_recorder *rec, uint64_t last, ebb_error *err)
{
    ebb_newest newest = ebb_copies_newest(s->machine->history->copies(s->machine));
    return newest.has_live && newest.at.timestamp >= last ? ebb_recorder_mark(rec, newest.at, err) : EBB_OK;
}

/* One that was opened has those that it was made with. */
static ebb_status keep_sources(session *s, ebb_recorder *rec, ebb_error *err)
{
    sym_names paths = {0};
    ebb_status status = EBB_OK;
    if (!s->replay && ses_source_list(s, &paths, NULL) == EBB_OK)
        status = ses_kept_sources_put(rec, &paths, err);
    ebb_vec_fini(&paths);
    return status;
}

static ebb_status close_or_free(ebb_recorder *rec, ebb_status status, ebb_error *err)
{
    if (status == EBB_OK)
        return ebb_recorder_close(rec, err);
    ebb_recorder_free(rec);
    return status;
}

ebb_status ses_keep_sources(session *s, const char *recording, ebb_error *err)
{
    ebb_recorder *rec;
    if (s->language->records_modules)
        return ses_tree_keep_sources(recording, err);
    if (!ses_recording_has_ended(recording))
        return EBB_OK;
    EBB_TRY(ebb_recorder_append(recording, &rec, err));
    return close_or_free(rec, keep_sources(s, rec, err), err);
}

/* What is not in the recording itself, which ends at that timestamp. */
static ebb_status complete(session *s, const char *path, uint64_t last, ebb_error *err)
{
    ebb_recorder *rec;
    const machine_history_ops *history = s->machine->history;
    EBB_TRY(ebb_recorder_append(path, &rec, err));
    ebb_status status = history->complete ? history->complete(s->machine, rec, err) : EBB_OK;
    if (status == EBB_OK)
        status = mark_newest(s, rec, last, err);
    if (status == EBB_OK && s->bookmarks)
        status = ebb_bookmarks_save(s->bookmarks, rec, err);
    if (status == EBB_OK)
        status = keep_sources(s, rec, err);
    return close_or_free(rec, status, err);
}

ebb_status ses_save(session *s, const char *path, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    const char *from = s->machine->history->recording ? s->machine->history->recording(s->machine) : NULL;
    if (!from)
        return ebb_fail(err, EBB_NO_HISTORY, "nothing is recorded in a file, so there is nothing to save");
    ebb_recording *r;
    EBB_TRY(ebb_recording_open(from, &r, err));
    ebb_recording_extent extent;
    ebb_status status = ebb_recording_copy(r, path, err);
    ebb_recording_get_extent(r, &extent);
    ebb_recording_free(r);
    return status == EBB_OK ? complete(s, path, extent.last_timestamp, err) : status;
}

ebb_status ses_save_schedule(session *s, const char *path, ebb_error *err)
{
    return s->language->save_schedule(s, path, err);
}

void ses_on_progress(session *s, ebb_progress *progress, void *self)
{
    s->progress = progress;
    s->progress_self = self;
    if (s->timeline)
        ebb_timeline_on_progress(s->timeline, progress, self);
}
