/* unwind.c - the frames of a native stack: physical ones unwound one by one, inlined calls laid out within them.
 *
 * A physical frame is shown only once it was unwound itself, since that tells its CFA, and a CFA
 * that doesn't lie further out than the one before it means that the stack is corrupt. */
#include "session/c/c.h"
#include "session/c/image.h"
#include "session/c/modules.h"
#include "session/hits.h"
#include "session/c/unwind.h"

#include <string.h>

enum { MAX_INLINED = 64 };

/* ---- how symbols see the debuggee ----------------------------------------------------------- */

static ebb_status target_read(void *self, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err)
{
    return ses_memory_read(self, addr, bytes, nbytes, err);
}

static ebb_status target_reg(void *self, int dwarf, void *bytes, size_t nbytes, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    int reg = machine_reg_by_dwarf(s->machine, dwarf);
    if (reg < 0)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no register with DWARF number %d.", dwarf);
    uint8_t raw[MACHINE_REG_MAX_BYTES] = {0};
    EBB_TRY(s->machine->native->reg_read(s->machine, s->thread, (unsigned)reg, raw, err));
    memset(bytes, 0, nbytes);
    memcpy(bytes, raw, nbytes < sizeof raw ? nbytes : sizeof raw);
    return EBB_OK;
}

static ebb_status target_tls_block(void *self, sym_module *module, uint64_t *block, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    const machine_module *m = ses_module_of(s, module);
    if (!m || !s->machine->native->tls_block)
        return ebb_fail(err, EBB_UNAVAILABLE, "Cannot find thread-local storage of %s.",
                        sym_module_path(module));
    return s->machine->native->tls_block(s->machine, s->thread, m, block, err);
}

sym_target ses_sym_target(session *s)
{
    return (sym_target){
        .self = s, .read = target_read, .reg = target_reg, .tls_block = target_tls_block};
}

/* ---- the innermost registers ---------------------------------------------------------------- */

static ebb_status innermost_registers(session *s, sym_frame *frame, ebb_error *err)
{
    *frame = (sym_frame){.pc_is_exact = true};
    for (int dwarf = 0; dwarf < SYM_N_REGS; dwarf++) {
        int reg = machine_reg_by_dwarf(s->machine, dwarf);
        if (reg < 0)
            continue;
        EBB_TRY(machine_reg_get_u64(s->machine, s->thread, (unsigned)reg, &frame->regs[dwarf].value,
                                    err));
        frame->regs[dwarf].kind = SYM_REG_LIVE;
    }
    return EBB_OK;
}

static uint64_t pc_of(const sym_frame *frame)
{
    return frame->regs[SYM_REG_RIP].value;
}

static uint64_t lookup_pc(const sym_frame *frame)
{
    return frame->pc_is_exact ? pc_of(frame) : pc_of(frame) - 1;
}

uint64_t ses_frame_lookup_pc(const ses_frame *frame)
{
    return lookup_pc(&frame->regs);
}

/* ---- inlined functions that are about to be entered ----------------------------------------- */

/* pc is where (a part of) the inlined body begins. */
static bool begins_at(const sym_function *function, uint64_t pc)
{
    return sym_function_get_info(function)->lo == pc || !sym_function_covers(function, pc - 1);
}

bool ses_inlined_begins(session *s, uint64_t pc)
{
    const sym_function *functions[MAX_INLINED];
    return sym_functions_at(s->symbols, pc, functions, MAX_INLINED) > 1 && begins_at(functions[0], pc);
}

static unsigned count_skipped(session *s, uint64_t pc)
{
    if (s->show_all_inlined || s->thread != s->stop_thread)
        return 0;
    const sym_function *functions[MAX_INLINED];
    size_t n = sym_functions_at(s->symbols, pc, functions, MAX_INLINED);
    unsigned skipped = 0;
    for (; skipped + 1 < n && skipped < MAX_INLINED; skipped++) {
        const sym_function *f = functions[skipped];
        if (!begins_at(f, pc) ||
            ses_has_breakpoint_on_inlined(s, pc, sym_function_get_info(f)->name))
            break;
    }
    return skipped;
}

static void learn_skipped(session *s, uint64_t pc)
{
    if (s->stack.skip_known)
        return;
    s->stack.skip_known = true;
    s->stack.skipped = count_skipped(s, pc);
}

unsigned ses_skipped_inlined(session *s)
{
    const ses_frame *frame;
    if (ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return 0;
    return s->stack.skipped;
}

const sym_function *ses_skipped_function(session *s)
{
    unsigned skipped = ses_skipped_inlined(s);
    if (skipped == 0)
        return NULL;
    const sym_function *functions[MAX_INLINED];
    sym_functions_at(s->symbols, pc_of(&s->stack.frames.items[0]->regs), functions, MAX_INLINED);
    return functions[skipped - 1];
}

void ses_enter_inlined(session *s)
{
    ebb_check(ses_skipped_inlined(s) > 0);
    unsigned skipped = s->stack.skipped - 1;
    ses_stack_clear(&s->stack);
    s->stack.skipped = skipped;
}

/* ---- laying out the frames ------------------------------------------------------------------ */

/* The call of an inlined function is a place in the source without a row in the line table. */
static bool call_site(const sym_function *inlined, uint64_t pc, sym_line *line)
{
    const sym_function_info *info = sym_function_get_info(inlined);
    if (info->call_line == 0 || !info->call_file)
        return false;
    *line = (sym_line){.file = info->call_file,
                       .name = info->call_file_name,
                       .line = info->call_line,
                       .lo = pc,
                       .hi = pc,
                       .is_stmt = true};
    return true;
}

static const char *library_path(session *s, uint64_t pc)
{
    sym_module *module = sym_module_at(s->symbols, pc);
    if (!module)
        return NULL;
    const char *path = sym_module_path(module);
    bool is_own =
        path[0] == '[' || (s->machine && strcmp(path, s->machine->ops->program(s->machine)) == 0);
    return is_own ? NULL : path;
}

static const ses_frame *last_frame(const ses_stack *stack)
{
    return stack->frames.n ? stack->frames.items[stack->frames.n - 1] : NULL;
}

/* The kernel's frame between a handler and what it interrupted isn't counted, and a function that is gone counts to the one that it
 * jumped to. */
static unsigned depth_outside(const ses_frame *inner, const sym_frame *physical)
{
    if (!inner)
        return 0;
    return physical->is_tail || inner->is_signal_frame ? inner->depth : inner->depth + 1;
}

static ses_frame *push_frame(session *s, const sym_frame *physical, unsigned depth)
{
    ses_frame *frame = EBB_ARENA_NEW(&s->stack.arena, ses_frame);
    frame->level = (unsigned)s->stack.frames.n;
    frame->depth = depth;
    frame->pc = pc_of(physical);
    frame->regs = *physical;
    frame->module = library_path(s, lookup_pc(physical));
    ebb_vec_push(&s->stack.frames, frame);
    return frame;
}

static void set_own_line(session *s, ses_frame *frame)
{
    frame->has_line = sym_line_at(s->symbols, ses_frame_lookup_pc(frame), &frame->line);
    frame->mid_line = !frame->has_line || frame->pc != frame->line.lo || !frame->line.is_stmt;
}

static void push_symbol_frame(session *s, const sym_frame *physical)
{
    ses_frame *frame = push_frame(s, physical, depth_outside(last_frame(&s->stack), physical));
    frame->is_signal_frame = physical->is_signal_frame;
    const char *name = sym_symbol_at(s->symbols, lookup_pc(physical), &frame->name_offset);
    frame->name = name ? sym_shown_name(s->symbols, name) : NULL;
    set_own_line(s, frame);
}

/* As gdb: __GI_abort, not abort; but shop::total, not _ZN4shop5totalEv. */
static const char *name_of(session *s, const sym_function *function)
{
    const sym_function_info *info = sym_function_get_info(function);
    return sym_shown_name(s->symbols, info->linkage_name) == info->linkage_name ? info->linkage_name : info->name;
}

/* The concrete function and, inside it, the inlined ones, innermost first. */
static void push_function_frames(session *s, const sym_frame *physical,
                                 const sym_function *const *functions, size_t n, unsigned skipped)
{
    unsigned depth = depth_outside(last_frame(&s->stack), physical);
    for (size_t i = skipped; i < n; i++) {
        ses_frame *frame = push_frame(s, physical, depth);
        frame->function = functions[i];
        frame->name = name_of(s, functions[i]);
        frame->is_inlined = i + 1 < n;
        if (i == 0)
            set_own_line(s, frame);
        else
            frame->has_line = call_site(functions[i - 1], lookup_pc(physical), &frame->line);
    }
}

/* A function that left by a tail call counts to the physical frame that it jumped to. */
static void push_physical(session *s, const sym_frame *physical)
{
    bool innermost = s->stack.frames.n == 0;
    if (!physical->is_tail)
        ebb_vec_push(&s->stack.first, (unsigned)s->stack.frames.n);
    if (innermost)
        learn_skipped(s, pc_of(physical));
    const sym_function *functions[MAX_INLINED];
    size_t n = physical->is_signal_frame
                   ? 0
                   : sym_functions_at(s->symbols, lookup_pc(physical), functions, MAX_INLINED);
    if (n > MAX_INLINED)
        n = MAX_INLINED;
    if (n == 0)
        push_symbol_frame(s, physical);
    else
        push_function_frames(s, physical, functions, n, innermost ? s->stack.skipped : 0);
}

/* ---- unwinding ------------------------------------------------------------------------------ */

static uint64_t entry_of(session *s, const sym_frame *physical)
{
    uint64_t pc = lookup_pc(physical);
    const sym_function *functions[MAX_INLINED];
    size_t n = sym_functions_at(s->symbols, pc, functions, MAX_INLINED);
    if (n > 0)
        return sym_function_get_info(functions[(n < MAX_INLINED ? n : MAX_INLINED) - 1])->lo;
    uint64_t offset;
    if (sym_symbol_at(s->symbols, pc, &offset))
        return pc - offset;
    return pc & ~(uint64_t)4095;
}

static bool is_main(session *s, const sym_frame *physical)
{
    uint64_t entry;
    return sym_function_entry(s->symbols, "main", &entry, NULL) && entry_of(s, physical) == entry;
}

/* Why `frame`, whose CFA is known, can't be the caller of the frames before it; NULL if it can. */
static const char *corruption(session *s, const sym_frame *frame)
{
    const ses_frame *inner = last_frame(&s->stack);
    if (!inner || inner->regs.cfa == 0 || frame->cfa == 0)
        return NULL;
    if (frame->cfa == inner->regs.cfa && entry_of(s, frame) == entry_of(s, &inner->regs) &&
        pc_of(frame) == pc_of(&inner->regs))
        return "previous frame identical to this frame (corrupt stack?)";
    bool may_go_inward = inner->regs.is_signal_frame || frame->is_signal_frame;
    if (frame->cfa < inner->regs.cfa && !may_go_inward)
        return "previous frame inner to this frame (corrupt stack?)";
    return NULL;
}

/* Adds the physical frame `stack.next` and finds its caller. */
void ses_c_stack_extend(session *s)
{
    ses_stack *stack = &s->stack;
    sym_frame frame = stack->next, caller;
    if (stack->frames.n > 0 && (pc_of(&frame) == 0 || ses_stack_is_full(s))) {
        ses_stack_end(s, NULL);
        return;
    }
    ebb_error why;
    sym_target target = ses_sym_target(s);
    ebb_status status = EBB_OK;
    const ses_frame *inner = last_frame(stack);
    if (inner && !inner->regs.is_tail)
        sym_tail_frames(s->symbols, &inner->regs, &frame);
    if (frame.is_tail)
        sym_tail_caller(&frame, &caller);
    else
        status = sym_unwind(s->symbols, &target, &frame, &caller, &why);
    const char *corrupt = corruption(s, &frame);
    if (corrupt) {
        ses_stack_end(s, corrupt);
        return;
    }
    push_physical(s, &frame);
    if (status == EBB_NOT_FOUND)
        ses_stack_end(s, NULL);
    else if (status != EBB_OK)
        ses_stack_end(s, why.text);
    else if (is_main(s, &frame) && !ses_setting_flag(s, "backtrace past-main"))
        ses_stack_end(s, NULL);
    else
        stack->next = caller;
}

ebb_status ses_c_stack_begin(session *s, ebb_error *err)
{
    return innermost_registers(s, &s->stack.next, err);
}

uint64_t ses_c_frame_entry(session *s, const ses_frame *frame)
{
    return entry_of(s, &frame->regs);
}

sym_frame ses_frame_on_stack(session *s, const ses_frame *frame)
{
    while (frame->regs.is_tail)
        frame = s->stack.frames.items[frame->level - 1];
    return frame->regs;
}

bool ses_calling_frame(session *s, unsigned level, sym_frame *caller, ses_frame_id *id)
{
    const ses_frame *frame;
    if (ses_frame_get(s, level, &frame, NULL) != EBB_OK)
        return false;
    sym_target target = ses_sym_target(s);
    sym_frame inner = ses_frame_on_stack(s, frame), beyond;
    if (sym_unwind(s->symbols, &target, &inner, caller, NULL) != EBB_OK || pc_of(caller) == 0)
        return false;
    /* An outermost frame fails here, and its CFA is then 0: any frame. */
    bool is_outermost = sym_unwind(s->symbols, &target, caller, &beyond, NULL) != EBB_OK && caller->cfa == 0;
    *id = is_outermost ? (ses_frame_id){0} : (ses_frame_id){.cfa = caller->cfa, .entry = entry_of(s, caller)};
    return true;
}

bool ses_c_caller_of(session *s, unsigned level, uint64_t *pc, ses_frame_id *caller)
{
    sym_frame frame;
    if (!ses_calling_frame(s, level, &frame, caller))
        return false;
    *pc = pc_of(&frame);
    return true;
}
