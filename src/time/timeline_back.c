/* timeline_back.c - backward: looking for the last stop before now, and for the instruction before this one.
 *
 * Both replay forward and remember.  A pass runs to a bound with the points set: the first over the last few ticks before now,
 * each further one over more of what is before the last one's beginning, up to a snapshot at a time.  So what is near is found
 * without stopping at all that is far (a loop of a million turns), a pass never sees what an earlier pass saw, and looking back
 * over all of history replays it little more than once. */
#include "base/check.h"
#include "time/timeline_private.h"

enum { /* ticks */
    /* What a step back goes over mostly is the line before: some tens of ticks.  Wider, and each step back in a tight loop meets more stops
     * than it needs, each of which is shown to the judge; narrower, and the second pass is needed nearly always. */
    FIRST_WIDTH = 32,
    /* Each further pass is eight times as wide.  All the passes before the one that finds it then cost a seventh of that one together, and
     * a find far away takes few passes (9 from 32 ticks to 2^28).  Doubling would look through less that is in vain beyond the find, but take three times as many
     * passes, each of which begins with a rewind or a copy. */
    WIDTH_GROWTH = 8,
    WIDEST = 1 << 28, /* beyond it there is a snapshot in between anyway; the product must not overflow */
};

/* The last stop that was accepted. */
typedef struct find {
    bool found;
    ebb_position at;
    bool is_before; /* the move ends before the instruction that led there */
    machine_stop stop;
} find;

typedef struct search {
    const ebb_judge *judge;
    ebb_position origin; /* now, when it began */
    ebb_timeline_state origin_state;
    find best;
} search;

/* ---- a pass --------------------------------------------------------------------------------------- */

/* An execution point counts if it is before now; data touched by the instruction before now counts too. */
bool ebb_verdict_counts(unsigned verdict, ebb_position at, ebb_position origin, bool *is_before)
{
    int order = ebb_position_compare(at, origin);
    *is_before = order == 0 || !(verdict & EBB_STOP_HERE);
    if (order < 0)
        return verdict != EBB_PASS;
    return order == 0 && verdict & EBB_STOP_BEFORE;
}

static ebb_status judge_stop(ebb_timeline *tl, search *s, const machine_stop *stop, ebb_error *err)
{
    unsigned verdict = EBB_PASS;
    bool is_before;
    ebb_status status = s->judge->accept(s->judge->self, stop, &verdict, err);
    if (status == EBB_OK && ebb_verdict_counts(verdict, tl->here, s->origin, &is_before))
        s->best = (find){.found = true, .at = tl->here, .is_before = is_before, .stop = *stop};
    return status;
}

/* From here to the bound.  *interrupted: somebody wants it to end. */
static ebb_status pass(ebb_timeline *tl, search *s, ebb_position bound, bool *interrupted, ebb_error *err)
{
    uint64_t began = tl->here.timestamp, total = bound.timestamp - began;
    while (ebb_position_compare(tl->here, bound) < 0) {
        machine_stop stop;
        ebb_position end = tl_slice(tl, bound);
        machine_request request = {.move = MACHINE_RUN, .until = true, .until_time = end.timestamp, .until_place = end.place,
                                   .forgets = total > tl_near(tl)};
        ebb_status status = tl_resume(tl, &request, &stop, err);
        if (status != EBB_OK)
            return status;
        *interrupted = stop.kind == MACHINE_STOP_INTERRUPTED;
        if (*interrupted || tl_ends_debuggee(&stop) || stop.kind == MACHINE_STOP_HISTORY_END)
            return EBB_OK;
        if (stop.kind != MACHINE_STOP_POSITION)
            status = judge_stop(tl, s, &stop, err);
        if (status != EBB_OK)
            return status;
        tl_tell_progress(tl, tl->here.timestamp - began, total);
    }
    return EBB_OK;
}

/* ---- arriving ------------------------------------------------------------------------------------- */

/* Before the instruction that touched data; the machine may have said which it was. */
static ebb_status go_before(ebb_timeline *tl, const find *f, machine_stop *stop, ebb_error *err)
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
    return status;
}

static ebb_status arrive(ebb_timeline *tl, const find *f, machine_stop *stop, ebb_error *err)
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
    return EBB_OK;
}

/* T5: back to where it began; what comes of it is not the caller's concern. */
static ebb_status return_to_origin(ebb_timeline *tl, const search *s, ebb_error *err)
{
    machine_stop stop;
    if (tl->state == EBB_TIMELINE_POISONED)
        return ebb_fail(err, tl->poison.status, "%s", tl->poison.text);
    if (tl->state == s->origin_state && ebb_position_compare(tl->here, s->origin) == 0)
        return EBB_OK;
    if (s->origin_state != EBB_TIMELINE_REPLAYING)
        return tl_arrive_at_end(tl, &stop, err);
    return tl_go(tl, s->origin, &stop, err);
}

static ebb_status give_up(ebb_timeline *tl, const search *s, machine_stop *stop, ebb_error *err)
{
    ebb_status status = return_to_origin(tl, s, err);
    if (status == EBB_OK)
        tl_fill_stop(tl, MACHINE_STOP_INTERRUPTED, stop);
    return status;
}

/* T2: the reason stays the first one. */
static ebb_status fail_at_origin(ebb_timeline *tl, const search *s, ebb_status status)
{
    ebb_error why;
    ebb_error second;
    if (tl->state != EBB_TIMELINE_POISONED && return_to_origin(tl, s, &why) != EBB_OK && tl->state == EBB_TIMELINE_REPLAYING)
        (void)tl_poison(tl, &why, &second);
    return status;
}

static void begin(ebb_timeline *tl, search *s)
{
    if (tl->state == EBB_TIMELINE_LIVE)
        tl_look(tl);
    s->origin = tl->here;
    s->origin_state = tl->state;
}

/* To where the pass that ends at `bound` begins: `width` ticks before it in the undo log, or else the snapshot that is nearer. */
static ebb_status begin_pass(ebb_timeline *tl, ebb_position bound, uint64_t width, bool *interrupted, ebb_error *err)
{
    ebb_snapshot nearest;
    machine_stop stop;
    ebb_check(tl_snapshot_before(tl, bound, false, &nearest));
    ebb_position from = {.timestamp = bound.timestamp > width ? bound.timestamp - width : 0};
    bool has_rewound = width <= tl_near(tl) && tl_rewind(tl, from); /* to a little before; the rest of the way is quiet */
    if (!has_rewound && ebb_position_compare(nearest.at, from) >= 0)
        return tl_restore_before(tl, bound, false, err);
    ebb_status status = tl_go(tl, from, &stop, err);
    *interrupted = stop.kind == MACHINE_STOP_INTERRUPTED;
    return status;
}

static ebb_status look_back(ebb_timeline *tl, search *s, machine_stop *stop, ebb_error *err)
{
    ebb_position bound = s->origin;
    ebb_snapshot oldest;
    uint64_t width = FIRST_WIDTH;
    for (; tl_snapshot_before(tl, bound, false, &oldest); width = width < WIDEST ? width * WIDTH_GROWTH : width) {
        bool interrupted = false;
        ebb_status status = begin_pass(tl, bound, width, &interrupted, err);
        ebb_position began = tl->here;
        if (status == EBB_OK && !interrupted)
            status = pass(tl, s, bound, &interrupted, err);
        if (status != EBB_OK)
            return status;
        if (interrupted)
            return give_up(tl, s, stop, err);
        if (s->best.found)
            return arrive(tl, &s->best, stop, err);
        if (ebb_position_compare(began, bound) < 0)
            bound = began;
    }
    return ebb_timeline_seek_start(tl, stop, err);
}

ebb_status ebb_timeline_run_back(ebb_timeline *tl, const ebb_judge *judge, machine_stop *stop, ebb_error *err)
{
    search s = {.judge = judge};
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK)
        return status;
    begin(tl, &s);
    status = look_back(tl, &s, stop, err);
    return status == EBB_OK ? EBB_OK : fail_at_origin(tl, &s, status);
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
    return tl_resume(tl, &request, stop, err);
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
    search s = {0};
    begin(tl, &s);
    ebb_status status = step_back(tl, s.origin, stop, err);
    return status == EBB_OK ? EBB_OK : fail_at_origin(tl, &s, status);
}
