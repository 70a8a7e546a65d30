/* goto.c - to a position, where the machine keeps a history: to any, in either direction; and a look at one without going. */
#include "session/goto.h"
#include "session/counted.h"
#include "session/language.h"
#include "session/links.h"
#include "session/move.h"
#include "session/position.h"
#include "session/travel.h"
#include "session/visit.h"
#include "session/where.h"

#include <stdlib.h>
#include <string.h>

/* ---- where to --------------------------------------------------------------------------------- */

/* The first moment of a timestamp, and what is meant of it. */
static ebb_status go_to_time(session *s, uint64_t time, machine_stop *at, ebb_error *err)
{
    return ses_seek(s, (ebb_position){.timestamp = time}, at, err);
}

static bool stands_at(session *s, uint64_t time, const uint64_t *places, size_t n)
{
    ebb_position now;
    if (ebb_timeline_now(s->timeline, 0, &now, NULL) != EBB_OK || now.timestamp != time)
        return false;
    for (size_t i = 0; i < n; i++)
        if (places[i] == now.place)
            return true;
    return false;
}

/* On from the first moment of its time to the one of the places that lies ahead: a line may be several, of which the running
 * function has one. */
static ebb_status go_on_to_place(session *s, uint64_t time, const uint64_t *places, size_t n, machine_stop *at, ebb_error *err)
{
    uint64_t until;
    while (!stands_at(s, time, places, n) && ses_position_next(s, time, places, n, &until)) {
        EBB_TRY(ses_seek(s, (ebb_position){.timestamp = time, .place = until}, at, err));
        if (at->kind != MACHINE_STOP_POSITION)
            return EBB_OK;
    }
    if (!stands_at(s, time, places, n))
        ses_say(s, SES_NOTICE_WARNING, 0, "That place is not passed at %lu: this is the nearest moment.", (unsigned long)time);
    return EBB_OK;
}

static ebb_status go_to_place(session *s, uint64_t time, const char *text, machine_stop *at, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_where where;
    sym_spots spots = {0};
    EBB_VEC(uint64_t) places = {0};
    ebb_status status = ses_where_parse(s, &arena, text, &where, err);
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, &spots, err);
    for (size_t i = 0; i < spots.n; i++)
        ebb_vec_push(&places, spots.items[i].addr);
    if (status == EBB_OK)
        status = go_on_to_place(s, time, places.items, places.n, at, err);
    ebb_vec_fini(&places);
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    return status;
}

/* Classes that the place names may not be there now but then: so its time comes first. */
static ebb_status go_to_position(session *s, const char *text, machine_stop *at, ebb_error *err)
{
    uint64_t time;
    const char *where;
    ebb_position before;
    bool stood = ebb_timeline_now(s->timeline, 0, &before, NULL) == EBB_OK;
    if (!ses_position_split(text, &time, &where))
        return ebb_fail(err, EBB_BAD_INPUT,
                        "\"%.60s\" is no bookmark and no position; write TIMESTAMP@PLACE, as `when` does, or a timestamp.", text);
    EBB_TRY(go_to_time(s, time, at, err));
    if (at->kind != MACHINE_STOP_POSITION)
        return EBB_OK;
    ebb_status status = go_to_place(s, time, where, at, err);
    ebb_error ignored;
    if (status != EBB_OK && stood) /* SE1 */
        (void)!ses_seek(s, before, at, &ignored);
    return status;
}

static ebb_status go_to_link(session *s, const char *text, machine_stop *at, ebb_error *err)
{
    ebb_position link;
    EBB_TRY(ses_links_find(s, text, &link, err));
    return ses_seek(s, link, at, err);
}

static ebb_status go(session *s, const char *text, machine_stop *at, ebb_error *err)
{
    uint64_t time;
    const ebb_bookmark *mark = s->bookmarks ? ebb_bookmarks_find(s->bookmarks, text) : NULL;
    if (strcmp(text, "start") == 0)
        return ebb_timeline_seek_start(s->timeline, at, err);
    if (strcmp(text, "end") == 0)
        return ebb_timeline_seek_end(s->timeline, at, err);
    if (mark)
        return ses_seek(s, mark->at, at, err);
    if (*text == '#')
        return go_to_link(s, text, at, err);
    if (*text && strspn(text, "0123456789") == strlen(text)) {
        if (!ebb_text_to_u64(text + strspn(text, "0"), &time) && strspn(text, "0") != strlen(text))
            return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is no timestamp.", text);
        return go_to_time(s, strspn(text, "0") == strlen(text) ? 0 : time, at, err);
    }
    return go_to_position(s, text, at, err);
}

ebb_status ses_travel(session *s, const char *typed, ses_stop *stop, ebb_error *err)
{
    machine_stop at;
    EBB_TRY(ses_need_history(s, err));
    char *text = ebb_text_rtrim(ebb_strdup(ebb_text_skip_space(typed)));
    ebb_status status = go(s, text, &at, err);
    free(text);
    if (status == EBB_OK)
        ses_settle_at(s, &at, SES_STOP_POSITION, stop);
    else if (ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_POISONED)
        ses_end(s);
    return status;
}

/* ---- without going ------------------------------------------------------------------------------ */

/* Where history ended on the way, its end is not what was asked for. */
static bool is_beyond(session *s, const char *position, const machine_stop *at)
{
    uint64_t time = strtoull(position, NULL, 10);
    ebb_position now;
    return at->kind == MACHINE_STOP_HISTORY_END && ebb_timeline_now(s->timeline, 0, &now, NULL) == EBB_OK && time > now.timestamp;
}

static ebb_status look_there(session *s, const char *position, const char *expression, const expr_format *format, ebb_buf *text, ebb_error *err)
{
    machine_stop at;
    EBB_TRY(go(s, position, &at, err));
    if (at.kind == MACHINE_STOP_INTERRUPTED)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    if (is_beyond(s, position, &at))
        return ebb_fail(err, EBB_BAD_INPUT, "%.60s has not come yet: history ends before it (info history).", position);
    ses_moved(s, &at);
    if (ses_is_after_end(s))
        return ebb_fail(err, EBB_BAD_INPUT, "The program has ended there: name a moment before that.");
    ebb_error why;
    const ses_frame *frame;
    ebb_status status = ses_output(s, expression, format, text, &why);
    if (status == EBB_OK)
        return EBB_OK;
    if (ses_frame_get(s, 0, &frame, NULL) != EBB_OK || !frame->name)
        return ebb_fail(err, status, "%s", why.text);
    return ebb_fail(err, status, "In %.80s, where it was then: %s", frame->name, why.text);
}

ebb_status ses_as_of(session *s, const char *position, const char *expression, const expr_format *format, ebb_buf *text, ebb_error *err)
{
    ses_visit visit;
    if (!ses_is_after_end(s))
        EBB_TRY(ses_need_debuggee(s, err));
    if (ses_is_counted(s))
        return ebb_fail(err, EBB_UNSUPPORTED, "This program's past is reached by running it again, so nothing can be looked at in passing: goto %.60s, then print.", position);
    EBB_TRY(ses_visit_begin(s, &visit, err));
    return ses_visit_end(s, &visit, look_there(s, position, expression, format, text, err), err);
}
