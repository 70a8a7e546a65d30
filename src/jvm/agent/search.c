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

#include <string.h>

enum { PATIENCE = 4 };

typedef struct hit {
    jvm_wire_stop stop; /* its points are those below */
    jvm_wire_number points[MACHINE_STOP_MAX_POINTS];
} hit;

static struct {
    uint64_t n_hits;
    hit last, first, aside;
    bool has_first, has_aside;
    uint32_t first_group, last_group;
    unsigned n_same;  /* hits of last_group in a row */
    bool is_muted;    /* last_group is */
    uint32_t n_wanted;
    uint32_t n_noted, patience;
    bool only_noted;
    EBB_VEC(jvm_wire_listed) listed;
    unsigned depth;   /* of the pictures of what is listed; */
    ebb_arena pictures;
    size_t n_pictured; /* objects in all of them */
} found;

/* ---- groups ---- */

static void mute(bool is_muted)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (p->group == found.last_group)
            agent_point_mute(p, is_muted);
    }
    found.is_muted = is_muted;
}

static void keep(hit *h, const jvm_wire_stop *stop)
{
    h->stop = *stop;
    memcpy(h->points, stop->points.items, stop->points.n * sizeof *h->points);
    h->stop.points.items = h->points;
}

static void same_group_again(void)
{
    if (++found.n_same == PATIENCE)
        mute(true);
}

/* Whether a hit of that group counts (SR3). */
static bool group_counts(uint32_t group, const jvm_wire_stop *all)
{
    uint32_t before = found.last_group;
    if (group == before && group != MACHINE_GROUP_FRESH) {
        same_group_again();
        return false;
    }
    if (found.is_muted)
        mute(false);
    found.last_group = group;
    found.n_same = 0;
    if (before != MACHINE_UNGROUPED || group == MACHINE_GROUP_FRESH)
        return true;
    found.has_first = true;
    found.first_group = group;
    keep(&found.first, all);
    return false;
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

static bool has_lost_patience(void)
{
    return found.patience > 0 && found.n_noted >= found.patience;
}

static bool has_listed_enough(void)
{
    return found.n_wanted > 0 && (found.listed.n >= found.n_wanted || found.n_pictured >= JVM_PICTURED_AT_ONCE);
}

bool agent_search_is_full(void)
{
    return agent.searches && (has_lost_patience() || has_listed_enough());
}

/* ---- a hit ---- */

/* A condition without an answer is for ebb to judge (CD3). */
static bool is_listed(const agent_point *p)
{
    return p != NULL && p->is_noted && !p->is_unsure;
}

static bool is_noted(const agent_point *p, bool is_end)
{
    return is_listed(p) && !(is_end && p->kind == MACHINE_POINT_EXEC); /* SR2 */
}

/* Those of the points that are noted aside; what the others are for is told without them. */
static void note_aside(const jvm_wire_stop *all, bool is_end)
{
    jvm_wire_number points[MACHINE_STOP_MAX_POINTS];
    jvm_wire_stop aside = *all;
    aside.points.items = points;
    aside.points.n = 0;
    for (size_t i = 0; i < all->points.n; i++) {
        const agent_point *p = agent_point_by_id((uint32_t)all->points.items[i].value);
        if (is_noted(p, is_end) && p->noted_as == MACHINE_NOTE_ASIDE)
            points[aside.points.n++] = all->points.items[i];
    }
    if (aside.points.n == 0)
        return;
    found.has_aside = true;
    keep(&found.aside, &aside);
}

static bool is_hit(const agent_point *p, const jvm_wire_stop *all, bool is_end)
{
    return is_noted(p, is_end) && p->noted_as == MACHINE_NOTE_HIT && (p->group == MACHINE_UNGROUPED || group_counts(p->group, all));
}

void agent_search_note(jvm_thread *t, jvm_wire_stop *stop, uint64_t time, bool is_end)
{
    jvm_wire_number reached[MACHINE_STOP_MAX_POINTS], counting[MACHINE_STOP_MAX_POINTS];
    jvm_wire_stop all = *stop, counts = *stop;
    size_t n_left = 0;
    const agent_point *last = NULL;
    memcpy(reached, stop->points.items, stop->points.n * sizeof *reached);
    all.points.items = reached;
    all.thread = counts.thread = t->id;
    all.place = counts.place = agent_thread_place(t);
    all.time = counts.time = time;
    counts.points.items = counting;
    counts.points.n = 0;
    for (size_t i = 0; i < all.points.n; i++) {
        const agent_point *p = agent_point_by_id((uint32_t)reached[i].value);
        bool listed = is_listed(p);
        bool is_one = is_hit(p, &all, is_end);
        last = is_one ? p : last;
        if (!listed && !found.only_noted)
            stop->points.items[n_left++] = reached[i];
        if (!listed || is_one)
            counting[counts.points.n++] = reached[i];
    }
    stop->points.n = n_left;
    found.n_noted++;
    note_aside(&all, is_end);
    if (last == NULL)
        return;
    found.n_hits++;
    keep(&found.last, &counts);
    if (found.n_wanted > 0)
        list(last, &counts);
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
    found.n_hits = 0;
    found.n_noted = 0;
    found.patience = q->patience;
    found.has_first = found.has_aside = found.is_muted = false;
    found.last_group = MACHINE_UNGROUPED;
    found.n_same = 0;
    found.n_wanted = q->n_listed;
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
    jvm_wire_found a = {.stops = {.items = stops, .n = 1}, .n_hits = found.n_hits, .has_first = found.has_first, .has_aside = found.has_aside, .has_lost_patience = has_lost_patience(),
                        .first_group = found.first_group, .last_group = found.last_group,
                        .listed = {.items = found.listed.items, .n = found.listed.n}};
    if (found.is_muted)
        mute(false);
    if (found.n_hits > 0)
        stops[a.stops.n++] = found.last.stop;
    if (found.has_first)
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
