/* idle.c - loops of a schedule that would go round and round while no thread executes anything. */
#include "schedule/idle.h"

#include "base/map.h"

enum { MANY_ROUNDS = 1000 }; /* a loop that is repeated less often ends soon, whatever it does */

typedef struct walk {
    const sched_schedule *s;
    sched_same same;
    const void *context;
    ebb_map *stands;  /* thread + 1 -> the event before whose bytecode it is */
    uint32_t runner;
    bool moves;       /* somebody executes something */
} walk;

/* A thread that stands before a bytecode is before its first execution already. */
static void walk_event(walk *w, const sched_command *c)
{
    const sched_command *all = w->s->commands.items;
    const sched_command *at = ebb_map_get_u64(w->stands, (uint64_t)w->runner + 1);
    bool stays = at && c->kind == SCHED_BEFORE && c->count == 1 && w->same(w->context, (size_t)(at - all), (size_t)(c - all));
    w->moves = w->moves || !stays;
    ebb_map_set_u64(w->stands, (uint64_t)w->runner + 1, c->kind == SCHED_BEFORE ? (void *)(uintptr_t)c : NULL);
}

static void walk_round(walk *w, size_t first, size_t end)
{
    w->moves = false;
    for (size_t i = first; i < end; i++) {
        const sched_command *c = &w->s->commands.items[i];
        if (sched_rows[c->kind].role == SCHED_IS_EVENT)
            walk_event(w, c);
        else if (c->kind == SCHED_RECEIVE) /* somebody else does, until it comes */
            w->moves = true;
        else if (c->kind == SCHED_SWITCH)
            w->runner = c->thread;
    }
}

/* Who runs first is the same from the second round on, and where threads stand after a round from the third. */
static bool is_idle(walk *w, size_t first, size_t end)
{
    w->stands = ebb_map_new();
    w->runner = SCHED_NONE;
    for (int round = 0; round < 3; round++)
        walk_round(w, first, end);
    ebb_map_free(w->stands);
    return !w->moves;
}

void sched_check_idle(const sched_schedule *s, sched_same same, const void *context, sched_complaints *all)
{
    walk w = {.s = s, .same = same, .context = context};
    EBB_VEC(size_t) open = {0};
    size_t judged = 0; /* what is before has been: a loop around one that was has nothing new */
    for (size_t i = 0; i < s->commands.n; i++) {
        const sched_command *c = &s->commands.items[i];
        if (c->kind == SCHED_LOOPBEGIN)
            ebb_vec_push(&open, i);
        if (c->kind != SCHED_LOOPEND || open.n == 0)
            continue;
        size_t first = open.items[--open.n];
        if (c->count <= MANY_ROUNDS || first < judged)
            continue;
        judged = i + 1;
        if (is_idle(&w, first, i))
            sched_complain_of(all, c, "in the loop from %s no thread would execute anything", sched_line_of(&s->commands.items[first], c).text);
    }
    ebb_vec_fini(&open);
}
