/* finish.c - run until the selected frame returns, and show what it returned. */
#include "session/c/c.h"
#include "session/move.h"
#include "session/c/step.h"
#include "session/c/sysv.h"
#include "session/verbs.h"

typedef struct finisher {
    ses_move move;
    ses_frame_id initiating; /* the caller: a longjmp that ends below it is none of ours */
    sym_type *result;        /* NULL: unknown or void */
} finisher;

static void show_result(session *s, sym_type *type, ses_stop *stop)
{
    ebb_arena arena = {0};
    ebb_buf text = {0};
    expr_value value;
    expr_format format = ses_default_format(s);
    if (ses_sysv_result(s, &arena, type, &value, NULL) == EBB_OK &&
        expr_print_top(&arena, ses_world(s), &format, &value, &text, NULL) == EBB_OK) {
        stop->return_number = ses_c_printed_add(s, &value);
        stop->return_value = ebb_buf_take(&text);
    }
    ebb_buf_fini(&text);
    ebb_arena_fini(&arena);
}

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    finisher *f = (finisher *)move;
    switch (ses_move_point_reached(s, move)->role) {
    case SES_POINT_LONGJMP: return ses_longjmp_follow(s, move, err);
    case SES_POINT_LONGJMP_END:
        stop->kind = SES_STOP_STEP;
        *done = ses_longjmp_ends(s, f->initiating);
        return EBB_OK;
    default:
        stop->kind = SES_STOP_FINISHED;
        *done = true;
        if (f->result)
            show_result(s, f->result, stop);
        return EBB_OK;
    }
}

static sym_type *result_type(const ses_frame *frame)
{
    if (!frame->function)
        return NULL;
    sym_type *type = sym_function_get_info(frame->function)->type;
    sym_type *result = type ? sym_type_strip(type)->target : NULL;
    while (result && result->kind == SYM_TYPE_TYPEDEF) /* as gdb shows what was returned */
        result = result->target;
    bool is_secret = result && result->is_rust && sym_type_is_aggregate(result); /* Rust says nothing of where those are */
    return result && sym_type_strip(result)->kind != SYM_TYPE_VOID && !is_secret ? result : NULL;
}

/* There is no return to wait for: step until the inlined body is left. */
static ebb_status finish_inlined(session *s, ses_stop *stop, ebb_error *err)
{
    const ses_frame *innermost;
    EBB_TRY(ses_frame_get(s, 0, &innermost, err));
    ses_stepper st = {
        .over = SES_OVER_ALL, .left = 1, .stop_kind = SES_STOP_FINISHED, .move.thread = s->thread};
    ses_stepper_set_frame(s, &st, s->level + 1);
    st.initiating = st.frame;
    st.file = NULL;
    st.line = 0;
    st.move.request = (machine_request){.move = MACHINE_STEP};
    ses_select_innermost(s);
    return ses_stepper_run(s, &st, stop, err);
}

ebb_status ses_c_finish(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    const ses_frame *frame, *outer;
    EBB_TRY(ses_frame_selected(s, &frame, err));
    if (ses_frame_get(s, s->level + 1, &outer, NULL) != EBB_OK)
        return ebb_fail(err, EBB_BAD_INPUT, "\"finish\" not meaningful in the outermost frame.");
    if (frame->is_inlined && !frame->regs.is_tail)
        return finish_inlined(s, stop, err);
    uint64_t pc;
    ses_frame_id caller;
    if (!ses_caller_of(s, s->level, &pc, &caller))
        return ebb_fail(err, EBB_UNAVAILABLE, "Cannot tell where this frame returns to.");
    finisher f = {
        .move = {.thread = s->thread,
                 .arrived = arrived,
                 .request.move = MACHINE_RUN},
        .initiating = caller,
        .result = result_type(frame),
    };
    ebb_status status = ses_move_point(s, &f.move, SES_POINT_RETURN, pc, caller, err);
    if (status == EBB_OK)
        status = ses_longjmp_watch(s, &f.move, err);
    if (status != EBB_OK) {
        ses_move_clear_points(s, &f.move);
        return status;
    }
    ses_select_innermost(s);
    return ses_move_run(s, &f.move, stop, err);
}
