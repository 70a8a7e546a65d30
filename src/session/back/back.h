/* back.h - stepping back, for every language.
 *
 * A step forward stops where a line begins, in a frame whose line was another one before.  A step back has to stop at the same
 * moments in reverse order.  They are found by two searches:
 *
 *   - *line_before* (lines.c): the last moment before now at which a line began in a given activation.  Points are set at the
 *     beginnings of all lines of its function, and at the call that made it, before which there is nothing to look for (AV1);
 *   - *descend* (calls.c): from such a moment forward to now: which functions were called from that line that a step would have
 *     stopped in?  If there are any, the step back ends in the last one: at the last line that began in it, or in what that
 *     one called last; and so on.
 *
 * reverse-next needs the first search only, reverse-step both.  reverse-finish looks for the call alone, reverse-stepi for the
 * instruction before (instructions.c), reverse-nexti for that one and, if it was a return, for the call that it ended.
 *
 * What an activation, a row of lines and a call are, and what a person steps through, the language says (language.h, "stepping
 * back").  How the debuggee gets to a moment of the past is the timeline's.
 *
 * BK1  breakpoints on the way end a step back as they end any other move: reverse-next ends its search there; reverse-step can't,
 *      since the line that it looks for may lie before it, so it notes the last one and goes there if that is after the line;
 * BK2  a step back that fails leaves the debuggee where it was (SE1);
 * BK3  an inlined call is no activation: seen from outside of it, its body is on the line that calls it.  A step over calls looks
 *      from where the person stands, a step into calls looks at every row;
 * BK4  the machine tells by itself whether a point was reached in the frame it is for (machine_point.frame), so a machine that
 *      records has to know frames by the identity that the language gives them;
 * BK5  over a machine without history every verb answers EBB_NO_HISTORY, and nothing moves. */
#ifndef EBB_SESSION_BACK_BACK_H
#define EBB_SESSION_BACK_BACK_H

#include "session/back/activations.h"
#include "session/back/search.h"

ebb_status ses_now(session *s, ebb_position *now, ebb_error *err) EBB_MUST_CHECK;

/* ---- lines.c: the last line of an activation before now ------------------------------------------ */

typedef enum ses_found_kind {
    SES_FOUND_LINE,    /* the debuggee stands there */
    SES_FOUND_CALL,    /* no line began in this frame before: the debuggee stands at the call that made it */
    SES_FOUND_NOTHING, /* neither, as no call made it: the debuggee may stand anywhere */
    SES_FOUND_OTHER,   /* something else ended the search: history's beginning, the user, a breakpoint */
} ses_found_kind;

typedef struct ses_found {
    ses_found_kind kind;
    ses_search search; /* OTHER: what it was.  The caller settles it, or ends it */
} ses_found;

ebb_status ses_line_before(session *s, const ses_activation *who, ses_users users, ses_found *found, ebb_error *err) EBB_MUST_CHECK;
/* To the call that made the frame; NOTHING if none did. */
ebb_status ses_call_before(session *s, const ses_activation *who, ses_users users, ses_found *found, ebb_error *err) EBB_MUST_CHECK;
/* line_before, and where no line began in this frame before: in the one that called it, which becomes *who. */
ebb_status ses_line_before_or_caller(session *s, ses_activation *who, ses_users users, ses_found *found, ebb_error *err) EBB_MUST_CHECK;

/* ---- calls.c: what was called from a line --------------------------------------------------------- */

/* Forward within the past, `to` at most.  *arrived: it got there, or there is no way on. */
ebb_status ses_run_towards(session *s, machine_request request, ebb_position to, machine_stop *at, bool *arrived, ebb_error *err) EBB_MUST_CHECK;
/* The debuggee stands in `who`, where a line begins.  Goes into what that line called last before `to`; *found is where a step back ends. */
ebb_status ses_descend(session *s, ses_activation who, ebb_position to, ebb_position *found, ebb_error *err) EBB_MUST_CHECK;
/* The debuggee stands in code that a step passes through, in `who`: *found is the last line that a person would have seen before
 * `to` in what that called; *is_there false: none. */
ebb_status ses_last_line_shown(session *s, const ses_activation *who, ebb_position to, bool *is_there, ebb_position *found, ebb_error *err) EBB_MUST_CHECK;

/* ---- last_line.c: from the end of the program ---------------------------------------------------------- */

/* The debuggee stands at the last instruction of all: *found is where the last line began that a person would have seen; *is_there
 * false: there was none, and it stands where it stood. */
ebb_status ses_last_line(session *s, bool *is_there, ebb_position *found, ebb_error *err) EBB_MUST_CHECK;

/* ---- instructions.c, verbs.c ------------------------------------------------------------------------ */

/* A step back under way. */
typedef struct ses_back_step {
    bool into;          /* what a line called */
    ses_frame_id began; /* the frame that it began in */
    ses_aside passed;   /* BK1 */
    ses_stop *stop;     /* filled in */
    bool done;          /* by something else than the step itself: no further one is made */
} ses_back_step;

/* Before the instruction before this one; over_calls: and before the call that it returned from. */
ebb_status ses_instruction_back(session *s, ses_back_step *step, bool over_calls, ebb_error *err) EBB_MUST_CHECK;
/* Where a thread was about to execute its last instruction before now, whatever the others did since; *is_there false: *before is now.  The
 * debuggee stands anywhere afterwards. */
ebb_status ses_own_instruction_before(session *s, machine_tid thread, ebb_position *before, bool *is_there, ebb_error *err) EBB_MUST_CHECK;
/* The step ends at that moment. */
ebb_status ses_back_arrive(session *s, ses_back_step *step, ebb_position at, ebb_error *err) EBB_MUST_CHECK;
/* There is nothing before: it stays where it began. */
ebb_status ses_back_stay(session *s, ses_back_step *step, ebb_position origin, ebb_error *err) EBB_MUST_CHECK;
/* A stop of instructions, `count` of them back, of whatever threads. */
ebb_status ses_instructions_back(session *s, unsigned count, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* A move back that one thread can also make alone. */
typedef ebb_status ses_move_back(session *s, const void *how, ses_stop *stop, ebb_error *err);

#endif
