/* ways.c - the graph of a method's instructions, with its handlers and loops; see ways.h. */
#include "jvm/engine/ways.h"

#include "jvm/classes/loader.h"
#include "jvm/engine/ops.h"

#include <string.h>

static uint8_t op_at(const jvm_method *m, uint32_t bci)
{
    return m->bytes[bci] == JVM_OP_wide ? m->bytes[bci + 1] : m->bytes[bci];
}

static bool is_around(const jvm_handler *h, uint32_t bci)
{
    return bci >= h->start && bci < h->end;
}

/* ---- throws of the code itself (WN1) ---- */

typedef enum verdict { NEVER, MAYBE, SURELY } verdict;

/* The class of what an athrow throws, if it was made right there: new, dup, arguments, constructor. */
static const jvm_sym *made_there(const jvm_ways *w, uint32_t bci)
{
    enum { NEW_NBYTES = 3 };
    const jvm_method *m = w->m;
    const jvm_sym *name = NULL;
    jvm_writers by = {0};
    bool known = jvm_stack_writers(m, bci, (uint32_t)w->depth[bci] - 1, &by);
    if (known && by.n == 1 && m->bytes[by.items[0].bci] == JVM_OP_dup && by.items[0].bci >= NEW_NBYTES) {
        uint32_t made = by.items[0].bci - NEW_NBYTES;
        if (jvm_is_reached(w, made) && m->bytes[made] == JVM_OP_new)
            name = jvm_cp_class_name(m->cls, jvm_u2(m->bytes + made + 1));
    }
    ebb_vec_fini(&by);
    return name;
}

static verdict takes(const jvm_ways *w, const jvm_handler *h, const jvm_sym *thrown)
{
    if (h->type == 0)
        return SURELY;
    const jvm_sym *caught = jvm_cp_class_name(w->m->cls, h->type);
    if (thrown == NULL)
        return strcmp(caught->text, "java/lang/Throwable") == 0 ? SURELY : MAYBE;
    const jvm_class *cls = jvm_find_loaded(w->m->cls->loader, thrown);
    if (cls == NULL)
        return thrown == caught ? SURELY : MAYBE;
    for (; cls != NULL; cls = cls->super)
        if (cls->name == caught)
            return SURELY;
    return NEVER;
}

/* Of what comes from elsewhere: the handlers of the innermost try around it that has any for a class, or those of a finally if there is none before it. */
static bool is_meant(const jvm_handler *h, const jvm_handler *first)
{
    return first == NULL || (h->type != 0 && h->start == first->start && h->end == first->end);
}

/* *leaves: none of the handlers may take it. */
static void add_throw(jvm_ways *w, uint32_t bci, bool *leaves)
{
    const jvm_method *m = w->m;
    const jvm_sym *thrown = made_there(w, bci);
    const jvm_handler *first = NULL;
    verdict last = NEVER;
    for (const jvm_handler *h = m->handlers; last != SURELY && h < m->handlers + m->nhandlers; h++) {
        if (!is_around(h, bci) || (thrown == NULL && !is_meant(h, first)))
            continue;
        last = takes(w, h, thrown);
        if (last != NEVER)
            ebb_vec_push(&w->after[bci], ((jvm_way){.to = h->target}));
        first = first == NULL ? h : first;
    }
    *leaves = w->after[bci].n == 0 || (thrown != NULL && last != SURELY);
}

/* ---- all ways ---- */

typedef struct adding {
    jvm_ways *w;
    uint32_t from;
} adding;

static void add_successor(void *self, int64_t bci)
{
    adding *a = self;
    if (bci >= 0 && bci < (int64_t)a->w->m->nbytes)
        ebb_vec_push(&a->w->after[a->from], ((jvm_way){.to = (uint32_t)bci}));
}

static void add_thrown(jvm_ways *w, uint32_t bci)
{
    const jvm_method *m = w->m;
    for (const jvm_handler *h = m->handlers; h < m->handlers + m->nhandlers; h++)
        if (jvm_ops[op_at(m, bci)].throws != 0 && is_around(h, bci))
            ebb_vec_push(&w->thrown[bci], h->target);
}

/* An athrow that handlers may take or not leads out of the method by a way to its end, which is no instruction. */
static void add_ways(jvm_ways *w, uint32_t bci)
{
    bool leaves = false;
    adding a = {w, bci};
    if (op_at(w->m, bci) == JVM_OP_athrow)
        add_throw(w, bci, &leaves);
    else
        jvm_each_successor(w->m, bci, add_successor, &a);
    if (leaves && w->after[bci].n > 0)
        ebb_vec_push(&w->after[bci], ((jvm_way){.to = w->m->nbytes}));
    add_thrown(w, bci);
    for (size_t i = 0; i < w->after[bci].n; i++)
        ebb_vec_push(&w->before[w->after[bci].items[i].to], bci);
    for (size_t i = 0; i < w->thrown[bci].n; i++)
        ebb_vec_push(&w->before[w->thrown[bci].items[i]], bci);
}

/* ---- loops (WN2) ---- */

typedef struct visit {
    uint32_t bci;
    size_t next;
} visit;

enum { UNSEEN, OPEN, DONE };

/* The next instruction to go to from there; UINT32_MAX: all were. */
static uint32_t next_of(jvm_ways *w, visit *at, const uint8_t *state)
{
    jvm_way_list *after = &w->after[at->bci];
    while (at->next < after->n + w->thrown[at->bci].n) {
        size_t i = at->next++;
        uint32_t to = i < after->n ? after->items[i].to : w->thrown[at->bci].items[i - after->n];
        if (i < after->n && to < w->m->nbytes && state[to] == OPEN)
            after->items[i].goes_around = true;
        if (to < w->m->nbytes && state[to] == UNSEEN)
            return to;
    }
    return UINT32_MAX;
}

/* Depth first from the entry: a way to what is still open closes a loop. */
static void find_loops(jvm_ways *w)
{
    uint8_t *state = ebb_zalloc(w->m->nbytes);
    EBB_VEC(visit) open = {0};
    state[0] = OPEN;
    ebb_vec_push(&open, ((visit){0, 0}));
    while (open.n > 0) {
        visit *top = &open.items[open.n - 1];
        uint32_t to = next_of(w, top, state);
        if (to == UINT32_MAX) {
            state[top->bci] = DONE;
            open.n--;
            continue;
        }
        state[to] = OPEN;
        ebb_vec_push(&open, ((visit){to, 0}));
    }
    ebb_vec_fini(&open);
    free(state);
}

static bool closes(const jvm_ways *w, uint32_t bci, uint32_t header)
{
    for (size_t i = 0; i < w->after[bci].n; i++)
        if (w->after[bci].items[i].goes_around && w->after[bci].items[i].to == header)
            return true;
    return false;
}

void jvm_loop_extent(const jvm_ways *w, uint32_t header, uint32_t *first, uint32_t *last)
{
    uint8_t *seen = ebb_zalloc(w->m->nbytes);
    EBB_VEC(uint32_t) work = {0};
    *first = *last = header;
    seen[header] = 1;
    for (uint32_t n = 0; n < w->m->nbytes; n++)
        if (jvm_is_reached(w, n) && closes(w, n, header) && !seen[n]) {
            seen[n] = 1;
            ebb_vec_push(&work, n);
        }
    while (work.n > 0) {
        uint32_t at = work.items[--work.n];
        *first = at < *first ? at : *first;
        *last = at > *last ? at : *last;
        for (size_t i = 0; i < w->before[at].n; i++) {
            uint32_t from = w->before[at].items[i];
            if (!seen[from]) {
                seen[from] = 1;
                ebb_vec_push(&work, from);
            }
        }
    }
    ebb_vec_fini(&work);
    free(seen);
}

/* ---- the whole ---- */

bool jvm_ways_init(jvm_ways *w, const jvm_method *m)
{
    *w = (jvm_ways){.m = m, .depth = jvm_stack_depths(m)};
    if (w->depth == NULL)
        return false;
    w->after = ebb_zalloc(((size_t)m->nbytes + 1) * sizeof *w->after);
    w->thrown = ebb_zalloc(((size_t)m->nbytes + 1) * sizeof *w->thrown);
    w->before = ebb_zalloc(((size_t)m->nbytes + 1) * sizeof *w->before);
    for (uint32_t bci = 0; bci < m->nbytes; bci++)
        if (jvm_is_reached(w, bci))
            add_ways(w, bci);
    find_loops(w);
    return true;
}

void jvm_ways_fini(jvm_ways *w)
{
    for (uint32_t bci = 0; bci <= w->m->nbytes; bci++) {
        ebb_vec_fini(&w->after[bci]);
        ebb_vec_fini(&w->thrown[bci]);
        ebb_vec_fini(&w->before[bci]);
    }
    free(w->after);
    free(w->thrown);
    free(w->before);
    free(w->depth);
}
