/* agent.h - the half of the debugger that lives in the debuggee.
 *
 * ebb starts the launcher with a socket whose number is in EBB_JVM_FD.  The agent stops the machine where ebb wants it
 * stopped, answers questions over that socket (wire/wire.def), and goes on when told to.  Without the variable there is
 * no agent: every hook below is one test of a variable that is false.
 *
 * How the interpreter is watched.  A breakpoint replaces the operation of a prepared instruction.  Everything that must
 * look at each instruction (steps, exact positions, stops that were asked for from outside) or at each access of data
 * sets `jvm_trace`: the interpreter then dispatches through another table, whose entries lead to jvm_agent_look before
 * the instruction executes, one bytecode at a time.  So all stops are between two bytecodes, at a GC point.
 *
 * AG1  the program can't tell that an agent is there: no Java object is made, no Java code runs, no schedule changes,
 *     unless ebb asks for exactly that (invoke, only_thread);
 * AG2  when ebb goes away the process ends at once;
 * AG3  an instruction is looked at once, also if it is dispatched twice (quickening), so it can't be stopped at again
 *     when it is resumed (MA4). */
#ifndef EBB_JVM_AGENT_AGENT_H
#define EBB_JVM_AGENT_AGENT_H

#include "jvm/engine/frame.h"
#include "jvm/engine/prepare.h"

enum jvm_trace {
    JVM_TRACE_NOTHING,
    JVM_TRACE_DATA,  /* instructions that touch data, and calls */
    JVM_TRACE_ALL,
    JVM_TRACE_CALLS, /* calls, which count time without looking at the clock */
    JVM_TRACE_WRITES, /* instructions that write to the heap, and calls */
    JVM_TRACE_MOVES,  /* instructions that may pass a reference on, and calls */
    JVM_TRACE_COUNTED, /* all, for the capture of a schedule, which looks instead of the agent (explore/capture.h) */
    JVM_TRACE_KIND = 7, /* the bits of these */
    JVM_TRACE_SHARED = 8, /* added to one of them: what touches data that threads may share, and calls (explore/explore.h), before the others look */
    JVM_TRACE_UNDO = 16,  /* added, too: in the variant that keeps the undo log (undo/undo.h), */
    JVM_TRACE_FLOW = 32,  /* the one that makes aliases, */
    JVM_TRACE_LAST = 64,  /* or the one that keeps last writes (flow/flow.h) */
    JVM_TRACE_VARIANT = JVM_TRACE_UNDO | JVM_TRACE_FLOW | JVM_TRACE_LAST,
};

extern uint8_t jvm_trace;           /* enum jvm_trace: which table the interpreter dispatches through */
extern bool jvm_agent_on;           /* somebody is connected */
extern bool jvm_agent_exceptions;   /* wants to know of throws and catches */
extern bool jvm_agent_monitors;     /* wants to know of threads that wait for a lock, or at an object */
extern bool jvm_agent_forces;       /* the operation that jvm_agent_look gave is not the instruction's own: it is executed at once, or never */
extern bool jvm_agent_one_thread;   /* the running thread keeps running as long as it can */
extern bool jvm_agent_frames;       /* wants to know where frames end that C code called */
extern bool jvm_agent_travels;      /* wants to know what C code passes to Java code */
extern uint64_t jvm_agent_moment;   /* timestamp at which jvm_agent_tick is called; UINT64_MAX: never */

/* Connects if EBB_JVM_FD says so, and takes that out of the environment.  Before anything else of the machine. */
void jvm_agent_init(void);
/* The class library is up: stop before the next bytecode. */
void jvm_agent_started(void);

/* This process replays, with or without somebody connected: what was done to the program at stops is done again. */
void jvm_agent_replays(void);

/* Before the instruction f->pc, in traced code or under a breakpoint: may stop.  The operation to execute: the plain
 * one of that bytecode. */
uint16_t jvm_agent_look(jvm_thread *t, jvm_frame *f);

/* The instruction f->pc is about to be dispatched a second time; code that ran meanwhile (class loaders) took time (AG3). */
void jvm_agent_again(jvm_thread *t, jvm_frame *f);

/* Code that the access to a field at f->pc had run, to load or initialise a class, took time. */
void jvm_agent_took_time(jvm_thread *t, jvm_frame *f);

void jvm_agent_tick(void);                          /* jvm_agent_moment has come */
void jvm_agent_snapshot_soon(void);                 /* something happened that a copy can't do again */
void jvm_agent_poll(void);                          /* from time to time: is there an interrupt? */
void jvm_agent_quantum_ends(void);                  /* a snapshot may be due */
void jvm_agent_arrived(jvm_thread *t);              /* the undo log went back: t stands before a bytecode of its frame */
bool jvm_agent_is_copy(int64_t pid);                /* a process that the agent made */
pid_t jvm_agent_debugger(void); /* ebb's process id, where there is an agent */
int jvm_agent_fd(void);                             /* to wait for while everything is blocked; -1: no agent */
void jvm_agent_idle(void);                          /* that one is readable */

/* Only while jvm_agent_exceptions. */
void jvm_agent_thrown(jvm_thread *t);               /* t->exception, nothing unwound */
void jvm_agent_caught(jvm_thread *t, jvm_obj *exception); /* the frame stands at its handler */

/* Only while jvm_agent_monitors; those that begin are GC points. */
void jvm_agent_lock_blocks(jvm_thread *t, const jvm_obj *o); /* somebody else has it */
void jvm_agent_lock_entered(const jvm_thread *t, const jvm_obj *o);
void jvm_agent_waits(jvm_thread *t, const jvm_obj *o, int64_t millis); /* 0: for ever */
void jvm_agent_waited(const jvm_thread *t, const jvm_obj *o, bool timed_out);

/* Only while jvm_agent_travels: a native method, t's innermost frame, calls m. */
void jvm_agent_calls(const jvm_thread *t, const jvm_method *m, const jvm_slot *args);

/* Only while jvm_agent_frames: t is back in C code, which had made that entry frame. */
void jvm_agent_returned(const jvm_thread *t, const jvm_frame *entry);

/* Only while jvm_agent_on. */
void jvm_agent_prepared(jvm_method *m);             /* m->code is new: breakpoints that waited for it */
void jvm_agent_linked(const jvm_class *cls);
void jvm_agent_thread_starts(jvm_thread *t);
void jvm_agent_thread_ends(jvm_thread *t);          /* it is about to call Thread.exit, its last Java code: it may be held there */
void jvm_agent_exits(void);                         /* nothing of Java happens any more */

#endif
