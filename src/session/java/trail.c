/* trail.c - see trail.h. */
#include "session/java/trail.h"
#include "session/back/back.h"
#include "session/travel.h"
#include "time/timeline.h"

static ebb_status check_interrupt(const machine_stop *stop, ebb_error *err)
{
    return stop->kind == MACHINE_STOP_INTERRUPTED ? ebb_fail(err, EBB_INTERRUPTED, "interrupted") : EBB_OK;
}

static bool has_reached(const machine_stop *stop, machine_point_id id)
{
    for (size_t i = 0; stop->kind == MACHINE_STOP_POINT && i < stop->n_points; i++)
        if (stop->points[i] == id)
            return true;
    return false;
}

/* ---- the points of one move ---------------------------------------------------------------------- */

typedef struct watched {
    session *s;
    machine_point_id *ids;
    size_t n;
    unsigned verdict; /* of a hit */
} watched;

static ebb_status watch_begin(watched *w, const machine_point *points, ebb_error *err)
{
    w->ids = ebb_alloc((w->n + 1) * sizeof *w->ids);
    ebb_status status = machine_points_set(w->s->machine, points, w->n, w->ids, err);
    if (status != EBB_OK)
        free(w->ids);
    return status;
}

static void watch_end(watched *w)
{
    machine_points_clear(w->s->machine, w->ids, w->n);
    free(w->ids);
}

static bool which_of(const watched *w, const machine_stop *stop, size_t *which)
{
    for (*which = 0; *which < w->n; ++*which)
        if (has_reached(stop, w->ids[*which]))
            return true;
    return false;
}

static ebb_status judge(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    const watched *w = self;
    size_t which;
    *verdict = which_of(w, stop, &which) ? w->verdict : EBB_PASS;
    return EBB_OK;
}

static ebb_status run_back(watched *w, machine_stop *stop, ebb_error *err)
{
    machine_noted *noted = ebb_zalloc((w->n + 1) * sizeof *noted);
    for (size_t i = 0; i < w->n; i++)
        noted[i].id = w->ids[i];
    ebb_judge by = {.self = w, .accept = judge, .noted = noted, .n_noted = w->n, .only_noted = true, .notes_all = true};
    ebb_status status = ebb_timeline_run_back(w->s->timeline, &by, stop, err);
    free(noted);
    return status == EBB_OK ? check_interrupt(stop, err) : status;
}

/* ---- places -------------------------------------------------------------------------------------- */

static machine_point point_at(const ses_java_spot *spot)
{
    return (machine_point){.kind = MACHINE_POINT_EXEC, .addr = spot->place, .thread = spot->thread, .frame = spot->frame};
}

ebb_status ses_java_trail_last(session *s, const ses_java_spot *spots, size_t n, size_t *which, bool *found, ebb_error *err)
{
    watched w = {.s = s, .n = n, .verdict = EBB_STOP_HERE};
    machine_stop stop;
    machine_point *points = ebb_alloc((n + 1) * sizeof *points);
    for (size_t i = 0; i < n; i++)
        points[i] = point_at(&spots[i]);
    ebb_status status = watch_begin(&w, points, err);
    free(points);
    EBB_TRY(status);
    status = run_back(&w, &stop, err);
    *found = status == EBB_OK && which_of(&w, &stop, which);
    watch_end(&w);
    return status;
}

ebb_status ses_java_trail_next(session *s, ses_java_spot spot, bool *found, ebb_error *err)
{
    machine_request request = {.move = MACHINE_RUN, .forgets = true};
    machine_point point = point_at(&spot);
    watched w = {.s = s, .n = 1};
    machine_stop stop;
    EBB_TRY(watch_begin(&w, &point, err));
    ebb_status status;
    do {
        status = ebb_timeline_run(s->timeline, &request, &stop, err);
        if (status == EBB_OK)
            status = check_interrupt(&stop, err);
        *found = status == EBB_OK && has_reached(&stop, w.ids[0]);
    } while (status == EBB_OK && !*found && !ses_ended_early(&stop));
    watch_end(&w);
    return status;
}

ebb_status ses_java_trail_go(session *s, ebb_position to, ebb_error *err)
{
    machine_stop stop;
    EBB_TRY(ebb_timeline_seek(s->timeline, to, &stop, err));
    return check_interrupt(&stop, err);
}

/* Mostly the thread itself was the last to run. */
ebb_status ses_java_trail_step(session *s, machine_tid thread, bool *found, ebb_error *err)
{
    machine_stop stop;
    ebb_position began, before;
    EBB_TRY(ses_now(s, &began, err));
    EBB_TRY(ses_instruction_before(s, &stop, err));
    EBB_TRY(check_interrupt(&stop, err));
    *found = ebb_timeline_get_thread(s->timeline) == thread && stop.kind != MACHINE_STOP_HISTORY_START;
    if (*found || stop.kind == MACHINE_STOP_HISTORY_START)
        return EBB_OK;
    EBB_TRY(ses_java_trail_go(s, began, err));
    EBB_TRY(ses_own_instruction_before(s, thread, &before, found, err));
    return ses_java_trail_go(s, before, err);
}

/* ---- data ---------------------------------------------------------------------------------------- */

ebb_status ses_java_trail_write(session *s, machine_addr addr, unsigned nbytes, bool *is_new, bool *found, ebb_error *err)
{
    machine_point point = {.kind = MACHINE_POINT_STORE, .space = JAVA_SPACE_OBJECT, .addr = addr, .nbytes = nbytes};
    watched w = {.s = s, .n = 1, .verdict = EBB_STOP_BEFORE};
    machine_stop stop;
    EBB_TRY(watch_begin(&w, &point, err));
    ebb_status status = run_back(&w, &stop, err);
    *found = status == EBB_OK && has_reached(&stop, w.ids[0]);
    *is_new = *found && stop.is_new;
    watch_end(&w);
    return status;
}
