/* queries.c - watches the data, and lets the timeline run to the hits or search for them. */
#include "time/queries.h"
#include "base/check.h"
#include "time/timeline_private.h"

/* ---- where a query began -------------------------------------------------------------------------- */

typedef struct origin {
    ebb_position at;
    ebb_timeline_state state;
} origin;

static origin origin_of(ebb_timeline *tl)
{
    if (tl->state == EBB_TIMELINE_LIVE)
        tl_look(tl);
    return (origin){.at = tl->here, .state = tl->state};
}

/* Keeps the first reason if there is one. */
static ebb_status return_to(ebb_timeline *tl, origin o, ebb_status status, ebb_error *err)
{
    machine_stop stop;
    ebb_error second;
    if (tl->state == EBB_TIMELINE_POISONED || (tl->state == o.state && ebb_position_compare(tl->here, o.at) == 0))
        return status;
    if (tl_is_ending(tl))
        return status;
    ebb_timeline_forget_interrupts(tl);
    bool in_past = o.state == EBB_TIMELINE_REPLAYING;
    ebb_status back = in_past ? ebb_timeline_seek(tl, o.at, &stop, &second) : ebb_timeline_seek_end(tl, &stop, &second);
    if (back != EBB_OK && status == EBB_OK)
        return ebb_fail(err, back, "%s", second.text);
    return status;
}

static ebb_status fail_interrupted(ebb_error *err)
{
    return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
}

/* ---- a point on the data -------------------------------------------------------------------------- */

typedef struct watch {
    ebb_timeline *tl;
    machine_point_id id;
    machine_point_id born_at; /* ebb_data.born_at */
    ebb_position born;        /* where it came into being, once that was seen */
    const ebb_data_filter *filter;
} watch;

/* WRITE: a write counts if it changes something.  STORE: each does, where the machine can tell; a store to a bit-field writes what is
 * beside it as well, so these are told by their changes. */
static ebb_status watch_begin(watch *w, ebb_timeline *tl, const ebb_data *data, machine_point_kind kind, const ebb_data_filter *filter, ebb_error *err)
{
    *w = (watch){.tl = tl, .born_at = data->born_at, .filter = filter};
    EBB_TRY(tl_check_history(tl, err));
    machine_point point = {.kind = data->bits ? MACHINE_POINT_WRITE : kind, .space = data->space, .addr = data->addr, .nbytes = data->nbytes, .bits = data->bits};
    ebb_status status = tl->machine->ops->point_set(tl->machine, &point, &w->id, err);
    if (status != EBB_UNSUPPORTED || point.kind != MACHINE_POINT_STORE)
        return status;
    point.kind = MACHINE_POINT_WRITE;
    return tl->machine->ops->point_set(tl->machine, &point, &w->id, err);
}

static void watch_end(watch *w)
{
    ebb_error ignored;
    if (w->tl->state != EBB_TIMELINE_POISONED && w->tl->machine->ops->point_clear(w->tl->machine, w->id, &ignored) != EBB_OK)
        return; /* a debuggee that is gone has no points */
}

static bool has_reached(const machine_stop *stop, machine_point_id id)
{
    for (size_t i = 0; id && stop->kind == MACHINE_STOP_POINT && i < stop->n_points; i++)
        if (stop->points[i] == id)
            return true;
    return false;
}

/* Whether a stop is a write to what was asked about.  Where it came into being it always is, although it may not be there to be read
 * yet: a variable without a value. */
static ebb_status is_hit(const watch *w, const machine_stop *stop, bool *hit, ebb_error *err)
{
    *hit = has_reached(stop, w->id);
    return *hit && !stop->is_new && w->filter ? w->filter->is_it(w->filter->self, hit, err) : EBB_OK;
}

static ebb_position position_of_write(ebb_position after, machine_place touched_by)
{
    ebb_position toucher = {.timestamp = after.timestamp, .place = touched_by};
    return touched_by && ebb_position_compare(toucher, after) < 0 ? toucher : after;
}

/* ---- last write ----------------------------------------------------------------------------------- */

static ebb_status judge_write(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    bool hit;
    watch *w = self;
    ebb_status status = is_hit(w, stop, &hit, err);
    if ((hit && stop->is_new) || has_reached(stop, w->born_at))
        w->born = position_of_write(w->tl->here, stop->touched_by);
    *verdict = hit ? EBB_STOP_BEFORE : has_reached(stop, w->born_at) ? EBB_STOP_HERE : EBB_PASS;
    return status;
}

ebb_status ebb_query_last_write(ebb_timeline *tl, const ebb_data *data, const ebb_data_filter *filter, machine_stop *stop, ebb_error *err)
{
    watch w;
    ebb_status status = watch_begin(&w, tl, data, MACHINE_POINT_STORE, filter, err);
    if (status != EBB_OK)
        return status;
    origin o = origin_of(tl);
    machine_noted noted[] = {{.id = w.id}, {.id = w.born_at}}; /* what the filter says to the last write is mostly yes */
    status = ebb_timeline_run_back(tl, &(ebb_judge){.self = &w, .accept = judge_write, .noted = noted, .n_noted = w.born_at ? 2 : 1, .only_noted = true},
                                   stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_INTERRUPTED)
        status = fail_interrupted(err);
    else if (status == EBB_OK && stop->kind == MACHINE_STOP_HISTORY_START)
        status = ebb_fail(err, EBB_NOT_FOUND, "it was not written before now, as far back as history goes");
    else if (status == EBB_OK && (stop->is_new || !has_reached(stop, w.id)))
        status = ebb_fail(err, EBB_NOT_FOUND, "nothing wrote to it since it came into being at %llu", (unsigned long long)(w.born.timestamp ? w.born.timestamp : tl->here.timestamp));
    watch_end(&w);
    return status == EBB_OK ? EBB_OK : return_to(tl, o, status, err);
}

/* ---- values --------------------------------------------------------------------------------------- */

static ebb_value_from from_of(bool is_new)
{
    return is_new ? EBB_VALUE_NEW : EBB_VALUE_WRITTEN;
}

/* *seen is where the last of them stands that was told. */
static ebb_status visit_listed(const ebb_value_visitor *visitor, const machine_found *found, ebb_position *seen, ebb_error *err)
{
    for (size_t i = 0; i < found->n_listed; i++) {
        const machine_listed *hit = &found->listed[i];
        ebb_position after = {hit->time, hit->place};
        EBB_TRY(visitor->bytes(visitor->self, position_of_write(after, hit->touched_by), from_of(hit->is_new), hit, err));
        *seen = after;
    }
    return EBB_OK;
}

/* The debuggee stands right after a write. */
static ebb_status visit_stop(const watch *w, const machine_stop *stop, const ebb_value_visitor *visitor, ebb_error *err)
{
    bool hit;
    ebb_status status = is_hit(w, stop, &hit, err);
    if (status == EBB_OK && hit)
        status = visitor->value(visitor->self, position_of_write(w->tl->here, stop->touched_by), from_of(stop->is_new), err);
    return status;
}

/* Enough that asking for them does not count beside finding them; few enough that progress is told and memory is not filled. */
enum { LISTED_AT_ONCE = 8192 };

/* How far pictures go: most objects are shown by their own fields; lists and maps by what is some steps away.  The last is as far as what is shown
 * in full by default. */
static const unsigned depths[] = {1, 3, 7};
enum { N_DEPTHS = sizeof depths / sizeof *depths };

/* The pictures lack something: back to the last write that was told, and on with larger ones or, after the largest, with stops. */
static ebb_status look_again(ebb_timeline *tl, ebb_value_visitor *visitor, unsigned *depth, ebb_position seen, ebb_error *err)
{
    machine_stop stop;
    if (++*depth == N_DEPTHS)
        visitor->bytes = NULL;
    EBB_TRY(ebb_timeline_seek(tl, seen, &stop, err));
    return stop.kind == MACHINE_STOP_INTERRUPTED ? fail_interrupted(err) : EBB_OK;
}

static ebb_status visit_writes(watch *w, origin o, const ebb_value_visitor *asked, ebb_error *err)
{
    ebb_timeline *tl = w->tl;
    ebb_value_visitor now = *asked, *visitor = &now;
    machine_noted noted = {.id = w->id};
    uint64_t began = tl->here.timestamp;
    unsigned depth = 0;
    while (tl->state == EBB_TIMELINE_REPLAYING && ebb_position_compare(tl->here, o.at) < 0) {
        ebb_position end = tl_slice(tl, o.at), seen = tl->here;
        machine_search search = {.until_time = end.timestamp, .until_place = end.place, .forgets = true, .noted = &noted,
                                 .n_noted = visitor->bytes ? 1 : 0, .only_noted = visitor->bytes, .n_listed = LISTED_AT_ONCE,
                                 .depth = visitor->bytes && visitor->is_reference ? depths[depth] : 0};
        machine_found found;
        ebb_status status = tl_search(tl, &search, &found, err);
        if (status == EBB_OK && found.n_listed > 0)
            status = visit_listed(visitor, &found, &seen, err);
        if (status == EBB_UNAVAILABLE && search.depth > 0) {
            EBB_TRY(look_again(tl, visitor, &depth, seen, err));
            continue;
        }
        if (status != EBB_OK)
            return status;
        if (found.end.kind == MACHINE_STOP_INTERRUPTED)
            return fail_interrupted(err);
        if (tl_ends_debuggee(&found.end) || found.end.kind == MACHINE_STOP_HISTORY_END)
            return EBB_OK;
        status = visit_stop(w, &found.end, visitor, err);
        if (status != EBB_OK)
            return status;
        tl_tell_progress(tl, tl->here.timestamp - began, o.at.timestamp - began);
    }
    return EBB_OK;
}

/* ---- where the thing begins */

static ebb_status judge_birth(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    *verdict = stop->is_new ? EBB_STOP_BEFORE : EBB_PASS;
    return EBB_OK;
}

static ebb_status judge_beginning(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    const machine_point_id *id = self;
    *verdict = has_reached(stop, *id) ? EBB_STOP_HERE : EBB_PASS;
    return EBB_OK;
}

/* To where the thing came into being, which a point tells. */
static ebb_status go_to_birth(ebb_timeline *tl, machine_point_id born_at, ebb_error *err)
{
    machine_stop stop;
    machine_noted noted = {.id = born_at};
    ebb_judge judge = {.self = &born_at, .accept = judge_beginning, .noted = &noted, .n_noted = 1, .only_noted = true, .notes_all = true};
    ebb_status status = ebb_timeline_run_back(tl, &judge, &stop, err);
    return status == EBB_OK && stop.kind == MACHINE_STOP_INTERRUPTED ? fail_interrupted(err) : status;
}

/* Before the thing came into being, or to the beginning of history; the writes are watched from there. */
static ebb_status watch_from_beginning(watch *w, ebb_timeline *tl, const ebb_data *data, const ebb_data_filter *filter, ebb_error *err)
{
    machine_stop stop;
    ebb_data births = *data;
    watch b;
    births.nbytes = births.bits = 0;
    if (data->born_at) {
        EBB_TRY(go_to_birth(tl, data->born_at, err));
        return watch_begin(w, tl, data, MACHINE_POINT_WRITE, filter, err);
    }
    if (!data->comes_and_goes) {
        EBB_TRY(watch_begin(w, tl, data, MACHINE_POINT_WRITE, filter, err));
        return ebb_timeline_seek_start(tl, &stop, err);
    }
    EBB_TRY(watch_begin(&b, tl, &births, MACHINE_POINT_WRITE, NULL, err));
    machine_noted noted = {.id = b.id};
    ebb_status status = ebb_timeline_run_back(tl, &(ebb_judge){.self = NULL, .accept = judge_birth, .noted = &noted, .n_noted = 1}, &stop, err);
    if (status == EBB_OK && stop.kind == MACHINE_STOP_INTERRUPTED)
        status = fail_interrupted(err);
    if (status == EBB_OK)
        status = watch_begin(w, tl, data, MACHINE_POINT_WRITE, filter, err);
    watch_end(&b);
    return status;
}

ebb_status ebb_query_values(ebb_timeline *tl, const ebb_data *data, const ebb_data_filter *filter, const ebb_value_visitor *visitor,
                            ebb_error *err)
{
    watch w = {0};
    origin o = origin_of(tl);
    bool is_it = true;
    tl_work_begin(tl);
    ebb_status status = watch_from_beginning(&w, tl, data, filter, err);
    if (status == EBB_OK && filter)
        status = filter->is_it(filter->self, &is_it, err);
    if (status == EBB_OK && is_it && !data->born_at) /* what is there when it comes into being is no value of its own */
        status = visitor->value(visitor->self, tl->here, EBB_VALUE_OLDEST, err);
    if (status == EBB_OK)
        status = visit_writes(&w, o, visitor, err);
    if (w.tl)
        watch_end(&w);
    status = return_to(tl, o, status, err);
    tl_work_end(tl);
    return status;
}

/* ---- bisect --------------------------------------------------------------------------------------- */

typedef struct bisection {
    ebb_timeline *tl;
    const ebb_condition *condition;
    /* It holds at `good`, and doesn't at `bad`; no moment is between `edge` and `bad`'s timestamp. */
    ebb_position good, bad;
    uint64_t edge;
    uint64_t span; /* at first, for progress */
} bisection;

static ebb_status go_and_ask(bisection *b, ebb_position to, bool *holds, ebb_error *err)
{
    machine_stop stop;
    if (tl_is_interrupted(b->tl))
        return fail_interrupted(err);
    ebb_status status = ebb_timeline_seek(b->tl, to, &stop, err);
    if (status == EBB_OK && stop.kind == MACHINE_STOP_INTERRUPTED)
        status = fail_interrupted(err);
    if (status == EBB_OK && b->condition->arrive)
        status = b->condition->arrive(b->condition->self, err);
    return status == EBB_OK ? b->condition->holds(b->condition->self, holds, err) : status;
}

static unsigned halvings(uint64_t span)
{
    return span ? 64 - (unsigned)__builtin_clzll(span) : 0;
}

/* Until `good` has the last timestamp at whose first moment it holds. */
static ebb_status halve(bisection *b, ebb_error *err)
{
    while (b->edge - b->good.timestamp > 1) {
        uint64_t middle = b->good.timestamp + (b->edge - b->good.timestamp) / 2;
        bool holds;
        ebb_status status = go_and_ask(b, (ebb_position){.timestamp = middle}, &holds, err);
        if (status != EBB_OK)
            return status;
        if (ebb_position_compare(b->tl->here, b->bad) >= 0) { /* no moment is between */
            b->edge = middle;
        } else if (holds) {
            b->good = b->tl->here;
        } else {
            b->bad = b->tl->here;
            b->edge = middle;
        }
        tl_tell_progress(b->tl, halvings(b->span) - halvings(b->edge - b->good.timestamp), halvings(b->span));
    }
    return EBB_OK;
}

/* From `good` on by instructions: they are few, all of one timestamp. */
static ebb_status walk_to_change(bisection *b, ebb_error *err)
{
    bool holds;
    ebb_status status = go_and_ask(b, b->good, &holds, err);
    while (status == EBB_OK && holds && ebb_position_compare(b->tl->here, b->bad) < 0) {
        ebb_position next = {b->tl->here.timestamp, b->tl->here.place + 1};
        status = go_and_ask(b, next, &holds, err);
    }
    return status;
}

static ebb_status bisect(bisection *b, machine_stop *stop, ebb_error *err)
{
    bool holds;
    ebb_status status = b->condition->holds(b->condition->self, &holds, err);
    if (status == EBB_OK && holds)
        status = ebb_fail(err, EBB_BAD_INPUT, "that holds now: bisect looks for the first moment at which it is false");
    b->bad = b->tl->here;
    b->edge = b->bad.timestamp;
    if (status == EBB_OK)
        status = b->condition->from ? ebb_timeline_seek(b->tl, *b->condition->from, stop, err) : ebb_timeline_seek_start(b->tl, stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_INTERRUPTED)
        status = fail_interrupted(err);
    if (status == EBB_OK && !b->condition->from)
        status = b->condition->holds(b->condition->self, &holds, err);
    else
        holds = true;
    if (status != EBB_OK || !holds)
        return status; /* false from the beginning on: HISTORY_START says so */
    b->good = b->tl->here;
    b->span = b->edge - b->good.timestamp;
    status = halve(b, err);
    if (status == EBB_OK)
        status = walk_to_change(b, err);
    if (status == EBB_OK)
        tl_fill_stop(b->tl, MACHINE_STOP_POSITION, stop);
    return status;
}

ebb_status ebb_query_bisect(ebb_timeline *tl, const ebb_condition *condition, machine_stop *stop, ebb_error *err)
{
    bisection b = {.tl = tl, .condition = condition};
    ebb_status status = tl_check_history(tl, err);
    if (status != EBB_OK)
        return status;
    origin o = origin_of(tl);
    tl_work_begin(tl);
    if (tl->state == EBB_TIMELINE_ENDED) /* the last moment at which there is something to ask */
        status = tl_step_back(tl, stop, err);
    if (status == EBB_OK)
        status = bisect(&b, stop, err);
    if (status != EBB_OK)
        status = return_to(tl, o, status, err);
    tl_work_end(tl);
    return status;
}
