/* place.c - from a timestamp to a place, and there and back. */
#include "session/counted/again.h"
#include "session/language.h"
#include "session/move.h"
#include "session/stack.h"
#include "session/verbs.h"

#include <string.h>

static bool stands_at(session *s, uint64_t time, const sym_spots *places)
{
    ebb_position now;
    if (ses_counted_now(s, &now, NULL) != EBB_OK || now.timestamp != time)
        return false;
    for (size_t i = 0; i < places->n; i++)
        if (places->items[i].addr == now.place)
            return true;
    return places->n == 0;
}

/* ---- from a timestamp to a place ---- */

static ebb_status run_past_signals(session *s, const uint64_t *places, size_t n, const ses_position *to, ses_stop *stop, ebb_error *err)
{
    ebb_status status;
    ses_again_tell_signals(s, true);
    do
        status = ses_counted_run_to(s, places, n, stop, err);
    while (status == EBB_OK && s->machine && stop->kind == SES_STOP_SIGNAL && !stands_at(s, to->time, &to->places));
    ses_again_tell_signals(s, false);
    return status;
}

/* To the first of the places; not further than the next tick, so that nothing is done for it that comes later. */
static ebb_status run_to_places(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err)
{
    uint64_t places[SES_MOVE_MAX_POINTS];
    size_t n = 0;
    for (; n < to->places.n && n < SES_MOVE_MAX_POINTS; n++)
        places[n] = to->places.items[n].addr;
    *is_there = n > 0 && stands_at(s, to->time, &to->places);
    if (*is_there || n == 0)
        return EBB_OK;
    EBB_TRY(ses_again_stop_at(s, to->time, to->time + 1, err));
    EBB_TRY(run_past_signals(s, places, n, to, stop, err));
    if (stop->kind == SES_STOP_INTERRUPTED)
        return ses_again_interrupted(err);
    *is_there = s->machine && stands_at(s, to->time, &to->places);
    if (*is_there)
        ses_again_forget_stop(s);
    return EBB_OK;
}

/* ---- lines ---- */

static bool is_shown_as(session *s, machine_place place, const char *line)
{
    ebb_buf words = {0};
    size_t n = strlen(line);
    s->language->place_words(s, place, false, &words);
    bool is_end = words.n > 0 && words.n <= n && strcmp(line + n - words.n, ebb_buf_text(&words)) == 0;
    bool is_name = is_end && (words.n == n || line[n - words.n - 1] == '/');
    ebb_buf_fini(&words);
    return is_name;
}

static bool is_place(session *s, const ses_position *to, machine_place place)
{
    if (to->line)
        return is_shown_as(s, place, to->line);
    for (size_t i = 0; i < to->places.n; i++)
        if (to->places.items[i].addr == place)
            return true;
    return false;
}

/* Where a line begins other code may begin as well, of a function that was inlined there: `when` tells that. */
static ebb_status run_to_shown(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err)
{
    ses_position shown = {.time = to->time};
    for (size_t i = 0; i < to->places.n; i++)
        if (is_place(s, to, to->places.items[i].addr))
            ebb_vec_push(&shown.places, to->places.items[i]);
    ebb_status status = shown.places.n > 0 ? run_to_places(s, &shown, stop, is_there, err) : EBB_OK;
    ses_position_fini(&shown);
    return status;
}

/* Instruction by instruction, to the first that is the place. */
static ebb_status walk(session *s, const ses_position *to, ses_step_kind step, ses_stop *stop, bool *is_there, ebb_error *err)
{
    enum { MOST = 100000 }; /* in a library that does not count, a timestamp can be long */
    ebb_position now;
    ses_again_forget_stop(s);
    for (int i = 0; i < MOST && s->machine; i++) {
        EBB_TRY(ses_counted_now(s, &now, err));
        *is_there = now.timestamp == to->time && is_place(s, to, now.place);
        if (*is_there || now.timestamp > to->time)
            return EBB_OK;
        EBB_TRY(ses_step(s, step, 1, stop, err));
        if (stop->kind == SES_STOP_INTERRUPTED)
            return ses_again_interrupted(err);
    }
    return EBB_OK;
}

/* A line is shown for more instructions than those at which it begins: to the first of them. */
static ebb_status walk_over_calls(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err)
{
    return to->line ? walk(s, to, SES_NEXT_INSN, stop, is_there, err) : EBB_OK;
}

/* What a function does before it ticks is still of its caller's time; and the instruction after one that ticks has the new time already, for which
 * the stop at that comes too late.  Both lie on the way from the timestamp before. */
static ebb_status walk_from_before(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err)
{
    ebb_position now;
    if (!s->language->counting->ticks_in_code)
        return EBB_OK;
    EBB_TRY(ses_again_begin(s, stop, err));
    EBB_TRY(ses_counted_now(s, &now, err));
    if (now.timestamp + 1 < to->time)
        EBB_TRY(ses_again_to_time_or_after(s, to->time - 1, stop, err));
    return walk(s, to, SES_STEP_INSN, stop, is_there, err);
}

/* ---- one way after the other ---- */

/* To the first moment of the timestamp, in a new run. */
static ebb_status begin_at(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_again_begin(s, stop, err));
    EBB_TRY(ses_again_to_time(s, time, stop, err));
    return ses_again_leave_tick(s, stop, err);
}

typedef ebb_status way(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err);

/* Each from the first moment of the timestamp.  Where a line begins is what is meant first, as for a breakpoint; then come the other instructions at
 * which `when` may have written it; and at last one where it begins, though `when` tells otherwise. */
static ebb_status try_ways(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err)
{
    static way *const ways[] = {run_to_shown, walk_over_calls, walk_from_before, run_to_places};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (i > 0)
            EBB_TRY(begin_at(s, to->time, stop, err));
        EBB_TRY(ways[i](s, to, stop, is_there, err));
        if (*is_there)
            return EBB_OK;
    }
    return EBB_OK;
}

ebb_status ses_again_to_place(session *s, const ses_position *to, ses_stop *stop, ebb_error *err)
{
    bool is_there = false;
    if (!to->line && to->places.n > 0 && stands_at(s, to->time, &to->places))
        return EBB_OK;
    EBB_TRY(ses_again_leave_tick(s, stop, err));
    if (to->places.n == 0 && !to->line)
        return EBB_OK;
    EBB_TRY(try_ways(s, to, stop, &is_there, err));
    return is_there ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "That place is not passed at timestamp %lu.", (unsigned long)to->time);
}

/* Goes on from here if that is the way, or runs again. */
static ebb_status come_to_time(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    bool is_ahead = s->machine && s->thread == ses_again_main_thread(s) && ses_counted_now(s, &now, NULL) == EBB_OK && now.timestamp < time;
    if (!is_ahead)
        EBB_TRY(ses_again_begin(s, stop, err));
    return ses_again_to_time(s, time, stop, err);
}

/* A class that the place names may be there only then: so its time comes first. */
static ebb_status go_to_text(session *s, const char *text, ses_stop *stop, ebb_error *err)
{
    ses_position to;
    if (strcmp(text, "end") == 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "A program that counts by itself keeps no end to go to: `continue` runs there.");
    ebb_status status = ses_position_parse(s, text, &to, err);
    bool may_come = status == EBB_NOT_FOUND && s->language->code_comes_later;
    if (status == EBB_OK || may_come)
        status = come_to_time(s, to.time, stop, err);
    if (status == EBB_OK && may_come) {
        ses_position_fini(&to);
        status = ses_position_parse(s, text, &to, err);
    }
    ses_position_keep_line(&to);
    if (status == EBB_OK)
        status = ses_again_to_place(s, &to, stop, err);
    ses_position_fini(&to);
    return status;
}

ebb_status ses_again_go_to(session *s, ebb_position at, ses_stop *stop, ebb_error *err)
{
    ses_position to = {.time = at.timestamp};
    ebb_vec_push(&to.places, ((sym_spot){.addr = at.place}));
    ebb_status status = come_to_time(s, to.time, stop, err);
    if (status == EBB_OK)
        status = ses_again_to_place(s, &to, stop, err);
    if (status == EBB_NOT_FOUND) /* CT1: an earlier run was there */
        status = ses_again_differs(err);
    ses_position_fini(&to);
    return status;
}

/* ---- there and back ---- */

/* A run that came to its end has no moment to return to. */
static void leave(session *s, ses_asked *from)
{
    *from = (ses_asked){.level = s->level};
    from->is_somewhere = s->thread == ses_again_main_thread(s) && ses_counted_now(s, &from->at, NULL) == EBB_OK;
    from->state = from->is_somewhere ? s->language->counting->state(s) : 0;
    ses_again_mute(s, &from->muted);
}

ebb_status ses_again_ask(session *s, ses_asked *from, ebb_error *err)
{
    EBB_TRY(ses_counted_now(s, &from->at, err));
    EBB_TRY(ses_counted_need_main(s, err));
    leave(s, from);
    return EBB_OK;
}

bool ses_again_is_there(session *s, const ses_asked *from, ebb_position now)
{
    return s->machine && ebb_position_compare(now, from->at) == 0;
}

bool ses_again_is_same(session *s, const ses_asked *from)
{
    return from->state == 0 || s->language->counting->state(s) == from->state;
}

/* From the first pass of the place on to the one that is meant. */
static ebb_status go_on_to_pass(session *s, const ses_asked *from, ses_stop *stop, ebb_error *err)
{
    ebb_position now = from->at;
    while (ses_again_is_there(s, from, now) && !ses_again_is_same(s, from)) {
        EBB_TRY(ses_again_stop_at(s, now.timestamp, now.timestamp + 1, err));
        EBB_TRY(ses_counted_run_to(s, &from->at.place, 1, stop, err));
        if (s->machine && stop->kind == SES_STOP_INTERRUPTED)
            return ses_again_interrupted(err);
        if (s->machine)
            EBB_TRY(ses_counted_now(s, &now, err));
    }
    ses_again_forget_stop(s);
    return ses_again_is_there(s, from, now) ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No pass of that place is as it was.");
}

ebb_status ses_again_go_to_pass(session *s, const ses_asked *from, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_again_go_to(s, from->at, stop, err));
    return go_on_to_pass(s, from, stop, err);
}

/* CT4.  Registers may have other values in each run: then the first pass is what there is. */
static void return_to(session *s, const ses_asked *from)
{
    ses_stop stop;
    ebb_position now;
    bool is_there = s->machine && ses_counted_now(s, &now, NULL) == EBB_OK && ses_again_is_there(s, from, now) && ses_again_is_same(s, from);
    if (is_there || ses_again_go_to_pass(s, from, &stop, NULL) == EBB_OK || ses_again_go_to(s, from->at, &stop, NULL) == EBB_OK)
        ses_select(s, s->thread, from->level);
}

ebb_status ses_again_return(session *s, ses_asked *from, ebb_status status)
{
    if (status != EBB_OK && status != EBB_DIVERGED && from->is_somewhere)
        return_to(s, from);
    ses_again_unmute(s, &from->muted);
    return status;
}

ebb_status ses_counted_goto(session *s, const char *typed, ses_stop *stop, ebb_error *err)
{
    ses_asked from;
    char *text = ebb_text_rtrim(ebb_strdup(ebb_text_skip_space(typed)));
    const ebb_bookmark *mark = s->bookmarks ? ebb_bookmarks_find(s->bookmarks, text) : NULL;
    leave(s, &from);
    ebb_status status = mark                         ? ses_again_go_to(s, mark->at, stop, err)
                        : strcmp(text, "start") == 0 ? ses_again_begin(s, stop, err)
                                                     : go_to_text(s, text, stop, err);
    free(text);
    if (status == EBB_OK)
        stop->kind = SES_STOP_POSITION;
    return ses_again_return(s, &from, status);
}
