/* calls.c - what a line called last: the second search of verbs.c. */
#include "session/back/back.h"

typedef struct call {
    bool found;
    ses_activation who;
    bool has_from;
    ebb_position from, to; /* its first moment, if that was seen, and the first one after it */
} call;

/* Forward within the past, `to` at most.  *arrived: it got there, or there is no way on. */
ebb_status ses_java_run_towards(session *s, machine_request request, ebb_position to, machine_stop *at, bool *arrived, ebb_error *err)
{
    ebb_position now;
    request.until = true;
    request.until_time = to.timestamp;
    request.until_place = to.place;
    EBB_TRY(ebb_timeline_run(s->timeline, &request, at, err));
    *arrived = at->kind == MACHINE_STOP_HISTORY_END || at->kind == MACHINE_STOP_EXITED || at->kind == MACHINE_STOP_KILLED;
    if (*arrived)
        return EBB_OK;
    if (at->kind == MACHINE_STOP_INTERRUPTED || s->interrupted)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    ses_moved(s, at);
    EBB_TRY(ses_java_now(s, &now, err));
    *arrived = ebb_position_compare(now, to) >= 0;
    return EBB_OK;
}

/* Until the activation returns to its caller; at `to` at the latest. */
static ebb_status run_to_return(session *s, const ses_activation *who, ebb_position to, bool *arrived, ebb_error *err)
{
    machine_stop at;
    machine_point_id id = 0;
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = who->back, .thread = who->thread, .frame = who->caller};
    ses_activation top;
    *arrived = false;
    if (who->has_caller)
        EBB_TRY(s->machine->ops->point_set(s->machine, &point, &id, err));
    ebb_status status = EBB_OK;
    do
        status = ses_java_run_towards(s, (machine_request){.move = MACHINE_RUN, .thread = who->thread}, to, &at, arrived, err);
    while (status == EBB_OK && !*arrived &&
           !(ses_activation_at(s, who->thread, 0, &top) && top.id == who->caller && top.place == who->back));
    if (id)
        (void)!s->machine->ops->point_clear(s->machine, id, NULL);
    return status;
}

/* `last` is what is under way: it ends where it returns, or at `to`. */
static ebb_status run_to_end_of(session *s, call *last, ebb_position to, bool *arrived, ebb_error *err)
{
    last->found = true;
    EBB_TRY(ses_java_now(s, &last->from, err));
    EBB_TRY(run_to_return(s, &last->who, to, arrived, err));
    last->to = to;
    return *arrived ? EBB_OK : ses_java_now(s, &last->to, err);
}

/* What `who` called, by itself or through code that isn't shown, and is under way. */
static bool call_under_way(session *s, const ses_activation *who, ses_activation *out)
{
    enum { AT_ONCE = 64 };
    bool found = false, is_there = false, more = true;
    unsigned at = 0;
    for (unsigned depth = 0; more && !is_there; depth += AT_ONCE) {
        java_frames frames = {0};
        more = jvm_remote_frames(s->machine, who->thread, depth, AT_ONCE, &frames, NULL) == EBB_OK && frames.n == AT_ONCE;
        for (unsigned i = 0; i < frames.n && !is_there; i++) {
            is_there = frames.items[i].id == who->id;
            if (!is_there && ses_java_is_shown(s, frames.items[i].place)) {
                found = true;
                at = depth + i;
            }
        }
        ebb_vec_fini(&frames);
    }
    return is_there && found && ses_activation_at(s, who->thread, at, out);
}

static ebb_status last_call_from_here(session *s, const ses_activation *who, ebb_position to, call *last, ebb_error *err)
{
    bool arrived = false;
    machine_stop at;
    *last = (call){0};
    if (call_under_way(s, who, &last->who))
        EBB_TRY(run_to_end_of(s, last, to, &arrived, err));
    while (!arrived) {
        ses_java_line row;
        machine_request step = {.move = MACHINE_STEP, .thread = who->thread, .keep_filter = true};
        machine_place place = ses_activation_place(s, who);
        if (ses_activation_is_innermost(s, who) && ses_java_line_at(s, place, &row)) {
            step.lo = row.lo;
            step.hi = row.hi;
        }
        EBB_TRY(ses_java_run_towards(s, step, to, &at, &arrived, err));
        if (arrived || ses_activation_is_innermost(s, who) || at.kind != MACHINE_STOP_STEP || !ses_activation_place(s, who))
            continue;
        if (ses_activation_at(s, who->thread, 0, &last->who))
            EBB_TRY(run_to_end_of(s, last, to, &arrived, err));
    }
    return EBB_OK;
}

/* A line may have called a million times: so the last moments are looked at first, and more of what is before as long as there is
 * nothing. */
static ebb_status last_call_between(session *s, const ses_activation *who, ebb_position to, call *last, ebb_error *err)
{
    enum { FIRST_WIDTH = 64, GROWTH = 8 }; /* timestamps */
    ebb_position line;
    EBB_TRY(ses_java_now(s, &line, err));
    for (uint64_t width = FIRST_WIDTH;; width *= GROWTH) {
        machine_stop at;
        bool is_all = to.timestamp <= line.timestamp || to.timestamp - line.timestamp <= width;
        EBB_TRY(ses_seek(s, is_all ? line : (ebb_position){.timestamp = to.timestamp - width}, &at, err));
        EBB_TRY(last_call_from_here(s, who, to, last, err));
        last->has_from = is_all;
        if (last->found || is_all)
            return EBB_OK;
    }
}

/* The debuggee stands at the call that made the activation. */
static ebb_status first_moment(session *s, const ses_activation *who, ebb_position *found, ebb_error *err)
{
    machine_stop at;
    machine_request step = {.move = MACHINE_STEP, .thread = who->thread};
    EBB_TRY(ebb_timeline_run(s->timeline, &step, &at, err));
    ses_moved(s, &at);
    return ses_java_now(s, found, err);
}

/* Into what the line at which the debuggee stands, in `who`, called last before `to`. */
ebb_status ses_java_descend(session *s, ses_activation who, ebb_position to, ebb_position *found, ebb_error *err)
{
    for (;;) {
        call last;
        machine_stop at;
        ses_back back = {0};
        ses_java_found kind;
        EBB_TRY(ses_java_now(s, found, err));
        EBB_TRY(last_call_between(s, &who, to, &last, err));
        if (!last.found)
            return EBB_OK;
        EBB_TRY(ses_seek(s, last.to, &at, err));
        EBB_TRY(ses_java_line_before(s, &last.who, (ses_java_users){.own_only = true}, &kind, &back, &at, err));
        ses_back_fini(s, &back);
        if (kind != FOUND_LINE) /* its first line, at which it was entered */
            return last.has_from ? (*found = last.from, EBB_OK) : first_moment(s, &last.who, found, err);
        who = last.who;
        to = last.to;
    }
}

/* The debuggee stands in a frame of code that a step passes through: to the last line that a person would have seen before `to`, in what
 * this frame called. */
ebb_status ses_java_last_line_shown(session *s, const ses_activation *who, ebb_position to, bool *is_there,
                                    ebb_position *found, ebb_error *err)
{
    enum { LINES = 100 }; /* of library code: what called the person's is near its end */
    *is_there = false;
    for (unsigned i = 0; i < LINES && !*is_there; i++) {
        machine_stop at;
        ses_back back = {0};
        ses_java_found kind;
        ebb_position line;
        EBB_TRY(ses_java_line_before(s, who, (ses_java_users){.own_only = true}, &kind, &back, &at, err));
        ses_back_fini(s, &back);
        if (kind != FOUND_LINE)
            return EBB_OK;
        EBB_TRY(ses_java_now(s, &line, err));
        EBB_TRY(ses_java_descend(s, *who, to, found, err));
        *is_there = ebb_position_compare(*found, line) != 0;
        if (!*is_there)
            EBB_TRY(ses_seek(s, line, &at, err));
        to = line;
    }
    return EBB_OK;
}
