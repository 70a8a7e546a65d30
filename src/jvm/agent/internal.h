/* internal.h - what the files of the agent share. */
#ifndef EBB_JVM_AGENT_INTERNAL_H
#define EBB_JVM_AGENT_INTERNAL_H

#include "base/mem.h"
#include "jvm/agent/agent.h"
#include "jvm/wire/places.h"
#include "jvm/wire/wire.h"
#include "machine/machine.h"
#include "machine/search.h"
#include "time/pace.h"
#include "time/position.h"

/* ---- places (remote.h) ---- */

machine_place agent_thread_place(const jvm_thread *t);    /* 0: it runs no Java code */
jvm_class *agent_class(uint64_t serial);                  /* NULL: there is none */
jvm_method *agent_method(machine_place place);            /* NULL: there is none */
jvm_field *agent_field(uint64_t id);
jvm_thread *agent_thread(uint64_t tid);
jvm_frame *agent_top_frame(const jvm_thread *t);          /* as ebb knows its stack: without what a call put onto it */
jvm_frame *agent_frame(uint64_t tid, unsigned level);     /* NULL: the stack is not that deep */
uint64_t agent_frame_id(const jvm_thread *t, const jvm_frame *f);

/* Values as they travel; false: no value of that type (a reference that is no object). */
jvm_wire_word agent_word(char type, jvm_slot v);
bool agent_slot(char type, uint64_t bits, jvm_slot *v);

/* ---- state ---- */

typedef struct agent_condition agent_condition;

typedef enum agent_truth { AGENT_NO, AGENT_YES, AGENT_UNKNOWN } agent_truth; /* UNKNOWN: ebb has to look itself (CD3) */

typedef struct agent_point {
    uint32_t id;
    uint8_t kind;     /* machine_point_kind */
    uint32_t space;
    uint64_t addr, nbytes, thread;
    uint64_t in_frame; /* EXEC: only there; 0: anywhere */
    bool is_noted, is_muted;  /* by the search that is on; muted: not in the code just now */
    uint32_t group;           /* noted: machine_noted.group, */
    uint8_t noted_as;         /* and machine_noted.as */
    jvm_insn *at;     /* EXEC: where it is inserted; NULL: its method isn't prepared yet.  A local's: locals.c */
    const jvm_field *field;   /* of every object */
    jvm_frame *frame;         /* a local's; NULL: it isn't there (locals.c) */
    uint64_t method;          /* of that frame: java_method_id */
    agent_condition *condition; /* owned; NULL: none */
    bool is_unsure;           /* when it was reached last, its condition had no answer */
    uint32_t ignored_with;    /* the agent_ignore that counts its hits; 0: none does */
} agent_point;

/* Hits that are counted and not told: of the points whose `ignored_with` is `id`, which is that of one of them. */
typedef struct agent_ignore {
    uint32_t id;
    uint64_t left;
    uint64_t passed; /* since the last stop */
} agent_ignore;

enum { /* stops that somebody asked for, to happen before the next bytecode */
    AGENT_WANT_START = 1 << 0, AGENT_WANT_INTERRUPT = 1 << 1, AGENT_WANT_MODULES = 1 << 2, AGENT_WANT_THREAD_START = 1 << 3,
    AGENT_WANT_SNAPSHOT = 1 << 4, /* no stop, but it happens there too */
    AGENT_WANT_THREAD_END = 1 << 5,
};

typedef struct agent_moment { /* identifies the execution of one bytecode */
    const jvm_thread *thread;
    const jvm_frame *frame;
    const jvm_insn *pc;
    uint64_t time;
} agent_moment;

typedef struct agent_step {
    bool active;
    jvm_thread *thread;
    jvm_frame *frame;       /* the one it began in, or the innermost below that is left */
    machine_place lo, hi;   /* goes on inside of it; lo == hi: nowhere */
    bool over_calls, filtered;
    bool by_lines;          /* it is of a line: methods that have none are passed */
    jvm_insn *waits_at;     /* a call runs at full speed until this instruction of `frame`; NULL: none does */
    unsigned n_looks;       /* at instructions of `frame` */
    bool is_long;           /* it runs at full speed until it comes to one of the `exits` */
    EBB_VEC(jvm_insn *) exits;
} agent_step;

/* How a thread is to leave its innermost frame (force.c). */
typedef struct agent_forced {
    const jvm_thread *thread;
    const jvm_frame *frame;
    bool is_thrown;   /* by `object`; else by a return of `value` */
    jvm_slot value;
    jobject object;   /* keeps it alive; NULL: there is none */
} agent_forced;

/* Something about a monitor that a thread's next instruction is told at (monitors.c). */
typedef struct agent_lock_event {
    const jvm_thread *thread;
    uint8_t kind;     /* machine_stop_kind */
    uint64_t object, detail;
    machine_place place; /* where it happened */
} agent_lock_event;

typedef struct agent_state {
    int fd;
    pid_t debugger;          /* ebb */
    bool running;            /* between a resume and the next stop */
    unsigned wanted;         /* AGENT_WANT_* */
    EBB_VEC(agent_point) points;
    EBB_VEC(agent_ignore) ignores;
    bool counts; /* hits count in this move: ignores are used up */
    struct { /* as agent_choose_trace found, if no access is to be judged */
        enum jvm_trace trace;
        bool only_points; /* nothing but points can stop it before jvm_agent_moment, if nothing is looked at */
        bool only_data;   /* nothing but points on data, and on references, can stop it before `approaches` */
    } at_rest;
    bool only_points; /* nothing but points can stop it before jvm_agent_moment */
    unsigned n_data, n_locals, n_local_reads; /* of them: not EXEC, nor asleep; of local variables; those told of reads, and awake */
    unsigned n_early;        /* of n_data: those that stop before the instruction */
    unsigned n_references;   /* of n_data: of JAVA_SPACE_REFERENCE */
    unsigned n_heap_writes;  /* of n_data: those told of writes only, and not of local variables */
    unsigned n_touches;      /* accesses to be judged at the next instruction */
    unsigned events;         /* bit per machine_event */
    EBB_VEC(char *) classes; /* want_classes: names of classes, with `*`, and of source files */
    EBB_VEC(uint32_t) linked; /* those of them that ebb is still to be told of */
    EBB_VEC(char *) filter;
    bool filter_library;
    agent_moment late;       /* an instruction that began before, and goes on only now */
    agent_moment here;       /* looked at last (AG3) */
    agent_step step;
    bool until;
    uint64_t until_time;
    machine_place until_place;
    bool quiet; /* until: points and events don't stop it */
    uint64_t approaches;     /* the moment from which on every instruction is looked at; UINT64_MAX: none is near */
    bool searches;           /* until: points that are noted don't stop it (search.c) */
    bool is_scratch;         /* this process is a copy to try things out in */
    bool rewinds;            /* the stop is left for an earlier moment (undo/undo.h) */
    bool is_apart;           /* a thread of this copy went back alone (undo/apart.h): nothing that was recorded follows */
    bool no_answer;          /* ... and has just become it: the original answers that request */
    bool calling, aborts;    /* a call is under way; it is to end */
    unsigned n_calls;        /* under way: more than one if lambdas call (lambda.c) */
    const jvm_thread *caller; /* the first one: on top of the frames of this thread, */
    jvm_frame *caller_top;    /* the innermost of which was this one */
    int fd_along;            /* goes with the next answer; -1: none */
    bool is_replay;          /* this process replays, */
    bool is_opened;          /* it is an opened recording, or a copy of one: nobody ever was live here */
    uint64_t newest_time;    /* up to here, as ebb told it when it began (time/copies.h, FC3) */
    machine_place newest_place;
    bool snapshot_stays;     /* the next one (machine/history.h) */
    ebb_pace pace;           /* of snapshots that it takes by itself */
    uint64_t pages_written;  /* when the last one was taken: a count that grows */
    EBB_VEC(pid_t) copies;
    EBB_VEC(jobject) kept;   /* objects that ebb made */
    bool in_look;            /* the running thread is between two bytecodes */
    bool reenters;           /* frames of it are gone: it goes on with the instruction of the one that is left */
    EBB_VEC(agent_forced) forced;
    EBB_VEC(agent_lock_event) lock_events;
} agent_state;
extern agent_state agent;

bool agent_is_late(const jvm_thread *t, const jvm_frame *f); /* the instruction f->pc began at another timestamp */
bool agent_moment_same(const agent_moment *a, const agent_moment *b);
void agent_choose_trace(void); /* jvm_trace, jvm_agent_moment, jvm_agent_exceptions from all of the above */
void agent_touches_changed(void); /* the same, where nothing but n_touches is another */

/* ---- agent.c ---- */

/* Tells ebb and serves it until it resumes.  `t` NULL: no thread runs. */
void agent_stop(jvm_thread *t, jvm_wire_stop *stop);
void agent_serve(void); /* as if it had stopped: until ebb resumes */
void agent_receive(jvm_wire_message *m); /* the next message; AG2 */
void agent_serve_request(const jvm_wire_message *m); /* and answers it */
ebb_status agent_do(const jvm_wire_message *m, ebb_arena *arena, ebb_buf *out, ebb_error *err); /* a request */
void agent_answer(uint16_t code, ebb_status status, ebb_buf *payload, const ebb_error *err);

/* Points and events may stop it now. */
static inline bool agent_may_stop(void) { return agent.running && !agent.calling && !agent.quiet; }

/* ---- copy.c, call.c ---- */

/* A copy of the process: 0 in the copy, whose socket is agent.fd; else its pid, and the other end of that socket. */
pid_t agent_copy(int *fd, ebb_error *err);
void agent_copy_end(pid_t pid);
void agent_run_apart(void); /* what replayed runs by itself from now on, and touches nothing outside */
void agent_detach_descriptors(void); /* in a copy: nothing outside is held open */
void agent_abort_call(jvm_thread *t);
void agent_release_kept(void);

/* ---- lambda.c ---- */

/* A class of which every object is a lambda of ebb's for that interface; linked.  NULL: an exception is pending. */
jvm_class *agent_lambda_class(jvm_thread *t, jvm_class *interface);

/* ---- snapshot.c ---- */

void agent_begin_replay(void);
void agent_replay_diverged(const char *text); /* tells ebb, which waits for a stop, and ends */
ebb_position agent_recording_end(void); /* while replaying: the last moment that is known */
void agent_block_signals(void); /* SF2 */
bool agent_snapshot_here(void); /* true in the copy that replays from there, when it goes on */
bool agent_is_at_newest(const jvm_frame *f, uint64_t time);

/* ---- edits.c ---- */

bool agent_is_edit(uint16_t code); /* the request changes the debuggee by itself */
/* A request is about to be done: recorded, if it changes the program for good.  EBB_UNSUPPORTED: not in the past. */
ebb_status agent_log_edit(const jvm_wire_message *m, ebb_error *err) EBB_MUST_CHECK;
void agent_do_edits(const jvm_frame *f, uint64_t time); /* replaying: those that were made here */

/* ---- points.c ---- */

ebb_status agent_point_set(const jvm_wire_point *p, ebb_error *err);
ebb_status agent_point_clear(uint32_t id, ebb_error *err);
/* Takes the breakpoint of a point out of the code for a while; AQ1 (search.c). */
void agent_point_mute(agent_point *p, bool is_muted);
void agent_points_mute(bool is_muted); /* all of them */
void agent_class_unloaded(const jvm_class *cls); /* its points wait for nothing now */
void agent_site_add(jvm_method *m, jvm_insn *at);
void agent_site_remove(jvm_insn *at);
agent_point *agent_point_by_id(uint32_t id); /* NULL: there is none */
/* Adds those that are reached.  `stops`: it stops here anyway, so all of them are told; otherwise hits that are to be ignored are
 * counted if nothing else is told. */
void agent_points_at(const jvm_thread *t, const jvm_frame *f, bool stops, jvm_wire_stop *stop);
/* At a breakpoint: no point is reached, since their conditions are false; the operation that belongs there. */
bool agent_points_pass(const jvm_thread *t, const jvm_frame *f, uint16_t *op);
typedef EBB_VEC(jvm_wire_passed) agent_passed;
agent_passed agent_take_passed(void); /* what was counted since the last stop; the caller frees it */

/* ---- condition.c ---- */

agent_truth agent_condition_holds(const agent_condition *c, const jvm_frame *f);
void agent_conditions_forget(const jvm_class *cls); /* AK2 */

/* ---- data.c ---- */

ebb_status agent_data_set(agent_point *p, ebb_error *err);
void agent_data_linked(const jvm_class *cls);                       /* fields have their places */
void agent_data_changed(void);                                      /* points came or went */
void agent_data_before(const jvm_thread *t, const jvm_frame *f, uint16_t op);  /* f->pc is about to do op */
bool agent_data_is_far(const jvm_thread *t, const jvm_frame *f, uint16_t op); /* no point is about what op touches; references not counted */
void agent_data_about(jvm_thread *t, const jvm_frame *f, uint16_t op); /* the same, first: points that stop before it do */
void agent_data_before_edit(const jvm_thread *t, const jvm_frame *f, uint32_t slot); /* the user sets that local variable */
bool agent_data_passes(const jvm_thread *t, const jvm_frame *f); /* what it did is of no interest, and forgotten; else nothing is */
void agent_data_after(const jvm_thread *t, const jvm_frame *f, jvm_wire_stop *stop); /* adds the points of what it did; t stands in f */
void agent_data_forget(void);                                       /* what it did is undone */

/* ---- locals.c ---- */

bool agent_is_local(const agent_point *p);
static inline bool agent_is_reference(const agent_point *p) { return p->kind != MACHINE_POINT_EXEC && p->space == JAVA_SPACE_REFERENCE; }
/* The instruction at which f stands passes on the reference of the point; is_asked_later: it does if that is on the stack's top when it is done. */
void agent_data_moved(const agent_point *p, const jvm_thread *t, const jvm_frame *f, bool is_asked_later);
void agent_travel_before(const jvm_thread *t, const jvm_frame *f, uint16_t op); /* travel.c */
bool agent_travel_is_far(const jvm_frame *f, uint16_t op); /* none of the references is among what op moves */
ebb_status agent_local_set(agent_point *p, ebb_error *err);
bool agent_local_get(const agent_point *p, uint64_t *bits);           /* false: its frame isn't there */
jvm_frame *agent_frame_numbered(uint64_t id);                         /* NULL: it isn't there */
/* An instruction of f, of that slot or (-1) of none, is about no variable that is watched, and has left none. */
bool agent_locals_are_far(const jvm_thread *t, const jvm_frame *f, int64_t slot);
void agent_locals_left(const jvm_thread *t, const jvm_frame *now);    /* frames above `now` are gone */
void agent_locals_entered(const jvm_thread *t, jvm_frame *f, jvm_wire_stop *stop); /* t stands in f: adds the points that awake */
void agent_locals_prepared(jvm_method *m);
void agent_locals_unloaded(const jvm_class *cls);

/* ---- search.c ---- */

/* Takes the points that are noted out of `stop`, at which t stands; is_end: the search is over here. */
void agent_search_note(jvm_thread *t, jvm_wire_stop *stop, uint64_t time, bool is_end);
bool agent_search_is_full(void); /* as many are listed, or noted, as were asked for */
void agent_search_end(const jvm_wire_stop *stop, ebb_buf *out); /* the answer */

/* ---- picture.c ---- */

/* What the object, if it is one, leads to, so many steps far, as it is now. */
void agent_picture(uint64_t ref, unsigned depth, ebb_arena *arena, jvm_wire_listed *into);

/* ---- objects.c ---- */

jvm_wire_bytes agent_string_utf8(const jvm_obj *string, uint32_t n_chars, ebb_arena *arena); /* of its first chars */
size_t agent_element_offset(const jvm_obj *array, uint32_t i);

/* ---- force.c ---- */

bool agent_force(jvm_thread *t, jvm_frame *f, uint16_t *op); /* f is left now: by that operation, or t->exception is set */
void agent_reenter(void); /* does not return if frames are gone */

/* ---- monitors.c ---- */

void agent_tell_lock_events(jvm_thread *t); /* t is between two bytecodes */

/* ---- step.c ---- */

bool agent_step_begin(const jvm_wire_request *q);
void agent_step_end(void);
void agent_step_stop_waiting(void); /* every instruction is looked at again */
void agent_step_thrown(const jvm_thread *t); /* an exception is on its way: the same, if t is stepped */
bool agent_step_is_done(jvm_thread *t, jvm_frame *f); /* and prepares for what comes if not */
bool agent_is_library(const jvm_class *cls);
void agent_list_sources(ebb_arena *arena, jvm_wire_end *out); /* sources.c; the arena's */

/* The answers, by name: serve.c and its like.  What the reply points to lives in the arena. */
#define JVM_WIRE_DO(name, request, reply)                                                          \
    ebb_status agent_serve_##name(const jvm_wire_##request *q, jvm_wire_##reply *a, ebb_arena *arena, ebb_error *err);
#include "jvm/wire/wire.def"

/* ---- knock.c ---- */

/* ebb waits at EBB_JVM_DOOR, and this is the program that it waits for: agent.fd and agent.debugger are set. */
bool agent_knock(void);

#endif
