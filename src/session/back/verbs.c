/* verbs.c - stepping back through Java.
 *
 * A step forward stops where a line begins, in a frame whose line was another one before.  A step back has to stop at the same
 * moments in reverse order.  They are found by two searches:
 *
 *   - *line_before*: the last moment before now at which a line began in a given frame.  Points are set at the beginnings of all lines of
 *     its method, and at the call that made the frame, behind which there is nothing to look for.  A frame's number is
 *     used again after it has returned, so that call is also what tells one activation from an earlier one.
 *   - *last_call_between*: from such a moment forward to now: which methods were called from that line that a step would have
 *     stopped in?  If there are any, the step back ends in the last one: at the last line that began in it, or in what that
 *     one called last; and so on.
 *
 * reverse-next needs the first search only.
 *
 * Breakpoints on the way end a step back as they end any other move: for reverse-next the first search ends there; reverse-step
 * notes the last one, and goes to it if it lies behind the line that is found. */
#include "session/back/back.h"
#include "session/stack.h"
#include "session/verbs.h"

static ebb_status settle_at(session *s, ebb_position to, ses_frame_id began, ses_stop *stop, ebb_error *err)
{
    machine_stop at;
    EBB_TRY(ses_seek(s, to, &at, err));
    ses_settle_at(s, &at, SES_STOP_STEP, stop);
    stop->same_frame = ses_frame_id_same(ses_frame_id_at(s, 0), began);
    return EBB_OK;
}

/* Nothing in bytecode called the frame in which the debuggee stood at `origin`.  But C code did (a native method, or the machine at the end
 * of a thread), and where that came from there may be a line that a step back leads to. */
static ebb_status line_before_native(session *s, const ses_activation *from, ebb_position origin, bool *is_there,
                                     ebb_position *found, ebb_error *err)
{
    machine_request before = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    machine_stop at;
    ses_activation who;
    ses_java_line line;
    *is_there = false;
    EBB_TRY(ses_seek(s, origin, &at, err));
    EBB_TRY(ebb_timeline_run(s->timeline, &before, &at, err));
    ses_moved(s, &at);
    if (at.kind != MACHINE_STOP_STEP || at.thread != from->thread || !ses_activation_at(s, from->thread, 0, &who))
        return EBB_OK;
    if (!ses_java_is_shown(s, who.place) && ses_java_is_shown(s, from->place))
        return EBB_OK; /* what came before main is nobody's */
    if (!ses_java_is_shown(s, who.place))
        return ses_java_last_line_shown(s, &who, origin, is_there, found, err);
    *is_there = true;
    if (!ses_java_line_at(s, who.place, &line) || line.lo != who.place) {
        ses_back back = {0};
        ses_java_found kind;
        EBB_TRY(ses_java_line_before(s, &who, (ses_java_users){.own_only = true}, &kind, &back, &at, err));
        ses_back_fini(s, &back);
        *is_there = kind == FOUND_LINE;
    }
    return ses_java_now(s, found, err);
}

/* The line before this one is at `found`; `passed` are the user's stops behind it. */
static ebb_status arrive_at_line(session *s, ebb_position found, ses_frame_id began, ses_aside *passed, ses_stop *stop, bool *done,
                                 ebb_error *err)
{
    if (!passed->found || ebb_position_compare(passed->at, found) < 0)
        return settle_at(s, found, began, stop, err);
    *done = true;
    return ses_aside_settle(s, passed, stop, err);
}

static ebb_status find_line_back(session *s, bool into, ses_aside *passed, ses_stop *stop, bool *done, ebb_error *err)
{
    ses_activation who;
    machine_stop at;
    ses_back back = {0};
    ses_java_found kind;
    ebb_position origin, found;
    ses_frame_id began = ses_frame_id_at(s, 0);
    EBB_TRY(ses_java_now(s, &origin, err));
    if (!ses_activation_at(s, s->thread, 0, &who))
        return ebb_fail(err, EBB_UNSUPPORTED, "the thread has no frame to step back in");
    ses_java_users who_else = {.own_only = s->java->is_alone, .aside = into ? passed : NULL};
    EBB_TRY(ses_java_line_before_or_caller(s, &who, who_else, &kind, &back, &at, err));
    if (kind == FOUND_OTHER && (!passed->found || at.kind == MACHINE_STOP_INTERRUPTED)) {
        *done = true;
        ses_back_settle(s, &back, &at, SES_STOP_STEP, stop);
        return EBB_OK;
    }
    ses_back_fini(s, &back);
    if (kind == FOUND_OTHER) /* the beginning of history, but something was on the way */
        return arrive_at_line(s, (ebb_position){0}, began, passed, stop, done, err);
    bool is_there = false;
    if (kind == FOUND_NOTHING)
        EBB_TRY(line_before_native(s, &who, origin, &is_there, &found, err));
    if (is_there)
        return arrive_at_line(s, found, began, passed, stop, done, err);
    if (kind == FOUND_NOTHING) { /* the first line of a thread, or of main: it stays */
        *done = true;
        EBB_TRY(settle_at(s, origin, began, stop, err));
        stop->kind = s->last_stop.kind = SES_STOP_HISTORY_START;
        return EBB_OK;
    }
    EBB_TRY(ses_java_now(s, &found, err));
    if (into)
        EBB_TRY(ses_java_descend(s, who, origin, &found, err));
    return arrive_at_line(s, found, began, passed, stop, done, err);
}

/* A step into calls can't end its first search at a breakpoint: the line that it looks for may lie behind that. */
static ebb_status line_back(session *s, bool into, ses_stop *stop, bool *done, ebb_error *err)
{
    ses_aside passed = {0};
    ebb_status status = find_line_back(s, into, &passed, stop, done, err);
    ses_aside_fini(&passed);
    return status;
}

/* From here to `to` by instructions of the thread: before[0] is where it was about to execute the last of them, before[1] the one
 * before that; *n says how many of the two there are. */
static ebb_status last_instructions(session *s, machine_tid thread, ebb_position to, ebb_position before[2],
                                    unsigned *n, ebb_error *err)
{
    machine_stop at;
    bool arrived = false;
    *n = 0;
    while (!arrived) {
        EBB_TRY(ses_java_run_towards(s, (machine_request){.move = MACHINE_STEP, .thread = thread}, to, &at, &arrived, err));
        ebb_position now;
        if (arrived || at.thread != thread) /* somebody's breakpoint */
            continue;
        EBB_TRY(ses_java_now(s, &now, err));
        if (*n > 0 && ebb_position_compare(now, before[0]) == 0)
            continue;
        before[1] = before[0];
        before[0] = now;
        *n = *n < 2 ? *n + 1 : 2;
    }
    return EBB_OK;
}

/* One instruction of this thread back, whatever the others did since. */
static ebb_status own_instruction_back(session *s, ses_stop *stop, bool *done, ebb_error *err)
{
    enum { FIRST_WIDTH = 64, GROWTH = 8 }; /* timestamps */
    machine_tid thread = s->thread;
    bool runs = ebb_timeline_get_thread(s->timeline) == thread; /* else it stands where it was left */
    ebb_position origin, before[2] = {{0}};
    ses_frame_id began = ses_frame_id_at(s, 0);
    EBB_TRY(ses_java_now(s, &origin, err));
    for (uint64_t width = FIRST_WIDTH;; width *= GROWTH) {
        machine_stop at;
        unsigned n;
        bool is_all = origin.timestamp <= width || ses_seek(s, (ebb_position){.timestamp = origin.timestamp - width}, &at, NULL) != EBB_OK;
        if (is_all)
            EBB_TRY(ebb_timeline_seek_start(s->timeline, &at, err));
        EBB_TRY(last_instructions(s, thread, origin, before, &n, err));
        if (n > !runs)
            return settle_at(s, before[!runs], began, stop, err);
        if (is_all) {
            *done = true;
            EBB_TRY(settle_at(s, origin, began, stop, err));
            stop->kind = s->last_stop.kind = SES_STOP_HISTORY_START;
            return EBB_OK;
        }
    }
}

/* Before the instruction before this one, and before the call that it returned from. */
static ebb_status instruction_back(session *s, bool over_calls, ses_stop *stop, bool *done, ebb_error *err)
{
    ses_activation who;
    bool had_frame = ses_activation_at(s, s->thread, 0, &who);
    if (s->java->is_alone)
        EBB_TRY(own_instruction_back(s, stop, done, err));
    else
        EBB_TRY(ses_reverse_stepi(s, 1, stop, err));
    *done = stop->kind != SES_STOP_STEP;
    machine_place place = ses_activation_place(s, &who);
    if (*done || !over_calls || !had_frame || !place || ses_activation_is_innermost(s, &who))
        return EBB_OK;
    ses_activation callee = {.thread = who.thread, .has_caller = true, .caller = who.id, .call = place};
    ses_back back;
    machine_stop at;
    ses_java_found kind;
    EBB_TRY(ses_java_call_before(s, &callee, (ses_java_users){.own_only = s->java->is_alone}, &kind, &back, &at, err));
    *done = kind != FOUND_CALL;
    ses_back_settle(s, &back, &at, SES_STOP_STEP, stop);
    return EBB_OK;
}

/* SE1: a step back that fails leaves the debuggee where it was. */
static ebb_status return_to(session *s, ebb_position origin, bool was_there, ebb_status status)
{
    machine_stop at;
    ebb_error ignored;
    if (was_there && s->machine && ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_POISONED &&
        ses_seek(s, origin, &at, &ignored) == EBB_OK)
        ses_moved(s, &at);
    return status;
}

static ebb_status finish_back(session *s, ses_stop *stop, ebb_error *err);

static ebb_status step_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    ebb_position origin = {0};
    EBB_TRY(ses_need_history(s, err));
    bool was_there = ses_java_now(s, &origin, NULL) == EBB_OK, done = false;
    if (!was_there) { /* behind the end: the last instruction first */
        EBB_TRY(ses_reverse_stepi(s, 1, stop, err));
        if (kind == SES_STEP_INSN || kind == SES_NEXT_INSN)
            count--;
    }
    ses_select_innermost(s);
    ebb_status status = EBB_OK;
    for (unsigned i = 0; status == EBB_OK && i < count && !done; i++) {
        ses_activation who;
        if (s->java->is_alone && ses_activation_at(s, s->thread, 0, &who) && !ses_java_line_number(s, who.place) && who.has_caller) {
            status = finish_back(s, stop, err); /* out of a native method: what ran right before was another thread, maybe */
            stop->kind = stop->kind == SES_STOP_FINISHED ? SES_STOP_STEP : stop->kind;
            continue;
        }
        bool by_line = (kind == SES_STEP_LINE || kind == SES_NEXT_LINE) && ses_activation_at(s, s->thread, 0, &who) &&
                       ses_java_line_number(s, who.place);
        status = by_line ? line_back(s, kind == SES_STEP_LINE, stop, &done, err)
                         : instruction_back(s, kind == SES_NEXT_LINE || kind == SES_NEXT_INSN, stop, &done, err);
    }
    return status == EBB_OK ? EBB_OK : return_to(s, origin, was_there, status);
}

/* reverse-finish: to the call that made the selected frame. */
static ebb_status finish_back(session *s, ses_stop *stop, ebb_error *err)
{
    const ses_frame *frame;
    ses_activation who;
    machine_stop at;
    EBB_TRY(ses_need_history(s, err));
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ses_frame_selected(s, &frame, err));
    unsigned depth = frame->depth;
    while (ses_activation_at(s, s->thread, depth, &who) && who.has_caller && !ses_java_is_shown(s, who.call) &&
           ses_java_is_shown(s, frame->pc))
        depth++;
    if (!who.has_caller)
        return ebb_fail(err, EBB_BAD_INPUT, "%s was called by a native method: there is no bytecode that made the call.", frame->name);
    ses_back back;
    ses_java_found kind;
    EBB_TRY(ses_java_call_before(s, &who, (ses_java_users){.own_only = s->java->is_alone}, &kind, &back, &at, err));
    ses_back_settle(s, &back, &at, SES_STOP_FINISHED, stop);
    return EBB_OK;
}

/* ---- with all threads, or alone ------------------------------------------------------------------- */

static ebb_status step_back_once(session *s, const void *how, ses_stop *stop, ebb_error *err)
{
    return step_back(s, *(const ses_step_kind *)how, 1, stop, err);
}

static ebb_status finish_back_once(session *s, const void *how, ses_stop *stop, ebb_error *err)
{
    return finish_back(s, stop, err);
}

ebb_status ses_java_step_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    if (!ses_java_is_independent(s))
        return step_back(s, kind, count, stop, err);
    for (unsigned i = 0; i < count; i++) {
        EBB_TRY(ses_java_back_alone(s, step_back_once, &kind, stop, err));
        if (stop->kind != SES_STOP_STEP)
            break;
    }
    return EBB_OK;
}

ebb_status ses_java_finish_back(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    return ses_java_is_independent(s) ? ses_java_back_alone(s, finish_back_once, NULL, stop, err) : finish_back(s, stop, err);
}
