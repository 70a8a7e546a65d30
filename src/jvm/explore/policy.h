/* policy.h - a strategy at work: who runs next at each decision (wire/explore.h).
 *
 * A policy is told who could run and says who does.  It knows nothing of Java, of time or of the machine, allocates nothing and has no statics: the same
 * setup and the same questions give the same answers.  Turns that were asked for come first; where one can't be taken, because its thread
 * can't run there, it is left out.  Strategies are rows of strategies.def.
 *
 * PO1  a time-out competes with threads that can run: it may come as early as the policy likes, since the others may be slow.  A thread that
 *      sleeps is as good as one that runs; a wait with a limit times out seldom unless nobody else can run;
 * PO2  nobody starves: after POLICY_PATIENCE decisions in which one thread went on, it is another's turn; and who was passed over in as many, whoever went
 *      on, has the next POLICY_STINT for itself.  So a loop that waits for somebody else, or several that wait in turn, end whatever the strategy;
 * PO3  who yields goes on only if nobody else can, or seldom. */
#ifndef EBB_JVM_EXPLORE_POLICY_H
#define EBB_JVM_EXPLORE_POLICY_H

#include "jvm/wire/explore.h"

#include <stdbool.h>
#include <stddef.h>

enum { JVM_POLICY_THREADS = JVM_EXPLORE_THREADS, JVM_POLICY_CHANGES = 16, JVM_POLICY_PATIENCE = 1000, JVM_POLICY_STINT = 100 };

enum jvm_readiness { JVM_READY, JVM_READY_SLEEPS, JVM_READY_TIMED }; /* can run; would wake up; would time out */

typedef struct jvm_candidate {
    uint32_t thread;
    enum jvm_readiness readiness;
    uint64_t place;  /* what it is about to touch; 0: nobody knows */
    uint32_t kind;   /* a number for things of that sort, the same in every run; 0: nobody knows */
    bool writes;
    bool yields;     /* it has asked for somebody else */
} jvm_candidate;

typedef struct jvm_policy_thread {
    uint32_t nth;       /* decisions that it came to */
    uint32_t todo;      /* surw */
    uint64_t priority;  /* pct, pos; 0: none yet */
    uint32_t passed_over; /* decisions in which it could run, since it last did */
} jvm_policy_thread;

typedef struct jvm_policy {
    uint32_t strategy;
    uint64_t random;          /* state of the generator */
    uint32_t ndecisions, in_a_row, last; /* `last`: who went on */
    uint32_t favoured, stint; /* who has been passed over for long goes on, for so many decisions */
    uint32_t interest, intended; /* surw */
    uint32_t nchanges, changes[JVM_POLICY_CHANGES]; /* pct: decisions at which a priority is lowered */
    uint64_t lowest;          /* pct: the next priority below all */
    const jvm_turn *turns;    /* borrowed, by thread and nth */
    uint32_t nturns;
    jvm_policy_thread threads[JVM_POLICY_THREADS]; /* by id modulo */
} jvm_policy;

/* `turns`, n of them, sorted as jvm_turn_compare does, stay the caller's. */
void jvm_policy_init(jvm_policy *p, const jvm_explore_request *how, const jvm_turn *turns, size_t n);
int jvm_turn_compare(const void *a, const void *b); /* for qsort: by thread, then nth */

/* Thread `self` comes to a decision; its number. */
uint32_t jvm_policy_arrive(jvm_policy *p, uint32_t self);

/* Index of who runs.  `current`: index of `self` if it can go on, else n.  n > 0. */
size_t jvm_policy_choose(jvm_policy *p, const jvm_candidate *c, size_t n, size_t current, uint32_t self);

/* What it would be by habit: `current`, or the one next in order. */
size_t jvm_policy_habit(const jvm_candidate *c, size_t n, size_t current, uint32_t self);

/* One of n things that nobody decides otherwise (which waiter a notification is for). */
size_t jvm_policy_pick(jvm_policy *p, uint32_t self, size_t n);

#endif
