/* undo.h - the undo log: what the last moments destroyed, in a ring of bounded size.
 *
 * What it is for.  Going back a little must not cost a replay from a snapshot.  While the log is kept, everything that is
 * about to be lost is copied into a ring first (time/undo_ring.h); going back puts it back, newest first (rewind.c), and the machine
 * stands at an earlier moment in the same process.
 *
 * Sparse points.  The machine is deterministic between two things from outside, so not every instruction has to be undone
 * by itself: at a *checkpoint*, every few hundred ticks, the log notes where the running thread is and keeps the frame it is in; from
 * then on it keeps
 *     - what is overwritten in the heap: fields, elements, statics, lock words (HOOK_HEAP, heap/object.h);
 *     - frames of callers, when control returns into them for the first time since the checkpoint (HOOK_BACK_INTO): what lies
 *       below the frame of the checkpoint does not change before that;
 *     - allocations, as such (jvm_undo_alloc);
 *     - the machine's own variables that a program could see the effects of: queues of the scheduler, monitors, states of
 *       threads (jvm_undo_keep).
 * Operand stacks and local variables of the frame of a checkpoint are in the checkpoint; those of frames that were entered
 * since are made again.  To reach a moment, the log goes back to the last checkpoint that isn't after it, and the
 * interpreter goes forward from there as in any replay (agent/agent.h, `until`).  So the plain bytecode between two checkpoints
 * costs nothing but its stores.  Checkpoints split the quantum of the running thread as the agent's moments do (threads/scheduler.c).
 *
 * What can't be put back.  C code that ran and is through, native memory, loaded classes, collections.  Whoever changes what the log does
 * not keep says so: a *cut* (jvm_undo_cut), and the log begins anew after it.
 *
 * C stacks.  The running thread of a checkpoint is between two bytecodes, so of its C stack nothing is needed but the
 * activation of the interpreter (engine/interp.h) it ran in: that one is made to go on from the frame as it is then, and whatever C
 * code was called since is given up (it is called again, or replayed).  If that activation has ended meanwhile, nothing can bring it
 * back: with its end all checkpoints go that were taken since it began.  Threads that did not run at the checkpoint stand where they left
 * off: before a thread gets its turn its C stack up to its activation is kept, with its frame and its handles, as any
 * other bytes are.  C code that must not go on twice from where it waited or called Java protects itself by a context.
 *
 * A rewind is for copies that replay: the recording's cursor is part of a checkpoint, so that what comes from outside comes from
 * there a second time.  The program itself is never rewound, only looked at in a copy.
 *
 * UL1  the state after a rewind and a run to a moment equals the state that was there (T1 of time/timeline.h);
 * UL2  keeping the log changes nothing that the program, the recording or a state hash can see: schedule, addresses, collections;
 * UL3  whether the log reaches a moment is known before anything is put back;
 * UL4  what is in the ring keeps no object alive: a collection cuts the log, and what lies before is reached by replay. */
#ifndef EBB_JVM_UNDO_UNDO_H
#define EBB_JVM_UNDO_UNDO_H

#include "base/error.h"
#include "jvm/engine/frame.h"
#include "jvm/undo/keep.h"
#include "jvm/jvm.h"
#include "time/undo_log.h"

/* What those call who destroy something: keep.h. */

/* ---- contexts ---- */

/* Around C code that waits or calls Java while it owns something (memory, say) that it gives back when it goes on: nobody goes
 * back into it once it is left. */
uint64_t jvm_undo_enter_context(jvm_thread *t);
void jvm_undo_leave_context(jvm_thread *t, uint64_t before);

/* ---- the scheduler's ---- */

extern ebb_undo_log jvm_undo_log;

static inline bool jvm_undo_is_there(void) { return jvm_undo_log.list.due != EBB_CHECKPOINT_NEVER; }
static inline bool jvm_undo_is_due(void) { return jvm_undo_log.list.due <= jvm_time() + 1; }
void jvm_undo_checkpoint(jvm_thread *t); /* t runs, and its frame is saved: before a bytecode */
void jvm_undo_switching_to(jvm_thread *t); /* t is parked and will run */

/* ---- the interpreter's ---- */

extern jvm_slot *jvm_undo_mark; /* of the running thread: what lies below was not kept since the last checkpoint */

/* Control comes back into f, which lies below the mark: before anything of it changes. */
void jvm_undo_keep_frame(const jvm_frame *f);

/* ---- keeping it ---- */

typedef struct jvm_undo_extent {
    bool on;                    /* for the code that runs */
    uint64_t capacity, used;    /* bytes */
    uint64_t n_checkpoints;
    uint64_t oldest;            /* timestamp of the oldest checkpoint that can be gone back to; UINT64_MAX: none */
    const char *cut_by;         /* why it reaches no further; NULL: the ring is full, or it was switched on there */
} jvm_undo_extent;

/* EBB_UNDO=BYTES in the environment, for tests and figures: the log is kept from the end of the boot on, with nobody to use it. */
void jvm_undo_init(void);
/* A ring of that size, in bytes; 0: no log.  At a stop. */
bool jvm_undo_set(uint64_t capacity); /* false: there is no room for so much, and none is kept */
jvm_undo_extent jvm_undo_get(void);
/* Which code the log is kept for (remote/remote.h, jvm_remote_undo_choose; choose.c): where other code runs, the log is cut.  Copies what it is
 * given. */
void jvm_undo_choose(const char *const *patterns, size_t n, const char *first_method);

extern bool jvm_undo_chooses; /* not for all code */
void jvm_undo_decide(jvm_method *m);     /* m was prepared */
/* t runs on top of f, of m, whose entry is JVM_ENTRY_CHOSEN; RELOAD follows. */
void jvm_undo_enters(jvm_thread *t, const jvm_method *m, jvm_frame *f);
void jvm_undo_reconsider(jvm_thread *t); /* t goes on in its frame */

/* Whether there is a checkpoint not after (time, place of the running thread) that can be gone back to (UL3).  jvm_undo_go_back then goes
 * to the last such one: the running thread, its innermost frame and the time are as they were, and its activation of the interpreter
 * goes on from there after it called jvm_agent_arrived. */
bool jvm_undo_reaches(uint64_t time, uint64_t place);
_Noreturn void jvm_undo_go_back(void);

#endif
