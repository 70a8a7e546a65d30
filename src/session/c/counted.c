/* counted.c - time of native programs that count it by themselves (gcc/plugin.cc): their variables.  See session/counted.h. */
#include "session/counted.h"
#include "session/c/c.h"
#include "session/c/image.h"
#include "session/c/scratch.h"
#include "session/language.h"
#include "session/move.h"
#include "session/settings.h"
#include "session/stack.h"
#include "session/verbs.h"
#include "x86/native.h"
#include "x86/vm/vm.h"

#include <stdio.h>
#include <string.h>

/* gcc/runtime.c is in the program itself. */
static bool has_runtime(session *s)
{
    uint64_t addr, nbytes;
    bool is_function;
    return s->symbols && sym_symbol_address(s->symbols, "ebb_stop_at", &addr, &nbytes, &is_function);
}

/* Of a counter that is in a library only it is known as soon as that is loaded; it is the same program the next time. */
static bool is_on(session *s)
{
    uint64_t base;
    if (s->mode != SES_MODE_NATIVE)
        return false;
    if (!s->counts_itself && s->machine && ses_need_debuggee(s, NULL) == EBB_OK)
        s->counts_itself = has_runtime(s) || ses_evaluate_u64(s, "__ebb_base", &base, NULL) == EBB_OK;
    return s->counts_itself || (!s->machine && has_runtime(s));
}

/* ---- where the count is ---- */

enum { R14 = 14 }; /* DWARF's number */

/* The frame whose stack pointer that was; NULL: none, or its register can't be found. */
static const ses_frame *frame_at(session *s, uint64_t stack, bool through_signals)
{
    const ses_frame *frame;
    for (unsigned level = 0; stack != 0 && ses_frame_get(s, level, &frame, NULL) == EBB_OK && (through_signals || !frame->is_signal_frame); level++)
        if (!frame->is_inlined && frame->regs.regs[SYM_REG_RSP].value <= stack && stack < frame->regs.cfa)
            return frame->regs.regs[R14].kind == SYM_REG_UNKNOWN ? NULL : frame;
    return NULL;
}

/* A program of an older compiler has no such variable. */
static uint64_t stack_in(session *s, const char *variable)
{
    uint64_t stack;
    return ses_evaluate_u64(s, variable, &stack, NULL) == EBB_OK ? stack : 0;
}

/* The frame that has the count in its register; NULL: it is in memory.  The handler of a signal that came in such a loop counts in memory, too. */
static const ses_frame *register_frame(session *s)
{
    return frame_at(s, stack_in(s, "__ebb_frame"), false);
}

static ebb_status now_here(session *s, ebb_position *now, ebb_error *err)
{
    uint64_t raw, base;
    const ses_frame *loop = register_frame(s);
    EBB_TRY(ses_evaluate_u64(s, "__ebb_counter", &raw, err));
    EBB_TRY(ses_evaluate_u64(s, "__ebb_base", &base, err));
    *now = (ebb_position){.timestamp = (loop ? loop->regs.regs[R14].value : raw) - base};
    return ses_pc(s, s->thread, &now->place, err);
}

/* The registers, but for that of the count and for the flags.  Addresses are the same in each run. */
static uint64_t state(session *s)
{
    const ses_frame *frame;
    uint64_t hash = 1;
    if (ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return 0;
    for (int i = 0; i < 16; i++)
        if (i != R14)
            hash = (hash ^ frame->regs.regs[i].value) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

/* ---- stops ---- */

static ebb_status assign(session *s, const char *name, int64_t value, ebb_error *err)
{
    char text[80];
    snprintf(text, sizeof text, "%s = %lld", name, (long long)value);
    return ses_assign(s, text, err);
}

/* The register of a loop that counts in it, which may be the one that a signal came in. */
static ebb_status shift_register(session *s, uint64_t stack, uint64_t by, ebb_error *err)
{
    unsigned selected = s->level;
    const ses_frame *loop = frame_at(s, stack, true);
    if (!loop)
        return EBB_OK;
    int64_t value = (int64_t)(loop->regs.regs[R14].value + by);
    ses_select(s, s->thread, loop->level);
    ebb_status status = assign(s, "$r14", value, err);
    ses_select(s, s->thread, selected);
    return status;
}

/* All that count count from the same base. */
static ebb_status shift_registers(session *s, uint64_t by, ebb_error *err)
{
    uint64_t inner = stack_in(s, "__ebb_frame"), outer = inner ? stack_in(s, "__ebb_outer") : 0;
    EBB_TRY(shift_register(s, inner, by, err));
    return outer != inner ? shift_register(s, outer, by, err) : EBB_OK;
}

/* The machine keeps the stop from the program's children. */
static ebb_status show_counter(session *s, ebb_error *err)
{
    uint64_t counter, base, thread;
    EBB_TRY(ses_evaluate_u64(s, "&__ebb_counter", &counter, err));
    EBB_TRY(ses_evaluate_u64(s, "&__ebb_base", &base, err));
    EBB_TRY(ses_evaluate_u64(s, "$fs_base", &thread, err));
    x86_native_set_counter(x86_vm_get_native(s->machine), (int64_t)(counter - thread), (int64_t)(base - thread));
    return ses_setting_is(s, "follow-fork-mode", "child") ? assign(s, "__ebb_follows", 1, err) : EBB_OK;
}

/* The count in memory keeps its distance from the base, also while a loop counts in a register. */
static ebb_status stop_at(session *s, uint64_t now, uint64_t time, ebb_error *err)
{
    uint64_t base, counter;
    (void)now;
    EBB_TRY(show_counter(s, err));
    EBB_TRY(ses_evaluate_u64(s, "__ebb_base", &base, err));
    EBB_TRY(ses_evaluate_u64(s, "__ebb_counter", &counter, err));
    EBB_TRY(shift_registers(s, -time - base, err));
    EBB_TRY(assign(s, "__ebb_counter", (int64_t)(counter - base - time), err));
    return assign(s, "__ebb_base", -(int64_t)time, err);
}

/* GCC puts the breakpoint instruction into a block apart, among those that are never executed: from there it jumps back. */
static ebb_status leave_tick(session *s, ses_stop *stop, ebb_error *err)
{
    enum { INT3 = 0xcc, JMP_SHORT = 0xeb, JMP_NEAR = 0xe9 };
    uint64_t pc;
    uint8_t code[2];
    ses_select(s, s->thread, 0);
    EBB_TRY(ses_pc(s, s->thread, &pc, err));
    if (ses_memory_read(s, pc - 1, code, sizeof code, NULL) != EBB_OK || code[0] != INT3 || (code[1] != JMP_SHORT && code[1] != JMP_NEAR))
        return EBB_OK;
    return ses_step(s, SES_STEP_INSN, 1, stop, err);
}

static ebb_status begin(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_starti(s, stop, err));
    return ses_advance(s, "main", false, stop, err);
}

/* ---- data ---- */

/* A bit-field has no address: "(unsigned int) (*(unsigned char *) 0x4010 << 61 >> 61)", with the sign that it has. */
static ebb_status fix_bits(const expr_value *field, char **fixed, ebb_error *err)
{
    static const char *const units[9] = {[1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long"};
    const expr_place *place = &field->place;
    sym_type *stripped = sym_type_strip(field->type);
    bool is_signed = stripped->is_signed && stripped->kind != SYM_TYPE_BOOL;
    unsigned first = place->bit_offset % 8, nbytes = 1;
    while (8 * nbytes < first + place->nbits)
        nbytes *= 2;
    if (nbytes > 8)
        return ebb_fail(err, EBB_UNSUPPORTED, "That bit-field is spread over nine bytes: it can't be watched.");
    ebb_buf type = {0};
    sym_type_print(field->type, &type);
    *fixed = ebb_asprintf("(%s) ((%s long) ((unsigned long) *(%s *) %#lx << %u) >> %u)", ebb_buf_text(&type), is_signed ? "signed" : "unsigned", units[nbytes],
                          (unsigned long)(place->addr + place->bit_offset / 8), 64 - first - place->nbits, 64 - place->nbits);
    ebb_buf_fini(&type);
    return EBB_OK;
}

/* As a place that means the same in another frame and another run: "*(int *) 0x4010". */
static ebb_status fix_place(session *s, const char *expression, char **fixed, ebb_error *err)
{
    ebb_buf type = {0};
    uint64_t address;
    char *pointer = ebb_asprintf("&(%s)", expression);
    ebb_status status = ses_evaluate_u64(s, pointer, &address, err);
    if (status == EBB_OK)
        status = ses_type(s, pointer, 0, &type, err);
    if (status == EBB_OK)
        *fixed = ebb_asprintf("*(%s) %#lx", ebb_buf_text(&type), (unsigned long)address);
    free(pointer);
    ebb_buf_fini(&type);
    return status;
}

static ebb_status fix(session *s, const char *expression, char **fixed, bool *is_whole, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    ebb_status status = ses_evaluate_aside(s, &arena, expression, &value, err);
    *is_whole = status == EBB_OK && !(value.place.kind == EXPR_PLACE_MEMORY && value.place.nbits);
    if (status == EBB_OK)
        status = *is_whole ? fix_place(s, expression, fixed, err) : fix_bits(&value, fixed, err);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status prepare(session *s, const char *fixed, ebb_error *err)
{
    (void)s, (void)fixed, (void)err;
    return EBB_OK;
}

/* An address is all that there is. */
static ebb_status owner(session *s, const char *expression, uint64_t *object, ebb_error *err)
{
    (void)s, (void)expression, (void)err;
    *object = 0;
    return EBB_OK;
}

static char *written(const char *shown)
{
    return ebb_strdup(shown);
}

const ses_counting ses_c_counting = {
    .ticks_in_code = true,
    .is_on = is_on,
    .now = now_here,
    .state = state,
    .stop_at = stop_at,
    .leave_tick = leave_tick,
    .begin = begin,
    .fix = fix,
    .prepare = prepare,
    .owner = owner,
    .written = written,
};
