/* timeline.h - the one way through which front ends and queries move in time.
 *
 * A timeline stands over a machine and has a *now*.  `run` moves it in a direction until the machine
 * has a reason to stop; `seek` puts it at a position.  How a move backward is done (undoing, or
 * replaying from a snapshot) is the timeline's own business and can't be seen from outside:
 *
 * T1  the state at a position is the same however it was reached;
 * T2  a move that fails leaves the timeline where it was; if it was a replay that could not go on, at the newest state; if
 *     there is none, POISONED: then every further move fails with the reason, and only ending the debuggee helps;
 * T3  all movement of a debuggee goes through its timeline, never past it to the machine.
 *
 * Over a machine that keeps no history (native mode) a timeline moves forward only, and says so.
 *
 * The past.  At first now is the end of time: LIVE.  A move backward makes the machine replay (machine/history.h).  While
 * REPLAYING, a move forward repeats what happened; at the newest state it stops (HISTORY_END), and from there the next one
 * goes on live:
 *
 * T4  a move that begins in the past never goes on into the future;
 * T5  a long move can be interrupted: one that looks for something returns to where it began (interrupted again: stays where
 *     it got to), one that goes somewhere stays where it got to.
 *
 * Backward, a move asks about each stop on the way whether it is one (`accept`): conditions, frames and the like are the
 * caller's.  It looks from snapshot to snapshot: the last accepted stop between the nearest one before now and now; if there
 * is none, between the snapshot before and that one; and so on.  Where the machine's undo log reaches (machine/history.h), its moments
 * take the place of snapshots: they are nearer, and going to one costs no copy of the debuggee. */
#ifndef EBB_TIME_TIMELINE_H
#define EBB_TIME_TIMELINE_H

#include "base/error.h"
#include "machine/history.h"
#include "time/position.h"

#include <signal.h>

typedef struct ebb_timeline ebb_timeline;

typedef enum ebb_timeline_state {
    EBB_TIMELINE_LIVE,      /* at the end of time: going forward runs the program */
    EBB_TIMELINE_REPLAYING, /* in the past: going forward repeats it */
    EBB_TIMELINE_APART,     /* the machine shows a state that never was (ebb_timeline_part): it can go on, but not back */
    EBB_TIMELINE_POISONED,  /* a move failed half-way (T2) */
    EBB_TIMELINE_ENDED,     /* the debuggee is gone; if the machine keeps a history, there is a way back */
} ebb_timeline_state;

ebb_timeline *ebb_timeline_new(machine *m); /* borrows the machine, which outlives it */
/* The machine may have begun to keep a history since: from now on there is a way back.  At any stop; does nothing if there is one already. */
void ebb_timeline_take_up_history(ebb_timeline *tl);
void ebb_timeline_free(ebb_timeline *tl);   /* NULL is fine */

ebb_timeline_state ebb_timeline_get_state(const ebb_timeline *tl);
bool ebb_timeline_has_history(const ebb_timeline *tl); /* there is a way back, or was before its beginning was reached */

/* How somebody says that long work is to end, from a signal handler.  The machine is told too, so that the request that is under way ends
 * soon; but one that ends for another reason at that moment may forget it, and work that is made of many short requests would go on. */
typedef struct ebb_interrupts {
    volatile sig_atomic_t count;
    volatile sig_atomic_t ends; /* nobody will go on afterwards: the way back to where a move began is spared */
} ebb_interrupts;
void ebb_timeline_listen(ebb_timeline *tl, const ebb_interrupts *interrupts); /* which outlive it; NULL: to nobody */
/* A new piece of work begins: what came up to now is not meant for it. */
void ebb_timeline_forget_interrupts(ebb_timeline *tl);

/* Told now and then during long work: how much of `total` is done.  NULL: nobody wants to know. */
typedef void ebb_progress(void *self, uint64_t done, uint64_t total);
void ebb_timeline_on_progress(ebb_timeline *tl, ebb_progress *progress, void *self);

/* Moves until something stops it.  EBB_NO_HISTORY if there is no way in that direction.  Backward: MACHINE_RUN, or
 * MACHINE_STEP of one instruction, of whatever thread made it. */
ebb_status ebb_timeline_run(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* What a caller says to a stop that a backward run comes by: any of these together. */
typedef enum ebb_verdict {
    EBB_PASS = 0,        /* not this one */
    EBB_STOP_HERE = 1,   /* an execution point: the move ends there, if it is before now */
    EBB_STOP_BEFORE = 2, /* data was touched: the move ends before the instruction that did it */
    EBB_STOP_ASIDE = 4,  /* the caller has kept it: nothing ends here */
} ebb_verdict;

/* Whether a stop of that verdict at `at` counts for a move from `origin`, and if so, whether the move ends before it. */
bool ebb_verdict_counts(unsigned verdict, ebb_position at, ebb_position origin, bool *is_before);

/* The debuggee stands at the stop and may be looked at.  Points that the machine may judge alone are noted (machine/search.h): of all
 * their hits, `accept` is asked only about the one that the move has come to, and should agree.  If the last one of those that are noted aside
 * is not before that, it is asked about that one first, and should say EBB_STOP_ASIDE. */
typedef struct ebb_judge {
    void *self;
    ebb_status (*accept)(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err); /* ebb_verdict */
    const machine_noted *noted; /* borrowed; those with a group first, about whose hits `accept` never disagrees */
    size_t n_noted;
    bool only_noted; /* other points that are set are passed over, unless the machine's word was not good enough */
    bool notes_all; /* nothing else could stop it, and hits cost little or are rare: a pass need not be short for their sake */
    /* So many of the last hits of the one point that is noted as a hit, without a group, are passed over; how many were, is told.  `accept` is not
     * asked about them. */
    uint64_t skips;
    uint64_t *n_skipped;
} ebb_judge;

enum { EBB_MAX_SKIPS = 1 << 20 }; /* each is remembered for a while */

/* Back to the last stop that is accepted.  HISTORY_START at the oldest state if there is none, and POINT (or whatever stopped
 * it) otherwise, with what the machine told of that stop. */
ebb_status ebb_timeline_run_back(ebb_timeline *tl, const ebb_judge *judge, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* Somebody goes elsewhere and comes back here: that is cheap from now on. */
void ebb_timeline_mark_return(ebb_timeline *tl);

/* How much memory snapshots may take; 0: none are taken while the program runs, and going far back replays from the beginning. */
void ebb_timeline_bound_snapshots(ebb_timeline *tl, uint64_t nbytes);

/* The thread that ran last; 0 if none is known. */
machine_tid ebb_timeline_get_thread(const ebb_timeline *tl);

/* The present position, of the thread that ran last or (thread not 0) as if that one had.  EBB_UNSUPPORTED where the
 * machine counts no time. */
ebb_status ebb_timeline_now(ebb_timeline *tl, machine_tid thread, ebb_position *now, ebb_error *err) EBB_MUST_CHECK;

/* Goes to a position of this execution: the first moment that isn't before it.  Points on the way don't count.  Stops with POSITION,
 * or INTERRUPTED; EBB_NO_HISTORY if it lies outside of what is kept. */
ebb_status ebb_timeline_seek(ebb_timeline *tl, ebb_position to, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The two ends of history: HISTORY_START, HISTORY_END (or EXITED, KILLED: what the end was). */
ebb_status ebb_timeline_seek_start(ebb_timeline *tl, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ebb_timeline_seek_end(ebb_timeline *tl, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* From the one to the other, executing all of it, which to go to the end need not do: what is recorded is compared on the way (verify.h). */
ebb_status ebb_timeline_replay_all(ebb_timeline *tl, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* The past becomes the present: the newest state is the one of now, and going on runs the program.  Appends to `undone` one
 * line for each thing outside that could not be put back. */
ebb_status ebb_timeline_branch(ebb_timeline *tl, ebb_buf *undone, ebb_error *err) EBB_MUST_CHECK;

/* The machine is in a copy of now, with a log of the way there if it keeps one; also at the end of time, where it would be live otherwise. */
ebb_status ebb_timeline_hold(ebb_timeline *tl, ebb_error *err) EBB_MUST_CHECK;
/* The machine was told by others to show something that is no part of this execution, and then, to show that no more. */
void ebb_timeline_part(ebb_timeline *tl);
void ebb_timeline_rejoin(ebb_timeline *tl);

/* What there is to go back to. */
typedef struct ebb_timeline_history {
    ebb_timeline_state state;
    uint64_t oldest, newest; /* timestamps that can be reached */
    machine_history machine;
    size_t n_snapshots;
    uint64_t snapshot_nbytes;
} ebb_timeline_history;
/* EBB_NO_HISTORY if none is kept. */
ebb_status ebb_timeline_get_history(ebb_timeline *tl, ebb_timeline_history *out, ebb_error *err) EBB_MUST_CHECK;

#endif
