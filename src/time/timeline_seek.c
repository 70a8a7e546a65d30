/* timeline_seek.c - going to a moment: the undo log or the nearest snapshot before it, and replay from there.
 *
 * While a log is kept replaying is slower, so on a long way it is kept for the end only: what a person who arrives somewhere is
 * likely to step back over. */
#include "base/check.h"
#include "base/log.h"
#include "time/timeline_private.h"

enum {
    /* What can be replayed without anybody noticing: a few frames of a film.  Everything is measured by it: how far before a target the undo
     * log begins, where waypoints end, how close two snapshots may be.  Larger, and steps back begin to drag where there is no log; smaller,
     * and snapshots are taken that save less than they cost. */
    NEAR_MS = 40,
    SLICE_MS = 100, /* between two tellings of progress: often enough for somebody who waits (also for it to end), rare enough that the stops don't count */
    /* Of the distances from a target at which snapshots are left on the way.  Who goes to a moment soon goes to one before it, and how
     * far before nobody knows: with distances of near, 8 near, 64 near one of them is at most eight times too far.  A replay is then at
     * most eight times as long as the way that was asked for, and a way of a million times "near" leaves seven snapshots.  A ratio of 2 would leave
     * twenty, each of which costs a copy. */
    WAYPOINT_RATIO = 8,
    THIN_EVERY = 16, /* taken in between: looking through the list at each one would cost more than the few that could go */
    /* What restoring a snapshot costs, in time of replay: the copy, telling it of all points, and the undo log that has to be filled again.  A snapshot that
     * saves less replay than that isn't worth leaving a copy that has a log. */
    COPY_MS = 5,
};

uint64_t tl_near(const ebb_timeline *tl)
{
    return tl->ticks_per_ms * NEAR_MS;
}

/* ---- snapshots ------------------------------------------------------------------------------------ */

bool tl_snapshot_before(ebb_timeline *tl, ebb_position limit, bool or_at, ebb_snapshot *out)
{
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(tl->copies, &n);
    while (n-- > 0) {
        int order = ebb_position_compare(all[n].at, limit);
        if (order < 0 || (or_at && order == 0)) {
            *out = all[n];
            return true;
        }
    }
    return false;
}

bool tl_oldest_snapshot(ebb_timeline *tl, ebb_snapshot *out)
{
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(tl->copies, &n);
    if (n > 0)
        *out = all[0];
    return n > 0;
}

/* The thread that ran; where the snapshot doesn't say, one that is there. */
static machine_tid thread_of(machine *m, machine_tid told, machine_place place)
{
    if (told)
        return told;
    size_t n;
    const machine_thread *threads = m->ops->threads(m, &n);
    for (size_t i = 0; i < n; i++) {
        machine_place at;
        if (m->ops->place(m, threads[i].tid, &at, NULL) == EBB_OK && at == place)
            return threads[i].tid;
    }
    return n ? threads[0].tid : 0;
}

ebb_status tl_restore(ebb_timeline *tl, const ebb_snapshot *snapshot, ebb_error *err)
{
    EBB_TRY(ebb_copies_restore(tl->copies, snapshot->id, err));
    ebb_log("restored snapshot %u at %llu", snapshot->id, (unsigned long long)snapshot->at.timestamp);
    tl->state = EBB_TIMELINE_REPLAYING;
    tl->here = snapshot->at;
    tl->has_rewound = false;
    tl->thread = thread_of(tl->machine, snapshot->thread, snapshot->at.place);
    return EBB_OK;
}

/* One whose copy is dead is gone from the list afterwards (FC2), and the one before it serves as well: there is only more to replay. */
ebb_status tl_restore_before(ebb_timeline *tl, ebb_position limit, bool or_at, ebb_error *err)
{
    ebb_snapshot nearest;
    ebb_error why;
    ebb_status status = ebb_fail(&why, EBB_NO_HISTORY, "that is before the beginning of history");
    while (tl_snapshot_before(tl, limit, or_at, &nearest)) {
        status = tl_restore(tl, &nearest, &why);
        if (status != EBB_NOT_FOUND)
            break;
    }
    return status == EBB_OK ? EBB_OK : ebb_fail(err, status, "%s", why.text);
}

bool tl_rewind(ebb_timeline *tl, ebb_position to)
{
    machine *m = tl->machine;
    bool is_there = tl->state == EBB_TIMELINE_LIVE || tl->state == EBB_TIMELINE_REPLAYING, reached = false;
    if (!is_there || !machine_can(m, MACHINE_REWINDS) || ebb_position_compare(to, tl->here) >= 0)
        return false;
    if (ebb_copies_rewind(tl->copies, to, &reached, NULL) != EBB_OK || !reached)
        return false; /* if it failed, the copy may be gone: a snapshot will do */
    machine_tid thread;
    tl->state = EBB_TIMELINE_REPLAYING;
    tl->has_rewound = true;
    tl->here = ebb_copies_where(tl->copies, &thread);
    tl->thread = thread_of(m, thread, tl->here.place);
    ebb_log("rewound to %llu", (unsigned long long)tl->here.timestamp);
    return true;
}

void tl_take_snapshot(ebb_timeline *tl)
{
    ebb_snapshot_id id;
    if (ebb_copies_take(tl->copies, &id, NULL) != EBB_OK)
        return;
    size_t n;
    ebb_copies_list(tl->copies, &n);
    if (n >= tl->thin_at)
        tl_thin(tl);
}

/* The system walks through all pages of a process to tell how many it has: at most a fiftieth of the time goes into that. */
static void bound(ebb_timeline *tl)
{
    enum { SHARE = 50 };
    uint64_t began = tl_now_us();
    if (tl->snapshots_most == UINT64_MAX || began < tl->weigh_at_us)
        return;
    ebb_copies_bound(tl->copies, tl->here.timestamp, tl_near(tl) / 4, tl->snapshots_most);
    uint64_t ended = tl_now_us();
    tl->weigh_at_us = ended + SHARE * (ended - began);
}

/* Two snapshots a quarter of "near" apart: replaying from the older one instead takes a few milliseconds more, as long as a copy
 * takes to be made at all. */
void tl_thin(ebb_timeline *tl)
{
    size_t n;
    ebb_copies_thin(tl->copies, tl->here.timestamp, tl_near(tl) / 4);
    bound(tl);
    ebb_copies_list(tl->copies, &n);
    tl->thin_at = n + THIN_EVERY;
}

/* ---- replaying to a moment ------------------------------------------------------------------------ */

/* Where to leave the next snapshot on the way: at distances from the target that shrink, so that moves around the target will
 * find one near whatever their reach.  False: it is near enough. */
static bool next_waypoint(const ebb_timeline *tl, uint64_t target, uint64_t *at)
{
    uint64_t gap = target - tl->here.timestamp, d = tl_near(tl);
    if (gap <= 2 * d)
        return false;
    while (gap / WAYPOINT_RATIO > d)
        d *= WAYPOINT_RATIO;
    *at = target - d;
    return true;
}

uint64_t tl_slice_ticks(const ebb_timeline *tl)
{
    return tl->ticks_per_ms * SLICE_MS;
}

ebb_position tl_slice(const ebb_timeline *tl, ebb_position to)
{
    uint64_t slice = tl_slice_ticks(tl);
    bool is_far = to.timestamp > tl->here.timestamp && to.timestamp - tl->here.timestamp > slice + slice / 2;
    return is_far ? (ebb_position){.timestamp = tl->here.timestamp + slice} : to;
}

/* Whether the way to `target` is long enough that no undo log is kept at first; then *to is not after where that begins. */
static bool forgets_at_first(const ebb_timeline *tl, ebb_position target, ebb_position *to)
{
    uint64_t logged = tl_near(tl);
    if (!machine_can(tl->machine, MACHINE_REWINDS) || target.timestamp < logged || tl->here.timestamp >= target.timestamp - logged)
        return false;
    if (to->timestamp > target.timestamp - logged)
        *to = (ebb_position){.timestamp = target.timestamp - logged};
    return true;
}

/* Quietly, in slices.  *stop is POSITION at `to` or, before it, the end of a slice. */
static ebb_status replay_slice(ebb_timeline *tl, ebb_position to, ebb_position target, machine_stop *stop, ebb_error *err)
{
    bool forgets = forgets_at_first(tl, target, &to);
    ebb_position end = tl_slice(tl, to);
    machine_request request = {.move = MACHINE_RUN, .until = true, .quiet = true, .until_time = end.timestamp, .until_place = end.place,
                               .forgets = forgets};
    return tl_replay(tl, &request, stop, err);
}

static bool is_short_of(const ebb_timeline *tl, ebb_position to)
{
    return ebb_position_compare(tl->here, to) < 0;
}

/* The newest state may be where it was to go: then it is there. */
static bool ends_replay(const ebb_timeline *tl, ebb_position to, const machine_stop *stop)
{
    return tl_ends_debuggee(stop) || stop->kind == MACHINE_STOP_INTERRUPTED ||
           (stop->kind == MACHINE_STOP_HISTORY_END && is_short_of(tl, to));
}

/* Forward from here, as a part of the way to `target`; whatever else stops it on the way (a machine that can't be quiet) is passed over. */
static ebb_status replay_to(ebb_timeline *tl, ebb_position to, ebb_position target, uint64_t began, machine_stop *stop, ebb_error *err)
{
    while (is_short_of(tl, to)) {
        ebb_status status = replay_slice(tl, to, target, stop, err);
        if (status != EBB_OK || ends_replay(tl, to, stop))
            return status;
        tl_tell_way(tl, tl->here.timestamp - began, target.timestamp - began);
    }
    tl_fill_stop(tl, MACHINE_STOP_POSITION, stop);
    return EBB_OK;
}

/* A snapshot that lies ahead of here, by more than a copy costs. */
static bool is_worth_restoring(const ebb_timeline *tl, const ebb_snapshot *s)
{
    uint64_t cost = machine_can(tl->machine, MACHINE_REWINDS) ? tl->ticks_per_ms * COPY_MS : 0;
    return s->at.timestamp > tl->here.timestamp + cost || (cost == 0 && ebb_position_compare(s->at, tl->here) > 0);
}

/* Where replaying to `to` begins: here, if nothing is nearer. */
static ebb_status choose_beginning(ebb_timeline *tl, ebb_position to, ebb_error *err)
{
    ebb_snapshot nearest;
    tl_rewind(tl, to);
    bool found = tl_snapshot_before(tl, to, true, &nearest);
    bool from_here = tl->state == EBB_TIMELINE_REPLAYING && ebb_position_compare(tl->here, to) <= 0;
    if (from_here && (!found || !is_worth_restoring(tl, &nearest)))
        return EBB_OK;
    return tl_restore_before(tl, to, true, err);
}

/* Forward from here, leaving snapshots near the target. */
static ebb_status go_on(ebb_timeline *tl, ebb_position to, machine_stop *stop, ebb_error *err)
{
    ebb_status status;
    uint64_t began = tl->here.timestamp, at;
    ebb_log("from %llu to %llu", (unsigned long long)began, (unsigned long long)to.timestamp);
    tl_fill_stop(tl, MACHINE_STOP_POSITION, stop);
    while (is_short_of(tl, to) && next_waypoint(tl, to.timestamp, &at)) {
        ebb_position waypoint = {.timestamp = at};
        status = replay_to(tl, waypoint, to, began, stop, err);
        if (status != EBB_OK || ends_replay(tl, waypoint, stop))
            return status;
        tl_take_snapshot(tl);
    }
    return replay_to(tl, to, to, began, stop, err);
}

ebb_status tl_go(ebb_timeline *tl, ebb_position to, machine_stop *stop, ebb_error *err)
{
    ebb_status status = choose_beginning(tl, to, err);
    return status == EBB_OK ? go_on(tl, to, stop, err) : status;
}

ebb_status tl_go_from(ebb_timeline *tl, const ebb_snapshot *snapshot, ebb_position to, machine_stop *stop, ebb_error *err)
{
    ebb_status status = tl_restore(tl, snapshot, err);
    return status == EBB_OK ? replay_to(tl, to, to, tl->here.timestamp, stop, err) : status;
}

/* ---- for everybody -------------------------------------------------------------------------------- */

static ebb_status fail_outside(const char *what, uint64_t timestamp, ebb_error *err)
{
    return ebb_fail(err, EBB_NO_HISTORY, "history %s at %llu", what, (unsigned long long)timestamp);
}

/* What seek does when a recording turns out to be shorter, or the program ends before: that is where now is. */
static ebb_status settle(ebb_timeline *tl, machine_stop *stop, ebb_error *err)
{
    if (stop->kind == MACHINE_STOP_HISTORY_END)
        return tl_arrive_at_end(tl, stop, err);
    if (tl_ends_debuggee(stop))
        tl_note_end(tl, stop);
    return EBB_OK;
}

ebb_status ebb_timeline_seek(ebb_timeline *tl, ebb_position to, machine_stop *stop, ebb_error *err)
{
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK)
        return status;
    if (tl->state == EBB_TIMELINE_LIVE)
        tl_look(tl);
    ebb_newest newest = ebb_copies_newest(tl->copies);
    ebb_snapshot oldest;
    ebb_check(tl_oldest_snapshot(tl, &oldest));
    if (to.timestamp < oldest.at.timestamp)
        return fail_outside("begins", oldest.at.timestamp, err);
    if (newest.is_known && to.timestamp > newest.at.timestamp)
        return fail_outside("ends", newest.at.timestamp, err);
    if (newest.is_known && ebb_position_compare(to, newest.at) >= 0) {
        status = tl->state == EBB_TIMELINE_LIVE ? EBB_OK : ebb_timeline_seek_end(tl, stop, err);
        if (status == EBB_OK && tl->state == EBB_TIMELINE_LIVE)
            tl_fill_stop(tl, MACHINE_STOP_POSITION, stop);
        return status;
    }
    if (oldest.at.timestamp == to.timestamp && to.place < oldest.at.place)
        to.place = oldest.at.place; /* a bare timestamp means its first moment, of those that are kept */
    status = tl_go(tl, to, stop, err);
    return status == EBB_OK ? settle(tl, stop, err) : status;
}

ebb_status ebb_timeline_hold(ebb_timeline *tl, ebb_error *err)
{
    machine_stop stop;
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK || tl->state == EBB_TIMELINE_REPLAYING)
        return status;
    if (tl->state == EBB_TIMELINE_LIVE)
        tl_look(tl);
    ebb_position now = tl->here;
    status = tl_restore_before(tl, now, true, err);
    return status == EBB_OK ? tl_go(tl, now, &stop, err) : status;
}

static ebb_status restore_oldest(ebb_timeline *tl, ebb_error *err)
{
    ebb_snapshot oldest;
    ebb_error why;
    ebb_status status = EBB_NOT_FOUND;
    while (status == EBB_NOT_FOUND && tl_oldest_snapshot(tl, &oldest)) /* a dead one is dropped: FC2 */
        status = tl_restore(tl, &oldest, &why);
    return status == EBB_OK ? EBB_OK : ebb_fail(err, status, "%s", why.text);
}

ebb_status ebb_timeline_seek_start(ebb_timeline *tl, machine_stop *stop, ebb_error *err)
{
    ebb_status status = tl_check_history(tl, err);
    if (status == EBB_OK)
        status = restore_oldest(tl, err);
    if (status == EBB_OK) {
        tl_look(tl);
        tl_fill_stop(tl, MACHINE_STOP_HISTORY_START, stop);
    }
    return status;
}

/* An end that is known only by what it was (has_ended) may have any place in its timestamp: the machine tells. */
ebb_status ebb_timeline_replay_all(ebb_timeline *tl, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(ebb_timeline_seek_start(tl, stop, err));
    ebb_newest newest = ebb_copies_newest(tl->copies);
    ebb_position end = newest.is_known && !newest.has_ended ? newest.at : (ebb_position){UINT64_MAX, UINT64_MAX};
    EBB_TRY(go_on(tl, end, stop, err));
    return settle(tl, stop, err);
}

ebb_status ebb_timeline_seek_end(ebb_timeline *tl, machine_stop *stop, ebb_error *err)
{
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK)
        return status;
    if (tl->state == EBB_TIMELINE_LIVE) {
        tl_look(tl);
        tl_fill_stop(tl, MACHINE_STOP_HISTORY_END, stop);
        return EBB_OK;
    }
    ebb_newest newest = ebb_copies_newest(tl->copies);
    if (newest.has_live || newest.has_ended)
        return tl_arrive_at_end(tl, stop, err);
    status = tl_go(tl, newest.is_known ? newest.at : (ebb_position){UINT64_MAX, UINT64_MAX}, stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_POSITION)
        return tl_arrive_at_end(tl, stop, err);
    return status == EBB_OK ? settle(tl, stop, err) : status;
}
