/* advance.c - run to a place, or out of the present frame, whatever comes first. */
#include "session/c/c.h"
#include "session/move.h"
#include "session/c/step.h"
#include "session/verbs.h"
#include "session/c/unwind.h"
#include "session/where.h"

#include <string.h>

typedef struct advancer {
    ses_move move;
    ses_frame_id initiating; /* the caller: a longjmp that ends below it is none of ours */
    const char *function;    /* that it goes to; NULL if the place was named otherwise */
} advancer;

/* At the beginning of an inlined function one stands before the call; who asked for that function is in it. */
static void enter_target(session *s, const advancer *a)
{
    bool is_inside = !a->function;
    while (!is_inside && ses_skipped_inlined(s) > 0) {
        is_inside = strcmp(sym_function_get_info(ses_skipped_function(s))->name, a->function) == 0;
        ses_enter_inlined(s);
    }
}

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    advancer *a = (advancer *)move;
    const ses_internal_point *point = ses_move_point_reached(s, move);
    stop->kind = SES_STOP_LOCATION;
    switch (point->role) {
    case SES_POINT_LONGJMP: return ses_longjmp_follow(s, move, err);
    case SES_POINT_LONGJMP_END: *done = ses_longjmp_ends(s, a->initiating); return EBB_OK;
    case SES_POINT_TARGET: enter_target(s, a); break;
    default: break;
    }
    *done = true;
    return EBB_OK;
}

static ebb_status set_points(session *s, advancer *a, const sym_spots *spots, bool stay_in_frame,
                             ebb_error *err)
{
    enum { MOST = SES_MOVE_MAX_POINTS - 8 };
    if (spots->n > MOST)
        return ebb_fail(err, EBB_BAD_INPUT, "That means %zu places; name one of them.", spots->n);
    ses_frame_id here = ses_frame_physical_id(ses_frame_id_at(s, s->level));
    for (size_t i = 0; i < spots->n; i++)
        EBB_TRY(ses_move_point(s, &a->move, SES_POINT_TARGET, spots->items[i].addr,
                               stay_in_frame ? here : (ses_frame_id){0}, err));
    uint64_t pc;
    if (ses_caller_of(s, s->level, &pc, &a->initiating))
        EBB_TRY(ses_move_point(s, &a->move, SES_POINT_RETURN, pc, a->initiating, err));
    return ses_longjmp_watch(s, &a->move, err);
}

ebb_status ses_c_advance(session *s, const char *where_text, bool stay_in_frame, ses_stop *stop,
                       ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ses_where where;
    advancer a = {.move = {.thread = s->thread, .arrived = arrived, .request.move = MACHINE_RUN}};
    ebb_status status = ses_where_parse(s, &arena, where_text, &where, err);
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, &spots, err);
    if (status == EBB_OK)
        status = set_points(s, &a, &spots, stay_in_frame, err);
    ebb_vec_fini(&spots);
    if (status == EBB_OK) {
        a.function = where.kind == SES_WHERE_FUNCTION ? where.function : NULL;
        ses_select_innermost(s);
        status = ses_move_run(s, &a.move, stop, err);
    } else
        ses_move_clear_points(s, &a.move);
    ebb_arena_fini(&arena);
    return status;
}
