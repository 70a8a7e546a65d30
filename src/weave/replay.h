/* replay.h - class files into which a schedule is woven: on any JVM they run as it says.
 *
 * It takes two passes over the classes.  The first one (weave_replay_look) learns who extends whom and finds the places that the schedule
 * names; weave_replay_check tells what was not found.  The second one (weave_replay_class) changes the classes.  What is put in:
 *
 *   - `at(place)` before each bytecode that an event names, and nowhere else;
 *   - `back()` after a call in which an event says that a thread blocks, unless the call is one of the next kind: the thread comes out of
 *     code that is not woven, and waits for its turn; and before an instruction in which one waits until a class is initialised: JVMs don't show that as blocked, so
 *     the thread does not come to it before that is done;
 *   - calls by which threads wait for, wake or interrupt each other are calls of the engine (replay_calls.def);
 *   - a pool of threads gets a queue of the engine's around its own;
 *   - a ForkJoinPool and a scheduled pool get workers of the engine's, and a java.util.Timer, with its tasks, and a ScheduledThreadPoolExecutor are the engine's, which extend the JDK's;
 *   - a method of the class library that is used as a Runnable or its like gets an object of the engine's;
 *   - `enter()` at the entry of methods in which a thread may begin to execute woven code: main, run and their like (gates in replay.c), and
 *     targets of method handles, which are the bodies of lambdas; if such a method is synchronized, also in a method in front of it (front.h);
 *   - `starting(thread)` before each `start()`.
 *
 * WRP1  a class in which none of that is needed is not changed;
 * WRP2  an event is at one instruction of one method of one class, or it is complained about: a place that two files of the same class have is that of the
 *      first one;
 * WRP3  a method that would get too long for the format stays as it is and is told of; if the schedule names a place in it, that is an error. */
#ifndef EBB_WEAVE_REPLAY_H
#define EBB_WEAVE_REPLAY_H

#include "base/map.h"
#include "schedule/schedule.h"
#include "weave/code.h"
#include "weave/runtime.h"

#define WEAVE_ENGINE "ebb/replay/"

typedef struct weave_place weave_place;
struct weave_place {
    weave_place *next;       /* of the same class */
    uint32_t number;
    uint16_t method;         /* its index in the class */
    uint32_t bci;
    bool is_in;              /* some event is in the call there */
    uint8_t op;              /* the instruction, and if it is a call, of what */
    weave_member called;
    const char *words;       /* for people */
};

typedef struct weave_replay_info { /* about a class of the program */
    const char *super;       /* NULL: none */
    const char **interfaces; /* its own */
    uint32_t ninterfaces;
    bool is_asked, is_of_library; /* whether it extends or implements something of the class library, once that was asked */
    uint32_t overrides;      /* which methods of threads it has itself (weave_replay_overrides) */
    weave_place *places;
} weave_replay_info;

typedef struct weave_replay_counts {
    uint32_t nclasses, nchanged, nplaces, ncalls;
} weave_replay_counts;

typedef struct weave_replay {
    const sched_schedule *schedule; /* with switches, checked */
    const char *file;               /* what it is called */
    bool has_names;                 /* the class library has started threads that the schedule rules */
    ebb_arena arena;
    ebb_map *named;                 /* names of classes, with dots, that some event has */
    ebb_map *classes;               /* name -> weave_replay_info */
    ebb_map *gates;                 /* class, method and descriptor as `a/B.run()V` -> not NULL: a method handle is of it */
    ebb_map *statics;               /* the same for static methods of the program */
    EBB_VEC(weave_place *) places;  /* by number */
    weave_place **of_command;       /* for each command of the schedule; NULL: not found yet */
    char **complaints;              /* for each command: what is wrong with it; NULL: nothing */
    weave_replay_counts counts;
    ebb_buf text;
    weave_runtime_class *runtime;
} weave_replay;

void weave_replay_init(weave_replay *r, const sched_schedule *schedule, const char *file);
void weave_replay_fini(weave_replay *r);

ebb_status weave_replay_look(weave_replay *r, weave_span bytes, ebb_error *err) EBB_MUST_CHECK;
/* EBB_BAD_FILE: `all` has what is wrong, line by line. */
ebb_status weave_replay_check(const weave_replay *r, sched_complaints *all) EBB_MUST_CHECK;
/* Adds the class to `out`.  `left` gets a line for each method that stays as it is, and for what it does that can't be replayed. */
ebb_status weave_replay_class(weave_replay *r, weave_span bytes, ebb_buf *out, ebb_buf *left, ebb_error *err) EBB_MUST_CHECK;
/* The engine and the schedule: after the first pass; as long as `r`. */
const weave_runtime_class *weave_replay_runtime_of(weave_replay *r);

/* ---- between the two files ---- */

weave_replay_info *weave_replay_info_of(const weave_replay *r, weave_span name);
/* A call that the engine does: its row of replay_calls.def.  NULL: it does not. */
typedef struct weave_replay_call {
    const char *owner, *name, *type, *as, *engine_class, *engine_name;
} weave_replay_call;
const weave_replay_call *weave_replay_find_call(const weave_replay *r, const weave_member *called);
uint32_t weave_replay_overrides(const weave_class *cls);
bool weave_replay_has(const ebb_map *members, const weave_member *m); /* gates, statics */
bool weave_replay_initialises(const weave_replay *r, const weave_pool *pool, const weave_insn *insn); /* perhaps, a class of the program */
bool weave_replay_may_be_call(const weave_member *called); /* by its name: before it is known who extends whom */
weave_member weave_replay_called(const weave_pool *pool, const weave_insn *insn); /* {NULL...}: it is no call of a named method */

#endif
