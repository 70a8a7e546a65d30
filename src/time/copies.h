/* copies.h - the family of copies of one debuggee: who of them is the debuggee, and what the newest state is.
 *
 * A machine that goes back does so in copies of the process that it debugs.  Its family is
 *
 *   the live one     the program itself, at the end of time.  It stands still while a copy replays.  It may have ended, and where
 *                    a recording was opened there never was one;
 *   the snapshots    frozen copies, each of a moment, in the order of time;
 *   the replaying    at most one: a copy of a snapshot, or of the live one as it stands.  While it is there it is the debuggee.
 *
 * Who is made, who ends and who is the debuggee is decided here, for every machine.  The machine owns its family, and supplies what
 * is its own: how a copy is made, copied again, ended and made the live one (ebb_copies_hooks).  A timeline moves by the family.
 *
 * FC1  snapshots are ordered by their moments; of two of one moment the one that was taken first comes first;
 * FC2  what fails leaves the family as it was.  Exceptions: a snapshot whose copy turns out to be dead is no member any
 *      more, and a branch that failed half-way leaves nobody who replays (then the debuggee is of no use);
 * FC3  the newest state is known here, and nowhere else: where it is, who ran there, whether the live one stands there, whether
 *      the execution ended there and how.  A process that replays is told where to end (`until`) each time it becomes the debuggee;
 * FC4  the live one is never ended but by a branch, which makes the replaying copy the live one;
 * FC5  a branch drops every snapshot of a later moment, because it never was.  The snapshot from which the new live one was copied has to end as
 *      well: its process is the parent of the new live one, and ebb can wait for that only when the parent is gone.  Another frozen copy of the same
 *      moment takes its place, or everything from there to the next snapshot would be lost. */
#ifndef EBB_TIME_COPIES_H
#define EBB_TIME_COPIES_H

#include "base/buf.h"
#include "machine/history.h"
#include "time/pace.h"
#include "time/snapshots.h"

typedef struct ebb_copies ebb_copies;

/* The newest state of an execution. */
typedef struct ebb_newest {
    bool is_known;      /* false: a recording was opened and its end was not reached yet, which is not before `at` */
    ebb_position at;    /* ended: after every place of its timestamp */
    machine_tid thread; /* that ran; 0 if that isn't known */
    bool has_live;      /* the live one stands there */
    bool has_ended;     /* the execution ended there, */
    machine_stop end;   /* so */
} ebb_newest;

/* What a machine supplies.  `copy` is its own word for a frozen copy. */
typedef struct ebb_copies_hooks {
    /* Where the debuggee stands, whoever it is; 0 if it isn't known who ran. */
    ebb_position (*where)(void *self, machine_tid *thread);
    /* A frozen copy of the debuggee as it stands.  Fills `at`, `thread`, `stays` and `copy`. */
    ebb_status (*take)(void *self, ebb_snapshot *out, ebb_error *err);
    /* A copy of that snapshot, or of the live one as it stands if `from` is NULL, becomes the debuggee and replays, up to `until` at
     * most; the copy that replayed before ends.  EBB_NOT_FOUND: the frozen copy is dead. */
    ebb_status (*restore)(void *self, const ebb_snapshot *from, ebb_position until, ebb_error *err);
    /* Another frozen copy of that moment, which needs nothing of `from`.  Fills `out` like `take`.  NULL: the machine can't. */
    ebb_status (*take_again)(void *self, const ebb_snapshot *from, ebb_snapshot *out, ebb_error *err);
    void (*end)(void *self, void *copy); /* and frees the word */
    uint64_t (*nbytes)(void *self, void *copy); /* its memory: a page that so many processes share counts by its share */
    uint64_t (*live_shared)(void *self); /* what the live one has by sharing it; NULL: nothing */
    /* The copy that replays ends.  The live one is the debuggee again, at `newest`; if there is none, nobody is. */
    ebb_status (*leave)(void *self, const ebb_newest *newest, ebb_error *err);
    /* NULL: the machine can't.  Made in two steps, between which the future is dropped (FC5).  First the copy that replays puts back what is
     * outside and goes on live from there, and the one that was live ends; one line for each thing that could not be put
     * back is appended to `undone`.  Then it is the one that the machine waits for. */
    ebb_status (*branch)(void *self, ebb_buf *undone, ebb_error *err);
    ebb_status (*adopt)(void *self, ebb_error *err);
    /* The timestamp back to which the debuggee's undo log reaches; UINT64_MAX: nowhere. */
    uint64_t (*undo_oldest)(void *self);
    /* The copy that replays goes back, in place, to the last moment of its undo log that isn't after `to`; `where` tells which that is.
     * *reached false: there is none, and nothing moved.  NULL: the machine keeps no such log. */
    ebb_status (*rewind)(void *self, ebb_position to, bool *reached, ebb_error *err);
    /* The live one is to take snapshots by itself while it runs, and the machine to tell of each (ebb_copies_add).  NULL: it can't. */
    void (*pace)(void *self, ebb_pace_rule rule);
} ebb_copies_hooks;

ebb_copies *ebb_copies_new(const ebb_copies_hooks *hooks, void *self); /* of a debuggee that is live */
void ebb_copies_free(ebb_copies *c); /* ends all snapshots; NULL is fine */
/* A recording was opened: the debuggee replays, and nobody is live.  Its end is at that moment or later. */
void ebb_copies_open(ebb_copies *c, ebb_position end);

/* ---- the snapshots */

const ebb_snapshot *ebb_copies_list(const ebb_copies *c, size_t *n); /* FC1; borrowed until one is taken or dropped */
ebb_status ebb_copies_take(ebb_copies *c, ebb_snapshot_id *id, ebb_error *err) EBB_MUST_CHECK; /* of now */
void ebb_copies_drop(ebb_copies *c, ebb_snapshot_id id); /* nothing is done if there is none */
/* Drops what is not worth its memory for somebody who is at `now` (snapshots.h). */
void ebb_copies_thin(ebb_copies *c, uint64_t now, uint64_t smallest_gap);
/* Drops what is missed least until all of them together take no more than `most`, as far as SN2 lets it. */
void ebb_copies_bound(ebb_copies *c, uint64_t now, uint64_t smallest_gap, uint64_t most);
/* Memory that is kept because of all snapshots together; what the program itself has, or had when it ended, doesn't count. */
uint64_t ebb_copies_nbytes(const ebb_copies *c);
uint64_t ebb_copies_oldest(const ebb_copies *c); /* the timestamp at which history begins */

/* The live one takes snapshots at that pace; `taken` (may be NULL) is called after each, and may drop some. */
void ebb_copies_set_pace(ebb_copies *c, ebb_pace_rule rule, void (*taken)(void *self), void *self);
/* For the machine: the live one took that snapshot while it ran. */
void ebb_copies_add(ebb_copies *c, const ebb_snapshot *taken);
/* The same of one that the live one still stands still for: `taken`, which may take as long as the snapshot did, is called by ebb_copies_settle, when it
 * runs again. */
void ebb_copies_add_first(ebb_copies *c, const ebb_snapshot *taken);
void ebb_copies_settle(ebb_copies *c);

/* ---- who is the debuggee */

bool ebb_copies_is_replaying(const ebb_copies *c);
ebb_position ebb_copies_where(const ebb_copies *c, machine_tid *thread); /* it stands; 0: not known who ran */
ebb_status ebb_copies_restore(ebb_copies *c, ebb_snapshot_id id, ebb_error *err) EBB_MUST_CHECK;
/* Back to the last moment that the undo log can put back and that isn't after `to`.  *reached false: there is none, and nothing
 * moved.  The live one stays as it is: what goes back is a copy of it, which replays from there as after a restore. */
ebb_status ebb_copies_rewind(ebb_copies *c, ebb_position to, bool *reached, ebb_error *err) EBB_MUST_CHECK;
/* The live one is the debuggee.  EBB_GONE: there is none; the copy that replayed has ended all the same. */
ebb_status ebb_copies_go_live(ebb_copies *c, ebb_error *err) EBB_MUST_CHECK;
/* All copies end, because the live one is about to. */
void ebb_copies_end(ebb_copies *c);
/* The copy that replays becomes the live one: now is the newest state. */
ebb_status ebb_copies_branch(ebb_copies *c, ebb_buf *undone, ebb_error *err) EBB_MUST_CHECK;

/* ---- the newest state (FC3) */

ebb_newest ebb_copies_newest(const ebb_copies *c);
ebb_position ebb_copies_until(const ebb_copies *c); /* where a copy that replays is to end */
/* For the machine, before it tells of an end, live or in replay: the timestamp of the last moment.  May be said again, of a timestamp that is known better. */
void ebb_copies_note_end(ebb_copies *c, uint64_t timestamp, const machine_stop *end);
/* After that, of a program that was killed: the place of that timestamp up to which it is written; 0: none of it. */
void ebb_copies_note_reach(ebb_copies *c, machine_place place);
/* An opened recording was replayed to its end. */
void ebb_copies_note_newest(ebb_copies *c, ebb_position at);

#endif
