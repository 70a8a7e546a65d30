/* condition.c - see condition.h. */
#include "session/condition.h"
#include "session/language.h"
#include "session/watch.h"

#include <string.h>

ses_code ses_code_of(ebb_arena *arena, const machine_code *steps, size_t n)
{
    ses_code code = {.steps = EBB_ARENA_ARRAY(arena, machine_code, n + 1), .n = n};
    if (n)
        memcpy(code.steps, steps, n * sizeof *steps);
    return code;
}

static void send(session *s, ses_bp_place *place, const ses_code *code)
{
    bool is_told = s->machine->ops->point_condition(s->machine, place->point, code->steps, code->n, NULL) == EBB_OK;
    place->code = is_told && code->n ? SES_CODE_TOLD : SES_CODE_NONE;
}

void ses_condition_say_slow(session *s, ses_bp *bp, const char *why)
{
    if (bp->slow_said || !*why)
        return;
    bp->slow_said = true;
    ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Note: %s %d's condition %s, so each hit costs a stop (some 0.1 ms).",
            bp->watch ? "watchpoint" : "breakpoint", bp->view.number, why);
}

void ses_condition_tell(session *s, ses_bp *bp, size_t i)
{
    ses_bp_place *place = &bp->places.items[i];
    ebb_arena arena = {0};
    ebb_error why = {0};
    ses_code code = {0};
    if (!s->machine->ops->point_condition || (!bp->view.condition && place->code == SES_CODE_NONE))
        return;
    ebb_status status = bp->view.condition ? s->language->condition_code(s, &arena, bp->view.condition, &bp->locations.items[i].spot, &code, &why)
                                           : EBB_OK;
    if (status != EBB_OK)
        code.n = 0;
    if (code.n || place->code == SES_CODE_TOLD)
        send(s, place, &code);
    if (status != EBB_OK)
        place->code = status == EBB_NOT_FOUND ? SES_CODE_LATER : SES_CODE_NEVER;
    if (status == EBB_UNSUPPORTED || (status == EBB_NOT_FOUND && place->n_slow_hits > 1)) /* a broken one stops at its first hit */
        ses_condition_say_slow(s, bp, why.text);
    ebb_arena_fini(&arena);
}

void ses_condition_retry(session *s, ses_bp *bp, size_t i)
{
    ses_bp_place *place = &bp->places.items[i];
    if (place->code != SES_CODE_LATER || s->is_judging)
        return;
    place->n_slow_hits++;
    if ((place->n_slow_hits & (place->n_slow_hits - 1)) == 0)
        ses_condition_tell(s, bp, i);
}

/* ---- ignore counts -------------------------------------------------------------------------- */

typedef EBB_VEC(machine_point_id) point_ids;

/* The points of the breakpoint; none where not all of them can do without the session (CN2). */
static void countable_points(session *s, const ses_bp *bp, point_ids *out)
{
    if (ses_bp_is_watch(bp) && ses_watch_is_countable(s, bp))
        ebb_vec_push(out, ses_watch_point(bp));
    if (out->n)
        return;
    bool all = bp->view.kind == SES_BP_BREAK && !bp->is_position && bp->view.enabled && !bp->view.exception_type;
    for (size_t i = 0; all && i < bp->places.n; i++) {
        const ses_bp_place *place = &bp->places.items[i];
        if (!bp->locations.items[i].enabled)
            continue;
        all = place->point && (!bp->view.condition || place->code == SES_CODE_TOLD);
        ebb_vec_push(out, place->point);
    }
    if (!all)
        out->n = 0;
}

static void tell_ignore(session *s, ses_bp *bp)
{
    point_ids ids = {0};
    countable_points(s, bp, &ids);
    unsigned count = ids.n ? bp->view.ignore : 0;
    if (!ids.n) /* those that it was told for know of no more */
        ebb_vec_push(&ids, bp->ignore_point);
    if (count != bp->ignore_told || (count && ids.items[0] != bp->ignore_point)) {
        bool is_told = s->machine->ops->points_ignore(s->machine, ids.items, ids.n, count, NULL) == EBB_OK;
        bp->ignore_told = is_told ? count : 0;
        bp->ignore_point = ids.items[0];
    }
    ebb_vec_fini(&ids);
}

void ses_ignores_tell(session *s)
{
    for (size_t i = 0; s->machine->ops->points_ignore && i < s->breakpoints.n; i++)
        if (s->breakpoints.items[i]->view.ignore || s->breakpoints.items[i]->ignore_told)
            tell_ignore(s, s->breakpoints.items[i]);
}

void ses_ignores_collect(session *s)
{
    for (size_t i = 0; s->machine->ops->points_passed && i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (!bp->ignore_told)
            continue;
        unsigned passed = (unsigned)s->machine->ops->points_passed(s->machine, bp->ignore_point);
        if (passed && bp->watch)
            ses_watch_passed(bp);
        bp->view.hits += passed;
        bp->view.ignore -= passed;
        bp->ignore_told -= passed;
    }
}
