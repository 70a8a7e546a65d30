/* search.c - hits that are noted instead of stopped at (machine/search.h).
 *
 * While a search is on, points that it lists are taken out of each stop before that becomes one.  A group whose points are hit again and
 * again is *muted*: its breakpoints are taken out of the code until another group is hit, so that the iterations of a loop on one line
 * run at full speed.  Muting a group whose hits alternate with another's would cost more than it saves, hence the patience.
 *
 * AQ1  no point is muted while ebb is talked to. */
#include "jvm/agent/internal.h"

#include "base/sizes.h"

#include "jvm/heap/heap.h"
#include "jvm/jvm.h"
#include "jvm/wire/places.h"
#include "machine/judge.h"

#include <string.h>

enum { PATIENCE = 4 };

typedef struct hit {
    jvm_wire_stop stop; /* its points are those below */
    jvm_wire_number points[MACHINE_STOP_MAX_POINTS];
} hit;

static struct {
    machine_judge judge;
    hit last, first, aside;
    bool has_aside;
    uint32_t muted_group; /* MACHINE_UNGROUPED: none is */
    bool only_noted;
    EBB_VEC(jvm_wire_listed) listed;
    unsigned depth;   /* of the pictures of what is listed; */
    ebb_arena pictures;
    size_t n_pictured; /* objects in all of them */
} found;

/* ---- groups ---- */

static void mute(uint32_t group, bool is_muted)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (p->group == group)
            agent_point_mute(p, is_muted);
    }
    found.muted_group = is_muted ? group : MACHINE_UNGROUPED;
}

static void mute_what_repeats(void)
{
    const machine_judge *j = &found.judge;
    if (found.muted_group != MACHINE_UNGROUPED && found.muted_group != j->last_group)
        mute(found.muted_group, false);
    if (j->n_same >= PATIENCE && found.muted_group == MACHINE_UNGROUPED)
        mute(j->last_group, true);
}

/* Those of its points whose bits are set. */
static void keep(hit *h, const jvm_wire_stop *stop, uint32_t bits)
{
    size_t n = 0;
    h->stop = *stop;
    for (size_t i = 0; i < stop->points.n; i++)
        if (bits >> i & 1)
            h->points[n++] = stop->points.items[i];
    h->stop.points.items = h->points;
    h->stop.points.n = n;
}

/* ---- lists ---- */

/* What the data of a point is now, if it is small and there. */
static bool read_data(const agent_point *p, const jvm_wire_stop *stop, uint64_t *bytes)
{
    const void *at = (const void *)(uintptr_t)p->addr;
    *bytes = 0;
    if (agent_is_local(p))
        return agent_local_get(p, bytes);
    if (p->kind == MACHINE_POINT_EXEC || p->space != JAVA_SPACE_OBJECT || p->nbytes > sizeof *bytes)
        return false;
    if (stop->object != 0 && !jvm_heap_holds((const jvm_obj *)(uintptr_t)stop->object))
        return false;
    memcpy(bytes, at, p->nbytes);
    return true;
}

static void list(const agent_point *p, const jvm_wire_stop *stop)
{
    jvm_wire_listed one = {.time = stop->time, .place = stop->place, .thread = stop->thread, .touched_by = stop->touched_by,
                           .object = stop->object, .was = stop->was, .is_new = stop->is_new};
    one.has_is = read_data(p, stop, &one.is);
    if (one.has_is && found.depth > 0)
        agent_picture(one.is, found.depth, &found.pictures, &one);
    found.n_pictured += one.picture.n;
    ebb_vec_push(&found.listed, one);
}

static bool has_listed_enough(void)
{
    return machine_judge_is_full(&found.judge, found.listed.n) || (found.judge.n_wanted > 0 && found.n_pictured >= JVM_PICTURED_AT_ONCE);
}

bool agent_search_is_full(void)
{
    return agent.searches && (machine_judge_has_lost_patience(&found.judge) || has_listed_enough());
}

/* ---- a hit ---- */

/* NULL: it is not noted.  A condition without an answer is for ebb to judge (CD3). */
static const machine_noted *noted_of(const agent_point *p, bool is_end, machine_noted *room)
{
    if (p == NULL || !p->is_noted || p->is_unsure)
        return NULL;
    bool is_too_late = is_end && p->kind == MACHINE_POINT_EXEC; /* SR2 */
    *room = (machine_noted){p->id, p->group, is_too_late ? MACHINE_NOTE_NOTHING : (machine_note)p->noted_as};
    return room;
}

static const agent_point *last_of(const jvm_wire_stop *all, uint32_t bits)
{
    size_t i = 31 - (size_t)__builtin_clz(bits);
    return agent_point_by_id((uint32_t)all->points.items[i].value);
}

void agent_search_note(jvm_thread *t, jvm_wire_stop *stop, uint64_t time, bool is_end)
{
    machine_noted room[MACHINE_STOP_MAX_POINTS];
    const machine_noted *noted[MACHINE_STOP_MAX_POINTS];
    jvm_wire_stop all = *stop;
    all.thread = t->id;
    all.place = agent_thread_place(t);
    all.time = time;
    for (size_t i = 0; i < all.points.n; i++)
        noted[i] = noted_of(agent_point_by_id((uint32_t)all.points.items[i].value), is_end, &room[i]);
    machine_verdict v = machine_judge_moment(&found.judge, noted, all.points.n);
    mute_what_repeats();
    if (v.is_first)
        keep(&found.first, &all, UINT32_MAX);
    if (v.aside)
        keep(&found.aside, &all, v.aside);
    if (v.hits)
        keep(&found.last, &all, v.hits | v.others);
    if (v.hits && found.judge.n_wanted > 0)
        list(last_of(&all, v.hits), &all);
    found.has_aside |= v.aside != 0;
    size_t n_left = 0;
    for (size_t i = 0; !found.only_noted && i < all.points.n; i++)
        if (v.others >> i & 1)
            stop->points.items[n_left++] = stop->points.items[i];
    stop->points.n = n_left;
}

/* ---- from the request to the answer ---- */

static void mark(const jvm_wire_search *q)
{
    for (size_t i = 0; i < q->noted.n; i++) {
        agent_point *p = agent_point_by_id(q->noted.items[i].id);
        if (p == NULL)
            continue;
        p->is_noted = true;
        p->group = q->noted.items[i].group;
        p->noted_as = q->noted.items[i].as;
    }
}

/* SR2: the instruction that it stands before is executed, and was looked at when it stopped there. */
static void note_here(void)
{
    if (jvm_self == NULL || jvm_self->frame == NULL || jvm_self->frame->kind != JVM_FRAME_JAVA)
        return;
    jvm_wire_number reached[MACHINE_STOP_MAX_POINTS];
    jvm_wire_stop stop = {.kind = MACHINE_STOP_POINT, .points = {.items = reached, .cap = MACHINE_STOP_MAX_POINTS}};
    agent_points_at(jvm_self, jvm_self->frame, true, &stop);
    if (stop.points.n > 0)
        agent_search_note(jvm_self, &stop, jvm_time(), false);
}

ebb_status agent_serve_search(const jvm_wire_search *q, jvm_wire_found *a, ebb_arena *arena, ebb_error *err)
{
    jvm_wire_request request = {.move = MACHINE_RUN, .until = true, .until_time = q->until_time, .until_place = q->until_place};
    jvm_wire_stop none;
    if (!agent.is_replay)
        return ebb_fail(err, EBB_UNSUPPORTED, "Only a copy that replays can search.");
    EBB_TRY(agent_serve_resume(&request, &none, arena, err));
    agent.searches = true;
    found.judge = machine_judge_of(q->n_listed, q->patience);
    found.has_aside = false;
    found.muted_group = MACHINE_UNGROUPED;
    found.only_noted = q->only_noted != 0;
    found.listed.n = 0;
    found.depth = q->depth;
    found.n_pictured = 0;
    mark(q);
    note_here();
    return EBB_OK;
}

void agent_search_end(const jvm_wire_stop *stop, ebb_buf *out)
{
    jvm_wire_stop stops[4] = {*stop};
    const machine_judge *j = &found.judge;
    jvm_wire_found a = {.stops = {.items = stops, .n = 1}, .n_hits = j->n_hits, .has_first = j->has_first, .has_aside = found.has_aside,
                        .has_lost_patience = machine_judge_has_lost_patience(j), .first_group = j->first_group, .last_group = j->last_group,
                        .listed = {.items = found.listed.items, .n = found.listed.n}};
    if (found.muted_group != MACHINE_UNGROUPED)
        mute(found.muted_group, false);
    if (j->n_hits > 0)
        stops[a.stops.n++] = found.last.stop;
    if (j->has_first)
        stops[a.stops.n++] = found.first.stop;
    if (found.has_aside)
        stops[a.stops.n++] = found.aside.stop;
    for (size_t i = 0; i < agent.points.n; i++) {
        agent.points.items[i].is_noted = false;
        agent.points.items[i].group = MACHINE_UNGROUPED;
    }
    agent.searches = false;
    jvm_wire_put_found(out, &a);
    ebb_arena_fini(&found.pictures);
}
