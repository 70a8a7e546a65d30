/* return.c - pop the selected frame as if it had returned. */
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/c/unwind.h"
#include "session/c/sysv.h"

#include <string.h>

/* What the frame returns, converted to its type; it has no bytes if nothing was asked for. */
static ebb_status evaluate_result(session *s, ebb_arena *arena, const ses_frame *frame,
                                  const char *expression, expr_value *result, ebb_error *err)
{
    *result = (expr_value){0};
    if (!expression || ebb_text_is_blank(expression))
        return EBB_OK;
    sym_type *function = frame->function ? sym_function_get_info(frame->function)->type : NULL;
    sym_type *declared = function ? sym_type_strip(function)->target : NULL;
    expr_value value;
    EBB_TRY(ses_evaluate_aside(s, arena, expression, &value, err));
    sym_type *type = declared ? declared : value.type;
    if (sym_type_strip(type)->kind == SYM_TYPE_VOID)
        return EBB_OK;
    if (type != value.type && sym_type_is_scalar(type)) {
        ebb_buf spelled = {0}, cast = {0};
        sym_type_print(type, &spelled);
        ebb_buf_addf(&cast, "(%s)(%s)", ebb_buf_text(&spelled), expression);
        ebb_status status = ses_evaluate_aside(s, arena, ebb_buf_text(&cast), &value, err);
        ebb_buf_fini(&spelled);
        ebb_buf_fini(&cast);
        EBB_TRY(status);
    }
    EBB_TRY(expr_value_fetch(arena, ses_world(s), &value, err));
    *result = value;
    result->type = type;
    return EBB_OK;
}

static ebb_status write_registers(session *s, const sym_frame *caller, ebb_error *err)
{
    for (int dwarf = 0; dwarf < SYM_N_REGS; dwarf++) {
        int reg = machine_reg_by_dwarf(s->machine, dwarf);
        if (reg < 0 || caller->regs[dwarf].kind == SYM_REG_UNKNOWN)
            continue;
        EBB_TRY(machine_reg_set_u64(s->machine, s->thread, (unsigned)reg, caller->regs[dwarf].value,
                                    err));
    }
    return EBB_OK;
}

static ebb_status pop(session *s, ebb_arena *arena, const char *expression, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_selected(s, &frame, err));
    if (frame->is_inlined && !frame->regs.is_tail)
        return ebb_fail(err, EBB_UNSUPPORTED, "Can not force return from an inlined function.");
    expr_value result;
    EBB_TRY(evaluate_result(s, arena, frame, expression, &result, err));
    EBB_TRY(ses_frame_selected(s, &frame, err)); /* a call in the expression was a move: SE3 */
    sym_target target = ses_sym_target(s);
    sym_frame inner = ses_frame_on_stack(s, frame), caller;
    if (sym_unwind(s->symbols, &target, &inner, &caller, err) != EBB_OK)
        return ebb_fail(err, EBB_BAD_INPUT, "Can not force return from the outermost frame.");
    EBB_TRY(write_registers(s, &caller, err));
    if (result.bytes)
        EBB_TRY(ses_sysv_set_result(s, result.type, result.bytes, err));
    ses_stack_forget(s);
    s->show_all_inlined = true;
    ses_select(s, s->thread, 0);
    ses_list_forget(s);
    return EBB_OK;
}

ebb_status ses_c_return_from(session *s, const char *expression, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_arena arena = {0};
    ebb_status status = pop(s, &arena, expression, err);
    ebb_arena_fini(&arena);
    return status;
}
