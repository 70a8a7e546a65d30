/* timeline_private.h - what the files of the timeline share.
 *
 *   timeline.c         states, moving forward, the newest state
 *   timeline_seek.c    snapshots, the undo log, replaying to a moment
 *   timeline_pass.c    forward over a span, noting what a look backward wants
 *   timeline_back.c    looking backward for a stop, one instruction back */
#ifndef EBB_TIME_TIMELINE_PRIVATE_H
#define EBB_TIME_TIMELINE_PRIVATE_H

#include "time/copies.h"
#include "time/timeline.h"
#include "time/widen.h"

struct ebb_timeline {
    machine *machine;   /* borrowed, */
    ebb_copies *copies; /* and so is its family, which knows the newest state (FC3); NULL: it keeps no history */
    ebb_timeline_state state;
    ebb_error poison; /* POISONED: why */

    /* Where the thread that ran last stands, as far as this timeline moved it. */
    ebb_position here;
    machine_tid thread; /* 0: not known yet */

    ebb_position parted_at; /* APART: `here` when it was REPLAYING, */
    machine_tid parted_thread; /* and `thread` */
    bool has_rewound; /* since the debuggee was copied last: its log reaches back from here */
    uint64_t ticks_per_ms; /* measured: how fast it replays */
    size_t thin_at;        /* with so many snapshots it is time to thin them */
    uint64_t snapshots_most; /* bytes that all of them may take */
    uint64_t weigh_at_us;  /* looking how much that is takes time: not before */
    size_t patience;       /* of a pass that began further back than it would have had to */

    const ebb_interrupts *interrupts;
    sig_atomic_t interrupts_seen;
    unsigned n_works; /* under way that tell their own progress, each within the one before */
    ebb_progress *progress;
    void *progress_self;
};

/* ---- timeline.c */

/* One resume, and `here` afterwards.  A failure poisons (T2). */
ebb_status tl_resume(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* One search, the same way. */
ebb_status tl_search(ebb_timeline *tl, const machine_search *search, machine_found *found, ebb_error *err) EBB_MUST_CHECK;
/* One resume in the past that nobody but this timeline looks at: an interrupt that the machine forgot ends it too. */
ebb_status tl_replay(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
bool tl_is_interrupted(const ebb_timeline *tl);
bool tl_is_ending(const ebb_timeline *tl); /* ebb_interrupts.ends */
ebb_status tl_check_history(ebb_timeline *tl, ebb_error *err) EBB_MUST_CHECK;
ebb_status tl_poison(ebb_timeline *tl, const ebb_error *why, ebb_error *err);
uint64_t tl_now_us(void); /* of a clock that never goes back */
/* Reads where the machine stands. */
void tl_look(ebb_timeline *tl);
/* From replaying to the newest state; *stop tells what that is. */
ebb_status tl_arrive_at_end(ebb_timeline *tl, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
bool tl_ends_debuggee(const machine_stop *stop);
/* The execution ended, seen live or in replay; the machine has told its family so. */
void tl_note_end(ebb_timeline *tl, const machine_stop *stop);
/* Progress never goes back: of works within each other only the outermost tells, and ways that are a part of one don't. */
void tl_work_begin(ebb_timeline *tl);
void tl_work_end(ebb_timeline *tl);
void tl_tell_progress(ebb_timeline *tl, uint64_t done, uint64_t total); /* of the work that began last */
void tl_tell_way(ebb_timeline *tl, uint64_t done, uint64_t total);      /* of a way to a moment */
/* A stop of that kind at here. */
void tl_fill_stop(const ebb_timeline *tl, machine_stop_kind kind, machine_stop *stop);

/* ---- timeline_seek.c */

/* How many ticks are near: replaying them takes a moment that nobody notices. */
uint64_t tl_near(const ebb_timeline *tl);
/* Ticks between two tellings of progress, or two snapshots that a search leaves on its way. */
uint64_t tl_slice_ticks(const ebb_timeline *tl);
/* Where a run towards `to` may go in one piece: there, or not too far. */
ebb_position tl_slice(const ebb_timeline *tl, ebb_position to);
/* The last snapshot before `limit` (or also at it); false if there is none. */
bool tl_snapshot_before(ebb_timeline *tl, ebb_position limit, bool or_at, ebb_snapshot *out);
bool tl_oldest_snapshot(ebb_timeline *tl, ebb_snapshot *out);
ebb_status tl_restore(ebb_timeline *tl, const ebb_snapshot *snapshot, ebb_error *err) EBB_MUST_CHECK;
/* The last snapshot before `limit` (or also at it) whose copy is alive. */
ebb_status tl_restore_before(ebb_timeline *tl, ebb_position limit, bool or_at, ebb_error *err) EBB_MUST_CHECK;
/* Back in the undo log to the last moment that isn't after `to`; false if there is none: then nothing moved. */
bool tl_rewind(ebb_timeline *tl, ebb_position to);
/* A snapshot of here, so that coming back is cheap.  Not being able to take one is no failure. */
void tl_take_snapshot(ebb_timeline *tl);
void tl_thin(ebb_timeline *tl);
/* Replays to the first moment not before `to`, from here, from the undo log or from a snapshot, whichever is nearer.  *stop is POSITION there, or why
 * it ended before: INTERRUPTED, HISTORY_END, EXITED, KILLED. */
ebb_status tl_go(ebb_timeline *tl, ebb_position to, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The same from that snapshot, whatever is nearer. */
ebb_status tl_go_from(ebb_timeline *tl, const ebb_snapshot *snapshot, ebb_position to, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* ---- timeline_pass.c */

/* The last stop that was accepted. */
typedef struct tl_find {
    bool found;
    ebb_position at;
    bool is_noted;  /* by the machine: whoever asked has not been asked about it, and is_before says nothing */
    bool is_before; /* the move ends before the instruction that led there */
    machine_stop stop;
} tl_find;

/* The last hits of a pass, of which some are to be passed over (ebb_judge.skips). */
typedef struct tl_skipping {
    machine_listed *hits; /* owned, a ring; NULL: nothing is passed over */
    size_t room;
    uint64_t n;           /* of this pass, after whatever else it has found */
    uint64_t left, skipped;
} tl_skipping;

/* A look backward. */
typedef struct tl_look_back {
    ebb_widening widening; /* first */
    ebb_timeline *tl;
    const ebb_judge *judge;
    bool judges_all; /* what has a group is noted, nothing else */
    ebb_position origin; /* now, when it began */
    ebb_timeline_state origin_state;
    tl_find best;
    tl_find doubt; /* a grouped hit before which no other has been seen yet */
    uint32_t doubt_group;
    tl_find aside; /* the last hit that is noted aside */
    tl_skipping skipping;
    bool interrupted; /* somebody wants it to end */
    size_t patience;  /* of the pass (machine/search.h); 0: any number of hits is fine */
    bool is_dense;    /* and so many were met: what the pass found says nothing of the rest of its way */
} tl_look_back;

/* The grouped hits of one pass. */
typedef struct tl_pass_groups {
    tl_find first; /* not found: none, or it has been decided upon */
    uint32_t first_group;
    uint32_t last; /* MACHINE_UNGROUPED: no hit yet */
} tl_pass_groups;

/* From here to the bound, unless l->interrupted or l->is_dense. */
ebb_status tl_pass(ebb_timeline *tl, tl_look_back *l, ebb_position bound, ebb_error *err) EBB_MUST_CHECK;
/* Nothing earlier can change what was found. */
bool tl_look_back_is_decided(const tl_look_back *l);
/* There is nothing earlier. */
void tl_look_back_at_start(tl_look_back *l);
/* What whoever asked says to a stop at here. */
ebb_status tl_ask_judge(ebb_timeline *tl, const tl_look_back *l, const machine_stop *stop, bool *counts, bool *is_before,
                        ebb_error *err) EBB_MUST_CHECK;

/* ---- timeline_back.c */

/* One instruction back, of whatever thread made it.  STEP, HISTORY_START or INTERRUPTED. */
ebb_status tl_step_back(ebb_timeline *tl, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
