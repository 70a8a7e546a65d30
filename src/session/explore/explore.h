/* explore.h - the search for a schedule of a Java program under which it fails.
 *
 * The program runs to its main once, or to where the user says; from there copies of it run under one schedule each (jvm/wire/explore.h), several at a time.  The first run keeps
 * to habit: it tells how much there is to decide.  A run that fails is then made small: turns are left out as long as it fails in the
 * same way (delta debugging), and the last run is made once more, from the beginning of the program, and recorded.
 *
 * XS1  the same seed finds the same: a request depends on the answers of runs at least WINDOW before it, whatever the order in which they come, and
 *      of several failures that of the lowest number counts;
 * XS2  `keeps_on` is asked between answers.  When it says no, what was found so far is what there is. */
#ifndef EBB_SESSION_EXPLORE_EXPLORE_H
#define EBB_SESSION_EXPLORE_EXPLORE_H

#include "base/error.h"
#include "base/mem.h"
#include "jvm/remote/explore.h"

#include <stdbool.h>

enum { SES_STRATEGY_MIXED = JVM_NSTRATEGIES }; /* several, by turns */

typedef struct ses_explored ses_explored;

typedef struct ses_exploration {
    char *const *args;   /* java ... */
    uint32_t strategy;   /* enum jvm_strategy or SES_STRATEGY_MIXED */
    uint64_t seed, runs; /* 0 runs: as many as there is time for */
    double seconds;      /* 0: no limit */
    uint32_t depth;      /* pct; 0: by turns */
    uint64_t limit;      /* decisions until it is a livelock */
    bool inside;         /* switch points in the class library, too */
    bool same_output;    /* what differs from the first run's output fails */
    const char *check;   /* CLASS.METHOD of the program, which says at the end of a run whether all is well; NULL: nobody is asked */
    const char *from;    /* CLASS.METHOD of the program, before which nothing is chosen; NULL: main */
    bool livelocks_pass; /* a run that does not end is none of our business */
    const char *recording; /* where the failing run is recorded to */
    const char *schedule;  /* and its schedule */
    void *self;
    bool (*keeps_on)(void *self); /* XS2 */
    void (*tell)(void *self, const ses_explored *now); /* now and then */
} ses_exploration;

struct ses_explored {
    uint64_t nruns, ndistinct, nsites, ncovered;
    double seconds;          /* since main was called */
    bool is_complete;        /* bounded: there is nothing else to run within the bound */
    bool is_found;
    uint64_t found_at;       /* number of the run, from 1 */
    const char *strategy;    /* by which */
    uint64_t seed;
    enum jvm_outcome outcome;
    uint32_t thread;
    char text[512];          /* what happened */
    size_t nturns, nturns_first; /* of the schedule, before and after it was made small */
    uint32_t npreemptions, nswitches;
    uint64_t nruns_minimising;
    bool is_recorded, is_captured; /* into `recording`, into `schedule` */
    EBB_VEC(jvm_turn) turns;
};

ebb_status ses_explore(const ses_exploration *how, ses_explored *out, ebb_error *err) EBB_MUST_CHECK;
void ses_explored_fini(ses_explored *e);

#endif
