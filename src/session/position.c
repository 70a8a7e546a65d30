/* position.c - see position.h. */
#include "session/position.h"
#include "session/counted.h"
#include "session/goto.h"
#include "session/language.h"
#include "session/move.h"
#include "session/verbs.h"

#include <stdlib.h>
#include <string.h>

/* ---- naming --------------------------------------------------------------------------------- */

bool ses_position_split(const char *text, uint64_t *time, const char **where)
{
    char digits[24];
    size_t n = strspn(text, "0123456789");
    if (n == 0 || n >= sizeof digits || text[n] != '@')
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    *where = text + n + 1;
    if (ebb_text_is_blank(*where))
        return false;
    const char *decimal = digits + strspn(digits, "0"); /* a leading zero means nothing here */
    return ebb_text_to_u64(*decimal ? decimal : "0", time);
}

bool ses_is_position(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '@';
}

ebb_status ses_need_time(session *s, ebb_error *err)
{
    bool counts = s->machine ? machine_can(s->machine, MACHINE_COUNTS_TIME)
                             : s->language->counts_time || s->mode == SES_MODE_VM;
    return counts || ses_is_counted(s) ? EBB_OK
                  : ebb_fail(err, EBB_UNSUPPORTED,
                             "native mode counts no time, so there are no positions; `mode vm` does");
}

static char *words_of(session *s, ebb_position at, bool to_instruction)
{
    ebb_buf words = {0};
    ebb_buf_addf(&words, "%lu@", (unsigned long)at.timestamp);
    s->language->place_words(s, at.place, to_instruction, &words);
    return ebb_buf_take(&words);
}

const char *ses_position_words(session *s, ebb_arena *arena, ebb_position at, bool to_instruction)
{
    char *text = words_of(s, at, to_instruction);
    const char *result = ebb_arena_strdup(arena, text);
    free(text);
    return result;
}

ebb_status ses_when(session *s, bool to_instruction, char **text, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_position now;
    EBB_TRY(ses_is_counted(s) ? ses_counted_now(s, &now, err) : ebb_timeline_now(s->timeline, s->thread, &now, err));
    *text = words_of(s, now, to_instruction);
    return EBB_OK;
}

bool ses_position_is_shown(session *s, const ses_where *where)
{
    ebb_arena arena = {0};
    const char *file;
    bool is_known = where->kind == SES_WHERE_LINE && ses_is_counted(s) && !s->language->code_comes_later &&
                    s->language->source_file(s, &arena, where->file, &file, NULL) == EBB_OK;
    ebb_arena_fini(&arena);
    return is_known;
}

void ses_position_keep_line(ses_position *position)
{
    unsigned line;
    size_t n = 0;
    if (!position->line || ses_where_parse_line(strrchr(position->line, ':') + 1, &line, NULL) != EBB_OK)
        return;
    for (size_t i = 0; i < position->places.n; i++)
        if (position->places.items[i].line == line)
            position->places.items[n++] = position->places.items[i];
    position->places.n = n;
}

void ses_position_fini(ses_position *position)
{
    ebb_vec_fini(&position->places);
    free(position->line);
    position->line = NULL;
}

ebb_status ses_position_parse(session *s, const char *typed, ses_position *position, ebb_error *err)
{
    ebb_arena arena = {0};
    const char *place;
    ses_where where;
    char *text = ebb_text_rtrim(ebb_arena_strdup(&arena, ebb_text_skip_space(typed)));
    ebb_status status = EBB_OK;
    *position = (ses_position){0};
    if (*text && strspn(text, "0123456789") == strlen(text)) {
        if (!ebb_text_to_u64(text, &position->time))
            status = ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is no timestamp.", text);
    } else if (!ses_position_split(text, &position->time, &place))
        status = ebb_fail(err, EBB_BAD_INPUT,
                          "\"%.60s\" is no position; write TIMESTAMP@PLACE, as `when` does, or a timestamp.", text);
    else {
        status = ses_where_parse(s, &arena, place, &where, err);
        if (status == EBB_OK && where.kind == SES_WHERE_LINE && strchr(place, ':'))
            position->line = ebb_strdup(place);
        if (status == EBB_OK)
            status = ses_where_spots(s, &where, &position->places, err);
        if (status == EBB_NOT_FOUND && position->line && ses_position_is_shown(s, &where))
            status = EBB_OK;
    }
    ebb_arena_fini(&arena);
    return status;
}

/* ---- moments -------------------------------------------------------------------------------- */

static bool is_in_same_function(session *s, uint64_t a, uint64_t b)
{
    return s->language->function_of(s, a) == s->language->function_of(s, b);
}

bool ses_position_next(session *s, uint64_t time, const uint64_t *places, size_t n, uint64_t *until_place)
{
    ebb_position now;
    *until_place = 0;
    if (ebb_timeline_now(s->timeline, s->thread, &now, NULL) != EBB_OK || now.timestamp > time)
        return false;
    if (now.timestamp < time)
        return true;
    bool found = false;
    for (size_t i = 0; i < n; i++)
        if (places[i] > now.place && is_in_same_function(s, places[i], now.place) &&
            (!found || places[i] < *until_place)) {
            *until_place = places[i];
            found = true;
        }
    return found;
}

bool ses_position_is_now(session *s, uint64_t time)
{
    return machine_can(s->machine, MACHINE_COUNTS_TIME) && s->machine->ops->timestamp(s->machine) == time;
}

/* ---- breakpoints ---------------------------------------------------------------------------- */

static void put_first(machine_request *request, uint64_t time, uint64_t place)
{
    ebb_position here = {.timestamp = time, .place = place},
                 other = {.timestamp = request->until_time, .place = request->until_place};
    if (request->until && ebb_position_compare(other, here) <= 0)
        return;
    request->until = true;
    request->until_time = time;
    request->until_place = place;
}

void ses_position_request(session *s, machine_request *request)
{
    if (!machine_can(s->machine, MACHINE_COUNTS_TIME))
        return;
    if (s->counted_stop)
        put_first(request, s->counted_stop, 0);
    if (ses_is_counted(s))
        return; /* it goes to them by itself */
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        uint64_t places[SES_MOVE_MAX_POINTS], place;
        size_t n = 0;
        if (!bp->is_position || !bp->view.enabled)
            continue;
        for (; n < bp->locations.n && n < SES_MOVE_MAX_POINTS; n++)
            places[n] = bp->locations.items[n].spot.addr;
        if (ses_position_next(s, bp->time, places, n, &place))
            put_first(request, bp->time, place);
    }
}

/* ---- goto ----------------------------------------------------------------------------------- */

typedef struct traveller {
    ses_move move; /* first */
    ses_position to;
} traveller;

static void aim(session *s, traveller *t, bool *is_there)
{
    uint64_t places[SES_MOVE_MAX_POINTS], place = 0;
    size_t n = 0;
    for (; n < t->to.places.n && n < SES_MOVE_MAX_POINTS; n++)
        places[n] = t->to.places.items[n].addr;
    *is_there = !ses_position_next(s, t->to.time, places, n, &place);
    t->move.request.until = true;
    t->move.request.until_time = t->to.time;
    t->move.request.until_place = place;
}

static bool stands_there(session *s, const traveller *t)
{
    ebb_position now;
    if (ebb_timeline_now(s->timeline, s->thread, &now, NULL) != EBB_OK || now.timestamp != t->to.time)
        return false;
    for (size_t i = 0; i < t->to.places.n; i++)
        if (t->to.places.items[i].addr == now.place)
            return true;
    return t->to.places.n == 0;
}

static ebb_status travelled(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    (void)err;
    traveller *t = (traveller *)move;
    stop->kind = SES_STOP_POSITION;
    *done = stands_there(s, t);
    if (!*done)
        aim(s, t, done);
    return EBB_OK;
}

static ebb_status go_forward(session *s, traveller *t, ses_stop *stop, ebb_error *err)
{
    bool is_there;
    ses_select_innermost(s);
    t->move.arrived = travelled;
    t->move.request = (machine_request){.move = MACHINE_RUN, .quiet = true};
    aim(s, t, &is_there);
    return ses_move_run(s, &t->move, stop, err);
}

/* Not lived yet: there is no way to it but living. */
static bool is_in_future(session *s, const char *typed)
{
    uint64_t time;
    const char *where, *text = ebb_text_skip_space(typed);
    ebb_position now;
    if (ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_LIVE || ebb_timeline_now(s->timeline, 0, &now, NULL) != EBB_OK)
        return false;
    bool is_known = s->bookmarks && ebb_bookmarks_find(s->bookmarks, text);
    return !is_known && (ses_position_split(text, &time, &where) || ebb_text_to_u64(text, &time)) && time > now.timestamp;
}

ebb_status ses_goto(session *s, const char *position, ses_stop *stop, ebb_error *err)
{
    traveller t = {0};
    ebb_position now;
    if (ses_is_counted(s))
        return ses_counted_goto(s, position, stop, err);
    if (s->machine && machine_can(s->machine, MACHINE_RECORDS) && !is_in_future(s, position))
        return ses_travel(s, position, stop, err);
    EBB_TRY(ses_need_debuggee(s, err));
    if (ses_need_time(s, NULL) != EBB_OK)
        return ebb_fail(err, EBB_NO_HISTORY,
                        "native mode keeps no history and counts no time, so there are no positions to go to");
    EBB_TRY(ebb_timeline_now(s->timeline, s->thread, &now, err));
    ebb_status status = ses_position_parse(s, position, &t.to, err);
    if (status == EBB_OK && t.to.time < now.timestamp)
        status = ebb_fail(err, EBB_NO_HISTORY, "That was before now, and no history is kept to go back in.");
    else if (status == EBB_OK)
        status = go_forward(s, &t, stop, err);
    ses_position_fini(&t.to);
    return status;
}
