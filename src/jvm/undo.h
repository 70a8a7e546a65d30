/* undo.h - the undo log: what the last moments destroyed, in a ring of bounded size.
 *
 * What it is for.  Going back a little must not cost a replay from a snapshot.  While the log is kept, everything that is
 * about to be lost is copied into a ring first; `jvm_undo_rewind` puts it back, newest first, and the machine stands at an
 * earlier moment in the same process.
 *
 * Sparse points.  The machine is deterministic between two things from outside, so not every instruction has to be undone
 * by itself: at a *checkpoint*, every few hundred ticks, the log notes where the running thread is and keeps the frame it is in; from
 * then on it keeps
 *     - what is overwritten in the heap: fields, elements, statics, lock words (jvm_undo_write, HOOK_HEAP);
 *     - frames of callers, when control returns into them for the first time since the checkpoint (HOOK_FRAME): what lies
 *       below the frame of the checkpoint does not change before that;
 *     - allocations, as such (jvm_undo_alloc);
 *     - the machine's own variables that a program could see the effects of: queues of the scheduler, monitors, states of
 *       threads (jvm_undo_keep).
 * Operand stacks and local variables of the frame of a checkpoint are in the checkpoint; those of frames that were entered
 * since are made again.  To reach a moment, the log goes back to the last checkpoint that isn't behind it, and the
 * interpreter goes forward from there as in any replay (agent.h, `until`).  So the plain bytecode between two checkpoints
 * costs nothing but its stores.
 *
 * What can't be put back.  C code that ran and is through, native memory, loaded classes, collections.  Two rules deal with that:
 *     - a *cut*: whoever changes what the log does not keep says so (jvm_undo_cut), and the log begins anew behind it;
 *     - *contexts*: the C stack of a thread can't be put back.  A thread's context is a number that stands for what lies on its C
 *       stack: the activation of the interpreter it runs in, or the blocking call it waits in.  A checkpoint can be gone
 *       back to if every thread is in the context in which it was then.  (That natives called since have ended does no
 *       harm: they are called again, or replayed.)
 *
 * A rewind is for copies that replay: the recording's cursor is part of a checkpoint, so that what comes from outside comes from
 * there a second time.  The program itself is never rewound, only looked at in a copy.
 *
 * UL1  the state after a rewind and a run to a moment equals the state that was there (T1 of time/timeline.h);
 * UL2  keeping the log changes nothing that the program, the recording or a state hash can see: schedule, addresses, collections;
 * UL3  whether the log reaches a moment is known before anything is put back;
 * UL4  what is in the ring keeps no object alive: a collection cuts the log, and what lies behind is reached by replay. */
#ifndef EBB_JVM_UNDO_H
#define EBB_JVM_UNDO_H

#include "base/error.h"
#include "jvm/frame.h"
#include "jvm/undo_keep.h"

/* What those call who destroy something: undo_keep.h. */

/* ---- contexts ---- */

/* Around everything that leaves C frames on the stack of `t` while other code runs: an activation of the interpreter, a blocking
 * call.  Returns the context to give back at the end. */
uint64_t jvm_undo_enter_context(jvm_thread *t);
void jvm_undo_leave_context(jvm_thread *t, uint64_t before);

/* ---- keeping it ---- */

typedef struct jvm_undo_extent {
    bool on;
    uint64_t capacity, used;    /* bytes */
    uint64_t n_checkpoints;
    uint64_t oldest;            /* timestamp of the oldest checkpoint that can be gone back to; UINT64_MAX: none */
    const char *cut_by;         /* why it reaches no further; NULL: the ring is full, or it was switched on there */
} jvm_undo_extent;

/* A ring of that size, in bytes; 0: no log.  At a stop. */
void jvm_undo_set(uint64_t capacity);
jvm_undo_extent jvm_undo_get(void);
/* Which code the log is kept for (machine.h, undo_choose): where other code runs, the log is cut.  Copies what it is given. */
void jvm_undo_choose(const char *const *patterns, size_t n, const char *first_method);

/* Back to the last checkpoint whose moment is not behind (time, place of the running thread) and that can be gone back to.  False, and
 * nothing is changed (UL3): there is none.  True: the running thread is *thread now, its innermost frame and the time are as
 * they were; who called goes back to the interpreter, which reads them anew. */
bool jvm_undo_rewind(uint64_t time, uint64_t place, jvm_thread **thread);

#endif
