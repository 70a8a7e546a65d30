/* explore.h - what an explorer and the Java machine that it explores say to each other.
 *
 * The machine runs the program to its main and then serves: each request makes a copy of it, which runs the rest of the program under the
 * schedule that the request describes, and sends one answer when it ends.  Requests and answers are packets (SOCK_SEQPACKET) of fixed structs
 * with arrays after them, between two processes of one build: nothing of it is stored.
 *
 * A *decision* is where somebody has to say who runs next: a thread is about to touch something shared, or it blocks, yields or ends.
 * Decisions are named by the thread that came to it and how many it had come to before, which stays true when what the others do changes.
 * What was decided against the habit (a thread that can go on does; else the next one in order gets the turn) is a *turn*: the turns of a
 * run describe its schedule.
 *
 * XW1  the same request has the same answer, whenever and beside whatever it runs;
 * XW2  an answer is at most JVM_EXPLORE_ANSWER bytes: what doesn't fit is left out and counted in `nlost`. */
#ifndef EBB_JVM_WIRE_EXPLORE_H
#define EBB_JVM_WIRE_EXPLORE_H

#include <stdint.h>

enum jvm_strategy {
#define JVM_STRATEGY(name, word, text) JVM_STRATEGY_##name,
#include "jvm/wire/strategies.def"
#undef JVM_STRATEGY
    JVM_NSTRATEGIES,
};

enum jvm_outcome {
#define JVM_OUTCOME(name, word, fails) JVM_OUTCOME_##name,
#include "jvm/wire/outcomes.def"
#undef JVM_OUTCOME
    JVM_NOUTCOMES,
};

enum {
    JVM_EXPLORE_ANSWER = 160 * 1024, /* under what a socket takes by default */
    JVM_EXPLORE_THREADS = 64,        /* of which counts are told */
    JVM_EXPLORE_KINDS = 16,
};

/* Which thread gets the turn at the `nth` decision of `thread`. */
typedef struct jvm_turn {
    uint32_t thread, nth, to;
    uint32_t times_out; /* `to` waited for time, which is over now */
} jvm_turn;

enum { /* jvm_explore_request.wants */
    JVM_EXPLORE_TRACE = 1,  /* every decision with its candidates */
    JVM_EXPLORE_ONCE = 2,    /* no copy: this machine itself runs it, and is gone then */
};

typedef struct jvm_explore_request {
    uint32_t number;      /* comes back with the answer */
    uint32_t strategy;    /* enum jvm_strategy */
    uint64_t seed;
    uint32_t depth;       /* pct: how many moments, and one */
    uint32_t steps;       /* decisions that a run may have, by what was seen so far */
    uint64_t limit;       /* decisions after which it is a livelock */
    uint32_t wants;       /* JVM_EXPLORE_... */
    uint32_t nturns;      /* jvm_turn, after this */
    uint32_t interest;    /* surw: the kind of thing that counts; 0: all */
    uint32_t todo[JVM_EXPLORE_THREADS]; /* surw: accesses of that kind which threads are expected to make, by id modulo */
} jvm_explore_request;

typedef struct jvm_explore_answer {
    uint32_t number;
    uint32_t outcome;     /* enum jvm_outcome */
    int32_t exit_status;
    uint32_t thread;      /* in which it failed */
    uint64_t schedule;    /* hash of all switches */
    uint64_t output;      /* hash of what was printed */
    uint64_t signature;   /* equal for failures of one kind at one place */
    uint32_t ndecisions, nswitches, npreemptions;
    uint32_t nlost;       /* XW2: turns or decisions that are not here */
    uint32_t todo[JVM_EXPLORE_KINDS][JVM_EXPLORE_THREADS]; /* accesses that were made; kind 0: all */
    uint32_t kinds[JVM_EXPLORE_KINDS];
    /* after this, in this order: */
    uint32_t nturns;      /* jvm_turn */
    uint32_t nsites;      /* uint32_t: places in the code that are switch points; the lowest bit: a switch was made there */
    uint32_t ntrace;      /* uint32_t words of decisions: thread, nth, who of the candidates << 16 | candidates << 1 | could go on, then their ids */
    uint32_t ntext;       /* bytes: what happened, for people */
} jvm_explore_answer;

#endif
