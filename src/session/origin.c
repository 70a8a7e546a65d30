/* origin.c - asks the language to follow a value, and brings the debuggee back; see origin.h. */
#include "session/origin.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/threads.h"
#include "session/travel.h"

const char *ses_origin_word(ses_origin_kind kind)
{
    static const char *const words[] = {
#define X(name, word) word,
        SES_ORIGIN_KINDS(X)
#undef X
    };
    return words[kind];
}

static void stand(session *s)
{
    machine_stop at = {.kind = MACHINE_STOP_POSITION, .thread = ebb_timeline_get_thread(s->timeline)};
    ses_moved(s, &at);
}

static const char *position_words(session *s, ebb_arena *arena, ebb_position at)
{
    ebb_buf words = {0};
    ebb_buf_addf(&words, "%llu@", (unsigned long long)at.timestamp);
    s->language->place_words(s, at.place, true, &words);
    const char *text = ebb_arena_strdup(arena, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return text;
}

static void put_place(session *s, ebb_arena *arena, const ses_frame *frame, ses_origin_link *link)
{
    const char *text = frame->has_line ? ses_source_text(s, frame->line.file, frame->line.line) : NULL;
    link->function = frame->name ? ebb_arena_strdup(arena, frame->name) : NULL;
    link->file = frame->has_line ? ebb_arena_strdup(arena, frame->line.file) : NULL;
    link->line = frame->has_line ? frame->line.line : 0;
    link->source = text ? ebb_arena_strdup(arena, ebb_text_skip_space(text)) : NULL;
}

void ses_origin_add(session *s, ebb_arena *arena, const ses_origin_link *from, ses_origin_links *out)
{
    ses_origin_link link = *from;
    ebb_position at;
    const ses_frame *frame;
    stand(s);
    if (ebb_timeline_now(s->timeline, 0, &at, NULL) == EBB_OK)
        link.position = position_words(s, arena, at);
    if (s->thread && ses_frame_get(s, 0, &frame, NULL) == EBB_OK)
        put_place(s, arena, frame, &link);
    ebb_vec_push(out, link);
}

/* OR2.  The first reason stays. */
static ebb_status come_back(session *s, ebb_position began, bool was_live, ebb_status status, ebb_error *err)
{
    machine_stop stop;
    ebb_error why;
    ebb_timeline_forget_interrupts(s->timeline);
    ebb_status back = was_live ? ebb_timeline_seek_end(s->timeline, &stop, &why) : ebb_timeline_seek(s->timeline, began, &stop, &why);
    if (back != EBB_OK && status == EBB_OK)
        return ebb_fail(err, back, "%s", why.text);
    return status;
}

ebb_status ses_origin(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    ebb_position began;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ses_need_history(s, err));
    if (ses_is_after_end(s))
        return ebb_fail(err, EBB_BAD_INPUT, "The program has ended: go back to where the value is (reverse-step).");
    machine_tid thread = s->thread;
    unsigned level = s->level;
    EBB_TRY(ebb_timeline_now(s->timeline, 0, &began, err));
    bool was_live = ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_REPLAYING;
    ses_travel_begin(s);
    ebb_status status = come_back(s, began, was_live, s->language->origin_follow(s, arena, expression, out, err), err);
    ses_travel_end(s);
    stand(s);
    if (ses_thread_exists(s, thread))
        ses_select(s, thread, level);
    return status;
}
