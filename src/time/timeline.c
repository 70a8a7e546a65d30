/* timeline.c - where a timeline is, and how it moves forward. */
#include "time/timeline.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/sizes.h"
#include "time/timeline_private.h"

#include <time.h>

enum {
    /* A guess, until it is measured.  Too low, and the first move back takes needless snapshots; too high, and it replays longer than it
     * need.  The first run that is long enough (TELLING_US) corrects it either way. */
    FIRST_TICKS_PER_MS = 5000,
};

/* ---- lifetime ------------------------------------------------------------------------------------- */

static bool records(const ebb_timeline *tl)
{
    return tl->copies != NULL;
}

static void snapshot_was_taken(void *self)
{
    tl_thin(self);
}

static void set_pace(ebb_timeline *tl)
{
    ebb_pace_rule pace = {.interval_ms = tl->snapshots_most == 0 ? 0 : EBB_PACE_INTERVAL_MS, .share = EBB_PACE_SHARE};
    ebb_copies_set_pace(tl->copies, pace, snapshot_was_taken, tl);
}

void ebb_timeline_bound_snapshots(ebb_timeline *tl, uint64_t nbytes)
{
    if (!records(tl) || tl->snapshots_most == nbytes)
        return;
    tl->snapshots_most = nbytes;
    set_pace(tl);
    tl->weigh_at_us = 0;
    tl_thin(tl);
}

ebb_timeline *ebb_timeline_new(machine *m)
{
    ebb_timeline *tl = EBB_NEW(ebb_timeline);
    tl->machine = m;
    tl->state = EBB_TIMELINE_LIVE;
    tl->ticks_per_ms = FIRST_TICKS_PER_MS;
    tl->thin_at = EBB_THIN_AT_FIRST;
    tl->snapshots_most = UINT64_MAX;
    tl->patience = EBB_LOOK_BACK_PATIENCE;
    ebb_timeline_take_up_history(tl);
    return tl;
}

void ebb_timeline_take_up_history(ebb_timeline *tl)
{
    machine *m = tl->machine;
    if (records(tl) || !machine_can(m, MACHINE_RECORDS))
        return;
    tl->copies = m->history->copies(m);
    if (ebb_copies_is_replaying(tl->copies)) /* a recording was opened */
        tl->state = EBB_TIMELINE_REPLAYING;
    set_pace(tl);
    tl_look(tl);
    if (!ebb_timeline_has_history(tl))
        tl_take_snapshot(tl); /* where history begins */
}

void ebb_timeline_free(ebb_timeline *tl)
{
    if (tl && records(tl))
        ebb_copies_set_pace(tl->copies, (ebb_pace_rule){0}, NULL, NULL);
    free(tl);
}

ebb_timeline_state ebb_timeline_get_state(const ebb_timeline *tl)
{
    return tl->state;
}

bool ebb_timeline_has_history(const ebb_timeline *tl)
{
    size_t n = 0;
    if (records(tl))
        ebb_copies_list(tl->copies, &n);
    return n > 0;
}

void ebb_timeline_on_progress(ebb_timeline *tl, ebb_progress *progress, void *self)
{
    tl->progress = progress;
    tl->progress_self = self;
}

void ebb_timeline_listen(ebb_timeline *tl, const ebb_interrupts *interrupts)
{
    tl->interrupts = interrupts;
    ebb_timeline_forget_interrupts(tl);
}

void ebb_timeline_forget_interrupts(ebb_timeline *tl)
{
    if (tl->interrupts)
        tl->interrupts_seen = tl->interrupts->count;
}

bool tl_is_ending(const ebb_timeline *tl)
{
    return tl->interrupts && tl->interrupts->ends;
}

bool tl_is_interrupted(const ebb_timeline *tl)
{
    return tl_is_ending(tl) || (tl->interrupts && tl->interrupts->count != tl->interrupts_seen);
}

void tl_work_begin(ebb_timeline *tl) { tl->n_works++; }
void tl_work_end(ebb_timeline *tl) { tl->n_works--; }

static void tell(ebb_timeline *tl, uint64_t done, uint64_t total)
{
    if (tl->progress)
        tl->progress(tl->progress_self, done < total ? done : total, total);
}

void tl_tell_progress(ebb_timeline *tl, uint64_t done, uint64_t total)
{
    if (tl->n_works <= 1)
        tell(tl, done, total);
}

void tl_tell_way(ebb_timeline *tl, uint64_t done, uint64_t total)
{
    if (tl->n_works == 0)
        tell(tl, done, total);
}

/* ---- what can be done now ------------------------------------------------------------------------- */

static ebb_status check_sound(ebb_timeline *tl, ebb_error *err)
{
    return tl->state == EBB_TIMELINE_POISONED ? ebb_fail(err, tl->poison.status, "%s", tl->poison.text) : EBB_OK;
}

static ebb_status check_movable(ebb_timeline *tl, ebb_error *err)
{
    if (tl->state == EBB_TIMELINE_ENDED)
        return ebb_fail(err, EBB_GONE, "The program is not being run.");
    return check_sound(tl, err);
}

ebb_status tl_check_history(ebb_timeline *tl, ebb_error *err)
{
    ebb_status status = check_sound(tl, err);
    if (status == EBB_OK && tl->state == EBB_TIMELINE_APART)
        status = ebb_fail(err, EBB_NO_HISTORY, "a thread went back alone: this state was never there, and there is no way back from it");
    if (status == EBB_OK && !records(tl))
        status = ebb_fail(err, EBB_NO_HISTORY, "no history is kept yet, so there is no way back from here");
    if (status == EBB_OK && !ebb_timeline_has_history(tl))
        status = ebb_fail(err, EBB_NO_HISTORY, "nothing is recorded yet, so there is no way back from here");
    return status;
}

/* A machine that fails while moving may have moved some threads and not others: T2. */
ebb_status tl_poison(ebb_timeline *tl, const ebb_error *why, ebb_error *err)
{
    tl->state = EBB_TIMELINE_POISONED;
    tl->poison = *why;
    return ebb_fail(err, why->status, "%s", why->text);
}

static bool has_snapshot_here(ebb_timeline *tl)
{
    ebb_snapshot nearest;
    return tl_snapshot_before(tl, tl->here, true, &nearest) && ebb_position_compare(nearest.at, tl->here) == 0;
}

void ebb_timeline_mark_return(ebb_timeline *tl)
{
    if (tl->state == EBB_TIMELINE_REPLAYING && !has_snapshot_here(tl))
        tl_take_snapshot(tl);
}

/* T2: what replays is lost, but not what it is a copy of.  The way that it failed on will fail again, so the history that is still to come
 * begins here, at a snapshot of its own. */
static bool leave_broken_replay(ebb_timeline *tl)
{
    machine_stop end;
    if (tl->state != EBB_TIMELINE_REPLAYING)
        return false;
    ebb_newest newest = ebb_copies_newest(tl->copies);
    if (!newest.has_live && !newest.has_ended)
        return false;
    if (tl_arrive_at_end(tl, &end, NULL) != EBB_OK)
        return false;
    if (tl->state == EBB_TIMELINE_LIVE && !has_snapshot_here(tl))
        tl_take_snapshot(tl);
    return true;
}

/* ---- one resume ----------------------------------------------------------------------------------- */

bool tl_ends_debuggee(const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_EXITED || stop->kind == MACHINE_STOP_KILLED;
}

void tl_fill_stop(const ebb_timeline *tl, machine_stop_kind kind, machine_stop *stop)
{
    *stop = (machine_stop){.kind = kind, .thread = tl->thread, .place = tl->here.place};
}

void tl_look(ebb_timeline *tl)
{
    machine *m = tl->machine;
    if (!machine_can(m, MACHINE_COUNTS_TIME))
        return;
    size_t n = 0;
    if (tl->thread == 0) {
        const machine_thread *threads = m->ops->threads(m, &n);
        tl->thread = n ? threads[0].tid : 0;
    }
    tl->here = (ebb_position){.timestamp = m->ops->timestamp(m)};
    if (m->ops->place(m, tl->thread, &tl->here.place, NULL) != EBB_OK)
        tl->here.place = 0;
}

uint64_t tl_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

enum {
    TELLING_US = 5000, /* shorter runs say more of messages than of replaying, */
    A_LITTLE_US = 250, /* ... unless they went very far for that */
};

/* A rate that is far too low makes slices so short that none of them would ever correct it. */
static bool is_telling(const ebb_timeline *tl, uint64_t ticks, uint64_t us)
{
    return us >= TELLING_US ? ticks > 0 : us >= A_LITTLE_US && ticks >= TELLING_US / 1000 * tl->ticks_per_ms;
}

static void measure(ebb_timeline *tl, uint64_t ticks, uint64_t us)
{
    if (!is_telling(tl, ticks, us))
        return;
    uint64_t rate = ticks * 1000 / us;
    tl->ticks_per_ms = (3 * tl->ticks_per_ms + (rate ? rate : 1)) / 4;
}

/* The machine failed while it moved: what is left of the timeline. */
static ebb_status move_failed(ebb_timeline *tl, const machine_stop *stop, const ebb_error *why, ebb_error *err)
{
    if (leave_broken_replay(tl))
        return ebb_fail(err, why->status, "%s", why->text);
    if (why->status != EBB_UNSUPPORTED || !stop->thread) /* MA6 */
        return tl_poison(tl, why, err);
    tl->thread = stop->thread;
    tl->here = (ebb_position){.timestamp = tl->machine->ops->timestamp(tl->machine), .place = stop->place};
    return ebb_fail(err, why->status, "%s", why->text);
}

/* Where it stands now.  False: the debuggee is gone. */
static bool note_move(ebb_timeline *tl, const machine_stop *stop)
{
    if (tl_ends_debuggee(stop)) {
        tl->here = (ebb_position){UINT64_MAX, UINT64_MAX}; /* nothing is there to go on from */
        return false;
    }
    tl->thread = stop->thread;
    tl->here = (ebb_position){.timestamp = tl->machine->ops->timestamp(tl->machine), .place = stop->place};
    return true;
}

ebb_status tl_resume(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine *m = tl->machine;
    uint64_t began_us = tl_now_us(), began = tl->here.timestamp;
    *stop = (machine_stop){0};
    ebb_error why;
    if (m->ops->resume(m, request, stop, &why) != EBB_OK)
        return move_failed(tl, stop, &why, err);
    if (!machine_can(m, MACHINE_COUNTS_TIME) || !note_move(tl, stop))
        return EBB_OK;
    if (tl->state == EBB_TIMELINE_REPLAYING && request->move == MACHINE_RUN)
        measure(tl, tl->here.timestamp - began, tl_now_us() - began_us);
    return EBB_OK;
}

static void hear_interrupt(const ebb_timeline *tl, machine_stop *stop)
{
    if (tl_is_interrupted(tl) && !tl_ends_debuggee(stop))
        stop->kind = MACHINE_STOP_INTERRUPTED;
}

ebb_status tl_replay(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    ebb_status status = tl_resume(tl, request, stop, err);
    if (status == EBB_OK)
        hear_interrupt(tl, stop);
    return status;
}

ebb_status tl_search(ebb_timeline *tl, const machine_search *search, machine_found *found, ebb_error *err)
{
    machine *m = tl->machine;
    uint64_t began_us = tl_now_us(), began = tl->here.timestamp;
    *found = (machine_found){0};
    ebb_error why;
    if (m->history->search(m, search, found, &why) != EBB_OK)
        return move_failed(tl, &found->end, &why, err);
    if (note_move(tl, &found->end))
        measure(tl, tl->here.timestamp - began, tl_now_us() - began_us);
    hear_interrupt(tl, &found->end);
    return EBB_OK;
}

/* ---- the newest state ----------------------------------------------------------------------------- */

void tl_note_end(ebb_timeline *tl, const machine_stop *stop)
{
    tl->state = EBB_TIMELINE_ENDED;
    if (!records(tl))
        return;
    ebb_newest newest = ebb_copies_newest(tl->copies);
    ebb_check(newest.has_ended && newest.end.kind == stop->kind);
    tl->here = newest.at;
    tl->weigh_at_us = 0; /* pages that snapshots shared with the program are theirs alone now */
    tl_thin(tl);
}

static ebb_status go_live(ebb_timeline *tl, machine_tid thread, ebb_error *err)
{
    ebb_error why;
    if (ebb_copies_go_live(tl->copies, &why) != EBB_OK)
        return tl_poison(tl, &why, err);
    tl->state = EBB_TIMELINE_LIVE;
    tl->thread = thread;
    tl_look(tl);
    return EBB_OK;
}

ebb_status tl_arrive_at_end(ebb_timeline *tl, machine_stop *stop, ebb_error *err)
{
    ebb_newest newest = ebb_copies_newest(tl->copies);
    if (newest.has_ended) {
        *stop = newest.end;
        tl->state = EBB_TIMELINE_ENDED;
        tl->here = newest.at;
        return EBB_OK;
    }
    if (newest.has_live)
        EBB_TRY(go_live(tl, newest.thread, err));
    else /* the end of a recording, told by the machine */
        ebb_copies_note_newest(tl->copies, tl->here);
    tl_fill_stop(tl, MACHINE_STOP_HISTORY_END, stop);
    return EBB_OK;
}

static bool is_at_newest(const ebb_timeline *tl)
{
    ebb_newest newest = ebb_copies_newest(tl->copies);
    return newest.is_known && ebb_position_compare(tl->here, newest.at) >= 0;
}

/* ---- forward -------------------------------------------------------------------------------------- */

static ebb_status run_live(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    ebb_status status = tl_resume(tl, request, stop, err);
    if (status == EBB_OK && tl_ends_debuggee(stop))
        tl_note_end(tl, stop);
    return status;
}

static ebb_position until_of(const machine_request *request)
{
    return (ebb_position){.timestamp = request->until_time, .place = request->until_place};
}

/* T4: not beyond the newest state. */
static void limit(const ebb_timeline *tl, machine_request *request)
{
    request->signal = 0; /* what is delivered is in the recording */
    ebb_newest newest = ebb_copies_newest(tl->copies);
    if (!newest.is_known || (request->until && ebb_position_compare(until_of(request), newest.at) <= 0))
        return;
    request->until = true;
    request->quiet = false;
    request->until_time = newest.at.timestamp;
    request->until_place = newest.at.place;
}

/* A restored copy hasn't "stopped at" the point that it stands on; but the user has. */
static bool stayed_at_point(const ebb_timeline *tl, ebb_position before, const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_POINT && ebb_position_compare(before, tl->here) == 0;
}

static ebb_status replay(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    if (is_at_newest(tl))
        return tl_arrive_at_end(tl, stop, err);
    machine_request limited = *request;
    limit(tl, &limited);
    ebb_position before = tl->here;
    ebb_status status = tl_resume(tl, &limited, stop, err);
    if (status == EBB_OK && stayed_at_point(tl, before, stop))
        status = tl_resume(tl, &limited, stop, err);
    if (status != EBB_OK)
        return status;
    if (tl_ends_debuggee(stop))
        tl_note_end(tl, stop);
    if (stop->kind != MACHINE_STOP_HISTORY_END && !(stop->kind == MACHINE_STOP_POSITION && is_at_newest(tl)))
        return EBB_OK;
    ebb_newest newest = ebb_copies_newest(tl->copies);
    bool is_asked_for = newest.has_live && request->until && ebb_position_compare(until_of(request), newest.at) <= 0;
    if (!is_asked_for)
        return tl_arrive_at_end(tl, stop, err);
    tl_fill_stop(tl, MACHINE_STOP_POSITION, stop); /* it goes back again, mostly: in this copy */
    return EBB_OK;
}

static ebb_status accept_any(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    *verdict = EBB_STOP_HERE;
    return EBB_OK;
}

static ebb_status run_backward(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK)
        return status;
    if (request->move == MACHINE_STEP)
        return tl_step_back(tl, stop, err);
    return ebb_timeline_run_back(tl, &(ebb_judge){.accept = accept_any}, stop, err);
}

/* What fails there says nothing of the history: that is not lost. */
static ebb_status run_apart(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine *m = tl->machine;
    *stop = (machine_stop){0};
    ebb_status status = m->ops->resume(m, request, stop, err);
    if (status == EBB_OK) {
        tl->thread = stop->thread;
        tl->here = (ebb_position){.timestamp = m->ops->timestamp(m), .place = stop->place};
    }
    return status;
}

ebb_status ebb_timeline_run(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    if (request->direction == MACHINE_BACKWARD)
        return run_backward(tl, request, stop, err);
    ebb_status status = check_movable(tl, err);
    if (status != EBB_OK)
        return status;
    switch (tl->state) {
    case EBB_TIMELINE_REPLAYING: return replay(tl, request, stop, err);
    case EBB_TIMELINE_APART: return run_apart(tl, request, stop, err);
    default: return run_live(tl, request, stop, err);
    }
}

/* ---- questions, and the branch -------------------------------------------------------------------- */

ebb_status ebb_timeline_now(ebb_timeline *tl, machine_tid thread, ebb_position *now, ebb_error *err)
{
    ebb_status status = check_movable(tl, err);
    if (status != EBB_OK)
        return status;
    machine *m = tl->machine;
    if (!machine_can(m, MACHINE_COUNTS_TIME))
        return ebb_fail(err, EBB_UNSUPPORTED, "native mode counts no time, so there are no positions");
    now->timestamp = m->ops->timestamp(m);
    return m->ops->place(m, thread ? thread : tl->thread, &now->place, err);
}

machine_tid ebb_timeline_get_thread(const ebb_timeline *tl)
{
    return tl->thread;
}

ebb_status ebb_timeline_get_history(ebb_timeline *tl, ebb_timeline_history *out, ebb_error *err)
{
    if (!records(tl))
        return ebb_fail(err, EBB_NO_HISTORY, "no history is kept");
    machine *m = tl->machine;
    *out = (ebb_timeline_history){.state = tl->state};
    out->oldest = ebb_copies_oldest(tl->copies);
    out->newest = ebb_copies_newest(tl->copies).at.timestamp;
    m->history->get(m, &out->machine);
    ebb_copies_list(tl->copies, &out->n_snapshots);
    out->snapshot_nbytes = ebb_copies_nbytes(tl->copies);
    return EBB_OK;
}

/* Where this copy can't go live, one that was made of a nearer snapshot may: it has more of what can't be done again. */
static ebb_status branch_somehow(ebb_timeline *tl, ebb_buf *undone, ebb_error *err)
{
    ebb_position now = tl->here, limit = now;
    ebb_snapshot from;
    machine_stop stop;
    ebb_error why;
    ebb_status status = ebb_copies_branch(tl->copies, undone, &why);
    for (bool or_at = true; status == EBB_UNAVAILABLE && tl_snapshot_before(tl, limit, or_at, &from); or_at = false) {
        limit = from.at;
        status = tl_go_from(tl, &from, now, &stop, err);
        if (status != EBB_OK)
            return status;
        if (stop.kind != MACHINE_STOP_POSITION)
            return ebb_fail(err, EBB_INTERRUPTED, "interrupted on the way back to here: the program did not go live");
        status = ebb_copies_branch(tl->copies, undone, &why);
    }
    return status == EBB_OK ? EBB_OK : ebb_fail(err, status, "%s", why.text);
}

void ebb_timeline_part(ebb_timeline *tl)
{
    ebb_check(tl->state == EBB_TIMELINE_REPLAYING);
    tl->state = EBB_TIMELINE_APART;
    tl->parted_at = tl->here;
    tl->parted_thread = tl->thread;
}

void ebb_timeline_rejoin(ebb_timeline *tl)
{
    if (tl->state != EBB_TIMELINE_APART)
        return;
    tl->state = EBB_TIMELINE_REPLAYING;
    tl->here = tl->parted_at;
    tl->thread = tl->parted_thread;
}

ebb_status ebb_timeline_branch(ebb_timeline *tl, ebb_buf *undone, ebb_error *err)
{
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK)
        return status;
    if (tl->state != EBB_TIMELINE_REPLAYING)
        return ebb_fail(err, EBB_BAD_INPUT, "this is the end of time already: there is no future to leave");
    ebb_error why;
    status = branch_somehow(tl, undone, &why);
    if (status != EBB_OK && !ebb_copies_is_replaying(tl->copies)) /* it got half-way: FC2 */
        return tl_poison(tl, &why, err);
    if (status != EBB_OK)
        return ebb_fail(err, status, "%s", why.text);
    tl->state = EBB_TIMELINE_LIVE;
    tl_look(tl);
    return EBB_OK;
}
