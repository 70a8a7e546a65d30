/* step.c - see step.h. */
#include "session/c/step.h"
#include "session/c/unwind.h"
#include "session/c/plt.h"
#include "session/settings_impl.h"
#include "base/log.h"

#include <string.h>

typedef enum verdict { GO_ON, STOP } verdict;

enum { MAX_FUNCTIONS = 64 };

uint64_t ses_function_entry_at(session *s, uint64_t pc)
{
    const sym_function *functions[MAX_FUNCTIONS];
    size_t n = sym_functions_at(s->symbols, pc, functions, MAX_FUNCTIONS);
    if (n > 0)
        return sym_function_get_info(functions[(n < MAX_FUNCTIONS ? n : MAX_FUNCTIONS) - 1])->lo;
    uint64_t offset;
    return sym_symbol_at(s->symbols, pc, &offset) ? pc - offset : 0;
}

static bool same_line(const ses_stepper *st, const sym_line *line)
{
    return st->file && st->line == line->line && strcmp(st->file, line->file) == 0;
}

static bool in_range(const ses_stepper *st, uint64_t pc)
{
    return pc >= st->lo && pc < st->hi;
}

/* A recursive call comes by the same addresses, in a frame of its own. */
static bool is_still_there(session *s, const ses_stepper *st, uint64_t pc)
{
    return in_range(st, pc) && ses_frame_id_same(ses_physical_id(s, 0), ses_frame_physical_id(st->frame));
}

static bool is_stop_if_no_lines(session *s)
{
    return ses_setting_flag(s, "step-mode");
}

/* ---- what the next resume asks for ---------------------------------------------------------- */

static void step_within(ses_stepper *st, uint64_t lo, uint64_t hi)
{
    st->move.request.move = MACHINE_STEP;
    st->move.request.lo = lo;
    st->move.request.hi = hi;
}

static void step_one(ses_stepper *st)
{
    step_within(st, 0, 0);
}

static ebb_status run_to(session *s, ses_stepper *st, uint64_t addr, ses_frame_id frame,
                         ebb_error *err)
{
    EBB_TRY(ses_longjmp_watch(s, &st->move, err));
    EBB_TRY(ses_move_point(s, &st->move, SES_POINT_RESUME, addr, frame, err));
    st->is_resuming = true;
    st->move.request.move = MACHINE_RUN;
    return EBB_OK;
}

/* ST1: the call runs; the step goes on where it returns. */
static ebb_status run_to_caller(session *s, ses_stepper *st, verdict *v, ebb_error *err)
{
    uint64_t pc;
    ses_frame_id caller;
    if (!ses_caller_of(s, 0, &pc, &caller)) {
        *v = STOP;
        return EBB_OK;
    }
    *v = GO_ON;
    return run_to(s, st, pc, caller, err);
}

bool ses_c_is_skipped(session *s, uint64_t pc)
{
    const sym_function *functions[MAX_FUNCTIONS];
    sym_line line;
    if (!s->skips.n)
        return false;
    size_t n = sym_functions_at(s->symbols, pc, functions, MAX_FUNCTIONS);
    uint64_t offset;
    const sym_function_info *info = n ? sym_function_get_info(functions[(n < MAX_FUNCTIONS ? n : MAX_FUNCTIONS) - 1]) : NULL;
    const char *name = info ? info->name : sym_symbol_at(s->symbols, pc, &offset);
    return ses_skip_fits(s, name, info ? info->full_name : name, sym_line_at(s->symbols, pc, &line) ? line.file : NULL);
}

/* ---- calls ---------------------------------------------------------------------------------- */

uint64_t ses_function_body(session *s, uint64_t pc)
{
    uint64_t entry = ses_function_entry_at(s, pc);
    uint64_t body = sym_skip_prologue(s->symbols, entry ? entry : pc);
    sym_line line;
    bool mid_line = sym_line_at(s->symbols, body, &line) && line.lo != body;
    return mid_line && ses_function_entry_at(s, line.hi) == entry ? line.hi : body;
}

/* A stub may lead elsewhere than its name says (another version, a preloaded library): then the call runs, and no further. */
static ebb_status catch_return(session *s, ses_stepper *st, ebb_error *err)
{
    uint64_t pc;
    ses_frame_id caller;
    return ses_caller_of(s, 0, &pc, &caller) ? ses_move_point(s, &st->move, SES_POINT_RESUME, pc, caller, err) : EBB_OK;
}

static ebb_status step_into(session *s, ses_stepper *st, uint64_t pc, uint64_t callee, verdict *v,
                            ebb_error *err)
{
    uint64_t body = ses_function_body(s, callee);
    *v = body == pc ? STOP : GO_ON;
    if (*v == STOP)
        return EBB_OK;
    if (callee != pc)
        EBB_TRY(catch_return(s, st, err));
    return run_to(s, st, body, (ses_frame_id){0}, err);
}

static ebb_status look_at_call(session *s, ses_stepper *st, uint64_t pc, verdict *v, ebb_error *err)
{
    *v = STOP;
    if (st->over == SES_OVER_NONE)
        return EBB_OK;
    if (st->over == SES_OVER_ALL)
        return run_to_caller(s, st, v, err);
    uint64_t callee = pc;
    sym_line line;
    if (ses_is_plt_stub(s, pc) && !ses_plt_target(s, pc, &callee))
        return run_to_caller(s, st, v, err);
    if (ses_c_is_skipped(s, callee))
        return run_to_caller(s, st, v, err);
    if (sym_line_at(s->symbols, callee, &line))
        return step_into(s, st, pc, callee, v, err);
    if (is_stop_if_no_lines(s))
        return EBB_OK;
    return run_to_caller(s, st, v, err);
}

static bool is_called_from_step(session *s, const ses_stepper *st)
{
    ses_frame_id home = ses_frame_physical_id(st->frame), caller;
    uint64_t pc;
    if (ses_frame_id_same(ses_physical_id(s, 0), home))
        return false;
    return ses_caller_of(s, 0, &pc, &caller) && ses_frame_id_same(caller, home);
}

/* ---- binding -------------------------------------------------------------------------------- */

/* On the way to a function that is being bound, after the stub's first instruction. */
static bool is_half_way(session *s, uint64_t pc)
{
    uint64_t lo, hi;
    return ses_is_binding(s, pc, &lo, &hi) && !ses_is_plt_stub(s, pc);
}

/* Such code is passed, and so is what it calls (choosers of functions). */
static bool look_at_binding(session *s, ses_stepper *st, uint64_t pc, verdict *v, ebb_error *err)
{
    uint64_t lo, hi, back;
    ses_frame_id caller;
    if (ses_is_binding(s, pc, &lo, &hi)) {
        step_within(st, lo, hi);
        *v = GO_ON;
        return true;
    }
    if (!ses_caller_of(s, 0, &back, &caller) || !ses_is_binding(s, back, &lo, &hi) || lo == hi)
        return false;
    return run_to_caller(s, st, v, err) == EBB_OK;
}

/* ---- inlined functions ---------------------------------------------------------------------- */

/* The thread is within an inlined function that the step's frame calls. */
static bool is_inside_inlined(session *s, const ses_stepper *st)
{
    const ses_frame *frame;
    for (unsigned level = 0; ses_frame_get(s, level, &frame, NULL) == EBB_OK && frame->is_inlined;
         level++)
        if (ses_frame_id_same(ses_frame_id_at(s, level + 1), st->frame))
            return true;
    return false;
}

/* The outermost of the inlined functions that begin here and were not entered yet. */
static bool is_inlined_skipped(session *s)
{
    const sym_function *functions[MAX_FUNCTIONS];
    unsigned skipped = ses_skipped_inlined(s);
    const ses_frame *frame;
    if (!s->skips.n || ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return false;
    size_t n = sym_functions_at(s->symbols, frame->pc, functions, MAX_FUNCTIONS);
    if (skipped == 0 || skipped > n)
        return false;
    const sym_function_info *info = sym_function_get_info(functions[skipped - 1]);
    return ses_skip_fits(s, info->name, info->full_name, info->decl_file);
}

/* At the first instruction of one, still in its caller. */
static verdict look_at_inlined_entry(session *s, ses_stepper *st, const ses_frame *frame)
{
    bool called_from_this_line = frame->has_line && same_line(st, &frame->line);
    if (!called_from_this_line)
        return STOP;
    if (st->over == SES_OVER_ALL || is_inlined_skipped(s))
        return GO_ON;
    ses_enter_inlined(s);
    return STOP;
}

/* ---- lines ---------------------------------------------------------------------------------- */

void ses_stepper_set_frame(session *s, ses_stepper *st, unsigned level)
{
    const ses_frame *frame;
    st->frame = ses_frame_id_at(s, level);
    st->file = NULL;
    st->line = 0;
    if (ses_frame_get(s, level, &frame, NULL) == EBB_OK && frame->has_line) {
        st->file = ses_intern(s, frame->line.file);
        st->line = frame->line.line;
    }
}

static verdict look_at_line(session *s, ses_stepper *st, uint64_t pc, const sym_line *line)
{
    bool begins_other_line = pc == line->lo && !same_line(st, line);
    if (begins_other_line && line->is_stmt)
        return STOP;
    bool same_frame = ses_frame_id_same(ses_frame_id_at(s, 0), st->frame);
    st->lo = line->lo;
    st->hi = line->hi;
    step_within(st, st->lo, st->hi);
    if (begins_other_line && same_frame)
        return GO_ON; /* not a place to stop: passed over, the step is still on its line */
    st->frame = ses_frame_id_at(s, 0);
    st->file = ses_intern(s, line->file);
    st->line = begins_other_line ? 0 : line->line; /* 0: a later row of this line counts as new */
    return GO_ON;
}

/* ---- the decision --------------------------------------------------------------------------- */

static ebb_status look(session *s, ses_stepper *st, verdict *v, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_get(s, 0, &frame, err));
    uint64_t pc = frame->pc;
    sym_line line;
    *v = GO_ON;
    if (is_still_there(s, st, pc)) {
        step_within(st, st->lo, st->hi);
        return EBB_OK;
    }
    step_one(st);
    if (frame->is_signal_frame && !st->one_insn)
        return EBB_OK;
    if (is_called_from_step(s, st) && (st->over != SES_OVER_UNDEBUGGABLE || !is_half_way(s, pc)))
        return look_at_call(s, st, pc, v, err);
    if (st->over == SES_OVER_UNDEBUGGABLE && !st->one_insn && look_at_binding(s, st, pc, v, err))
        return EBB_OK;
    bool has_line = sym_line_at(s->symbols, pc, &line);
    if (st->over == SES_OVER_UNDEBUGGABLE && !frame->name && !has_line && !is_stop_if_no_lines(s))
        return run_to_caller(s, st, v, err);
    *v = STOP;
    if (st->one_insn || !has_line)
        return EBB_OK;
    if (ses_frame_id_same(ses_frame_id_at(s, 0), st->frame) && ses_skipped_inlined(s) > 0) {
        *v = look_at_inlined_entry(s, st, frame);
        step_within(st, line.lo, line.hi);
        return EBB_OK;
    }
    if (is_inside_inlined(s, st)) {
        *v = st->over == SES_OVER_ALL ? GO_ON : STOP;
        step_within(st, line.lo, line.hi);
        return EBB_OK;
    }
    *v = look_at_line(s, st, pc, &line);
    return EBB_OK;
}

/* ---- signals -------------------------------------------------------------------------------- */

/* A handler that runs within the stepped line runs to its end. */
static void signalled(session *s, ses_move *move)
{
    ses_stepper *st = (ses_stepper *)move;
    const ses_frame *frame;
    if (st->is_resuming || ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return;
    st->is_signalled = true;
    st->signalled_pc = frame->pc;
    st->signalled_frame = ses_physical_id(s, 0);
    step_one(st);
}

static bool is_in_handler(session *s)
{
    const ses_frame *frame;
    unsigned level;
    return ses_physical_level(s, 1, &level) && ses_frame_get(s, level, &frame, NULL) == EBB_OK &&
           frame->is_signal_frame;
}

/* ---- arrivals ------------------------------------------------------------------------------- */

static ebb_status finish_step(session *s, ses_stepper *st, bool *done, ses_stop *stop,
                              ebb_error *err)
{
    if (st->left > 1) {
        st->left--;
        EBB_TRY(ses_stepper_begin(s, st, done, err));
    } else
        *done = true;
    if (!*done)
        return EBB_OK;
    const ses_frame *frame;
    EBB_TRY(ses_frame_get(s, 0, &frame, err));
    stop->kind = st->stop_kind;
    stop->same_frame = ses_frame_id_same(ses_frame_id_at(s, 0), st->frame) &&
                       st->start_function == ses_function_entry_at(s, frame->pc);
    return EBB_OK;
}

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    ses_stepper *st = (ses_stepper *)move;
    const ses_internal_point *point = ses_move_point_reached(s, move);
    if (point && point->role == SES_POINT_LONGJMP)
        return ses_longjmp_follow(s, move, err);
    if (point && point->role == SES_POINT_LONGJMP_END && ses_longjmp_ends(s, st->initiating)) {
        ses_move_clear_points(s, move);
        st->is_resuming = false;
        return finish_step(s, st, done, stop, err);
    }
    if (point && point->role == SES_POINT_RESUME) {
        ses_move_clear_points(s, move);
        st->is_resuming = false;
    }
    if (st->is_resuming)
        return EBB_OK;
    if (st->is_signalled) {
        st->is_signalled = false;
        if (is_in_handler(s))
            return run_to(s, st, st->signalled_pc, st->signalled_frame, err);
    }
    verdict v;
    EBB_TRY(look(s, st, &v, err));
    ebb_log("%s in [0x%lx, 0x%lx) line %u",
            v == STOP         ? "stop"
            : st->is_resuming ? "run to resume"
                              : "step",
            (unsigned long)st->lo, (unsigned long)st->hi, st->line);
    return v == STOP ? finish_step(s, st, done, stop, err) : EBB_OK;
}

/* ---- beginning ------------------------------------------------------------------------------ */

/* Code without lines: the range is the whole function. */
static ebb_status range_of_symbol(session *s, ses_stepper *st, const ses_frame *frame,
                                  ebb_error *err)
{
    uint64_t addr, nbytes;
    bool is_function;
    if (!frame->name)
        return ebb_fail(err, EBB_NOT_FOUND,
                        st->from_start ? "Execution is not within a known function."
                                       : "Cannot find bounds of current function");
    if (st->from_start) {
        st->lo = frame->pc - frame->name_offset;
        st->hi = frame->pc + 1;
        return EBB_OK;
    }
    ses_say(s, SES_NOTICE_STEP, 0,
            "Single stepping until exit from function %s, which has no line number information.",
            frame->name);
    st->lo = frame->pc - frame->name_offset;
    st->hi = frame->pc + 1;
    uint64_t offset;
    const char *symbol = sym_symbol_at(s->symbols, frame->pc, &offset);
    if (symbol && sym_symbol_address(s->symbols, symbol, &addr, &nbytes, &is_function) &&
        addr == st->lo && nbytes > frame->name_offset)
        st->hi = addr + nbytes;
    return EBB_OK;
}

/* The line may go on right after this row, in rows that aren't statements of their own. */
static uint64_t end_of_line(session *s, const sym_line *line)
{
    uint64_t end = line->hi;
    sym_line row;
    while (sym_line_at(s->symbols, end, &row) && row.line == line->line && !row.is_stmt &&
           strcmp(row.file, line->file) == 0 && row.hi > end)
        end = row.hi;
    return end;
}

static ebb_status set_range(session *s, ses_stepper *st, const ses_frame *frame, ebb_error *err)
{
    sym_line line;
    st->lo = st->hi = 0;
    if (st->one_insn)
        return EBB_OK;
    if (sym_line_at(s->symbols, frame->pc, &line)) {
        st->lo = st->from_start ? ses_function_entry_at(s, frame->pc) : line.lo;
        st->hi = st->from_start ? end_of_line(s, &line) : line.hi;
        return EBB_OK;
    }
    if (is_stop_if_no_lines(s)) {
        st->one_insn = true;
        return EBB_OK;
    }
    return range_of_symbol(s, st, frame, err);
}

ebb_status ses_stepper_begin(session *s, ses_stepper *st, bool *done, ebb_error *err)
{
    const ses_frame *frame;
    *done = false;
    while (!st->one_insn && st->over == SES_OVER_UNDEBUGGABLE && ses_skipped_inlined(s) > 0) {
        ses_stepper_set_frame(s, st, 0);
        st->start_function = 0; /* a new frame has to be shown */
        ses_enter_inlined(s);
        if (--st->left == 0) {
            *done = true;
            return EBB_OK;
        }
    }
    EBB_TRY(ses_frame_get(s, 0, &frame, err));
    ses_stepper_set_frame(s, st, 0);
    st->start_function = ses_function_entry_at(s, frame->pc);
    st->initiating = st->frame;
    EBB_TRY(set_range(s, st, frame, err));
    step_within(st, st->lo, st->hi);
    return EBB_OK;
}

ebb_status ses_stepper_run(session *s, ses_stepper *st, ses_stop *stop, ebb_error *err)
{
    st->move.arrived = arrived;
    st->move.signalled = signalled;
    st->move.by_instruction = st->one_insn;
    return ses_move_run(s, &st->move, stop, err);
}
