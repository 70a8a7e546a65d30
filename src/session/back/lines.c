/* lines.c - the last line of a frame before now: the first search of back.h. */
#include "session/back/back.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/travel.h"

typedef struct line_search {
    ses_search search; /* first */
    ses_activation who;
    ses_found_kind kind; /* of what was found */
} line_search;

/* The machine found it: only what it is has to be told. */
static ebb_status reached(session *s, ses_search *search, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    line_search *l = (line_search *)search;
    ses_activation top;
    if (!ses_activation_at(s, at->thread, 0, &top))
        return ebb_fail(err, EBB_UNSUPPORTED, "the frame can't be found");
    bool is_call = l->who.has_caller && top.place == l->who.call && ses_frame_id_same(top.id, l->who.caller);
    l->kind = is_call ? SES_FOUND_CALL : SES_FOUND_LINE;
    *verdict = EBB_STOP_HERE;
    return EBB_OK;
}

static line_search search_of(const ses_activation *who, ses_users users)
{
    return (line_search){
        .search = {.thread = who->thread, .users = users, .reached = reached},
        .who = *who,
        .kind = SES_FOUND_OTHER,
    };
}

/* ---- points ------------------------------------------------------------------------------------- */

typedef struct grouped_points {
    EBB_VEC(machine_point) points;
    EBB_VEC(uint32_t) groups; /* as many */
    EBB_VEC(ses_row) lines;   /* line i is group i + 1 */
} grouped_points;

static void grouped_points_fini(grouped_points *g)
{
    ebb_vec_fini(&g->points);
    ebb_vec_fini(&g->groups);
    ebb_vec_fini(&g->lines);
}

static uint32_t group_of(grouped_points *g, const ses_row *line)
{
    size_t i = 0;
    while (i < g->lines.n && !ses_row_same_line(&g->lines.items[i], line))
        i++;
    if (i == g->lines.n)
        ebb_vec_push(&g->lines, *line);
    return (uint32_t)i + 1;
}

/* A line is a group: it counts where it begins and another one was before. */
static ebb_status add_lines(session *s, const ses_activation *who, grouped_points *g, ebb_error *err)
{
    ses_places starts = {0};
    ebb_status status = s->language->line_starts(s, who->place, &starts, err);
    for (size_t i = 0; i < starts.n; i++) {
        ses_row line;
        ses_row_at(s, starts.items[i], who->inlined, &line);
        ebb_vec_push(&g->points, ses_activation_point(who->id, starts.items[i]));
        ebb_vec_push(&g->groups, group_of(g, &line));
    }
    ebb_vec_fini(&starts);
    return status;
}

/* Where the frame was called, in the one that did: no line before it is of this activation (AV1). */
static void add_call(session *s, const ses_activation *who, grouped_points *g)
{
    if (!who->has_caller)
        return;
    ebb_vec_push(&g->points, ses_activation_point(who->caller, who->call));
    ebb_vec_push(&g->groups, MACHINE_GROUP_FRESH);
}

static ebb_status note(session *s, line_search *l, grouped_points *g, ebb_error *err)
{
    ebb_status status = ses_search_note(s, &l->search, g->points.items, g->groups.items, g->points.n, err);
    grouped_points_fini(g);
    return status;
}

/* ---- searching ---------------------------------------------------------------------------------- */

static ebb_status run(session *s, line_search *l, ses_found *found, ebb_error *err)
{
    ebb_status status = ses_search_run(s, &l->search, err);
    if (status != EBB_OK) {
        ses_search_fini(s, &l->search);
        return status;
    }
    found->search = l->search;
    found->kind = ses_search_found_own(&l->search) ? l->kind : SES_FOUND_OTHER;
    return EBB_OK;
}

ebb_status ses_line_before(session *s, const ses_activation *who, ses_users users, ses_found *found, ebb_error *err)
{
    line_search l = search_of(who, users);
    grouped_points g = {0};
    ebb_status status = add_lines(s, who, &g, err);
    if (status != EBB_OK) {
        grouped_points_fini(&g);
        return status;
    }
    add_call(s, who, &g);
    EBB_TRY(note(s, &l, &g, err));
    EBB_TRY(run(s, &l, found, err));
    if (found->search.at.kind == MACHINE_STOP_HISTORY_START && !who->has_caller)
        found->kind = SES_FOUND_NOTHING;
    return EBB_OK;
}

ebb_status ses_call_before(session *s, const ses_activation *who, ses_users users, ses_found *found, ebb_error *err)
{
    line_search l = search_of(who, users);
    grouped_points g = {0};
    *found = (ses_found){.kind = SES_FOUND_NOTHING};
    if (!who->has_caller)
        return EBB_OK;
    add_call(s, who, &g);
    EBB_TRY(note(s, &l, &g, err));
    return run(s, &l, found, err);
}

/* ---- and further out ---------------------------------------------------------------------------- */

/* Whether the frame was on another line before this moment, at which one of its lines begins. */
static ebb_status check_line_changed(session *s, const ses_activation *who, bool *changed, ebb_error *err)
{
    ebb_position here;
    machine_stop at;
    ses_row line, before;
    ses_row_at(s, ses_activation_place(s, who), who->inlined, &line);
    EBB_TRY(ses_now(s, &here, err));
    EBB_TRY(ses_instruction_before(s, &at, err));
    ses_moved(s, &at);
    ses_row_at(s, ses_activation_place(s, who), who->inlined, &before);
    *changed = !ses_row_same_line(&line, &before);
    return ses_seek(s, here, &at, err);
}

/* From a call on out to a frame that is shown.  *who is that frame, at the call that it made. */
static ebb_status go_out(session *s, ses_activation *who, ses_users users, ses_found *found, ebb_error *err)
{
    while (found->kind == SES_FOUND_CALL) {
        if (!ses_activation_at(s, who->thread, 0, who))
            return ebb_fail(err, EBB_UNSUPPORTED, "the caller can't be found");
        if (s->language->is_shown(s, who->place))
            return EBB_OK;
        ses_search_fini(s, &found->search);
        EBB_TRY(ses_call_before(s, who, users, found, err));
    }
    return EBB_OK;
}

/* Whether the call at which the debuggee stands, in `who`, is the first instruction of its line. */
static ebb_status check_line_begins(session *s, const ses_activation *who, bool *begins, ebb_error *err)
{
    ses_row line;
    *begins = ses_row_at(s, who->place, who->inlined, &line) && line.lo == who->place;
    return *begins ? check_line_changed(s, who, begins, err) : EBB_OK;
}

ebb_status ses_line_before_or_caller(session *s, ses_activation *who, ses_users users, ses_found *found, ebb_error *err)
{
    do {
        bool begins = false;
        EBB_TRY(ses_line_before(s, who, users, found, err));
        if (found->kind == SES_FOUND_CALL)
            EBB_TRY(go_out(s, who, users, found, err));
        if (found->kind == SES_FOUND_CALL)
            EBB_TRY(check_line_begins(s, who, &begins, err));
        if (begins)
            found->kind = SES_FOUND_LINE;
        if (found->kind == SES_FOUND_CALL)
            ses_search_fini(s, &found->search);
    } while (found->kind == SES_FOUND_CALL);
    return EBB_OK;
}
