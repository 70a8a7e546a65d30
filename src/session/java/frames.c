/* frames.c - the frames of Java threads, as the machine knows them. */
#include "session/java/java.h"
#include "base/sizes.h"
#include "session/stack.h"

#include <string.h>


ebb_status ses_java_stack_begin(session *s, ebb_error *err)
{
    (void)s, (void)err;
    return EBB_OK;
}

static bool is_native(const java_frame *frame)
{
    return frame->is_native || java_place_bci(frame->place) == 0xffff;
}

/* The instruction, where there is no line that could be shown instead. */
static const char *instruction_text(session *s, machine_place place)
{
    machine_insn insn;
    if (s->machine->ops->decode(s->machine, place, &insn, NULL) != EBB_OK)
        return NULL;
    return ebb_arena_strdup(&s->stack.arena, insn.text);
}

static void set_line(session *s, ses_frame *frame, const java_class *cls)
{
    ses_java_line line;
    const char *file = cls ? ses_java_source_of(s, cls) : NULL;
    if (!file || !ses_java_line_at(s, frame->pc, &line)) {
        frame->instruction = frame->is_native ? NULL : instruction_text(s, frame->pc);
        return;
    }
    frame->has_line = true;
    frame->line = (sym_line){.file = file,
                             .name = cls->source,
                             .line = line.line,
                             .lo = line.lo,
                             .hi = line.hi,
                             .is_stmt = true};
    frame->mid_line = frame->level == 0 && !ses_java_begins_line(s, frame->pc);
}

static void push(session *s, const java_frame *from, unsigned depth)
{
    ses_stack *stack = &s->stack;
    ses_frame *frame = EBB_ARENA_NEW(&stack->arena, ses_frame);
    const java_class *cls = NULL;
    ebb_buf place = {0};
    frame->level = (unsigned)stack->frames.n;
    frame->depth = depth;
    frame->pc = from->place;
    frame->regs.cfa = from->id;
    frame->is_native = is_native(from);
    ses_java_method(s, from->place, &cls);
    frame->name = ses_java_method_name(s, &stack->arena, from->place, false);
    ses_java_place_words(s, from->place, true, &place);
    frame->place = ebb_arena_strdup(&stack->arena, ebb_buf_text(&place));
    ebb_buf_fini(&place);
    set_line(s, frame, cls);
    ebb_vec_push(&stack->first, frame->level);
    ebb_vec_push(&stack->frames, frame);
}

void ses_java_stack_extend(session *s)
{
    ses_stack *stack = &s->stack;
    unsigned from = stack->frames.n ? stack->frames.items[stack->frames.n - 1]->depth + 1 : 0;
    java_frames frames = {0};
    ebb_error why;
    if (jvm_remote_frames(s->machine, s->thread, from, SES_FRAMES_AT_ONCE, &frames, &why) != EBB_OK) {
        ses_stack_end(s, why.text);
        return;
    }
    size_t before = stack->frames.n;
    for (size_t i = 0; i < frames.n && !ses_stack_is_full(s); i++)
        if (!frames.items[i].is_hidden)
            push(s, &frames.items[i], from + (unsigned)i);
    if (frames.n < SES_FRAMES_AT_ONCE || ses_stack_is_full(s) || stack->frames.n == before)
        ses_stack_end(s, NULL);
    ebb_vec_fini(&frames);
}

uint64_t ses_java_frame_entry(session *s, const ses_frame *frame)
{
    (void)s;
    return java_place_method(frame->pc);
}

/* The first caller that is shown: what a lambda returns goes through hidden frames, at which nobody is stopped, to who called it.  Nor can
 * anybody be stopped at in a native one. */
bool ses_java_caller_of(session *s, unsigned level, uint64_t *pc, ses_frame_id *caller)
{
    enum { MOST = 32 }; /* adapters of method handles are rarely more than ten */
    const ses_frame *frame;
    java_frames frames = {0};
    size_t i = 0;
    if (ses_frame_get(s, level, &frame, NULL) != EBB_OK || jvm_remote_frames(s->machine, s->thread, frame->depth + 1, MOST, &frames, NULL) != EBB_OK)
        return false;
    while (i < frames.n && frames.items[i].is_hidden)
        i++;
    bool found = i < frames.n && !is_native(&frames.items[i]);
    if (found) {
        *pc = frames.items[i].next;
        *caller = (ses_frame_id){.cfa = frames.items[i].id, .entry = java_place_method(frames.items[i].place)};
    }
    ebb_vec_fini(&frames);
    return found;
}
