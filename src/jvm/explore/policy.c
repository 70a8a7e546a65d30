/* policy.c - the strategies: each is a function from candidates to one of them. */
#include "jvm/explore/policy.h"

#include <string.h>

enum {
    TIMEOUT_RARITY = 8, /* PO1: one time-out in so many chances */
    YIELD_RARITY = 4,   /* PO3 */
};

/* ---- numbers ---- */

/* A generator of our own (a Weyl sequence, mixed), so that a seed means the same everywhere. */
static uint64_t next_random(jvm_policy *p)
{
    uint64_t x = p->random += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static size_t random_below(jvm_policy *p, size_t n) { return (size_t)(next_random(p) % n); }

static jvm_policy_thread *thread_of(jvm_policy *p, uint32_t id) { return &p->threads[id % JVM_POLICY_THREADS]; }

/* ---- turns that were asked for ---- */

int jvm_turn_compare(const void *a, const void *b)
{
    const jvm_turn *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static const jvm_turn *find_turn(const jvm_policy *p, uint32_t self, uint32_t nth)
{
    jvm_turn key = {.thread = self, .nth = nth};
    size_t low = 0, high = p->nturns;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (jvm_turn_compare(&p->turns[mid], &key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->nturns && jvm_turn_compare(&p->turns[low], &key) == 0 ? &p->turns[low] : NULL;
}

/* Index of the thread that the turn is for; n: it can't run. */
static size_t asked_for(const jvm_turn *turn, const jvm_candidate *c, size_t n)
{
    size_t i = 0;
    while (i < n && (c[i].thread != turn->to || (c[i].readiness != JVM_READY) != (turn->times_out != 0)))
        i++;
    return i;
}

/* ---- habit ---- */

/* Cyclic distance from `self` to a thread, those that can run first. */
static uint64_t order(const jvm_candidate *c, uint32_t self)
{
    uint32_t distance = c->thread - self - 1;
    return (uint64_t)c->yields << 40 | (uint64_t)c->readiness << 32 | distance;
}

static size_t next_in_order(const jvm_candidate *c, size_t n, uint32_t self)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (order(&c[i], self) < order(&c[best], self))
            best = i;
    return best;
}

size_t jvm_policy_habit(const jvm_candidate *c, size_t n, size_t current, uint32_t self)
{
    return current < n ? current : next_in_order(c, n, self);
}

/* ---- strategies ---- */

typedef struct question {
    const jvm_candidate *c; /* those that are considered */
    size_t n, current;
    uint32_t self;
} question;

static size_t choose_keep(jvm_policy *p, const question *q) { return jvm_policy_habit(q->c, q->n, q->current, q->self); }

static size_t choose_random(jvm_policy *p, const question *q) { return random_below(p, q->n); }

static uint64_t priority_of(jvm_policy *p, uint32_t id)
{
    jvm_policy_thread *t = thread_of(p, id);
    if (t->priority == 0)
        t->priority = next_random(p) | 1u << 31 | 1ull << 63;
    return t->priority;
}

static size_t highest(jvm_policy *p, const question *q)
{
    size_t best = 0;
    for (size_t i = 1; i < q->n; i++)
        if (priority_of(p, q->c[i].thread) > priority_of(p, q->c[best].thread))
            best = i;
    return best;
}

static void lower(jvm_policy *p, uint32_t id) { thread_of(p, id)->priority = p->lowest--; }

static bool is_change(const jvm_policy *p)
{
    for (uint32_t i = 0; i < p->nchanges; i++)
        if (p->changes[i] == p->ndecisions)
            return true;
    return false;
}

/* Burckhardt, Kothari, Musuvathi, Nagarakatte 2010.  Who gave up its turn by itself goes below all, or a loop with a yield would
 * never end. */
static size_t choose_pct(jvm_policy *p, const question *q)
{
    if (is_change(p) && q->current < q->n)
        lower(p, q->self);
    size_t i = highest(p, q);
    if (q->c[i].readiness != JVM_READY)
        lower(p, q->c[i].thread);
    return i;
}

static bool races(const jvm_candidate *a, const jvm_candidate *b)
{
    return a->place != 0 && a->place == b->place && (a->writes || b->writes);
}

/* Yuan, Yang, Gu 2018. */
static size_t choose_pos(jvm_policy *p, const question *q)
{
    size_t i = highest(p, q);
    for (size_t k = 0; k < q->n; k++)
        if (k == i || races(&q->c[i], &q->c[k]))
            thread_of(p, q->c[k].thread)->priority = 0;
    return i;
}

static uint32_t weight(jvm_policy *p, const jvm_candidate *c)
{
    uint32_t todo = thread_of(p, c->thread)->todo;
    return todo == 0 ? 1 : todo;
}

static size_t by_weight(jvm_policy *p, const question *q)
{
    uint64_t all = 0;
    for (size_t i = 0; i < q->n; i++)
        all += weight(p, &q->c[i]);
    uint64_t at = next_random(p) % all;
    size_t i = 0;
    for (; at >= weight(p, &q->c[i]); i++)
        at -= weight(p, &q->c[i]);
    return i;
}

static bool is_of_interest(const jvm_policy *p, const jvm_candidate *c)
{
    return p->interest == 0 ? c->kind != 0 : c->kind == p->interest;
}

/* After Zhao, Wolff, Mathur, Roychoudhury 2025: what is of interest happens only in the thread that was drawn for it, by how much of it
 * each thread still has to do; what is not may happen at any time. */
static size_t choose_surw(jvm_policy *p, const question *q)
{
    bool is_there = false;
    for (size_t i = 0; i < q->n; i++)
        is_there |= q->c[i].thread == p->intended;
    if (!is_there)
        p->intended = q->c[by_weight(p, q)].thread;
    size_t i = random_below(p, q->n);
    for (size_t tries = 0; tries < q->n && is_of_interest(p, &q->c[i]) && q->c[i].thread != p->intended; tries++)
        i = (i + 1) % q->n;
    if (is_of_interest(p, &q->c[i])) {
        jvm_policy_thread *t = thread_of(p, q->c[i].thread);
        t->todo -= t->todo > 0;
        p->intended = 0;
    }
    return i;
}

static size_t (*const strategies[])(jvm_policy *p, const question *q) = {
    [JVM_STRATEGY_KEEP] = choose_keep, [JVM_STRATEGY_RANDOM] = choose_random, [JVM_STRATEGY_PCT] = choose_pct,
    [JVM_STRATEGY_POS] = choose_pos, [JVM_STRATEGY_SURW] = choose_surw, [JVM_STRATEGY_BOUNDED] = choose_keep,
};

/* ---- the policy ---- */

static void choose_changes(jvm_policy *p, const jvm_explore_request *how)
{
    uint32_t steps = how->steps == 0 ? 1 : how->steps;
    p->nchanges = how->depth > 0 ? how->depth - 1 : 0;
    if (p->nchanges > JVM_POLICY_CHANGES)
        p->nchanges = JVM_POLICY_CHANGES;
    for (uint32_t i = 0; i < p->nchanges; i++)
        p->changes[i] = 1 + (uint32_t)random_below(p, steps);
}

void jvm_policy_init(jvm_policy *p, const jvm_explore_request *how, const jvm_turn *turns, size_t n)
{
    memset(p, 0, sizeof *p);
    p->strategy = how->strategy < JVM_NSTRATEGIES ? how->strategy : JVM_STRATEGY_KEEP;
    p->random = how->seed;
    p->lowest = 1ull << 62;
    p->interest = how->interest;
    p->turns = turns;
    p->nturns = (uint32_t)n;
    for (size_t i = 0; i < JVM_POLICY_THREADS; i++)
        p->threads[i].todo = how->todo[i];
    choose_changes(p, how);
}

uint32_t jvm_policy_arrive(jvm_policy *p, uint32_t self) { return ++thread_of(p, self)->nth; }

/* PO1, PO3 */
static bool counts_now(jvm_policy *p, const jvm_candidate *c)
{
    bool by_chance = p->strategy != JVM_STRATEGY_KEEP && p->strategy != JVM_STRATEGY_BOUNDED;
    if (c->yields)
        return by_chance && random_below(p, YIELD_RARITY) == 0;
    if (c->readiness == JVM_READY)
        return true;
    return by_chance && (c->readiness == JVM_READY_SLEEPS || random_below(p, TIMEOUT_RARITY) == 0);
}

/* Those that count now, in `out`, which has room for n; how many. */
static size_t consider(jvm_policy *p, const jvm_candidate *c, size_t n, jvm_candidate *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (counts_now(p, &c[i]))
            out[kept++] = c[i];
    if (kept > 0)
        return kept;
    memcpy(out, c, n * sizeof *c);
    return n;
}

static size_t index_of(const jvm_candidate *c, size_t n, uint32_t thread)
{
    size_t i = 0;
    while (i < n && c[i].thread != thread)
        i++;
    return i;
}

static size_t choose_by_strategy(jvm_policy *p, const jvm_candidate *c, size_t n, size_t current, uint32_t self)
{
    jvm_candidate some[JVM_POLICY_THREADS];
    if (n > JVM_POLICY_THREADS)
        return jvm_policy_habit(c, n, current, self);
    question q = {.c = some, .n = consider(p, c, n, some), .self = self};
    q.current = current < n ? index_of(some, q.n, self) : q.n;
    return index_of(c, n, some[strategies[p->strategy](p, &q)].thread);
}

/* PO2 */
static bool is_out_of_patience(jvm_policy *p, uint32_t self, size_t n)
{
    p->in_a_row = p->last == self ? p->in_a_row + 1 : 0;
    p->last = self;
    if (n < 2 || p->in_a_row < JVM_POLICY_PATIENCE)
        return false;
    p->in_a_row = 0;
    return true;
}

/* PO2: the one that has been passed over for too long, while its stint lasts; n: nobody.  One that has nothing to do but to yield ends its own. */
static size_t find_starving(jvm_policy *p, const jvm_candidate *c, size_t n)
{
    for (size_t i = 0; i < n && p->stint == 0; i++)
        if (thread_of(p, c[i].thread)->passed_over >= JVM_POLICY_PATIENCE) {
            p->favoured = c[i].thread;
            p->stint = JVM_POLICY_STINT;
        }
    if (p->stint == 0)
        return n;
    size_t i = index_of(c, n, p->favoured);
    p->stint = i < n && !c[i].yields ? p->stint - 1 : 0;
    return i;
}

static void count_passed_over(jvm_policy *p, const jvm_candidate *c, size_t n, size_t chosen)
{
    for (size_t i = 0; i < n; i++)
        if (c[i].readiness == JVM_READY)
            thread_of(p, c[i].thread)->passed_over++;
    thread_of(p, c[chosen].thread)->passed_over = 0;
}

size_t jvm_policy_choose(jvm_policy *p, const jvm_candidate *c, size_t n, size_t current, uint32_t self)
{
    p->ndecisions++;
    const jvm_turn *turn = find_turn(p, self, thread_of(p, self)->nth);
    size_t asked = turn == NULL ? n : asked_for(turn, c, n);
    bool impatient = is_out_of_patience(p, self, n);
    size_t i = choose_by_strategy(p, c, n, current, self);
    size_t starving = find_starving(p, c, n);
    if (asked < n) {
        i = asked;
    } else if (starving < n) {
        i = starving;
    } else if (impatient) {
        lower(p, self);
        i = next_in_order(c, n, self);
    }
    count_passed_over(p, c, n, i);
    return i;
}

size_t jvm_policy_pick(jvm_policy *p, uint32_t self, size_t n)
{
    const jvm_turn *turn = find_turn(p, self, thread_of(p, self)->nth);
    bool by_chance = p->strategy != JVM_STRATEGY_KEEP && p->strategy != JVM_STRATEGY_BOUNDED;
    size_t i = by_chance ? random_below(p, n) : 0;
    return turn != NULL && turn->to < n ? turn->to : i;
}
