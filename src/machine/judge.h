/* judge.h - which hits of a search count (search.h), for every machine.
 *
 * A machine that searches comes by moments at which one or more of its points are reached.  It looks up how each is noted, and the
 * judge says which of them count, which are told aside, and which are for the caller.  What is kept of a moment, and where, is the machine's.
 *
 * Freestanding: in the Java machine it works inside the debuggee. */
#ifndef EBB_MACHINE_JUDGE_H
#define EBB_MACHINE_JUDGE_H

#include "machine/search.h"

typedef struct machine_judge {
    uint64_t n_hits;      /* that count */
    uint64_t n_noted;     /* moments, whatever they are noted as */
    bool has_first;       /* SR3 */
    uint32_t first_group;
    uint32_t last_group;  /* of the last grouped hit; MACHINE_UNGROUPED: there was none */
    unsigned n_same;      /* hits in a row that did not count, since they repeat that group */
    uint64_t n_wanted;    /* as machine_search.n_listed */
    uint64_t patience;
} machine_judge;

/* Of the points of one moment, a bit each. */
typedef struct machine_verdict {
    uint32_t hits;   /* those that count */
    uint32_t others; /* those that are not for this search (SR4) */
    uint32_t aside;  /* SR5 */
    bool is_first;   /* the moment is told by itself (SR3) */
} machine_verdict;

static inline machine_judge machine_judge_of(uint64_t n_wanted, uint64_t patience)
{
    return (machine_judge){.n_wanted = n_wanted, .patience = patience};
}

/* SR3: whether a hit of that group counts. */
static inline bool machine_judge_group(machine_judge *j, uint32_t group, bool *is_first)
{
    uint32_t before = j->last_group;
    if (group == MACHINE_UNGROUPED)
        return true;
    j->last_group = group;
    if (group == before && group != MACHINE_GROUP_FRESH) {
        j->n_same++;
        return false;
    }
    j->n_same = 0;
    if (before != MACHINE_UNGROUPED || group == MACHINE_GROUP_FRESH)
        return true;
    j->has_first = *is_first = true;
    j->first_group = group;
    return false;
}

/* noted[i]: how the i-th point is noted; NULL: it is not.  At most MACHINE_STOP_MAX_POINTS. */
static inline machine_verdict machine_judge_moment(machine_judge *j, const machine_noted *const *noted, size_t n)
{
    machine_verdict v = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t bit = (uint32_t)1 << i;
        if (!noted[i])
            v.others |= bit;
        else if (noted[i]->as == MACHINE_NOTE_ASIDE)
            v.aside |= bit;
        else if (noted[i]->as == MACHINE_NOTE_HIT && machine_judge_group(j, noted[i]->group, &v.is_first))
            v.hits |= bit;
    }
    j->n_noted++;
    j->n_hits += v.hits != 0;
    return v;
}

/* So many are listed: the search ends here. */
static inline bool machine_judge_is_full(const machine_judge *j, uint64_t n_listed) { return j->n_wanted && n_listed >= j->n_wanted; }
static inline bool machine_judge_has_lost_patience(const machine_judge *j) { return j->patience && j->n_noted >= j->patience; }

/* Those of the stop's points whose bits are set. */
static inline machine_stop machine_stop_of(const machine_stop *stop, uint32_t bits)
{
    machine_stop some = *stop;
    some.n_points = 0;
    for (size_t i = 0; i < stop->n_points; i++)
        if (bits >> i & 1)
            some.points[some.n_points++] = stop->points[i];
    return some;
}

/* A moment, told to what a search found. */
static inline void machine_found_note(machine_found *f, const machine_stop *stop, uint64_t time, const machine_verdict *v)
{
    if (v->is_first) {
        f->has_first = true;
        f->first_time = time;
        f->first = *stop;
    }
    if (v->aside) {
        f->has_aside = true;
        f->aside_time = time;
        f->aside = machine_stop_of(stop, v->aside);
    }
    if (v->hits) {
        f->last_time = time;
        f->last = machine_stop_of(stop, v->hits | v->others);
    }
}

/* What it has counted goes to what was found, at the end. */
static inline void machine_found_count(machine_found *f, const machine_judge *j)
{
    f->n_hits = j->n_hits;
    f->first_group = j->first_group;
    f->last_group = j->last_group;
    f->has_lost_patience = machine_judge_has_lost_patience(j);
}

#endif
