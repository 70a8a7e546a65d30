/* verbs.c - the reverse- commands; see back.h. */
#include "session/back/back.h"
#include "session/language.h"
#include "session/move.h"
#include "session/signals.h"
#include "session/stack.h"
#include "session/travel.h"
#include "session/verbs.h"
#include "machine/native.h"
#include "time/copies.h"

ebb_status ses_now(session *s, ebb_position *now, ebb_error *err)
{
    return ebb_timeline_now(s->timeline, 0, now, err);
}

/* ---- arriving ----------------------------------------------------------------------------------- */

ebb_status ses_back_arrive(session *s, ses_back_step *step, ebb_position to, ebb_error *err)
{
    machine_stop at;
    EBB_TRY(ses_seek(s, to, &at, err));
    ses_settle_at(s, &at, SES_STOP_STEP, step->stop);
    step->stop->same_frame = ses_frame_id_same(ses_frame_id_at(s, 0), step->began);
    return EBB_OK;
}

ebb_status ses_back_stay(session *s, ses_back_step *step, ebb_position origin, ebb_error *err)
{
    step->done = true;
    EBB_TRY(ses_back_arrive(s, step, origin, err));
    step->stop->kind = s->last_stop.kind = SES_STOP_HISTORY_START;
    step->stop->thread_began = ses_thread_number(s, s->thread) > 1;
    return EBB_OK;
}

/* Whether the user wanted to stop at that moment or after it.  Data that was touched right before it was touched too early. */
static bool has_passed(const ses_aside *passed, ebb_position found)
{
    int order = ebb_position_compare(passed->at, found);
    return passed->found && (order > 0 || (order == 0 && !passed->is_before));
}

/* The line before this one is at `found`, unless the user wanted to stop after it (BK1). */
static ebb_status arrive_at_line(session *s, ses_back_step *step, ebb_position found, ebb_error *err)
{
    if (!has_passed(&step->passed, found))
        return ses_back_arrive(s, step, found, err);
    step->done = true;
    return ses_aside_settle(s, &step->passed, step->stop, err);
}

/* ---- one line back ------------------------------------------------------------------------------ */

/* To the beginning of the line that `who` is in the middle of. */
static ebb_status go_to_line_start(session *s, const ses_activation *who, bool *is_there, ebb_error *err)
{
    ses_row line;
    ses_found found;
    *is_there = ses_row_at(s, who->place, who->inlined, &line) && line.lo == who->place;
    if (*is_there)
        return EBB_OK;
    EBB_TRY(ses_line_before(s, who, (ses_users){.own_only = true}, &found, err));
    ses_search_fini(s, &found.search);
    *is_there = found.kind == SES_FOUND_LINE;
    return EBB_OK;
}

/* No call made the frame in which the debuggee stood at `origin`.  But somebody else did (of Java: a native method, or the machine at
 * the end of a thread), and where that came from there may be a line that a step back leads to. */
static ebb_status line_before_uncalled(session *s, const ses_activation *from, ebb_position origin, bool *is_there,
                                       ebb_position *found, ebb_error *err)
{
    machine_stop at;
    ses_activation who;
    *is_there = false;
    EBB_TRY(ses_seek(s, origin, &at, err));
    EBB_TRY(ses_instruction_before(s, &at, err));
    ses_moved(s, &at);
    if (at.kind != MACHINE_STOP_STEP || at.thread != from->thread || !ses_activation_at(s, from->thread, 0, &who))
        return EBB_OK;
    if (!s->language->is_shown(s, who.place) && s->language->is_shown(s, from->place))
        return EBB_OK; /* what came before main is nobody's */
    if (!s->language->is_shown(s, who.place))
        return ses_last_line_shown(s, &who, origin, is_there, found, err);
    EBB_TRY(go_to_line_start(s, &who, is_there, err));
    return ses_now(s, found, err);
}

static ebb_status go_on_uncalled(session *s, ses_back_step *step, const ses_activation *who, ebb_position origin, ebb_error *err)
{
    bool is_there;
    ebb_position found;
    EBB_TRY(line_before_uncalled(s, who, origin, &is_there, &found, err));
    if (is_there)
        return arrive_at_line(s, step, found, err);
    return ses_back_stay(s, step, origin, err); /* the first line of a thread, or of main */
}

static ebb_status go_on_otherwise(session *s, ses_back_step *step, ses_found *found, ebb_error *err)
{
    if (!step->passed.found || found->search.at.kind == MACHINE_STOP_INTERRUPTED) {
        step->done = true;
        ses_search_settle(s, &found->search, SES_STOP_STEP, step->stop);
        return EBB_OK;
    }
    ses_search_fini(s, &found->search); /* the beginning of history, but something was on the way */
    return arrive_at_line(s, step, (ebb_position){0}, err);
}

static ebb_status find_line_back(session *s, ses_back_step *step, ebb_error *err)
{
    ses_activation who;
    ses_found found;
    ebb_position origin, line;
    EBB_TRY(ses_now(s, &origin, err));
    if (!ses_activation_at(s, s->thread, 0, &who))
        return ebb_fail(err, EBB_UNSUPPORTED, "the thread has no frame to step back in");
    if (step->into)
        who.inlined = SES_ALL_INLINED; /* BK3 */
    ses_users users = {.own_only = s->is_alone, .aside = step->into ? &step->passed : NULL};
    EBB_TRY(ses_line_before_or_caller(s, &who, users, &found, err));
    if (found.kind == SES_FOUND_OTHER)
        return go_on_otherwise(s, step, &found, err);
    ses_search_fini(s, &found.search);
    if (found.kind == SES_FOUND_NOTHING)
        return go_on_uncalled(s, step, &who, origin, err);
    EBB_TRY(ses_now(s, &line, err));
    if (step->into)
        EBB_TRY(ses_descend(s, who, origin, &line, err));
    return arrive_at_line(s, step, line, err);
}

static ebb_status line_back(session *s, ses_back_step *step, ebb_error *err)
{
    step->began = ses_frame_id_at(s, 0);
    ebb_status status = find_line_back(s, step, err);
    ses_aside_fini(&step->passed);
    return status;
}

/* ---- reverse-finish ----------------------------------------------------------------------------- */

static bool is_on_line(session *s, machine_place place)
{
    ses_row row;
    return ses_row_at(s, place, 0, &row);
}

/* The activation that the frame belongs to.  Of Java, if it was called by what a person does not step through, one further out that was not;
 * where there is none (a thread's first method is the library's), the first that has lines called it.  Native code returns to whoever
 * called it, as `finish` does. */
static bool find_called(session *s, const ses_frame *frame, ses_activation *who)
{
    ses_activation at;
    bool found = false, has_lines = false;
    for (unsigned depth = frame->depth; ses_activation_at(s, s->thread, depth, &at) && at.has_caller; depth++) {
        bool is_shown = s->machine->native || s->language->is_shown(s, at.call) || !s->language->is_shown(s, frame->pc);
        bool is_better = !has_lines && is_on_line(s, at.call);
        if (!found || is_shown || is_better)
            *who = at;
        found = true;
        has_lines |= is_better;
        if (is_shown)
            break;
    }
    return found;
}

/* An inlined call is on a line of the frame around it: to where that begins (BK3). */
static ebb_status leave_inlined(session *s, ses_found *found, ebb_error *err)
{
    const ses_frame *frame;
    ses_activation who;
    EBB_TRY(ses_frame_selected(s, &frame, err));
    if (!ses_activation_at(s, s->thread, frame->depth, &who))
        return ebb_fail(err, EBB_UNSUPPORTED, "the thread has no frame to step back in");
    who.inlined = ses_frame_id_at(s, s->level).inlined - 1;
    return ses_line_before(s, &who, (ses_users){.own_only = s->is_alone}, found, err);
}

static ebb_status find_call(session *s, ses_found *found, ebb_error *err)
{
    const ses_frame *frame, *outer;
    ses_activation who = {0};
    EBB_TRY(ses_frame_selected(s, &frame, err));
    if (frame->is_inlined)
        return leave_inlined(s, found, err);
    bool is_outermost = ses_frame_get(s, s->level + 1, &outer, NULL) != EBB_OK; /* what is before main is nobody's */
    if (is_outermost || !find_called(s, frame, &who))
        return s->language->no_call(s, frame, err);
    return ses_call_before(s, &who, (ses_users){.own_only = s->is_alone}, found, err);
}

/* To the call that made the selected frame. */
static ebb_status finish_back(session *s, ses_stop *stop, ebb_error *err)
{
    ses_found found;
    EBB_TRY(ses_need_history(s, err));
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(find_call(s, &found, err));
    ses_search_settle(s, &found.search, SES_STOP_FINISHED, stop);
    return EBB_OK;
}

/* ---- steps -------------------------------------------------------------------------------------- */

/* BK2 */
static ebb_status return_to(session *s, ebb_position origin, ebb_status status)
{
    machine_stop at;
    ebb_error ignored;
    if (s->interrupts.ends)
        return status;
    if (s->machine)
        ebb_timeline_forget_interrupts(s->timeline); /* the next one ends the way back, too */
    if (s->machine && ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_POISONED && ses_seek(s, origin, &at, &ignored) == EBB_OK)
        ses_moved(s, &at);
    return status;
}

/* Out of code without lines; what ran right before it was another thread, maybe. */
static ebb_status leave_alone(session *s, ses_back_step *step, ebb_error *err)
{
    EBB_TRY(finish_back(s, step->stop, err));
    step->stop->kind = step->stop->kind == SES_STOP_FINISHED ? SES_STOP_STEP : step->stop->kind;
    return EBB_OK;
}

static ebb_status step_back_once(session *s, ses_back_step *step, ses_step_kind kind, ebb_error *err)
{
    ses_activation who;
    ses_row row;
    bool is_there = ses_activation_at(s, s->thread, 0, &who);
    bool has_line = is_there && ses_row_at(s, who.place, who.inlined, &row);
    if (s->is_alone && is_there && !has_line && who.has_caller)
        return leave_alone(s, step, err);
    if (has_line && (kind == SES_STEP_LINE || kind == SES_NEXT_LINE))
        return line_back(s, step, err);
    step->began = ses_frame_id_at(s, 0);
    return ses_instruction_back(s, step, kind == SES_NEXT_LINE || kind == SES_NEXT_INSN, err);
}

/* In code that a step passes through, or in none at all: the thread that ends a Java program has no frame left. */
static bool stands_in_nobodys_code(session *s)
{
    ses_activation who;
    return !ses_activation_at(s, s->thread, 0, &who) || !s->language->is_shown(s, who.place);
}

/* An opened recording has no end of its own: what it shows last is the program's way out. */
static bool stands_at_recorded_end(session *s)
{
    ebb_position now;
    ebb_timeline_history history;
    return s->replay && ses_now(s, &now, NULL) == EBB_OK && ebb_timeline_get_history(s->timeline, &history, NULL) == EBB_OK &&
           now.timestamp >= history.newest && stands_in_nobodys_code(s);
}

static ebb_status to_last_line(session *s, ses_back_step *step, bool *arrived, ebb_error *err)
{
    ebb_position found;
    EBB_TRY(ses_last_line(s, arrived, &found, err));
    return *arrived ? ses_back_arrive(s, step, found, err) : EBB_OK;
}

static ebb_status step_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    ebb_position origin;
    ses_back_step step = {.into = kind == SES_STEP_LINE, .stop = stop};
    EBB_TRY(ses_need_history(s, err));
    bool was_there = ses_now(s, &origin, NULL) == EBB_OK, by_line = kind == SES_STEP_LINE || kind == SES_NEXT_LINE;
    if (!was_there || (by_line && stands_at_recorded_end(s))) { /* the last instruction first */
        bool arrived = !by_line;
        EBB_TRY(ses_instructions_back(s, 1, stop, err));
        if (by_line)
            EBB_TRY(to_last_line(s, &step, &arrived, err));
        count -= arrived;
    }
    ses_select_innermost(s);
    ebb_status status = EBB_OK;
    for (unsigned i = 0; status == EBB_OK && i < count && !step.done; i++)
        status = step_back_once(s, &step, kind, err);
    return status == EBB_OK || !was_there ? status : return_to(s, origin, status);
}

/* ---- with all threads, or alone ----------------------------------------------------------------- */

static ebb_status step_alone(session *s, const void *how, ses_stop *stop, ebb_error *err)
{
    return step_back(s, *(const ses_step_kind *)how, 1, stop, err);
}

static ebb_status finish_alone(session *s, const void *how, ses_stop *stop, ebb_error *err)
{
    return finish_back(s, stop, err);
}

static ebb_status steps_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    if (!s->language->goes_alone(s))
        return step_back(s, kind, count ? count : 1, stop, err);
    for (unsigned i = 0; i < (count ? count : 1); i++) {
        EBB_TRY(s->language->back_alone(s, step_alone, &kind, stop, err));
        if (stop->kind != SES_STOP_STEP)
            break;
    }
    return EBB_OK;
}

ebb_status ses_step_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    ses_travel_begin(s);
    ebb_status status = steps_back(s, kind, count, stop, err);
    ses_travel_end(s);
    return status;
}

ebb_status ses_finish_back(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    ses_travel_begin(s);
    ebb_status status = s->language->goes_alone(s) ? s->language->back_alone(s, finish_alone, NULL, stop, err) : finish_back(s, stop, err);
    ses_travel_end(s);
    return status;
}

/* ---- reverse-continue --------------------------------------------------------------------------- */

static ebb_status no_own_reason(session *s, ses_search *search, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    return EBB_OK;
}

/* Breakpoints at positions have no points of their own; whether it is their time is seen when their place is reached. */
static ebb_status add_positions(session *s, ses_search *search, ebb_error *err)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        for (size_t k = 0; bp->is_position && bp->view.enabled && k < bp->locations.n; k++) {
            machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = bp->locations.items[k].spot.addr};
            EBB_TRY(ses_search_points(s, search, &point, 1, err));
        }
    }
    return EBB_OK;
}

/* The signal that ended the program is where the way back from after its end stops first. */
static bool ended_by_signal(session *s, machine_stop *at)
{
    const ebb_newest end = ebb_copies_newest(s->machine->history->copies(s->machine));
    if (!end.has_ended || end.end.kind != MACHINE_STOP_KILLED || !ses_signal_policy_of(s, end.end.signal).stop)
        return false;
    *at = (machine_stop){.kind = MACHINE_STOP_SIGNAL, .signal = end.end.signal, .thread = s->thread};
    return true;
}

/* So is the call that did. */
static bool ended_by_call(session *s, machine_stop *at)
{
    const ebb_newest end = ebb_copies_newest(s->machine->history->copies(s->machine));
    int reg = s->machine->native ? machine_reg_by_name(s->machine, "rax") : -1;
    uint64_t number;
    if (reg < 0 || !end.has_ended || end.end.kind != MACHINE_STOP_EXITED || machine_reg_get_u64(s->machine, s->thread, (unsigned)reg, &number, NULL) != EBB_OK)
        return false;
    *at = (machine_stop){.kind = MACHINE_STOP_SYSCALL_ENTRY, .syscall = (long)number, .thread = s->thread};
    return ses_pc(s, s->thread, &at->place, NULL) == EBB_OK;
}

static bool is_caught_at_end(session *s, ses_stop *stop)
{
    machine_stop at;
    if (!ended_by_call(s, &at) || !ses_check_catch(s, &at, stop))
        return false;
    s->machine->history->show(s->machine, &at);
    ses_stand(s, &at);
    s->last_stop.kind = stop->kind;
    s->last_stop.machine = at;
    return true;
}

ebb_status ses_continue_back(session *s, ses_stop *stop, ebb_error *err)
{
    ses_search search = {.reached = no_own_reason};
    EBB_TRY(ses_need_history(s, err));
    ses_catch_tell_unmet(s);
    if (ses_is_after_end(s)) { /* breakpoints find their places where there is code */
        machine_stop at;
        EBB_TRY(ses_instructions_back(s, 1, stop, err));
        if (stop->kind == SES_STOP_STEP && ended_by_signal(s, &at)) {
            stop->kind = s->last_stop.kind = SES_STOP_SIGNAL;
            stop->machine = s->last_stop.machine = at;
            return EBB_OK;
        }
        if (stop->kind == SES_STOP_STEP && is_caught_at_end(s, stop))
            return EBB_OK;
    }
    ebb_status status = add_positions(s, &search, err);
    if (status == EBB_OK)
        status = ses_search_run(s, &search, err);
    if (status != EBB_OK) {
        ses_search_fini(s, &search);
        return status;
    }
    ses_search_settle(s, &search, SES_STOP_STEP, stop);
    return EBB_OK;
}
