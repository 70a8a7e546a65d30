/* undo.c - the undo log as the remote machine has it (jvm/undo/undo.h).
 *
 * Which log is kept is the machine's to say, not a copy's (MH2): each process is told when it is about to run, and only if it
 * was told something else before.
 *
 * What the user changed at a stop needs no care: doing it, and doing it again in a replay, cuts the log. */
#include "jvm/remote/machine_ops.h"

#include <string.h>

ebb_status jvm_remote_undo_set(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    r->undo_live = live_nbytes;
    r->undo_replay = replay_nbytes;
    return EBB_OK;
}

ebb_status jvm_remote_sync_undo(jvm_remote *r, bool forgets, ebb_error *err)
{
    bool replays = jvm_remote_is_replaying(r);
    jvm_wire_number q = {.value = !replays ? r->undo_live : forgets ? 0 : r->undo_replay};
    jvm_wire_nothing a;
    if (q.value == r->undo_told)
        return EBB_OK;
    ebb_status status = jvm_remote_ask_undo_set(r, &r->for_now, &q, &a, err);
    if (status != EBB_OK && status != EBB_SYSTEM) /* no room: it does without, and rewinds nowhere */
        return status;
    r->undo_told = q.value;
    if (r->fd == r->live_fd)
        r->undo_told_live = q.value;
    return EBB_OK;
}

/* ---- what it keeps ---- */

ebb_status jvm_remote_tell_choice(jvm_remote *r, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_undo_choice q = {.first_method = r->undo_first};
    jvm_wire_nothing a;
    if (r->fd < 0 || (r->undo_patterns.n == 0 && r->undo_first == NULL))
        return EBB_OK;
    q.patterns.items = EBB_ARENA_ARRAY(&arena, jvm_wire_name, r->undo_patterns.n + 1);
    for (size_t i = 0; i < r->undo_patterns.n; i++)
        q.patterns.items[q.patterns.n++].text = r->undo_patterns.items[i];
    ebb_status status = jvm_remote_ask_undo_choose(r, &arena, &q, &a, err);
    ebb_arena_fini(&arena);
    return status;
}

static bool is_chosen(const jvm_remote *r, const char *const *patterns, size_t n, const char *first_method)
{
    bool same = n == r->undo_patterns.n && strcmp(first_method ? first_method : "", r->undo_first ? r->undo_first : "") == 0;
    for (size_t i = 0; same && i < n; i++)
        same = strcmp(patterns[i], r->undo_patterns.items[i]) == 0;
    return same;
}

ebb_status jvm_remote_undo_choose(machine *m, const char *const *patterns, size_t n, const char *first_method, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    if (is_chosen(r, patterns, n, first_method))
        return EBB_OK; /* telling it again would cut the log */
    jvm_remote_texts_set(&r->undo_patterns, patterns, n);
    free(r->undo_first);
    r->undo_first = first_method != NULL && *first_method != '\0' ? ebb_strdup(first_method) : NULL;
    if (n > 0 || r->undo_first != NULL)
        return jvm_remote_tell_choice(r, err);
    jvm_wire_undo_choice everything = {0};
    jvm_wire_nothing a;
    return r->fd < 0 ? EBB_OK : jvm_remote_ask_undo_choose(r, &r->for_now, &everything, &a, err);
}

void jvm_remote_undo_history(jvm_remote *r, machine_history *out)
{
    jvm_wire_nothing q = {0};
    jvm_wire_undo_extent a = {0};
    out->undo_limit = jvm_remote_is_replaying(r) ? r->undo_replay : r->undo_live;
    if (r->fd < 0 || r->undo_told == 0 || jvm_remote_ask_undo_extent(r, &r->for_now, &q, &a, NULL) != EBB_OK)
        return;
    out->undo_nbytes = a.used;
    out->undo_oldest = a.oldest;
    out->undo_cut_by = a.cut_by;
}

/* ---- going back ---- */

/* A frame that was over is there again, and with it its variables. */
static ebb_status tell_local_points(jvm_remote *r, ebb_error *err)
{
    for (size_t i = 0; i < r->points.n; i++) {
        jvm_wire_number id = {.value = (uint64_t)r->points.items[i].id};
        jvm_wire_nothing a;
        if (!jvm_remote_point_is_local(&r->points.items[i].point))
            continue;
        EBB_TRY(jvm_remote_ask_point_clear(r, &r->for_now, &id, &a, err));
        ebb_error ignored; /* it may make no sense here */
        if (jvm_remote_tell_point(r, &r->for_now, &r->points.items[i], &ignored) == EBB_GONE)
            return ebb_fail(err, EBB_GONE, "%s", ignored.text);
    }
    return EBB_OK;
}

uint64_t jvm_remote_undo_oldest(void *self)
{
    jvm_remote *r = self;
    jvm_wire_nothing q = {0};
    jvm_wire_undo_extent extent = {0};
    if (r->fd < 0 || r->undo_told == 0 || jvm_remote_ask_undo_extent(r, &r->for_now, &q, &extent, NULL) != EBB_OK)
        return UINT64_MAX;
    return extent.oldest;
}

ebb_status jvm_remote_rewind(void *self, ebb_position to, bool *reached, ebb_error *err)
{
    jvm_remote *r = self;
    jvm_wire_position q = {.time = to.timestamp, .place = to.place};
    jvm_wire_rewound a = {0};
    *reached = false;
    if (r->fd < 0 || r->undo_told == 0)
        return EBB_OK;
    EBB_TRY(jvm_remote_ask_rewind(r, &r->for_now, &q, &a, err));
    *reached = a.reached != 0;
    if (!*reached)
        return EBB_OK;
    jvm_remote_forget(r);
    r->time = a.time;
    r->place = a.place;
    r->thread = (machine_tid)a.thread;
    return tell_local_points(r, err);
}
