/* moves.c - moving the program, and telling how that ended. */
#include "front/dap/dap.h"

#include "base/text.h"
#include "front/cli/signals.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"
#include "session/time.h"

#include <string.h>

/* ---- stops --------------------------------------------------------------------------------------- */

/* The protocol's word for each kind of stop, and ours for people. */
static const struct {
    ses_stop_kind kind;
    const char *reason, *description;
} reasons[] = {
#define DAP_REASON(kind, reason, description) {kind, reason, description},
#include "front/dap/reasons.def"
#undef DAP_REASON
};

static size_t reason_of(ses_stop_kind kind)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].kind == kind)
            return i;
    return 0;
}

const char *dap_cplus_event(dap *d, const ses_stop *stop)
{
    static const struct {
        const char *event, *words;
    } rows[] = {{"throw", "exception thrown"}, {"rethrow", "exception thrown again"}, {"catch", "exception caught"}};
    for (size_t k = 0; k < stop->n_breakpoints; k++) {
        const ses_breakpoint *bp = ses_bp_get(d->session, stop->breakpoints[k]);
        for (size_t i = 0; bp && bp->exception && i < sizeof rows / sizeof *rows; i++)
            if (strcmp(rows[i].event, bp->exception) == 0)
                return rows[i].words;
    }
    return NULL;
}

/* "exception thrown: std::runtime_error: no such file" */
static void put_cplus_event(dap *d, const ses_stop *stop, ebb_buf *text)
{
    char *type, *message;
    bool is_known = ses_exception_here(d->session, &type, &message);
    ebb_buf_addf(text, "%s%s%s%s%s", dap_cplus_event(d, stop), is_known ? ": " : "", is_known ? type : "", message ? ": " : "", message ? message : "");
    free(type);
    free(message);
}

/* A watched value that is the same as before. */
static bool is_access(const ses_stop *stop)
{
    return stop->kind == SES_STOP_WATCHPOINT && !stop->old_value && stop->new_value;
}

static void put_text(dap *d, json_t *body, const ses_stop *stop)
{
    ebb_buf text = {0};
    char *position = NULL;
    if (stop->watch_text && is_access(stop))
        ebb_buf_addf(&text, "%s = %s", stop->watch_text, stop->new_value);
    else if (stop->watch_text)
        ebb_buf_addf(&text, "%s: %s -> %s", stop->watch_text, stop->old_value ? stop->old_value : "?", stop->new_value ? stop->new_value : "?");
    else if (stop->catch_text)
        ebb_buf_adds(&text, stop->catch_text);
    else if (dap_cplus_event(d, stop))
        put_cplus_event(d, stop, &text);
    else if (stop->kind == SES_STOP_SIGNAL)
        ebb_buf_addf(&text, "%s, %s", ses_signal_name(stop->machine.signal), ses_signal_description(stop->machine.signal));
    else if (stop->return_value)
        ebb_buf_addf(&text, "returned %s", stop->return_value);
    if (text.n)
        cli_json_text(body, "text", ebb_buf_text(&text));
    ebb_buf_fini(&text);
    if (ses_get_state(d->session) == SES_STOPPED && ses_when(d->session, true, &position, NULL) == EBB_OK)
        cli_json_text(body, "ebbPosition", position);
    free(position);
}

static json_t *hit_breakpoints(const ses_stop *stop)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stop->n_breakpoints; i++)
        json_array_append_new(list, json_integer(stop->breakpoints[i]));
    return list;
}

static void say_stopped(dap *d, const ses_stop *stop, const char *reason, const char *description)
{
    unsigned number = ses_thread_number(d->session, stop->thread);
    if (number)
        d->last_thread = number;
    json_t *body = json_pack("{s:s, s:s, s:i, s:b}", "reason", reason, "description", is_access(stop) ? "A watched value was used" : description, "threadId",
                             (int)(d->last_thread ? d->last_thread : 1), "allThreadsStopped", 1);
    put_text(d, body, stop);
    if (stop->n_breakpoints)
        json_object_set_new(body, "hitBreakpointIds", hit_breakpoints(stop));
    dap_say_event(d, "stopped", body);
}

/* ---- the end ------------------------------------------------------------------------------------- */

static bool has_past(dap *d)
{
    ses_history_info info;
    return ses_get_machine(d->session) && ses_history_info_get(d->session, &info, NULL) == EBB_OK && info.is_kept;
}

/* After a crash people want to look back; after a good end they are done. */
static bool stays_at_end(dap *d, const ses_stop *stop)
{
    bool is_good_end = stop->kind == SES_STOP_EXITED && stop->machine.exit_status == 0;
    if (d->at_end == DAP_AT_END_TERMINATE || !has_past(d))
        return false;
    return d->at_end == DAP_AT_END_STAY || d->is_recording || !is_good_end;
}

static void tell_end(dap *d, const ses_stop *stop)
{
    bool killed = stop->kind == SES_STOP_KILLED;
    int code = killed ? 128 + stop->machine.signal : stop->machine.exit_status;
    if (killed)
        dap_say_line(d, "console", "The program was ended by the signal %s, %s.", ses_signal_name(stop->machine.signal),
                     ses_signal_description(stop->machine.signal));
    if (!d->told_exit)
        dap_say_event(d, "exited", json_pack("{s:i}", "exitCode", code));
    d->told_exit = true;
    if (stays_at_end(d, stop))
        say_stopped(d, stop, "end", "The program has ended; its past is there");
    else
        dap_say_event(d, "terminated", NULL);
}

void dap_tell_stop(dap *d, const ses_stop *stop)
{
    bool has_ended = stop->kind == SES_STOP_EXITED || stop->kind == SES_STOP_KILLED;
    size_t row = reason_of(dap_cplus_event(d, stop) ? SES_STOP_CATCH : stop->kind);
    d->last_stop = *stop;
    dap_handles_clear(d);
    dap_ear_drain(d->ear, has_ended);
    dap_points_refresh(d);
    if (has_ended)
        tell_end(d, stop);
    else
        say_stopped(d, stop, reasons[row].reason, reasons[row].description);
}

void dap_tell_moved(dap *d, const char *why)
{
    ses_state state = ses_get_state(d->session);
    dap_handles_clear(d);
    dap_ear_drain(d->ear, state == SES_ENDED);
    dap_points_refresh(d);
    if (state == SES_STOPPED || has_past(d))
        say_stopped(d, &(ses_stop){.kind = SES_STOP_POSITION, .thread = ses_thread_selected(d->session)}, "goto", why);
    else if (state == SES_ENDED)
        dap_say_event(d, "terminated", NULL);
}

void dap_invalidate(dap *d)
{
    if (d->wants_invalidated)
        dap_say_event(d, "invalidated", json_pack("{s:[s]}", "areas", "all"));
}

/* ---- moving -------------------------------------------------------------------------------------- */

/* Whether the move only stopped for requests that enter, which have been answered now. */
static bool was_entered(dap *d, const ses_stop *stop)
{
    bool any = false;
    json_t *request;
    while (stop->kind == SES_STOP_INTERRUPTED && (request = dap_ear_next_to_enter(d->ear))) {
        dap_handle_message(d, request);
        json_decref(request);
        any = true;
        cli_signals_busy(true);
    }
    return any;
}

static ebb_status run_to_stop(dap *d, dap_mover *mover, const void *how, bool resumable, ses_stop *stop, ebb_error *err)
{
    for (;;) {
        dap_ear_may_enter(d->ear, resumable);
        ebb_status status = mover(d, how, stop, err);
        dap_ear_may_enter(d->ear, false);
        EBB_TRY(status);
        bool goes_on = resumable && was_entered(d, stop);
        if (!goes_on || ses_get_state(d->session) != SES_STOPPED)
            return EBB_OK;
    }
}

void dap_move(dap *d, dap_request *r, dap_mover *mover, const void *how, bool resumable)
{
    ses_stop stop = {0};
    ebb_error err;
    dap_answer(d, r);
    if (run_to_stop(d, mover, how, resumable, &stop, &err) == EBB_OK) {
        dap_tell_stop(d, &stop);
        return;
    }
    dap_say_line(d, "important", "%s", err.text);
    dap_tell_moved(d, err.text);
}

ebb_status dap_need_past(dap *d, ebb_error *err)
{
    return has_past(d) ? EBB_OK : ebb_fail(err, EBB_NO_HISTORY, "No history of this program is kept, so it can't go back (\"record\": true keeps one).");
}

/* ---- the requests -------------------------------------------------------------------------------- */

static ebb_status select_thread(dap *d, dap_request *r, ebb_error *err)
{
    json_int_t id = dap_number(r->args, "threadId", 0);
    if (id <= 0 || ses_get_state(d->session) != SES_STOPPED || ses_thread_number(d->session, ses_thread_selected(d->session)) == (unsigned)id)
        return EBB_OK;
    return ses_thread_select(d->session, (unsigned)id, err);
}

static ebb_status go_on(dap *d, const void *how, ses_stop *stop, ebb_error *err)
{
    (void)how;
    return ses_continue(d->session, 0, stop, err);
}

ebb_status dap_do_continue(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    json_object_set_new(dap_body(r), "allThreadsContinued", json_true());
    dap_move(d, r, go_on, NULL, true);
    return EBB_OK;
}

static ebb_status go_back(dap *d, const void *how, ses_stop *stop, ebb_error *err)
{
    (void)how;
    return ses_continue_back(d->session, stop, err);
}

ebb_status dap_do_reverse_continue(dap *d, dap_request *r, ebb_error *err)
{
    EBB_TRY(dap_need_past(d, err));
    dap_move(d, r, go_back, NULL, true);
    return EBB_OK;
}

typedef struct step {
    ses_step_kind kind;
    bool is_back;
} step;

static ebb_status do_step(dap *d, const void *how, ses_stop *stop, ebb_error *err)
{
    const step *s = how;
    return (s->is_back ? ses_step_back : ses_step)(d->session, s->kind, 1, stop, err);
}

static bool by_instruction(dap_request *r)
{
    const char *granularity = dap_text(r->args, "granularity");
    return granularity && strcmp(granularity, "instruction") == 0;
}

static ebb_status begin_step(dap *d, dap_request *r, step s, ebb_error *err)
{
    EBB_TRY(select_thread(d, r, err));
    if (s.is_back)
        EBB_TRY(dap_need_past(d, err));
    dap_move(d, r, do_step, &s, false);
    return EBB_OK;
}

ebb_status dap_do_next(dap *d, dap_request *r, ebb_error *err)
{
    return begin_step(d, r, (step){by_instruction(r) ? SES_NEXT_INSN : SES_NEXT_LINE, false}, err);
}

ebb_status dap_do_step_back(dap *d, dap_request *r, ebb_error *err)
{
    return begin_step(d, r, (step){by_instruction(r) ? SES_NEXT_INSN : SES_NEXT_LINE, true}, err);
}

ebb_status dap_do_reverse_step_in(dap *d, dap_request *r, ebb_error *err)
{
    return begin_step(d, r, (step){by_instruction(r) ? SES_STEP_INSN : SES_STEP_LINE, true}, err);
}

/* Into one function only: it is waited for while the line is stepped over. */
static ebb_status do_step_into(dap *d, const void *how, ses_stop *stop, ebb_error *err)
{
    int number;
    EBB_TRY(ses_break(d->session, &(ses_break_request){.where = how, .temporary = true}, &number, err));
    ebb_status status = ses_step(d->session, SES_NEXT_LINE, 1, stop, err);
    if (ses_bp_get(d->session, number) && ses_bp_delete(d->session, number, NULL) != EBB_OK)
        return status;
    if (status == EBB_OK && stop->kind == SES_STOP_BREAKPOINT && stop->n_breakpoints == 1 && stop->breakpoints[0] == number) {
        stop->kind = SES_STOP_STEP;
        stop->n_breakpoints = 0;
    }
    return status;
}

ebb_status dap_do_step_in(dap *d, dap_request *r, ebb_error *err)
{
    json_int_t target = dap_number(r->args, "targetId", 0);
    if (target <= 0)
        return begin_step(d, r, (step){by_instruction(r) ? SES_STEP_INSN : SES_STEP_LINE, false}, err);
    if ((uint64_t)target > d->targets.n)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no such target to step into now.");
    EBB_TRY(select_thread(d, r, err));
    dap_move(d, r, do_step_into, d->targets.items[target - 1], false);
    return EBB_OK;
}

static ebb_status do_finish(dap *d, const void *how, ses_stop *stop, ebb_error *err)
{
    return how ? ses_finish_back(d->session, stop, err) : ses_finish(d->session, stop, err);
}

ebb_status dap_do_step_out(dap *d, dap_request *r, ebb_error *err)
{
    EBB_TRY(select_thread(d, r, err));
    EBB_TRY(ses_frame_select(d->session, 0, err));
    dap_move(d, r, do_finish, NULL, false);
    return EBB_OK;
}

ebb_status dap_do_reverse_step_out(dap *d, dap_request *r, ebb_error *err)
{
    EBB_TRY(dap_need_past(d, err));
    EBB_TRY(select_thread(d, r, err));
    EBB_TRY(ses_frame_select(d->session, 0, err));
    dap_move(d, r, do_finish, d, false);
    return EBB_OK;
}

/* Whoever was to be paused has stopped by the time this is looked at. */
ebb_status dap_do_pause(dap *d, dap_request *r, ebb_error *err)
{
    (void)d, (void)r, (void)err;
    return EBB_OK;
}

ebb_status dap_do_cancel(dap *d, dap_request *r, ebb_error *err)
{
    (void)d, (void)r, (void)err; /* ear.c has done it */
    return EBB_OK;
}
