/* last_line.c - from the end of the program back to the last line of its own code.
 *
 * What ran last of all is nobody's code: of Java, the library's way out.  So the last line is looked for in two searches.  The first
 * finds the last moment at which a function that a person steps through was entered.  From there on no further one was: every line that
 * began later is of a function that was under way then, in whatever thread.  The second finds the last of those. */
#include "session/back/back.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/travel.h"

static ebb_status agree(session *s, ses_search *search, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    *verdict = EBB_STOP_HERE;
    return EBB_OK;
}

typedef struct group_places {
    EBB_VEC(machine_point) points;
    EBB_VEC(uint32_t) groups; /* as many */
} group_places;

static void add_place(group_places *g, machine_place place, uint32_t group)
{
    ebb_vec_push(&g->points, ((machine_point){.kind = MACHINE_POINT_EXEC, .addr = place}));
    ebb_vec_push(&g->groups, group);
}

/* Back to the last hit of one of the places, whoever's; *found false: there was none. */
static ebb_status search_back(session *s, group_places *g, bool *found, ebb_error *err)
{
    ses_search search = {.users.own_only = true, .reached = agree};
    ebb_status status = ses_search_note(s, &search, g->points.items, g->groups.items, g->points.n, err);
    if (status == EBB_OK)
        status = ses_search_run(s, &search, err);
    *found = status == EBB_OK && ses_search_found_own(&search);
    if (status == EBB_OK && search.at.kind == MACHINE_STOP_INTERRUPTED)
        status = ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    ses_search_fini(s, &search);
    ebb_vec_fini(&g->points);
    ebb_vec_fini(&g->groups);
    return status;
}

static ebb_status find_last_entry(session *s, bool *found, ebb_error *err)
{
    ses_places entries = {0};
    group_places g = {0};
    ebb_status status = s->language->own_entries(s, &entries, err);
    for (size_t i = 0; i < entries.n; i++)
        add_place(&g, entries.items[i], MACHINE_UNGROUPED);
    ebb_vec_fini(&entries);
    return status == EBB_OK ? search_back(s, &g, found, err) : status;
}

/* A line is a group: in a loop on one line, the last line is where that began. */
static ebb_status add_lines_of(session *s, machine_place place, group_places *g, uint32_t *n_groups, ebb_error *err)
{
    ses_places starts = {0};
    EBB_VEC(unsigned) lines = {0};
    ebb_status status = s->language->line_starts(s, place, &starts, err);
    for (size_t i = 0; i < starts.n; i++) {
        ses_row row = {0};
        size_t k = 0;
        ses_row_at(s, starts.items[i], 0, &row);
        while (k < lines.n && lines.items[k] != row.line)
            k++;
        if (k == lines.n)
            ebb_vec_push(&lines, row.line);
        add_place(g, starts.items[i], *n_groups + (uint32_t)k + 1);
    }
    *n_groups += (uint32_t)lines.n;
    ebb_vec_fini(&lines);
    ebb_vec_fini(&starts);
    return status;
}

typedef EBB_VEC(uint64_t) function_list;

static bool is_new_function(session *s, function_list *seen, machine_place place)
{
    uint64_t function = s->language->function_of(s, place);
    for (size_t i = 0; i < seen->n; i++)
        if (seen->items[i] == function)
            return false;
    ebb_vec_push(seen, function);
    return true;
}

static ebb_status add_thread(session *s, machine_tid thread, function_list *seen, group_places *g, uint32_t *n_groups, ebb_error *err)
{
    enum { AT_ONCE = 64 };
    ses_activation frames[AT_ONCE];
    ebb_status status = EBB_OK;
    size_t n = AT_ONCE;
    for (unsigned first = 0; status == EBB_OK && n == AT_ONCE; first += AT_ONCE) {
        n = s->language->activations(s, thread, first, frames, AT_ONCE);
        for (size_t i = 0; status == EBB_OK && i < n; i++)
            if (s->language->is_shown(s, frames[i].place) && is_new_function(s, seen, frames[i].place))
                status = add_lines_of(s, frames[i].place, g, n_groups, err);
    }
    return status;
}

/* Of the functions that are under way here. */
static ebb_status collect_lines(session *s, group_places *g, ebb_error *err)
{
    function_list seen = {0};
    uint32_t n_groups = 0;
    ebb_status status = EBB_OK;
    for (size_t i = 0; status == EBB_OK && i < s->threads.n; i++)
        status = add_thread(s, s->threads.items[i].tid, &seen, g, &n_groups, err);
    ebb_vec_fini(&seen);
    return status;
}

ebb_status ses_last_line(session *s, bool *is_there, ebb_position *found, ebb_error *err)
{
    ebb_position end;
    machine_stop at;
    group_places lines = {0};
    *is_there = false;
    EBB_TRY(ses_now(s, &end, err));
    EBB_TRY(find_last_entry(s, is_there, err));
    if (*is_there)
        EBB_TRY(collect_lines(s, &lines, err));
    EBB_TRY(ses_seek(s, end, &at, err));
    if (*is_there)
        EBB_TRY(search_back(s, &lines, is_there, err));
    return *is_there ? ses_now(s, found, err) : ses_seek(s, end, &at, err);
}
