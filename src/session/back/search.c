/* search.c - see search.h. */
#include "session/back/search.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/move.h"
#include "session/points.h"
#include "session/stack.h"
#include "session/threads.h"
#include "session/watch.h"

#include <string.h>

/* ---- where history is ------------------------------------------------------------------------- */

bool ses_is_behind_end(const session *s)
{
    return s->machine && s->timeline && ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_ENDED;
}

ebb_status ses_need_history(session *s, ebb_error *err)
{
    if (!s->machine)
        return ebb_fail(err, EBB_GONE, "The program is not being run.");
    if (!machine_can(s->machine, MACHINE_RECORDS))
        return ebb_fail(err, EBB_NO_HISTORY, "%s keeps no history, so there is no way back from here",
                        s->language->counts_time ? "this run" : "a native program");
    if (!ebb_timeline_has_history(s->timeline))
        return ebb_fail(err, EBB_NO_HISTORY, "nothing is recorded yet, so there is no way back from here");
    return EBB_OK;
}

void ses_end_of_time(session *s)
{
    ses_stack_forget(s);
    ses_threads_leave(s);
    s->thread = s->stop_thread = 0;
    s->level = 0;
}

/* ---- looking ---------------------------------------------------------------------------------- */

/* To judge a stop, which threads there are besides the one that came there doesn't matter. */
static void look_in_passing(session *s, const machine_stop *at)
{
    s->at = *at;
    if (!ses_thread_exists(s, at->thread))
        ses_threads_sync(s, true);
    ses_stack_forget(s);
    s->stop_thread = at->thread;
    ses_select(s, at->thread, 0);
}

/* Threads come and go quietly here: what time travel shows is no news. */
static void look(session *s, const machine_stop *at)
{
    machine_tid thread = at->thread;
    s->at = *at;
    ses_threads_sync(s, true);
    ses_stack_forget(s);
    if (!ses_thread_exists(s, thread) && s->threads.n > 0)
        thread = s->threads.items[0].tid;
    s->stop_thread = thread;
    ses_select(s, thread, 0);
}

void ses_moved(session *s, const machine_stop *at)
{
    ses_list_forget(s);
    if (ses_is_behind_end(s)) {
        ses_end_of_time(s);
        return;
    }
    bool was_behind_end = s->threads.n == 0;
    look(s, at);
    if (was_behind_end && s->language->sync_code(s))
        ses_points_resolve(s);
    ses_watch_refresh(s); /* WA2: what time travel changes is no change either */
}

static void begin(session *s)
{
    s->interrupted = 0;
    ses_stack_forget(s);
    if (s->listener.resuming)
        s->listener.resuming(s->listener.self);
}

static void end(session *s)
{
    s->interrupted = 0;
    if (s->listener.stopped)
        s->listener.stopped(s->listener.self);
}

/* ---- judging a stop --------------------------------------------------------------------------- */

static bool is_of_watch(session *s, int number)
{
    const ses_bp *bp = ses_bp_find(s, number);
    return bp && ses_bp_is_watch(bp);
}

static unsigned verdict_of(session *s, const machine_stop *at, const ses_stop *stop)
{
    unsigned verdict = EBB_PASS;
    if (at->kind == MACHINE_STOP_THROW)
        return EBB_STOP_CAUSE; /* by the instruction that throws: RV2 */
    for (size_t i = 0; i < stop->n_breakpoints; i++)
        verdict |= is_of_watch(s, stop->breakpoints[i]) ? EBB_STOP_BEFORE : EBB_STOP_HERE;
    return verdict;
}

/* Leaves those of the stop's breakpoints that it will really be about. */
static void keep_only(session *s, ses_stop *stop, bool watches)
{
    size_t n = 0;
    for (size_t i = 0; i < stop->n_breakpoints; i++) {
        if (is_of_watch(s, stop->breakpoints[i]) != watches)
            continue;
        stop->breakpoints[n] = stop->breakpoints[i];
        stop->breakpoint_location[n++] = stop->breakpoint_location[i];
    }
    stop->n_breakpoints = n;
}

static void accept_user_stop(session *s, ses_back *back, ses_stop *found, ebb_position now, unsigned verdict)
{
    bool is_before;
    if (!ebb_verdict_counts(verdict, now, back->origin, &is_before)) {
        ses_stop_fini(found);
        return;
    }
    if (found->n_breakpoints > 0 && verdict != EBB_STOP_CAUSE)
        keep_only(s, found, is_before);
    ses_stop_fini(&back->accepted);
    back->accepted = *found;
    back->is_own = false;
}

static void keep_aside(session *s, ses_back *back, ses_stop *found, ebb_position now, unsigned verdict)
{
    bool is_before;
    ses_aside *aside = back->aside;
    bool counts = ebb_verdict_counts(verdict, now, back->origin, &is_before);
    if (!counts || (aside->found && ebb_position_compare(now, aside->at) <= 0)) {
        ses_stop_fini(found);
        return;
    }
    if (found->n_breakpoints > 0 && verdict != EBB_STOP_CAUSE)
        keep_only(s, found, is_before);
    ses_aside_fini(aside);
    *aside = (ses_aside){.found = true, .at = now, .is_before = is_before, .stop = *found};
}

void ses_aside_fini(ses_aside *aside)
{
    ses_stop_fini(&aside->stop);
    *aside = (ses_aside){0};
}

static bool check_user_stop(session *s, const machine_stop *at, ses_stop *found)
{
    switch (at->kind) {
    case MACHINE_STOP_POINT: return ses_check_hits(s, at, found);
    case MACHINE_STOP_THREAD_START:
    case MACHINE_STOP_THREAD_END:
    case MACHINE_STOP_THROW:
    case MACHINE_STOP_CATCH: return ses_check_catch(s, at, found);
    default: return false;
    }
}

static bool reached_own(const ses_back *back, const machine_stop *at)
{
    if (back->thread && at->thread != back->thread)
        return false;
    for (size_t i = 0; at->kind == MACHINE_STOP_POINT && i < back->points.n; i++)
        for (size_t k = 0; k < at->n_points; k++)
            if (at->points[k] == back->points.items[i])
                return true;
    return false;
}

static ebb_status judge_own(session *s, ses_back *back, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    bool is_before;
    unsigned own = EBB_PASS;
    if (!reached_own(back, at))
        return EBB_OK;
    EBB_TRY(back->reached(s, back, at, now, &own, err));
    if (ebb_verdict_counts(own, now, back->origin, &is_before))
        back->is_own = true;
    *verdict |= own;
    return EBB_OK;
}

typedef struct judging {
    session *s;
    ses_back *back;
} judging;

static ebb_status judge(void *self, const machine_stop *at, unsigned *verdict, ebb_error *err)
{
    session *s = ((judging *)self)->s;
    ses_back *back = ((judging *)self)->back;
    ebb_position now;
    EBB_TRY(ebb_timeline_now(s->timeline, 0, &now, err));
    if (back->own_only && !reached_own(back, at))
        return EBB_OK;
    look_in_passing(s, at);
    EBB_TRY(judge_own(s, back, at, now, verdict, err));
    ses_stop found = {0};
    s->is_judging = true;
    if (!back->own_only && check_user_stop(s, at, &found)) {
        unsigned users = verdict_of(s, at, &found);
        if (back->aside) {
            keep_aside(s, back, &found, now, users);
        } else {
            accept_user_stop(s, back, &found, now, users);
            *verdict |= users;
        }
    }
    s->is_judging = false;
    return EBB_OK;
}

/* ---- a move ----------------------------------------------------------------------------------- */

ebb_status ses_back_points(session *s, ses_back *back, const machine_point *points, size_t n, ebb_error *err)
{
    machine_point_id *ids = ebb_zalloc((n + 1) * sizeof *ids);
    ebb_status status = machine_points_set(s->machine, points, n, ids, err);
    for (size_t i = 0; status == EBB_OK && i < n; i++)
        ebb_vec_push(&back->points, ids[i]);
    free(ids);
    return status;
}

ebb_status ses_back_note(session *s, ses_back *back, const machine_point *points, const uint32_t *groups, size_t n, ebb_error *err)
{
    size_t first = back->points.n;
    EBB_TRY(ses_back_points(s, back, points, n, err));
    for (size_t i = 0; i < n; i++)
        ebb_vec_push(&back->noted, ((machine_noted){back->points.items[first + i], groups[i]}));
    return EBB_OK;
}

/* A breakpoint without a condition stops wherever it is hit, and one whose condition the machine executes where that holds: nobody has
 * to be asked about each hit. */
static void note_users(session *s, ses_back *back)
{
    for (size_t i = 0; !back->own_only && !back->aside && i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        bool is_sure = bp->view.kind == SES_BP_BREAK && bp->view.enabled && !bp->is_position;
        for (size_t k = 0; is_sure && k < bp->places.n; k++)
            if (bp->places.items[k].point && (!bp->view.condition || bp->places.items[k].code == SES_CODE_TOLD))
                ebb_vec_push(&back->noted, ((machine_noted){bp->places.items[k].point, MACHINE_UNGROUPED}));
    }
}

static void clear_points(session *s, ses_back *back)
{
    ebb_vec_fini(&back->noted);
    machine_points_clear(s->machine, back->points.items, back->points.n);
    ebb_vec_fini(&back->points);
}

void ses_back_fini(session *s, ses_back *back)
{
    clear_points(s, back);
    ses_stop_fini(&back->accepted);
}

ebb_status ses_back_run(session *s, ses_back *back, machine_stop *at, ebb_error *err)
{
    judging j = {s, back};
    if (ses_is_behind_end(s) || ebb_timeline_now(s->timeline, 0, &back->origin, NULL) != EBB_OK)
        back->origin = (ebb_position){UINT64_MAX, UINT64_MAX};
    note_users(s, back);
    ebb_judge judges = {.self = &j, .accept = judge, .noted = back->noted.items, .n_noted = back->noted.n};
    begin(s);
    ebb_status status = ebb_timeline_run_back(s->timeline, &judges, at, err);
    end(s);
    clear_points(s, back); /* RV3 */
    if (status == EBB_OK)
        look(s, at);
    return status;
}

/* What a forward hit does, now that it is one. */
static void count_hits(session *s, ses_stop *stop)
{
    size_t n = stop->n_breakpoints;
    stop->n_breakpoints = 0;
    for (size_t i = 0; i < n; i++) {
        ses_bp *bp = ses_bp_find(s, stop->breakpoints[i]);
        if (!bp)
            continue;
        bp->view.hits++;
        stop->breakpoint_location[stop->n_breakpoints] = stop->breakpoint_location[i];
        ses_stop_add_breakpoint(s, stop, bp);
    }
}

static void tell_watch(session *s, ses_stop *stop)
{
    for (size_t i = 0; i < stop->n_breakpoints; i++)
        if (is_of_watch(s, stop->breakpoints[i])) {
            ses_watch_went_back(s, ses_bp_find(s, stop->breakpoints[i]), stop);
            return;
        }
}

static void settle(session *s, const machine_stop *at, machine_tid mover, ses_stop *stop)
{
    stop->machine = *at;
    stop->thread = s->thread;
    stop->thread_changed = mover && s->thread != mover;
    const ses_frame *frame;
    if (s->thread && ses_frame_get(s, 0, &frame, NULL) == EBB_OK)
        stop->mid_line = frame->mid_line;
    ses_remember_stop(s, stop);
}

static ses_stop_kind kind_of(const machine_stop *at, ses_stop_kind arrived)
{
    switch (at->kind) {
    case MACHINE_STOP_HISTORY_START: return SES_STOP_HISTORY_START;
    case MACHINE_STOP_HISTORY_END: return SES_STOP_HISTORY_END;
    case MACHINE_STOP_INTERRUPTED: return SES_STOP_INTERRUPTED;
    case MACHINE_STOP_EXITED: return SES_STOP_EXITED;
    case MACHINE_STOP_KILLED: return SES_STOP_KILLED;
    default: return arrived;
    }
}

static bool ended_early(const machine_stop *at)
{
    return kind_of(at, SES_STOP_STEP) != SES_STOP_STEP;
}

void ses_back_settle(session *s, ses_back *back, const machine_stop *at, ses_stop_kind own, ses_stop *stop)
{
    machine_tid mover = s->thread;
    *stop = (ses_stop){.kind = kind_of(at, own)};
    if (!ended_early(at) && !back->is_own) {
        *stop = back->accepted;
        back->accepted = (ses_stop){0};
        count_hits(s, stop);
        tell_watch(s, stop);
    }
    ses_back_fini(s, back);
    ses_moved(s, at);
    settle(s, at, mover, stop);
}

void ses_settle_at(session *s, const machine_stop *at, ses_stop_kind kind, ses_stop *stop)
{
    machine_tid mover = s->thread;
    ses_moved(s, at);
    *stop = (ses_stop){.kind = kind_of(at, kind)};
    settle(s, at, mover, stop);
}

ebb_status ses_seek(session *s, ebb_position to, machine_stop *at, ebb_error *err)
{
    begin(s);
    ebb_status status = ebb_timeline_seek(s->timeline, to, at, err);
    end(s);
    if (status == EBB_OK && !ses_is_behind_end(s))
        look(s, at);
    return status;
}

ebb_status ses_aside_settle(session *s, ses_aside *aside, ses_stop *stop, ebb_error *err)
{
    machine_stop at;
    machine_request before = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    ses_back back = {.accepted = aside->stop};
    bool is_before = aside->is_before;
    ebb_position to = aside->at;
    *aside = (ses_aside){0};
    ebb_status status = ses_seek(s, to, &at, err);
    if (status == EBB_OK && is_before && !ended_early(&at))
        status = ebb_timeline_run(s->timeline, &before, &at, err);
    if (status != EBB_OK) {
        ses_back_fini(s, &back);
        return status;
    }
    look(s, &at);
    ses_back_settle(s, &back, &at, SES_STOP_STEP, stop);
    return EBB_OK;
}

/* ---- the same for every language -------------------------------------------------------------- */

static ebb_status no_own_reason(session *s, ses_back *back, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    return EBB_OK;
}

/* Breakpoints at positions have no points of their own; whether it is their time is seen when their place is reached. */
static ebb_status add_positions(session *s, ses_back *back, ebb_error *err)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        for (size_t k = 0; bp->is_position && bp->view.enabled && k < bp->locations.n; k++) {
            machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = bp->locations.items[k].spot.addr};
            EBB_TRY(ses_back_points(s, back, &point, 1, err));
        }
    }
    return EBB_OK;
}

ebb_status ses_reverse_continue(session *s, ses_stop *stop, ebb_error *err)
{
    ses_back back = {.reached = no_own_reason};
    machine_stop at;
    EBB_TRY(ses_need_history(s, err));
    if (ses_is_behind_end(s)) /* breakpoints find their places where there is code */
        EBB_TRY(ses_reverse_stepi(s, 1, stop, err));
    ebb_status status = add_positions(s, &back, err);
    if (status == EBB_OK)
        status = ses_back_run(s, &back, &at, err);
    if (status != EBB_OK) {
        ses_back_fini(s, &back);
        return status;
    }
    ses_back_settle(s, &back, &at, SES_STOP_STEP, stop);
    return EBB_OK;
}

ebb_status ses_reverse_stepi(session *s, unsigned count, ses_stop *stop, ebb_error *err)
{
    machine_stop at = {0};
    machine_request request = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    EBB_TRY(ses_need_history(s, err));
    ebb_status status = EBB_OK;
    begin(s);
    for (unsigned i = 0; status == EBB_OK && i < count && !ended_early(&at); i++)
        status = ebb_timeline_run(s->timeline, &request, &at, err);
    end(s);
    if (status == EBB_OK) {
        s->show_all_inlined = true;
        ses_settle_at(s, &at, SES_STOP_STEP, stop);
    }
    return status;
}
