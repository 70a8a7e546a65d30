/* stack.c - see stack.h and frames.h: the frames that were asked for, kept until the next move. */
#include "session/stack.h"
#include "session/language.h"


/* ---- the cache ------------------------------------------------------------------------------ */

void ses_stack_clear(ses_stack *stack)
{
    ebb_arena_fini(&stack->arena);
    stack->frames.n = stack->first.n = 0;
    stack->has_next = false;
    stack->thread = 0;
    stack->stop_reason = NULL;
}

void ses_stack_forget(session *s)
{
    ses_stack_clear(&s->stack);
    s->stack.skip_known = false;
    s->stack.skipped = 0;
}

void ses_stack_fini(ses_stack *stack)
{
    ses_stack_clear(stack);
    ebb_vec_fini(&stack->frames);
    ebb_vec_fini(&stack->first);
}

void ses_select(session *s, machine_tid thread, unsigned level)
{
    if (s->thread != thread)
        ses_stack_forget(s);
    s->thread = thread;
    s->level = level;
}

/* ---- asking for frames ---------------------------------------------------------------------- */

static ebb_status begin(session *s, ebb_error *err)
{
    if (s->stack.thread == s->thread)
        return EBB_OK;
    ses_stack_clear(&s->stack);
    if (!ses_thread_number(s, s->thread))
        return ebb_fail(err, EBB_NOT_FOUND,
                        "The selected thread has ended; choose another one with `thread N`.");
    EBB_TRY(s->language->stack_begin(s, err));
    s->stack.thread = s->thread;
    s->stack.has_next = true;
    return EBB_OK;
}

void ses_stack_end(session *s, const char *reason)
{
    s->stack.has_next = false;
    if (reason)
        s->stack.stop_reason = ebb_arena_strdup(&s->stack.arena, reason);
}

bool ses_stack_is_full(session *s)
{
    uint64_t limit = ses_setting_number(s, "backtrace limit");
    return limit != 0 && s->stack.first.n >= limit;
}

ebb_status ses_frame_get(session *s, unsigned level, const ses_frame **frame, ebb_error *err)
{
    if (!ses_has_debuggee(s))
        return ebb_fail(err, EBB_GONE, "No stack.");
    EBB_TRY(begin(s, err));
    while (level >= s->stack.frames.n && s->stack.has_next)
        s->language->stack_extend(s);
    if (s->stack.frames.n == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No stack: no code of the program is under way in this thread.");
    if (level >= s->stack.frames.n)
        return ebb_fail(err, EBB_NOT_FOUND, "No frame at level %u.", level);
    *frame = s->stack.frames.items[level];
    return EBB_OK;
}

ebb_status ses_frame_selected(session *s, const ses_frame **frame, ebb_error *err)
{
    return ses_frame_get(s, s->level, frame, err);
}

ebb_status ses_frame_select(session *s, unsigned level, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_get(s, level, &frame, err));
    s->level = level;
    ses_list_forget(s);
    return EBB_OK;
}

unsigned ses_frame_depth(session *s, unsigned at_most)
{
    const ses_frame *frame;
    if (at_most == 0 || (ses_frame_get(s, at_most - 1, &frame, NULL) == EBB_OK))
        return at_most;
    return s->machine ? (unsigned)s->stack.frames.n : 0;
}

const char *ses_frame_stop_reason(session *s)
{
    return s->stack.has_next ? NULL : s->stack.stop_reason;
}

/* ---- identity ------------------------------------------------------------------------------- */

bool ses_frame_id_same(ses_frame_id a, ses_frame_id b)
{
    return a.cfa != 0 && a.cfa == b.cfa && a.entry == b.entry && a.inlined == b.inlined;
}

ses_frame_id ses_frame_physical_id(ses_frame_id id)
{
    id.inlined = 0;
    return id;
}

ses_frame_id ses_frame_id_at(session *s, unsigned level)
{
    const ses_frame *frame;
    if (ses_frame_get(s, level, &frame, NULL) != EBB_OK)
        return (ses_frame_id){0};
    unsigned inlined = 0;
    while (s->stack.frames.items[level + inlined]->is_inlined)
        inlined++;
    return (ses_frame_id){
        .cfa = frame->regs.cfa, .entry = s->language->frame_entry(s, frame), .inlined = inlined};
}

bool ses_physical_level(session *s, unsigned n, unsigned *level)
{
    const ses_frame *frame;
    if (ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return false;
    while (n >= s->stack.first.n && s->stack.has_next)
        s->language->stack_extend(s);
    if (n >= s->stack.first.n)
        return false;
    *level = s->stack.first.items[n];
    return true;
}

ses_frame_id ses_physical_id(session *s, unsigned n)
{
    unsigned level;
    if (!ses_physical_level(s, n, &level))
        return (ses_frame_id){0};
    return ses_frame_physical_id(ses_frame_id_at(s, level));
}

bool ses_frame_find(session *s, ses_frame_id id, unsigned *level)
{
    const ses_frame *frame;
    for (*level = 0; ses_frame_get(s, *level, &frame, NULL) == EBB_OK; ++*level) {
        if (ses_frame_id_same(ses_frame_id_at(s, *level), id))
            return true;
        if (s->language->frames_grow_down && frame->regs.cfa > id.cfa && !frame->is_signal_frame && !frame->is_inlined)
            return false;
    }
    return false;
}

bool ses_caller_of(session *s, unsigned level, uint64_t *pc, ses_frame_id *caller)
{
    return s->language->caller_of(s, level, pc, caller);
}
