/* origin.c - asks the language to follow a value, and brings the debuggee back; see origin.h. */
#include "session/origin.h"
#include "session/language.h"
#include "session/links.h"
#include "session/stack.h"
#include "session/travel.h"
#include "session/visit.h"

const char *ses_origin_word(ses_origin_kind kind)
{
    static const char *const words[] = {
#define X(name, word) word,
        SES_ORIGIN_KINDS(X)
#undef X
    };
    return words[kind];
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

void ses_origin_position(session *s, ebb_arena *arena, ebb_position at, ses_origin_link *link)
{
    link->position = position_words(s, arena, at);
    link->at = at;
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
    ses_visit_stand(s);
    if (ebb_timeline_now(s->timeline, 0, &at, NULL) == EBB_OK)
        ses_origin_position(s, arena, at, &link);
    if (s->thread && ses_frame_get(s, 0, &frame, NULL) == EBB_OK)
        put_place(s, arena, frame, &link);
    ebb_vec_push(out, link);
}

/* In the order in which they are told. */
static void number(session *s, ses_origin_links *links)
{
    ses_links_begin(s);
    for (size_t i = 0; i < links->n; i++)
        if (links->items[i].position)
            links->items[i].number = ses_links_add(s, links->items[i].at);
}

/* What a chain ends at: its last link that is not about another one. */
static size_t end_of(const ses_origin_links *links)
{
    size_t end = 0;
    for (size_t i = 0; i < links->n; i++)
        if (links->items[i].depth == links->items[0].depth)
            end = i;
    return end;
}

size_t ses_origin_keep_own(session *s, ses_origin_links *links)
{
    size_t end = end_of(links), all = links->n, kept = 0;
    for (size_t i = 0; i < all; i++) {
        const ses_origin_link *link = &links->items[i];
        bool is_own = s->language->is_shown(s, link->at.place) || (link->to && s->language->is_shown(s, link->to));
        if (i == end || !link->position || is_own)
            links->items[kept++] = *link;
    }
    links->n = kept;
    number(s, links);
    return all - kept;
}

static ebb_status need_value(session *s, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    if (ses_is_after_end(s))
        return ebb_fail(err, EBB_BAD_INPUT, "The program has ended: go back to where the value is (reverse-step).");
    return EBB_OK;
}

/* ses_language.origin_follow, flow_follow; origin_remembered, flow_remembered */
typedef ebb_status follower(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err);

/* Without a past to go to: what the program itself remembers. */
static ebb_status ask_memory(session *s, ebb_arena *arena, follower *recall, const char *expression, ses_origin_links *out, ebb_error *err)
{
    EBB_TRY(need_value(s, err));
    EBB_TRY(recall(s, arena, expression, out, err));
    if (out->n == 0)
        return ses_need_history(s, err);
    number(s, out);
    return EBB_OK;
}

static bool has_no_past(session *s) { return s->machine && ses_need_history(s, NULL) == EBB_NO_HISTORY; }

static ebb_status ask(session *s, ebb_arena *arena, follower *follow, const char *expression, ses_origin_links *out, ebb_error *err)
{
    ses_visit visit;
    EBB_TRY(need_value(s, err));
    EBB_TRY(ses_visit_begin(s, &visit, err));
    ebb_status status = ses_visit_end(s, &visit, follow(s, arena, expression, out, err), err);
    number(s, out);
    return status;
}

ebb_status ses_origin(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    if (has_no_past(s))
        return ask_memory(s, arena, s->language->origin_remembered, expression, out, err);
    return ask(s, arena, s->language->origin_follow, expression, out, err);
}

ebb_status ses_flow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    if (has_no_past(s))
        return ask_memory(s, arena, s->language->flow_remembered, expression, out, err);
    return ask(s, arena, s->language->flow_follow, expression, out, err);
}

ebb_status ses_why(session *s, ebb_arena *arena, const ses_question *question, ses_origin_links *out, ebb_error *err)
{
    ses_visit visit;
    if (question->kind == SES_WHY_VALUE || !ses_is_after_end(s))
        EBB_TRY(need_value(s, err));
    EBB_TRY(ses_visit_begin(s, &visit, err));
    ebb_status status = ses_visit_end(s, &visit, s->language->why_follow(s, arena, question, out, err), err);
    number(s, out);
    return status;
}
