/* history.h - what a machine that records adds to machine.h: copies, replay, the undo log.
 *
 * A machine that records can be put back.  A *snapshot* is a frozen copy of the debuggee at a moment.  Restoring it makes a copy of
 * that copy the debuggee, which then *replays*: going forward it does what the execution did, asks nothing of the world outside
 * and shows it nothing, until the newest state (MACHINE_STOP_HISTORY_END).  The program itself stands aside meanwhile.  All of this is
 * the same for every machine and is done by its family of copies (time/copies.h), to which the machine supplies what is its own.
 *
 * MH1  replaying from a snapshot passes through exactly the states of the execution, at the same timestamps;
 * MH2  points, events and signal policy belong to the machine, not to the copy: they stay set across a restore;
 * MH3  taking a snapshot can't be noticed by the debuggee.
 *
 * A machine may also keep an *undo log* of the recent past, which spares it the copy: a rewind puts the replaying debuggee back to
 * a moment not after the one asked for, in place, and as near to it as the log allows; from there it goes forward.  So a
 * moment that the log reaches serves like a snapshot that costs nothing to restore. */
#ifndef EBB_MACHINE_HISTORY_H
#define EBB_MACHINE_HISTORY_H

#include "machine/machine.h"
#include "machine/search.h"

struct ebb_copies;   /* time/copies.h */
struct ebb_recorder; /* time/recording.h */

/* What the machine knows of it; the rest is the family's to tell. */
typedef struct machine_history {
    uint64_t recording_nbytes;  /* as stored */
    uint64_t n_verified;        /* states that replay compared with recorded ones on its way here */
    uint64_t undo_nbytes, undo_limit;
    uint64_t undo_oldest;       /* timestamp back to which steps are undone rather than replayed; UINT64_MAX: none */
    const char *ended_by;       /* why nothing is recorded any more, in words that follow "because"; NULL: it is recorded.  Borrowed until the next move */
    const char *doubt;          /* what may be wrong with it; NULL: nothing.  Borrowed until the next call */
    const char *begins_after;   /* why it reaches no further back than to its oldest moment; NULL: the program began there */
    const char *undo_cut_by;    /* why it reaches no further; NULL: it is full, or was switched on there.  Borrowed until the next call */
} machine_history;

/* MACHINE_RECORDS.  Every function may be called only while the debuggee stands still (MA1). */
struct machine_history_ops {
    void (*get)(machine *m, machine_history *out);
    struct ebb_copies *(*copies)(machine *m); /* the machine's own; the same one each time */
    /* Replaying: forward to a moment, noting hits on the way (search.h). */
    ebb_status (*search)(machine *m, const machine_search *search, machine_found *found, ebb_error *err);
    /* MACHINE_REWINDS: bytes of undo log kept while it runs live and while it replays; 0: none. */
    ebb_status (*undo_set)(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err);
    /* The file that holds the recording (time/recording.h), all of it up to now written; NULL: none does.  Borrowed. */
    const char *(*recording)(machine *m);
    /* How many events of the recording have happened to the debuggee as it stands.  NULL: the machine can't tell. */
    ebb_status (*n_happened)(machine *m, uint64_t *n, ebb_error *err);
    /* What the recording lacks to be kept goes into that copy of it (an ebb_recorder).  NULL: nothing. */
    ebb_status (*complete)(machine *m, struct ebb_recorder *copy, ebb_error *err);
    /* The same for the same state, whatever way it was reached; covers all that the program can see. */
    ebb_status (*state_hash)(machine *m, uint64_t *hash, ebb_error *err);
    /* Replaying: what is done between these two is done to a copy that is thrown away, and touches nothing outside.  NULL: the machine has its own way. */
    ebb_status (*scratch_begin)(machine *m, ebb_error *err);
    void (*scratch_end)(machine *m);
    /* Replaying: the debuggee has gone to where that stop was, on its way by itself, and looks as it did when it was told.  NULL: it does. */
    void (*show)(machine *m, const machine_stop *stop);
};

#endif
