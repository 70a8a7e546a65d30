/* control.c - the immediate post-dominators of a method's instructions, and from them control dependence; see control.h. */
#include "jvm/engine/control.h"

#include "jvm/engine/ops.h"

#include <string.h>

/* Nodes are instructions, by bci, and two more: where every way out of the method ends, and where the method and its handlers are entered. */
typedef struct graph {
    const jvm_method *m;
    int32_t *depth;              /* by bci; below zero: no instruction, or never reached */
    uint32_t nnodes, exit, enter;
    struct edges {
        EBB_VEC(uint32_t) to;
    } *after, *before;           /* by node */
    uint32_t from;               /* whose edges are added */
    uint32_t *order;             /* nodes that lead to the exit, each after what it leads to (but for loops) */
    uint32_t norder;
    uint32_t *rank;              /* by node: its place there; UINT32_MAX: it leads nowhere */
    uint32_t *dominator;         /* by node: the nearest that every way to the exit passes; UINT32_MAX: not known yet */
} graph;

static bool is_node(const graph *g, uint32_t n)
{
    return n >= g->exit || g->depth[n] >= 0;
}

static void add_edge(graph *g, uint32_t from, uint32_t to)
{
    ebb_vec_push(&g->after[from].to, to);
    ebb_vec_push(&g->before[to].to, from);
}

static void add_successor(void *self, int64_t bci)
{
    graph *g = self;
    if (bci >= 0 && bci < (int64_t)g->m->nbytes)
        add_edge(g, g->from, (uint32_t)bci);
}

static void add_edges(graph *g)
{
    for (g->from = 0; g->from < g->m->nbytes; g->from++)
        if (is_node(g, g->from)) {
            jvm_each_successor(g->m, g->from, add_successor, g);
            if (g->after[g->from].to.n == 0)
                add_edge(g, g->from, g->exit);
        }
    add_edge(g, g->enter, 0);
    for (const jvm_handler *h = g->m->handlers; h < g->m->handlers + g->m->nhandlers; h++)
        if (is_node(g, h->target))
            add_edge(g, g->enter, h->target);
}

/* ---- from the exit backward ---- */

typedef struct visit {
    uint32_t node, next;
} visit;

/* Depth first over the edges backward: a node is numbered when all that lead to it are. */
static void number_from(graph *g, uint32_t root, uint8_t *seen)
{
    EBB_VEC(visit) work = {0};
    seen[root] = 1;
    ebb_vec_push(&work, ((visit){root, 0}));
    while (work.n > 0) {
        visit *top = &work.items[work.n - 1];
        if (top->next == g->before[top->node].to.n) {
            g->order[g->norder++] = top->node;
            work.n--;
            continue;
        }
        uint32_t to = g->before[top->node].to.items[top->next++];
        if (!seen[to]) {
            seen[to] = 1;
            ebb_vec_push(&work, ((visit){to, 0}));
        }
    }
    ebb_vec_fini(&work);
}

/* A loop that nothing leaves: as if its jump back could end it. */
static void end_endless(graph *g, const uint8_t *seen)
{
    for (uint32_t n = 0; n < g->m->nbytes; n++)
        for (size_t i = 0; is_node(g, n) && !seen[n] && i < g->after[n].to.n; i++)
            if (g->after[n].to.items[i] <= n) {
                add_edge(g, n, g->exit);
                break;
            }
}

static void number(graph *g)
{
    uint8_t *seen = ebb_zalloc(g->nnodes);
    number_from(g, g->exit, seen);
    end_endless(g, seen);
    memset(seen, 0, g->nnodes);
    g->norder = 0;
    number_from(g, g->exit, seen);
    memset(g->rank, 0xff, g->nnodes * sizeof *g->rank);
    for (uint32_t i = 0; i < g->norder; i++)
        g->rank[g->order[i]] = i;
    free(seen);
}

/* ---- dominators (Cooper, Harvey and Kennedy, 2001) ---- */

static uint32_t meet(const graph *g, uint32_t a, uint32_t b)
{
    while (a != b)
        if (g->rank[a] < g->rank[b])
            a = g->dominator[a];
        else
            b = g->dominator[b];
    return a;
}

static bool improve(graph *g, uint32_t node)
{
    uint32_t best = UINT32_MAX;
    for (size_t i = 0; i < g->after[node].to.n; i++) {
        uint32_t to = g->after[node].to.items[i];
        if (g->rank[to] != UINT32_MAX && g->dominator[to] != UINT32_MAX)
            best = best == UINT32_MAX ? to : meet(g, best, to);
    }
    bool changes = best != g->dominator[node];
    g->dominator[node] = best;
    return changes;
}

static void dominate(graph *g)
{
    memset(g->dominator, 0xff, g->nnodes * sizeof *g->dominator);
    g->dominator[g->exit] = g->exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->norder - 1; i-- > 0;) /* the exit is the last */
            changed |= improve(g, g->order[i]);
    }
}

/* ---- the whole ---- */

static void graph_init(graph *g, const jvm_method *m, int32_t *depth)
{
    *g = (graph){.m = m, .depth = depth, .exit = m->nbytes, .enter = m->nbytes + 1, .nnodes = m->nbytes + 2};
    g->after = ebb_zalloc(g->nnodes * sizeof *g->after);
    g->before = ebb_zalloc(g->nnodes * sizeof *g->before);
    g->order = ebb_alloc(g->nnodes * sizeof *g->order);
    g->rank = ebb_alloc(g->nnodes * sizeof *g->rank);
    g->dominator = ebb_alloc(g->nnodes * sizeof *g->dominator);
    add_edges(g);
    number(g);
    dominate(g);
}

static void graph_fini(graph *g)
{
    for (uint32_t n = 0; n < g->nnodes; n++) {
        ebb_vec_fini(&g->after[n].to);
        ebb_vec_fini(&g->before[n].to);
    }
    free(g->after);
    free(g->before);
    free(g->order);
    free(g->rank);
    free(g->dominator);
}

/* Once `way` is taken out of `branch`, `node` is executed for certain, and without that it may not be. */
static bool decides(const graph *g, uint32_t branch, uint32_t way, uint32_t node)
{
    for (uint32_t at = way; at != g->dominator[branch] && at != g->exit && at != UINT32_MAX; at = g->dominator[at])
        if (at == node)
            return true;
    return false;
}

static void look_at(const graph *g, uint32_t branch, uint32_t node, jvm_decider_list *out)
{
    const uint32_t *to = g->after[branch].to.items;
    size_t n = g->after[branch].to.n;
    for (size_t i = 0; n > 1 && i < n && g->rank[branch] != UINT32_MAX; i++) {
        bool is_handler = branch == g->enter;
        if (decides(g, branch, to[i], node) && !(is_handler && to[i] == 0))
            ebb_vec_push(out, ((jvm_decider){is_handler ? to[i] : branch, is_handler, to[i]}));
    }
}

bool jvm_deciders(const jvm_method *m, uint32_t bci, jvm_decider_list *out)
{
    graph g;
    int32_t *depth = jvm_stack_depths(m);
    bool known = depth != NULL;
    if (known && depth[bci] >= 0) {
        graph_init(&g, m, depth);
        for (uint32_t n = 0; n < g.nnodes; n++)
            if (is_node(&g, n))
                look_at(&g, n, bci, out);
        graph_fini(&g);
    }
    free(depth);
    return known;
}
