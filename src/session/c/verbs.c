/* verbs.c - step and its kin, and jump, in a native program. */
#include "session/c/c.h"
#include "session/c/step.h"
#include "session/move.h"
#include "session/verbs.h"

ebb_status ses_c_jump(session *s, const char *where_text, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ses_where where;
    ebb_status status = ses_where_parse(s, &arena, where_text, &where, err);
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, &spots, err);
    if (status == EBB_OK && spots.n != 1)
        status =
            ebb_fail(err, EBB_BAD_INPUT, "Unreasonable jump request: %zu places match.", spots.n);
    uint64_t target = status == EBB_OK ? spots.items[0].addr : 0;
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    EBB_TRY(status);
    int rip = machine_reg_by_dwarf(s->machine, SYM_REG_RIP);
    ses_select_innermost(s);
    EBB_TRY(machine_reg_set_u64(s->machine, s->thread, (unsigned)rip, target, err));
    ses_stack_forget(s);
    return ses_run_on(s, stop, err);
}

/* ---- stepping ------------------------------------------------------------------------------- */

static ebb_status stand_as_stepped(session *s, const ses_stepper *st, ses_stop *stop)
{
    *stop = (ses_stop){.kind = st->stop_kind, .thread = s->thread};
    ses_list_forget(s);
    ses_remember_stop(s, stop);
    return EBB_OK;
}

static ebb_status step(session *s, ses_stepper *st, ses_stop *stop, ebb_error *err)
{
    bool done;
    ses_select_innermost(s);
    st->move.thread = s->thread;
    st->stop_kind = SES_STOP_STEP;
    EBB_TRY(ses_stepper_begin(s, st, &done, err));
    if (done)
        return stand_as_stepped(s, st, stop);
    return ses_stepper_run(s, st, stop, err);
}

ebb_status ses_c_step(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    static const ses_over over[] = {
        [SES_STEP_LINE] = SES_OVER_UNDEBUGGABLE,
        [SES_NEXT_LINE] = SES_OVER_ALL,
        [SES_STEP_INSN] = SES_OVER_NONE,
        [SES_NEXT_INSN] = SES_OVER_ALL,
    };
    EBB_TRY(ses_need_debuggee(s, err));
    ses_stepper st = {
        .over = over[kind],
        .one_insn = kind == SES_STEP_INSN || kind == SES_NEXT_INSN,
        .left = count ? count : 1,
    };
    return step(s, &st, stop, err);
}

ebb_status ses_c_until(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ses_stepper st = {.over = SES_OVER_ALL, .left = 1, .from_start = true};
    return step(s, &st, stop, err);
}
