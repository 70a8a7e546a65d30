/* step.c - stepping through Java: by line, or by bytecode where there are no lines.
 *
 * The machine steps by itself over whole ranges of bytecodes, over calls, and through the classes of the step filter; it
 * stops where the range or the frame is left.  Here is decided whether that is a place to stop for a person:
 *   - in a method that was called: where its first line begins;
 *   - in the same frame: at the beginning of another line;
 *   - after a return or where an exception is handled: a person expects the next line, so the rest of a line is passed.
 * A method without lines is stepped bytecode by bytecode. */
#include "session/counted.h"
#include "session/back/back.h"
#include "session/java/java.h"
#include "session/move.h"
#include "session/verbs.h"

typedef struct java_stepper {
    ses_move move; /* first */
    bool one_insn;
    bool from_start;      /* until: what was passed already is passed again */
    unsigned left;        /* steps still to make, this one included */
    ses_frame_id frame;   /* where the step is; follows returns */
    ses_frame_id began;   /* where it was when the user stepped */
    unsigned line;        /* the one it is on; 0: none */
} java_stepper;

/* What is passed is the row of the line table that the place is in. */
static void set_range(java_stepper *st, const ses_frame *frame)
{
    machine_request *request = &st->move.request;
    request->move = MACHINE_STEP;
    request->lo = request->hi = 0;
    request->frame = frame->regs.cfa;
    if (st->one_insn || !frame->has_line)
        return;
    request->lo = st->from_start ? java_place_method(frame->pc) : frame->line.lo;
    request->hi = frame->line.hi;
}

static ebb_status begin(session *s, java_stepper *st, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_get(s, 0, &frame, err));
    st->frame = st->began = ses_frame_id_at(s, 0);
    st->line = frame->has_line ? frame->line.line : 0;
    st->move.request.keep_filter = ses_java_is_shown(s, frame->pc); /* wherever it is when it has to go on */
    st->move.request.by_lines = !st->one_insn && st->line != 0;
    set_range(st, frame);
    return EBB_OK;
}

/* The line of the bytecode before it: of the call, where one returns to. */
static unsigned line_before(session *s, machine_place place)
{
    ses_java_line line;
    return java_place_bci(place) > 0 && ses_java_line_at(s, place - 1, &line) ? line.line : 0;
}

/* A stock JVM's step into what the library calls back ends after the first instruction, which does nothing (weave/timestamp.c).  A bridge is
 * passed: the method that somebody wrote comes next. */
static bool is_after_entry(session *s, machine_place place)
{
    return ses_is_counted(s) && java_place_bci(place) == 1 && ses_java_is_shown(s, place);
}

/* Whether a person wants to stop here; if not, the step goes on. */
static bool is_place_to_stop(session *s, java_stepper *st, const ses_frame *frame)
{
    ses_frame_id here = ses_frame_id_at(s, 0);
    bool same_frame = ses_frame_id_same(here, st->frame);
    unsigned level;
    if (st->one_insn || !frame->has_line)
        return true;
    bool begins_line = ses_java_begins_line(s, frame->pc);
    bool is_entered = java_place_bci(frame->pc) == 0; /* nothing returns to there */
    if (!same_frame && (is_entered || ses_frame_find(s, st->frame, &level)))
        return begins_line || is_after_entry(s, frame->pc); /* called from the step's frame, or by what its frame returned to */
    /* Within what is passed a step stops only if the frame was left: it is another one that has the same number. */
    bool is_another = frame->pc >= st->move.request.lo && frame->pc < st->move.request.hi;
    if (same_frame && begins_line && (is_another || frame->line.line != st->line))
        return true;
    if (same_frame)
        return false;
    st->frame = here; /* returned, or unwound to a handler */
    st->line = frame->line.line;
    return begins_line && line_before(s, frame->pc) != frame->line.line;
}

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    java_stepper *st = (java_stepper *)move;
    const ses_frame *frame;
    if (s->at.kind == MACHINE_STOP_POINT && !s->at.step_is_done)
        return EBB_OK; /* a breakpoint that did not hold, on the way */
    EBB_TRY(ses_frame_get(s, 0, &frame, err));
    if (!is_place_to_stop(s, st, frame)) {
        set_range(st, frame);
        return EBB_OK;
    }
    stop->kind = SES_STOP_STEP;
    stop->same_frame = ses_frame_id_same(ses_frame_id_at(s, 0), st->began);
    if (--st->left == 0)
        *done = true;
    else
        EBB_TRY(begin(s, st, err));
    return EBB_OK;
}

/* A bytecode is stepped into whatever it calls. */
static void without_filter(session *s, bool without)
{
    if (without)
        (void)!jvm_remote_step_filter(s->machine, NULL, 0, false, NULL);
    else
        ses_java_apply_settings(s);
}

static ebb_status run(session *s, java_stepper *st, ses_stop *stop, ebb_error *err)
{
    ses_select_innermost(s);
    st->move.thread = s->thread;
    st->move.arrived = arrived;
    st->move.by_instruction = st->one_insn;
    EBB_TRY(begin(s, st, err));
    if (st->one_insn)
        without_filter(s, true);
    ebb_status status = ses_move_run(s, &st->move, stop, err);
    if (st->one_insn && s->machine)
        without_filter(s, false);
    return status;
}

ebb_status ses_java_step(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    java_stepper st = {
        .one_insn = kind == SES_STEP_INSN || kind == SES_NEXT_INSN,
        .left = count ? count : 1,
        .move.request.over_calls = kind == SES_NEXT_LINE || kind == SES_NEXT_INSN,
    };
    return run(s, &st, stop, err);
}

ebb_status ses_java_until(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    java_stepper st = {.left = 1, .from_start = true, .move.request.over_calls = true};
    return run(s, &st, stop, err);
}
