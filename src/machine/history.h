/* history.h - what a machine that records adds to machine.h: snapshots, replay, the undo log.
 *
 * A machine that records can be put back.  A *snapshot* is a frozen copy of the debuggee at a moment; `snapshot_restore`
 * makes a copy of that copy the debuggee, which then *replays*: going forward it does what the execution did, asks
 * nothing of the world outside and shows it nothing, until the moment at which recording has come to an end
 * (MACHINE_STOP_HISTORY_END).  The newest state is kept aside meanwhile; `go_live` returns to it.
 *
 * MH1  replaying from a snapshot passes through exactly the states of the execution, at the same timestamps;
 * MH2  points, events and signal policy belong to the machine, not to the copy: they stay set across a restore;
 * MH3  taking a snapshot can't be noticed by the debuggee.
 *
 * A machine may also keep an *undo log* of the recent past, which spares it the copy: `rewind` puts the replaying debuggee back to
 * a moment not behind the one asked for, in place, and as near to it as the log allows; from there it goes forward.  So a
 * moment that the log reaches serves like a snapshot that costs nothing to restore. */
#ifndef EBB_MACHINE_HISTORY_H
#define EBB_MACHINE_HISTORY_H

#include "machine/machine.h"

typedef uint32_t machine_snapshot_id; /* > 0; never used twice */

typedef struct machine_snapshot {
    machine_snapshot_id id;
    uint64_t timestamp;
    machine_place place; /* of the thread that ran: */
    machine_tid thread;  /* this one; 0 if that isn't known */
    uint64_t nbytes;     /* memory that is its own by now, as far as is known */
    bool stays;          /* it has something that no replay brings back: without it no moment behind it could go live */
} machine_snapshot;

typedef struct machine_history {
    uint64_t oldest, newest;    /* timestamps that can be reached */
    bool is_replaying;          /* now is in the past, or is the end but in a copy */
    uint64_t recording_nbytes;  /* as stored */
    uint64_t n_verified;        /* states that replay compared with recorded ones on its way here */
    uint64_t undo_nbytes, undo_limit;
    uint64_t undo_oldest;       /* timestamp back to which steps are undone rather than replayed; UINT64_MAX: none */
    const char *undo_cut_by;    /* why it reaches no further; NULL: it is full, or was switched on there.  Borrowed until the next call */
} machine_history;

/* MACHINE_RECORDS.  Every function may be called only while the debuggee stands still (MA1). */
struct machine_history_ops {
    void (*get)(machine *m, machine_history *out);
    const machine_snapshot *(*snapshots)(machine *m, size_t *n); /* oldest first; borrowed until the next call */
    ebb_status (*snapshot_take)(machine *m, machine_snapshot_id *id, ebb_error *err); /* of now */
    ebb_status (*snapshot_restore)(machine *m, machine_snapshot_id id, ebb_error *err);
    void (*snapshot_drop)(machine *m, machine_snapshot_id id);
    /* While it runs live the machine takes a snapshot of its own whenever that much time of the clock passed (0: never),
     * and calls `taken`, which may drop some. */
    void (*snapshot_policy)(machine *m, unsigned interval_ms, void (*taken)(void *self), void *self);
    ebb_status (*go_live)(machine *m, ebb_error *err);
    /* MACHINE_REWINDS: back to the last moment that the undo log can put back and that is not behind (time, place); *stop tells
     * where that is (POSITION).  *reached false: there is none, and nothing moved.  A live debuggee stays as it is: what goes back is a
     * copy, which replays from there as after a restore. */
    ebb_status (*rewind)(machine *m, uint64_t time, machine_place place, machine_stop *stop, bool *reached, ebb_error *err);
    /* Bytes of undo log kept while it runs live and while it replays; 0: none. */
    ebb_status (*undo_set)(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err);
    /* The file that holds the recording (time/recording.h), all of it up to now written; NULL: none does.  Borrowed. */
    const char *(*recording)(machine *m);
    /* The state of now becomes the newest: what was recorded behind it is forgotten.  Appends to `undone` one line for
     * each thing outside that could not be put back. */
    ebb_status (*branch)(machine *m, ebb_buf *undone, ebb_error *err);
    /* The same for the same state, whatever way it was reached; covers all that the program can see. */
    ebb_status (*state_hash)(machine *m, uint64_t *hash, ebb_error *err);
};

#endif
