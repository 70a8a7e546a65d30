/* bounded.c - every schedule with no switch that nobody had to make, then with one, and so on: a tree of turns, level by level. */
#include "session/explore/internal.h"

enum { LEVELS = 8, MOST_NODES = 2 << 20 };

typedef struct node {
    uint32_t parent; /* 0 is the root, the run by habit */
    uint32_t level;  /* switches of its own will on the way here */
    jvm_turn turn;
} node;

struct explore_bounded {
    EBB_VEC(node) nodes;
    EBB_VEC(uint32_t) waiting[LEVELS];
    size_t taken[LEVELS];
    bool root_taken;
};

explore_bounded *explore_bounded_new(void)
{
    explore_bounded *b = EBB_NEW(explore_bounded);
    ebb_vec_push(&b->nodes, (node){0});
    return b;
}

void explore_bounded_free(explore_bounded *b)
{
    if (b == NULL)
        return;
    ebb_vec_fini(&b->nodes);
    for (size_t i = 0; i < LEVELS; i++)
        ebb_vec_fini(&b->waiting[i]);
    free(b);
}

static void path_to(const explore_bounded *b, uint32_t at, explore_turns *turns)
{
    turns->n = 0;
    for (; at != 0; at = b->nodes.items[at].parent)
        ebb_vec_push(turns, b->nodes.items[at].turn);
}

bool explore_bounded_next(explore_bounded *b, explore_turns *turns, uint32_t *at)
{
    turns->n = 0;
    *at = 0;
    if (!b->root_taken)
        return b->root_taken = true;
    for (size_t level = 0; level < LEVELS; level++) {
        if (b->taken[level] == b->waiting[level].n)
            continue;
        *at = b->waiting[level].items[b->taken[level]++];
        path_to(b, *at, turns);
        return true;
    }
    return false;
}

static void add(explore_bounded *b, uint32_t parent, jvm_turn turn, bool of_own_will)
{
    uint32_t level = b->nodes.items[parent].level + of_own_will;
    if (level >= LEVELS || b->nodes.n >= MOST_NODES)
        return;
    ebb_vec_push(&b->waiting[level], (uint32_t)b->nodes.n);
    ebb_vec_push(&b->nodes, ((node){.parent = parent, .level = level, .turn = turn}));
}

/* A decision of the trace (wire/explore.h). */
typedef struct decision {
    uint32_t thread, nth, chosen, n;
    bool could_go_on;
    const uint32_t *candidates;
} decision;

static bool next_decision(const jvm_run *run, size_t *at, decision *d)
{
    const uint32_t *w = run->trace + *at;
    if (*at + 3 > run->head.ntrace)
        return false;
    *d = (decision){.thread = w[0], .nth = w[1], .chosen = w[2] >> 16, .n = w[2] >> 1 & 0x7fff, .could_go_on = w[2] & 1, .candidates = w + 3};
    if (*at + 3 + d->n > run->head.ntrace)
        return false;
    *at += 3 + d->n;
    return true;
}

static void expand(explore_bounded *b, uint32_t parent, const decision *d)
{
    enum { TIMES_OUT = 1u << 31 };
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t to = d->candidates[i];
        if (i != d->chosen)
            add(b, parent, (jvm_turn){d->thread, d->nth, to & ~TIMES_OUT, (to & TIMES_OUT) != 0}, d->could_go_on);
    }
}

/* What comes before the last turn was tried from other nodes. */
void explore_bounded_learn(explore_bounded *b, uint32_t parent, const jvm_run *run)
{
    decision d;
    jvm_turn last = b->nodes.items[parent].turn;
    bool is_after = parent == 0;
    for (size_t at = 0; next_decision(run, &at, &d);) {
        if (is_after)
            expand(b, parent, &d);
        is_after |= d.thread == last.thread && d.nth == last.nth;
    }
}
