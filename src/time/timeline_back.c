/* timeline_back.c - backward: looking for the last stop before now, and for the instruction before this one.
 *
 * Both replay forward and remember.  A pass runs to a bound with the points set: the first over the last few ticks before now,
 * each further one over more of what is before the last one's beginning, up to a snapshot at a time.  So what is near is found
 * without stopping at all that is far (a loop of a million iterations), a pass never sees what an earlier pass saw, and looking back
 * over all of history replays it little more than once. */
#include "base/check.h"
#include "base/mem.h"
#include "time/timeline_private.h"

#include <stdlib.h>

/* ---- arriving ------------------------------------------------------------------------------------- */

static ebb_status accept_here(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    const machine_point_id *id = self;
    for (size_t i = 0; stop->kind == MACHINE_STOP_POINT && i < stop->n_points; i++)
        if (stop->points[i] == *id)
            *verdict = EBB_STOP_HERE;
    return EBB_OK;
}

/* From within an instruction, whose frame called or had something loaded, to where that instruction began. */
static ebb_status go_to_cause(ebb_timeline *tl, const machine_stop *of, machine_stop *stop, ebb_error *err)
{
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = of->caused_by, .thread = of->thread, .frame = of->caused_in};
    machine_point_id id;
    ebb_status status = tl->machine->ops->point_set(tl->machine, &point, &id, err);
    if (status != EBB_OK)
        return status;
    machine_noted noted = {.id = id};
    status = ebb_timeline_run_back(tl, &(ebb_judge){.self = &id, .accept = accept_here, .noted = &noted, .n_noted = 1}, stop, err);
    (void)!tl->machine->ops->point_clear(tl->machine, id, NULL);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_POINT)
        stop->kind = MACHINE_STOP_POSITION;
    return status;
}

/* Before the instruction that touched data; the machine may have said which it was. */
static ebb_status go_before(ebb_timeline *tl, const tl_find *f, machine_stop *stop, ebb_error *err)
{
    ebb_position toucher = {.timestamp = f->at.timestamp, .place = f->stop.touched_by};
    if (f->stop.touched_by && ebb_position_compare(toucher, f->at) < 0) {
        ebb_status status = tl_go(tl, toucher, stop, err);
        if (status != EBB_OK || ebb_position_compare(tl->here, toucher) == 0 || stop->kind != MACHINE_STOP_POSITION)
            return status;
    }
    ebb_status status = tl_go(tl, f->at, stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_POSITION)
        status = tl_step_back(tl, stop, err);
    bool is_inside = status == EBB_OK && stop->kind == MACHINE_STOP_STEP && f->stop.caused_by && tl->here.place != f->stop.caused_by;
    return is_inside ? go_to_cause(tl, &f->stop, stop, err) : status;
}

/* What was noted aside matters if the move does not end after it. */
static bool has_aside(const tl_look_back *l)
{
    return l->aside.found && (!l->best.found || ebb_position_compare(l->aside.at, l->best.at) >= 0);
}

static ebb_status ask_about_aside(ebb_timeline *tl, tl_look_back *l, machine_stop *way, bool *agrees, ebb_error *err)
{
    unsigned verdict = EBB_PASS;
    ebb_status status = tl_go(tl, l->aside.at, way, err);
    if (status != EBB_OK || way->kind != MACHINE_STOP_POSITION)
        return status;
    status = l->judge->accept(l->judge->self, &l->aside.stop, &verdict, err);
    *agrees = verdict & EBB_STOP_ASIDE;
    return status;
}

/* The machine found it: whoever asked agrees, mostly. */
static ebb_status ask_about(ebb_timeline *tl, tl_look_back *l, machine_stop *way, bool *agrees, ebb_error *err)
{
    tl_find *f = &l->best;
    *agrees = true;
    if (!f->is_noted)
        return EBB_OK;
    ebb_status status = tl_go(tl, f->at, way, err);
    if (status == EBB_OK && way->kind == MACHINE_STOP_POSITION)
        status = tl_ask_judge(tl, l, &f->stop, agrees, &f->is_before, err);
    return status;
}

static ebb_status go_to(ebb_timeline *tl, const tl_find *f, machine_stop *stop, ebb_error *err)
{
    machine_stop way;
    ebb_status status = f->is_before ? go_before(tl, f, &way, err) : tl_go(tl, f->at, &way, err);
    if (status != EBB_OK)
        return status;
    if (way.kind == MACHINE_STOP_INTERRUPTED || way.kind == MACHINE_STOP_HISTORY_START) {
        *stop = way;
        return EBB_OK;
    }
    *stop = f->stop;
    stop->place = tl->here.place;
    stop->thread = tl->thread;
    if (tl->machine->history->show)
        tl->machine->history->show(tl->machine, stop);
    return EBB_OK;
}

/* T5: back to where it began; what comes of it is not the caller's concern. */
static ebb_status return_to_origin(ebb_timeline *tl, const tl_look_back *l, ebb_error *err)
{
    machine_stop stop;
    if (tl->state == EBB_TIMELINE_POISONED)
        return ebb_fail(err, tl->poison.status, "%s", tl->poison.text);
    if (tl->state == l->origin_state && ebb_position_compare(tl->here, l->origin) == 0)
        return EBB_OK;
    if (l->origin_state != EBB_TIMELINE_REPLAYING)
        return tl_arrive_at_end(tl, &stop, err);
    return tl_go(tl, l->origin, &stop, err);
}

static ebb_status give_up(ebb_timeline *tl, const tl_look_back *l, machine_stop *stop, ebb_error *err)
{
    ebb_timeline_forget_interrupts(tl); /* the next one ends the way back, too */
    ebb_status status = tl_is_ending(tl) ? EBB_OK : return_to_origin(tl, l, err);
    if (status == EBB_OK)
        tl_fill_stop(tl, MACHINE_STOP_INTERRUPTED, stop);
    return status;
}

/* T2: the reason stays the first one. */
static ebb_status fail_at_origin(ebb_timeline *tl, const tl_look_back *l, ebb_status status)
{
    ebb_error why;
    ebb_error second;
    if (tl->state != EBB_TIMELINE_POISONED && return_to_origin(tl, l, &why) != EBB_OK && tl->state == EBB_TIMELINE_REPLAYING)
        (void)tl_poison(tl, &why, &second);
    return status;
}

static void begin(ebb_timeline *tl, tl_look_back *l)
{
    if (tl->state == EBB_TIMELINE_LIVE)
        tl_look(tl);
    l->origin = tl->here;
    l->origin_state = tl->state;
}

/* To where the pass begins: `from` in the undo log, or else the snapshot that is nearer to `to`.  Where the log does not reach, the way from a
 * snapshot to `from` has to be replayed anyway: if hits cost nothing, as part of the pass. */
static ebb_status begin_pass(ebb_timeline *tl, const tl_look_back *l, ebb_position nearest, bool *interrupted, ebb_error *err)
{
    machine_stop stop;
    const ebb_widening *w = &l->widening;
    bool has_rewound = w->width <= tl_near(tl) && tl_rewind(tl, w->from); /* to a little before; the rest of the way is quiet */
    bool is_cheap = l->judge->notes_all && !l->judges_all;
    if (!has_rewound && (is_cheap || ebb_position_compare(nearest, w->from) >= 0))
        return tl_restore_before(tl, w->to, false, err);
    ebb_status status = tl_go(tl, w->from, &stop, err);
    *interrupted = stop.kind == MACHINE_STOP_INTERRUPTED;
    return status;
}

/* A pass that begins long before `from`, since it had to replay that way anyway, may meet dense hits there: then it is the short stretch after
 * `from` that is looked at, which has some, too. */
static ebb_status pass(tl_look_back *l, ebb_position from, ebb_error *err)
{
    ebb_timeline *tl = l->tl;
    ebb_widening *w = &l->widening;
    tl_look_back before = *l;
    l->patience = w->from.timestamp + tl_near(tl) < from.timestamp ? tl->patience : 0;
    ebb_status status = tl_pass(tl, l, w->to, err);
    if (status != EBB_OK || !l->is_dense)
        return status;
    machine_stop stop;
    *l = before;
    l->patience = 0;
    status = tl_go(tl, from, &stop, err);
    l->interrupted = stop.kind == MACHINE_STOP_INTERRUPTED;
    w->from = tl->here;
    return status == EBB_OK && !l->interrupted ? tl_pass(tl, l, w->to, err) : status;
}

static ebb_status look_at_stretch(ebb_widening *w, ebb_error *err)
{
    tl_look_back *l = (tl_look_back *)w;
    ebb_snapshot nearest;
    ebb_position from = w->from;
    w->is_done = !tl_snapshot_before(l->tl, w->to, false, &nearest); /* the oldest may get lost on the way */
    if (w->is_done)
        return EBB_OK;
    ebb_status status = begin_pass(l->tl, l, nearest.at, &l->interrupted, err);
    w->from = l->tl->here;
    if (status == EBB_OK && !l->interrupted)
        status = pass(l, from, err);
    w->is_done = l->interrupted || tl_look_back_is_decided(l);
    return status;
}

static bool goes_on(ebb_status status, const machine_stop *way, bool agrees)
{
    return status == EBB_OK && agrees && way->kind == MACHINE_STOP_POSITION;
}

/* What was found, or the beginning of history. */
static ebb_status conclude(ebb_timeline *tl, tl_look_back *l, machine_stop *stop, bool *agrees, ebb_error *err)
{
    ebb_status status = EBB_OK;
    *stop = (machine_stop){.kind = MACHINE_STOP_POSITION};
    *agrees = true;
    if (has_aside(l))
        status = ask_about_aside(tl, l, stop, agrees, err);
    if (goes_on(status, stop, *agrees))
        status = l->best.found ? ask_about(tl, l, stop, agrees, err) : ebb_timeline_seek_start(tl, stop, err);
    if (goes_on(status, stop, *agrees))
        status = go_to(tl, &l->best, stop, err);
    return status == EBB_OK && stop->kind == MACHINE_STOP_INTERRUPTED ? give_up(tl, l, stop, err) : status;
}

static ebb_status look_back(ebb_timeline *tl, tl_look_back *l, machine_stop *stop, bool *agrees, ebb_error *err)
{
    ebb_snapshot oldest;
    *agrees = true;
    l->widening = (ebb_widening){.to = l->origin, .look = look_at_stretch};
    if (tl_oldest_snapshot(tl, &oldest))
        l->widening.oldest = oldest.at;
    ebb_status status = ebb_widen(&l->widening, err);
    if (status != EBB_OK)
        return status;
    if (l->interrupted)
        return give_up(tl, l, stop, err);
    if (!tl_look_back_is_decided(l))
        tl_look_back_at_start(l);
    return conclude(tl, l, stop, agrees, err);
}

static void begin_skipping(tl_look_back *l)
{
    tl_skipping *k = &l->skipping;
    if (!l->judge->skips)
        return;
    k->left = l->judge->skips < EBB_MAX_SKIPS ? l->judge->skips : EBB_MAX_SKIPS;
    k->room = (size_t)k->left + 1;
    k->hits = ebb_alloc(k->room * sizeof *k->hits);
}

static void end_skipping(tl_look_back *l, bool is_told)
{
    if (l->judge->n_skipped)
        *l->judge->n_skipped = is_told ? l->skipping.skipped : 0;
    free(l->skipping.hits);
    l->skipping = (tl_skipping){0};
}

ebb_status ebb_timeline_run_back(ebb_timeline *tl, const ebb_judge *judge, machine_stop *stop, ebb_error *err)
{
    tl_look_back l = {.tl = tl, .judge = judge};
    bool agrees;
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK)
        return status;
    tl_work_begin(tl);
    begin(tl, &l);
    begin_skipping(&l);
    status = look_back(tl, &l, stop, &agrees, err);
    end_skipping(&l, status == EBB_OK && agrees && stop->kind != MACHINE_STOP_INTERRUPTED);
    if (status == EBB_OK && !agrees) { /* the machine said too much: its word is not taken a second time */
        l.best = l.doubt = l.aside = (tl_find){0};
        l.judges_all = true;
        status = look_back(tl, &l, stop, &agrees, err);
    }
    status = status == EBB_OK ? EBB_OK : fail_at_origin(tl, &l, status);
    tl_work_end(tl);
    return status;
}

/* ---- one instruction ------------------------------------------------------------------------------ */

static ebb_position later_of(ebb_position a, ebb_position b)
{
    return ebb_position_compare(a, b) < 0 ? b : a;
}

/* To a moment before `origin`, which is after `oldest`, from which it is reached in few instructions: the first one of its
 * timestamp, or of an earlier one if there is none before it. */
static ebb_status go_a_little_back(ebb_timeline *tl, ebb_position origin, ebb_position oldest, machine_stop *stop, ebb_error *err)
{
    for (uint64_t back = 0;; back = back ? 2 * back : 1) {
        ebb_position to = {.timestamp = origin.timestamp > back ? origin.timestamp - back : 0};
        ebb_status status = tl_go(tl, later_of(to, oldest), stop, err);
        if (status != EBB_OK || stop->kind != MACHINE_STOP_POSITION || ebb_position_compare(tl->here, origin) < 0)
            return status;
    }
}

/* One instruction of whatever thread runs. */
static ebb_status step_any(ebb_timeline *tl, machine_stop *stop, ebb_error *err)
{
    machine_request request = {
        .move = MACHINE_RUN,
        .until = true,
        .quiet = true,
        .until_time = tl->here.timestamp,
        .until_place = tl->here.place + 1,
    };
    return tl_replay(tl, &request, stop, err);
}

/* From here by instructions to `origin`: the last moment before it. */
static ebb_status find_last_before(ebb_timeline *tl, ebb_position origin, ebb_position *last, machine_stop *stop, ebb_error *err)
{
    while (ebb_position_compare(tl->here, origin) < 0) {
        *last = tl->here;
        ebb_status status = step_any(tl, stop, err);
        if (status != EBB_OK || stop->kind == MACHINE_STOP_INTERRUPTED)
            return status;
        if (tl_ends_debuggee(stop) || stop->kind == MACHINE_STOP_HISTORY_END)
            break; /* origin was the end */
    }
    stop->kind = MACHINE_STOP_POSITION;
    return EBB_OK;
}

static ebb_status step_back(ebb_timeline *tl, ebb_position origin, machine_stop *stop, ebb_error *err)
{
    ebb_snapshot oldest;
    ebb_check(tl_oldest_snapshot(tl, &oldest));
    if (ebb_position_compare(origin, oldest.at) <= 0)
        return ebb_timeline_seek_start(tl, stop, err);
    ebb_status status = go_a_little_back(tl, origin, oldest.at, stop, err);
    if (status != EBB_OK || stop->kind != MACHINE_STOP_POSITION)
        return status;
    if (!tl->has_rewound)
        tl_take_snapshot(tl); /* it is here that the way to the instruction begins again */
    ebb_position last = tl->here;
    status = find_last_before(tl, origin, &last, stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_POSITION)
        status = tl_go(tl, last, stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_POSITION) {
        tl_look(tl);
        tl_fill_stop(tl, MACHINE_STOP_STEP, stop);
    }
    return status;
}

ebb_status tl_step_back(ebb_timeline *tl, machine_stop *stop, ebb_error *err)
{
    tl_look_back l = {0};
    begin(tl, &l);
    ebb_status status = step_back(tl, l.origin, stop, err);
    return status == EBB_OK ? EBB_OK : fail_at_origin(tl, &l, status);
}
