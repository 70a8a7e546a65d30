/* call.c - calling functions of the debuggee.
 *
 * The call borrows the selected thread: its registers are saved, a frame is made below the red zone
 * of its stack, and it runs until it returns to the program's entry point, where an internal point
 * waits. Then, or when anything else stopped it, all registers are put back as they were. */
#include "session/core.h"
#include "session/move.h"
#include "session/c/scratch.h"
#include "session/c/sysv.h"
#include "session/threads.h"
#include "session/c/world.h"

#include <string.h>

enum { RED_ZONE = 128, MAX_NESTED = 8 };

/* ---- saved registers ------------------------------------------------------------------------ */

typedef struct saved_registers {
    uint8_t (*raw)[MACHINE_REG_MAX_BYTES];
    bool *has;
    size_t n;
} saved_registers;

static saved_registers save_registers(session *s)
{
    saved_registers saved;
    s->machine->native->registers(s->machine, &saved.n);
    saved.raw = ebb_zalloc(saved.n * sizeof *saved.raw);
    saved.has = ebb_zalloc(saved.n * sizeof *saved.has);
    for (unsigned i = 0; i < saved.n; i++)
        saved.has[i] =
            s->machine->native->reg_read(s->machine, s->thread, i, saved.raw[i], NULL) == EBB_OK;
    return saved;
}

static bool has_changed(session *s, machine_tid thread, const saved_registers *saved, unsigned reg)
{
    uint8_t now[MACHINE_REG_MAX_BYTES] = {0};
    return s->machine->native->reg_read(s->machine, thread, reg, now, NULL) != EBB_OK || memcmp(now, saved->raw[reg], sizeof now) != 0;
}

/* Most of them are as they were, and each one that is written costs a call of the kernel. */
static void restore_registers(session *s, machine_tid thread, saved_registers *saved)
{
    for (unsigned i = 0; ses_has_debuggee(s) && i < saved->n; i++)
        if (saved->has[i] && has_changed(s, thread, saved, i))
            (void)!s->machine->native->reg_write(s->machine, thread, i, saved->raw[i], NULL);
    free(saved->raw);
    free(saved->has);
}

/* ---- beginning a call ----------------------------------------------------------------------- */

static ebb_status set_reg(session *s, const char *name, const void *bytes, size_t nbytes,
                          ebb_error *err)
{
    uint8_t raw[MACHINE_REG_MAX_BYTES] = {0};
    int reg = machine_reg_by_name(s->machine, name);
    if (reg < 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "This machine has no register %s.", name);
    memcpy(raw, bytes, nbytes);
    return s->machine->native->reg_write(s->machine, s->thread, (unsigned)reg, raw, err);
}

static ebb_status set_argument_registers(session *s, const ses_sysv_call *call, ebb_error *err)
{
    static const char *const integers[] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
    static const char *const vectors[] = {"xmm0", "xmm1", "xmm2", "xmm3",
                                          "xmm4", "xmm5", "xmm6", "xmm7"};
    for (unsigned i = 0; i < call->n_integers; i++)
        EBB_TRY(set_reg(s, integers[i], &call->integers[i], 8, err));
    for (unsigned i = 0; i < call->n_vectors; i++)
        EBB_TRY(set_reg(s, vectors[i], call->vectors[i], 16, err));
    uint64_t rax = call->n_vectors; /* what a variadic function wants to know */
    return set_reg(s, "rax", &rax, 8, err);
}

typedef struct call_frame {
    uint64_t sp;        /* at the callee's first instruction */
    uint64_t result_at; /* memory for the result; 0 if none */
    uint64_t home;      /* where the call returns to */
} call_frame;

static uint64_t align_down(uint64_t value)
{
    return value & ~(uint64_t)15;
}

static ebb_status lay_out(session *s, ses_sysv_call *call, const expr_call *of, sym_type *result, call_frame *frame,
                          ebb_error *err)
{
    uint64_t sp;
    int rsp = machine_reg_by_dwarf(s->machine, SYM_REG_RSP);
    EBB_TRY(machine_reg_get_u64(s->machine, s->thread, (unsigned)rsp, &sp, err));
    sp = align_down(sp - RED_ZONE);
    if (result && ses_sysv_classify(result).of[0] == SES_CLASS_MEMORY) {
        sp = align_down(sp - sym_type_size(result));
        frame->result_at = sp;
    }
    ses_sysv_call_begin(call, frame->result_at);
    for (size_t i = 0; i < of->n_args; i++)
        ses_sysv_pass(call, of->args[i].type, of->args[i].bytes);
    sp = align_down(sp - call->stack.n);
    if (call->stack.n)
        EBB_TRY(machine_write(s->machine, sp, call->stack.data, call->stack.n, err));
    frame->home = s->machine->native->entry(s->machine);
    frame->sp = sp - 8;
    return machine_write(s->machine, frame->sp, &frame->home, 8, err);
}

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    (void)s, (void)move, (void)err;
    stop->kind = SES_STOP_FINISHED;
    *done = true;
    return EBB_OK;
}

/* ---- ending one ----------------------------------------------------------------------------- */

static ebb_status fail_interrupted(const ses_stop *stop, ebb_error *err)
{
    const char *undone = "The program stopped while in a function called from ebb";
    switch (stop->kind) {
    case SES_STOP_EXITED:
        return ebb_fail(err, EBB_GONE,
                        "The program exited with code %d while in a function called from ebb.",
                        stop->machine.exit_status);
    case SES_STOP_KILLED:
        return ebb_fail(err, EBB_GONE,
                        "The program was ended by signal %s while in a function called from ebb.",
                        ses_signal_name(stop->machine.signal));
    case SES_STOP_SIGNAL:
        return ebb_fail(err, EBB_INTERRUPTED, "%s: signal %s, %s.  The call was undone.", undone,
                        ses_signal_name(stop->machine.signal),
                        ses_signal_description(stop->machine.signal));
    case SES_STOP_BREAKPOINT:
        return ebb_fail(err, EBB_INTERRUPTED, "%s: breakpoint %d.  The call was undone.", undone,
                        stop->breakpoints[0]);
    default:
        return ebb_fail(err, EBB_INTERRUPTED, "%s (%s).  The call was undone.", undone,
                        ses_stop_word(stop->kind));
    }
}

static ebb_status take_result(session *s, ebb_arena *arena, sym_type *result,
                              const call_frame *frame, expr_value *value, ebb_error *err)
{
    if (!result) {
        *value = (expr_value){.type = sym_types_basic(sym_table_types(s->symbols), "void")};
        return EBB_OK;
    }
    EBB_TRY(ses_sysv_result(s, arena, result, value, err));
    if (frame->result_at)
        value->place = (expr_place){0}; /* the memory is ours and will be used again */
    return EBB_OK;
}

static ebb_status enter(session *s, uint64_t addr, const call_frame *frame, ebb_error *err)
{
    EBB_TRY(set_reg(s, "rsp", &frame->sp, 8, err));
    return set_reg(s, "rip", &addr, 8, err);
}

static ebb_status run_call(session *s, ebb_arena *arena, sym_type *result, const call_frame *frame, expr_value *value,
                           ebb_error *err)
{
    ses_move move = {.thread = s->thread, .arrived = arrived, .request.move = MACHINE_RUN};
    EBB_TRY(ses_move_point(s, &move, SES_POINT_TARGET, frame->home, (ses_frame_id){0}, err));
    ses_stop stop;
    machine_tid thread = s->thread;
    s->n_calls++;
    ebb_status status = ses_move_within(s, &move, &stop, err);
    s->n_calls--;
    if (status != EBB_OK)
        return status;
    if (stop.kind == SES_STOP_FINISHED) {
        ses_select(s, thread, 0);
        status = take_result(s, arena, result, frame, value, err);
    } else {
        ses_thread_take_signal(s, thread);
        status = fail_interrupted(&stop, err);
    }
    ses_stop_fini(&stop);
    return status;
}

static ebb_status call_function(session *s, ebb_arena *arena, const expr_call *of, expr_value *value, ebb_error *err)
{
    sym_type *result = sym_type_strip(of->type)->target;
    while (result && result->kind == SYM_TYPE_TYPEDEF) /* as gdb shows it, and `finish` */
        result = result->target;
    if (result && sym_type_strip(result)->kind == SYM_TYPE_VOID)
        result = NULL;
    machine_tid thread = s->thread, stop_thread = s->stop_thread;
    unsigned level = s->level;
    bool show_all_inlined = s->show_all_inlined;
    int signal = ses_thread_take_signal(s, thread);
    saved_registers saved = save_registers(s);
    ses_sysv_call call = {0};
    call_frame frame = {0};
    ebb_status status = lay_out(s, &call, of, result, &frame, err);
    if (status == EBB_OK)
        status = set_argument_registers(s, &call, err);
    if (status == EBB_OK)
        status = enter(s, of->addr, &frame, err);
    if (status == EBB_OK)
        status = run_call(s, arena, result, &frame, value, err);
    ses_sysv_call_fini(&call);
    restore_registers(s, thread, &saved);
    if (!ses_has_debuggee(s))
        return status;
    s->show_all_inlined = show_all_inlined;
    s->stop_thread = stop_thread;
    ses_stack_forget(s);
    ses_select(s, thread, level);
    ses_thread_put_signal(s, thread, signal);
    return status;
}

static ebb_status check_callable(session *s, ebb_error *err)
{
    if (!ses_has_debuggee(s) || ses_is_core(s))
        return ebb_fail(err, EBB_GONE, "You can't do that without a process to debug.");
    if (!machine_can(s->machine, MACHINE_CALLS))
        return ebb_fail(err, EBB_UNSUPPORTED, "Functions can't be called on this machine.");
    if (s->n_calls >= MAX_NESTED)
        return ebb_fail(err, EBB_BAD_INPUT, "Calls of functions are nested too deeply.");
    return ses_scratch_begin(s, err);
}

static ebb_status choose(session *s, uint64_t *addr, ebb_error *err)
{
    EBB_TRY(check_callable(s, err));
    ebb_arena arena = {0};
    sym_types *types = sym_table_types(s->symbols);
    expr_value chosen;
    expr_call choice = {.addr = *addr, .type = sym_type_function_of(types, sym_types_basic(types, "unsigned long"))};
    ebb_status status = call_function(s, &arena, &choice, &chosen, err);
    if (status == EBB_OK)
        status = expr_value_to_u64(&arena, ses_world(s), &chosen, addr, err);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_choose_function(session *s, uint64_t *addr, ebb_error *err)
{
    if (!sym_symbol_is_chooser(s->symbols, *addr))
        return EBB_OK;
    bool outer = ses_scratch_open(s); /* a step asks, too, outside of any expression */
    ebb_status status = choose(s, addr, err);
    ses_scratch_end(s, outer);
    return status;
}

ebb_status ses_call(session *s, ebb_arena *arena, const expr_call *call, expr_value *value, ebb_error *err)
{
    expr_call chosen = *call;
    EBB_TRY(check_callable(s, err));
    EBB_TRY(ses_choose_function(s, &chosen.addr, err));
    return call_function(s, arena, &chosen, value, err);
}

/* ---- bytes for the debuggee to look at ------------------------------------------------------ */

ebb_status ses_place_bytes(session *s, const void *bytes, size_t nbytes, uint64_t *addr,
                           ebb_error *err)
{
    if (!ses_has_debuggee(s) || ses_is_core(s))
        return ebb_fail(err, EBB_GONE,
                        "evaluation of this expression requires the target to exist");
    sym_types *types = sym_table_types(s->symbols);
    uint64_t allocator;
    if (!sym_function_entry(s->symbols, "malloc", &allocator, NULL))
        return ebb_fail(
            err, EBB_NOT_FOUND,
            "evaluation of this expression requires the program to have a function \"malloc\".");
    ebb_arena arena = {0};
    sym_type *pointer = sym_type_pointer_to(types, sym_types_basic(types, "void"));
    expr_value size = expr_value_of_u64(&arena, sym_types_basic(types, "unsigned long"), nbytes),
               block;
    expr_call allocate = {allocator, sym_type_function_of(types, pointer), &size, 1};
    ebb_status status = ses_call(s, &arena, &allocate, &block, err);
    if (status == EBB_OK)
        status = expr_value_to_u64(&arena, ses_world(s), &block, addr, err);
    if (status == EBB_OK && *addr == 0)
        status =
            ebb_fail(err, EBB_UNAVAILABLE, "No memory available to program: call to malloc failed");
    if (status == EBB_OK)
        status = machine_write(s->machine, *addr, bytes, nbytes, err);
    ebb_arena_fini(&arena);
    return status;
}
