/* bisect.c - the first timestamp at which a condition is false. */
#include "session/counted/again.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/verbs.h"
#include "session/watch.h"

typedef struct broken {
    const char *condition;
    bool is_mains;     /* CT6: it is asked in main's frame, */
    bool is_nobodys;   /*      or in none, */
    ses_frame_id frame; /*     or in this one; where it is not there it counts as holding */
} broken;

static unsigned outermost(session *s)
{
    const ses_frame *frame;
    unsigned level = 0;
    while (ses_frame_get(s, level + 1, &frame, NULL) == EBB_OK)
        level++;
    return level;
}

static ebb_status test(session *s, const broken *q, bool *holds, ebb_error *err)
{
    struct ses_scope outer = s->scope;
    unsigned level = s->level, own = level;
    *holds = true;
    if (q->frame.cfa && !ses_frame_find(s, q->frame, &own))
        return EBB_OK;
    ses_select(s, s->thread, q->is_mains ? outermost(s) : own);
    if (q->is_nobodys)
        s->scope = (struct ses_scope){.is_set = true, .has_no_frame = true};
    ebb_status status = ses_evaluate_bool(s, q->condition, holds, err);
    s->scope = outer;
    ses_select(s, s->thread, level);
    return status;
}

/* CT6 */
static ebb_status aim(session *s, broken *q, ebb_error *err)
{
    bool holds;
    EBB_TRY(test(s, q, &holds, err));
    if (holds)
        return ebb_fail(err, EBB_BAD_INPUT, "The condition holds now: go to where it does not.");
    bool reads_frame = ses_reads_frame(s, q->condition);
    if (!s->language->code_comes_later) {
        if (reads_frame)
            q->frame = ses_frame_physical_id(ses_frame_id_at(s, s->level));
        return EBB_OK;
    }
    q->is_mains = reads_frame;
    q->is_nobodys = !q->is_mains;
    if (q->is_mains && s->level != outermost(s))
        return ebb_fail(err, EBB_UNSUPPORTED, "Another run can't tell this call of the method from others: ask about statics, or in main's frame (`up`).");
    if (q->is_nobodys && test(s, q, &holds, NULL) != EBB_OK)
        return ebb_fail(err, EBB_UNSUPPORTED, "It is asked in other classes, too: write statics as CLASS.FIELD.");
    return EBB_OK;
}

/* CT3 */
static ebb_status still_holds(session *s, const broken *q, bool *holds, ebb_error *err)
{
    ebb_error why;
    ebb_status status = test(s, q, holds, &why);
    bool makes_no_sense_yet = status == EBB_BAD_INPUT || status == EBB_NOT_FOUND || status == EBB_UNAVAILABLE || status == EBB_NO_MEMORY_AT;
    if (makes_no_sense_yet)
        *holds = true;
    return status == EBB_OK || makes_no_sense_yet ? EBB_OK : ebb_fail(err, status, "%s", why.text);
}

static ebb_status holds_at(session *s, const broken *q, uint64_t time, bool *holds, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_again_begin(s, stop, err));
    EBB_TRY(ses_again_to_time_or_after(s, time, stop, err));
    EBB_TRY(ses_again_leave_tick(s, stop, err));
    return still_holds(s, q, holds, err);
}

static ebb_status halve(session *s, const broken *q, uint64_t low, uint64_t high, ses_stop *stop, ebb_error *err)
{
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        bool holds;
        EBB_TRY(holds_at(s, q, middle, &holds, stop, err));
        *(holds ? &low : &high) = middle;
    }
    EBB_TRY(ses_again_begin(s, stop, err));
    EBB_TRY(ses_again_to_time_or_after(s, high, stop, err));
    return ses_again_leave_tick(s, stop, err);
}

/* The timestamp of the end is the only one at which the condition may still hold: it broke after the first moment of that. */
static ebb_status end_of_bisect(session *s, const broken *q, ebb_position end, ses_stop *stop, ebb_error *err)
{
    bool holds;
    EBB_TRY(still_holds(s, q, &holds, err));
    if (holds) {
        EBB_TRY(ses_again_go_to(s, end, stop, err));
        ses_say(s, SES_NOTICE_WARNING, 0, "It holds at the first moment of timestamp %lu, and not any more here.", (unsigned long)end.timestamp);
    }
    stop->kind = SES_STOP_POSITION;
    return EBB_OK;
}

static ebb_status bisect(session *s, const broken *q, ebb_position end, ses_stop *stop, ebb_error *err)
{
    ebb_position low;
    bool holds;
    EBB_TRY(ses_again_begin(s, stop, err));
    EBB_TRY(ses_counted_now(s, &low, err));
    EBB_TRY(still_holds(s, q, &holds, err));
    if (!holds)
        return ebb_fail(err, EBB_BAD_INPUT, "The condition does not hold at the beginning of main.");
    EBB_TRY(halve(s, q, low.timestamp, end.timestamp, stop, err));
    return end_of_bisect(s, q, end, stop, err);
}

ebb_status ses_counted_bisect(session *s, const char *condition, ses_stop *stop, ebb_error *err)
{
    ses_asked from;
    broken q = {.condition = condition};
    EBB_TRY(aim(s, &q, err));
    EBB_TRY(ses_again_ask(s, &from, err));
    return ses_again_return(s, &from, bisect(s, &q, from.at, stop, err));
}
