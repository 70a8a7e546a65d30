/* internal.h - what the files of the search share. */
#ifndef EBB_SESSION_EXPLORE_INTERNAL_H
#define EBB_SESSION_EXPLORE_INTERNAL_H

#include "session/explore/explore.h"

typedef EBB_VEC(jvm_turn) explore_turns;

/* One run with these turns and otherwise by habit. */
ebb_status explore_run_turns(jvm_explorer *x, const ses_exploration *how, const explore_turns *turns, uint32_t wants, jvm_run *out,
                             ebb_error *err) EBB_MUST_CHECK;

/* ---- making it small (minimise.c) ---- */

/* Whether the run with these turns still fails as it should. */
typedef struct explore_test {
    bool (*fails)(void *self, const explore_turns *turns);
    void *self;
} explore_test;

/* Leaves out of `turns` what can be left out, one by one in the end.  The test holds for `turns`, before and after. */
void explore_minimise(explore_turns *turns, const explore_test *test);

/* ---- all schedules within a bound (bounded.c) ---- */

typedef struct explore_bounded explore_bounded;

explore_bounded *explore_bounded_new(void);
void explore_bounded_free(explore_bounded *b);
/* The turns of the next run; false: there is none (yet).  `node` goes with the answer. */
bool explore_bounded_next(explore_bounded *b, explore_turns *turns, uint32_t *node);
void explore_bounded_learn(explore_bounded *b, uint32_t node, const jvm_run *run); /* a trace was wanted */

#endif
