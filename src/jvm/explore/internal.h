/* internal.h - what the files of exploration share. */
#ifndef EBB_JVM_EXPLORE_INTERNAL_H
#define EBB_JVM_EXPLORE_INTERNAL_H

#include "base/mem.h"
#include "jvm/explore/explore.h"
#include "jvm/explore/policy.h"

/* ---- what a bytecode touches (points.c) ---- */

typedef struct explore_touch {
    uint64_t place; /* address of the field or element, or of the object that is locked or called */
    uint32_t kind;  /* policy.h */
    bool writes;
} explore_touch;

/* Whether f->pc is a switch point, and what it touches.  Objects that it lets escape have escaped then. */
bool explore_touches(const jvm_frame *f, explore_touch *out);
const jvm_sym *explore_used_class(const jvm_frame *f); /* what f->pc, which has not been resolved, may initialise; NULL: nothing */
const jvm_method *explore_task_at(const jvm_frame *f); /* the method of the program that f->pc, of the class library, calls as a task; NULL: it does not */
/* A call of the class library's that has not been resolved comes by again when it is, and nothing is decided before that: whom it calls is not known. */
bool explore_may_be_point(const jvm_frame *f);
bool explore_is_program(const jvm_class *cls); /* not of the class library */
extern bool explore_inside;                    /* code of the class library has switch points, too */

/* ---- what has escaped (escape.c) ---- */

void explore_escape_init(void); /* everything that there is has */
bool explore_has_escaped(const jvm_obj *o);
void explore_let_escape(jvm_obj *o); /* and what is reached from it; NULL is fine */

/* ---- the run (run.c) ---- */

typedef struct explore_run {
    jvm_explore_request how;
    EBB_VEC(jvm_turn) turns;        /* those asked for */
    jvm_policy policy;
    jvm_loader *loader;             /* of main's class */
    int explorer;                   /* socket to who explores; -1: nobody does */
    bool waits_for_request;         /* nothing has been decided yet */
    char *from;                     /* CLASS.METHOD that has not been executed yet, before which it is all by habit; NULL: none */
    bool reports;                   /* to the explorer, at the end */
    bool decides;                   /* it is not a replay */
    bool is_warming;                /* nothing is decided, and nothing really waited for (warm.c) */
    EBB_VEC(jvm_turn) taken;        /* those against the habit */
    EBB_VEC(uint32_t) trace;
    EBB_VEC(uint32_t) sites;        /* as in the answer; a set by explore_note_site */
    uint64_t schedule;
    uint32_t nswitches, npreemptions;
    uint32_t kinds[JVM_EXPLORE_KINDS], nkinds;
    uint32_t todo[JVM_EXPLORE_KINDS][JVM_EXPLORE_THREADS];
    uint64_t began;                 /* timestamp */
    int64_t steps, skipped_ns;      /* the clock: what happened, whatever it cost; and what waits that timed out skipped */
    uint32_t first_thread, main_thread; /* those before the first are the machine's own */
    uint32_t quiet_quanta;          /* since the last decision */
    int output;                     /* file with what was printed; -1: it is printed */
} explore_run;
extern explore_run explore;

void explore_set_policy(void); /* run.c: as explore.how and explore.turns say, from now on */
void explore_note_touch(uint32_t thread, uint32_t kind);
void explore_note_site(uint32_t site, bool switched);

/* ---- the explorer (serve.c) ---- */

void explore_catch_output(void); /* what is printed from now on is kept, and shown to nobody */
void explore_serve(void);        /* returns in runs, which know their request then */

/* Where something has to be decided or told: everything before is the same in all runs, and was executed once. */
static inline void explore_need_request(void)
{
    if (explore.waits_for_request)
        explore_serve();
}

/* ---- what the user wants to hold at the end (check.c) ---- */

void explore_check_init(void);
/* The program ends well: asks the user's check.  Where the answer is not PASSED, `text` says why. */
enum jvm_outcome explore_check_judge(char *text, size_t size);

_Noreturn void explore_report(enum jvm_outcome outcome, int status, uint32_t thread, uint64_t signature, const char *text);

/* ---- what all runs would do (warm.c) ---- */

bool explore_warm(void);      /* true: in a copy, which runs to its end to see what there is to do */
bool explore_is_scout(void);  /* this is that copy, */
_Noreturn void explore_scout_ends(void); /* and that its end */

/* ---- classes that are initialised before the first run (rehearse.c) ---- */

/* Initialises those of the n classes whose initialisers nobody could tell from ones that run later. */
void explore_initialise(jvm_class *const *classes, size_t n);

static inline uint64_t explore_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

#endif
