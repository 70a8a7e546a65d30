/* control.c - what decides about an instruction: ways that lead to it for certain, and those that may lead past it; see control.h. */
#include "jvm/engine/control.h"

#include "jvm/engine/copies.h"
#include "jvm/engine/ops.h"

#include <string.h>

/* The loops around the instruction in question have *levels*: 1 is the innermost.  Each question is about one level (CX2).  Nodes are instructions in two
 * *rounds*: before the loop of that level went around, and after.  Level 0: no loop goes around. */
enum { N_ROUNDS = 2 };

typedef struct graph {
    jvm_ways ways;
    uint32_t *level;     /* by bci: of the loop that is entered there; 0: it is not one of these */
    uint32_t n_levels;
    uint32_t asked;      /* the level in question */
    uint8_t *is_endless; /* by bci: nothing leaves the loop that is entered there, so each time around is taken to be the last, perhaps */
    uint8_t *past;       /* by node: it may come to the end without any of the instructions in question */
} graph;

typedef struct node {
    uint32_t bci;
    unsigned round;
} node;
typedef EBB_VEC(node) node_list;

static size_t index_of(const graph *g, node n)
{
    return (size_t)n.round * g->ways.m->nbytes + n.bci;
}

/* Where a way leads from that round; false: to the end. */
static bool follow(const graph *g, const jvm_way *way, unsigned round, node *to)
{
    uint32_t level = way->goes_around ? g->level[way->to] : 0;
    *to = (node){way->to, round + (level > 0 && level == g->asked)};
    bool is_another_time = level > g->asked || (level > 0 && round > 0);
    return way->to < g->ways.m->nbytes && !is_another_time;
}

/* A loop in question has an end already: it goes around once. */
static bool may_be_last(const graph *g, const jvm_way *way)
{
    return way->goes_around && g->is_endless[way->to] && (g->level[way->to] == 0 || g->level[way->to] < g->asked);
}

static bool leads_to_end(const graph *g, node n)
{
    const jvm_way_list *after = &g->ways.after[n.bci];
    bool ends = after->n == 0;
    for (size_t i = 0; !ends && i < after->n; i++)
        ends = may_be_last(g, &after->items[i]) || !follow(g, &after->items[i], n.round, &(node){0});
    return ends;
}

/* ---- what may lead past ---- */

static void arrive(graph *g, node n, node_list *work)
{
    if (g->past[index_of(g, n)])
        return;
    g->past[index_of(g, n)] = 1;
    ebb_vec_push(work, n);
}

static bool has(const jvm_bci_list *list, uint32_t bci)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == bci)
            return true;
    return false;
}

/* From the end backward, over whatever is not one of these in the round that is asked about. */
static void find_past(graph *g, const jvm_bci_list *of)
{
    unsigned round = g->asked > 0;
    node_list work = {0};
    memset(g->past, 0, (size_t)g->ways.m->nbytes * N_ROUNDS);
    for (unsigned r = 0; r < N_ROUNDS; r++)
        for (uint32_t bci = 0; bci < g->ways.m->nbytes; bci++)
            if (jvm_is_reached(&g->ways, bci) && leads_to_end(g, (node){bci, r}) && !(r == round && has(of, bci)))
                arrive(g, (node){bci, r}, &work);
    while (work.n > 0) {
        node at = work.items[--work.n], to;
        for (size_t i = 0; i < g->ways.before[at.bci].n; i++) {
            uint32_t from = g->ways.before[at.bci].items[i];
            const jvm_way_list *after = &g->ways.after[from];
            for (size_t j = 0; j < after->n; j++)
                for (unsigned r = 0; r < N_ROUNDS; r++)
                    if (follow(g, &after->items[j], r, &to) && to.bci == at.bci && to.round == at.round && !(r == round && has(of, from)))
                        arrive(g, (node){from, r}, &work);
        }
    }
    ebb_vec_fini(&work);
}

/* ---- loops ---- */

typedef struct loop {
    uint32_t header, nbytes;
} loop;

static int compare_loops(const void *a, const void *b)
{
    const loop *x = a, *y = b;
    return x->nbytes < y->nbytes ? -1 : x->nbytes > y->nbytes;
}

static void find_levels(graph *g, uint32_t bci)
{
    EBB_VEC(loop) loops = {0};
    uint8_t *seen = ebb_zalloc((size_t)g->ways.m->nbytes + 1);
    for (uint32_t from = 0; from < g->ways.m->nbytes; from++)
        for (size_t i = 0; i < g->ways.after[from].n; i++) {
            const jvm_way *way = &g->ways.after[from].items[i];
            uint32_t first, last;
            if (!way->goes_around || seen[way->to])
                continue;
            seen[way->to] = 1;
            jvm_loop_extent(&g->ways, way->to, &first, &last);
            if (first <= bci && bci <= last)
                ebb_vec_push(&loops, ((loop){way->to, last - first}));
        }
    if (loops.n > 0)
        qsort(loops.items, loops.n, sizeof *loops.items, compare_loops);
    for (size_t i = 0; i < loops.n; i++)
        g->level[loops.items[i].header] = (uint32_t)i + 1;
    g->n_levels = (uint32_t)loops.n;
    ebb_vec_fini(&loops);
    free(seen);
}

static bool is_way(const jvm_ways *w, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < w->after[from].n; i++)
        if (w->after[from].items[i].to == to)
            return true;
    return false;
}

/* Marks what leads to an instruction. */
static void mark_before(const jvm_ways *w, uint32_t bci, uint8_t *marks)
{
    jvm_bci_list work = {0};
    marks[bci] = 1;
    ebb_vec_push(&work, bci);
    while (work.n > 0) {
        uint32_t at = work.items[--work.n];
        for (size_t i = 0; i < w->before[at].n; i++) {
            uint32_t from = w->before[at].items[i];
            if (!marks[from] && is_way(w, from, at)) {
                marks[from] = 1;
                ebb_vec_push(&work, from);
            }
        }
    }
    ebb_vec_fini(&work);
}

/* Whether everything that it leads to leads back to it. */
static bool is_last_loop(const jvm_ways *w, uint32_t header)
{
    uint8_t *leads = ebb_zalloc(w->m->nbytes), *seen = ebb_zalloc(w->m->nbytes);
    jvm_bci_list work = {0};
    bool is_it = true;
    mark_before(w, header, leads);
    seen[header] = 1;
    ebb_vec_push(&work, header);
    while (is_it && work.n > 0) {
        uint32_t at = work.items[--work.n];
        is_it = leads[at];
        for (size_t i = 0; i < w->after[at].n; i++) {
            uint32_t to = w->after[at].items[i].to;
            if (to < w->m->nbytes && !seen[to]) {
                seen[to] = 1;
                ebb_vec_push(&work, to);
            }
        }
    }
    ebb_vec_fini(&work);
    free(leads);
    free(seen);
    return is_it;
}

/* The first instruction of a loop from which nothing comes to an end, nor to another loop; UINT32_MAX: there is none. */
static uint32_t find_endless(const graph *g)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t from = 0; from < g->ways.m->nbytes; from++)
        for (size_t i = 0; !g->past[from] && i < g->ways.after[from].n; i++) {
            const jvm_way *way = &g->ways.after[from].items[i];
            if (way->goes_around && way->to < first && is_last_loop(&g->ways, way->to))
                first = way->to;
        }
    return first;
}

/* A loop that nothing but an exception leaves: as if each time around could be the last. */
static void end_endless(graph *g)
{
    static const jvm_bci_list nothing;
    for (;;) {
        g->asked = g->n_levels + 1; /* of no loop: each is looked at as it is */
        find_past(g, &nothing);
        uint32_t header = find_endless(g);
        if (header == UINT32_MAX)
            return;
        g->is_endless[header] = 1;
    }
}

/* ---- who decides ---- */

static void add(jvm_decider_list *out, jvm_decider d)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->items[i].bci == d.bci && out->items[i].is_handler == d.is_handler && out->items[i].way == d.way)
            return;
    ebb_vec_push(out, d);
}

static bool may_pass(const graph *g, const jvm_way *way)
{
    node to;
    return !follow(g, way, 0, &to) || g->past[index_of(g, to)];
}

static void look_at_branch(const graph *g, uint32_t bci, jvm_decider_list *out)
{
    const jvm_way_list *after = &g->ways.after[bci];
    bool another_passes = false;
    if (g->ways.m->bytes[bci] == JVM_OP_athrow)
        return;
    for (size_t i = 0; i < after->n; i++)
        another_passes = another_passes || may_pass(g, &after->items[i]);
    for (size_t i = 0; another_passes && i < after->n; i++)
        if (!may_pass(g, &after->items[i]))
            add(out, (jvm_decider){.bci = bci, .way = after->items[i].to});
}

static void look_at_throw(const graph *g, uint32_t bci, jvm_decider_list *out)
{
    for (size_t i = 0; g->past[bci] && i < g->ways.thrown[bci].n; i++)
        if (!g->past[g->ways.thrown[bci].items[i]])
            add(out, (jvm_decider){.bci = g->ways.thrown[bci].items[i], .is_handler = true, .way = bci});
}

static void look_at_all(graph *g, uint32_t of, jvm_decider_list *out)
{
    jvm_bci_list copies = {0};
    jvm_copies_of(&g->ways, of, &copies);
    for (g->asked = 0; g->asked <= g->n_levels; g->asked++) {
        find_past(g, &copies);
        for (uint32_t bci = 0; bci < g->ways.m->nbytes; bci++)
            if (jvm_is_reached(&g->ways, bci) && !(g->asked == 0 && has(&copies, bci))) {
                look_at_branch(g, bci, out);
                look_at_throw(g, bci, out);
            }
    }
    ebb_vec_fini(&copies);
}

bool jvm_deciders(const jvm_method *m, uint32_t bci, jvm_decider_list *out)
{
    graph g = {0};
    if (!jvm_ways_init(&g.ways, m))
        return false;
    g.level = ebb_zalloc(((size_t)m->nbytes + 1) * sizeof *g.level);
    g.is_endless = ebb_zalloc((size_t)m->nbytes + 1);
    g.past = ebb_zalloc((size_t)m->nbytes * N_ROUNDS);
    if (jvm_is_reached(&g.ways, bci)) {
        find_levels(&g, bci);
        end_endless(&g);
        look_at_all(&g, bci, out);
    }
    free(g.level);
    free(g.is_endless);
    free(g.past);
    jvm_ways_fini(&g.ways);
    return true;
}
