/* copies.c - keeps the list of snapshots, switches between the live one and copies, and knows the newest state. */
#include "time/copies.h"

#include "base/check.h"
#include "base/mem.h"

#include <string.h>

struct ebb_copies {
    const ebb_copies_hooks *hooks;
    void *self;
    EBB_VEC(ebb_snapshot) snapshots;
    ebb_snapshot_id last_id;
    bool opened;            /* nobody ever was live */
    bool is_replaying;
    ebb_snapshot_id copied; /* the snapshot that the replaying one is a copy of; 0: none */
    ebb_newest newest;      /* of `at` and `thread` only what was true when the live one was left: it moves on (ebb_copies_newest) */
    bool ends_by_recording; /* the execution has no end of its own: what is written just stops, */
    machine_place reach;    /*   at that place of the newest timestamp, if nobody opened it (then `newest` says so) */
    ebb_pace_rule pace;
    void (*taken)(void *self);
    void *taken_self;
    bool is_unsettled; /* it was not called for the last one yet */
};

ebb_copies *ebb_copies_new(const ebb_copies_hooks *hooks, void *self)
{
    ebb_copies *c = EBB_NEW(ebb_copies);
    c->hooks = hooks;
    c->self = self;
    c->newest = (ebb_newest){.is_known = true, .has_live = true};
    return c;
}

void ebb_copies_open(ebb_copies *c, ebb_position end)
{
    c->opened = c->is_replaying = c->ends_by_recording = true;
    c->newest = (ebb_newest){.at = end};
}

/* ---- the list ------------------------------------------------------------------------------------- */

const ebb_snapshot *ebb_copies_list(const ebb_copies *c, size_t *n)
{
    *n = c->snapshots.n;
    return c->snapshots.items;
}

/* FC1.  One that is taken while replaying comes in between. */
static ebb_snapshot_id insert(ebb_copies *c, const ebb_snapshot *taken)
{
    ebb_snapshot one = *taken;
    size_t at = c->snapshots.n;
    one.id = ++c->last_id;
    while (at > 0 && ebb_position_compare(c->snapshots.items[at - 1].at, one.at) > 0)
        at--;
    ebb_vec_push(&c->snapshots, one);
    memmove(c->snapshots.items + at + 1, c->snapshots.items + at, (c->snapshots.n - 1 - at) * sizeof one);
    c->snapshots.items[at] = one;
    return one.id;
}

static ebb_snapshot *find(const ebb_copies *c, ebb_snapshot_id id)
{
    for (size_t i = 0; i < c->snapshots.n; i++)
        if (c->snapshots.items[i].id == id)
            return &c->snapshots.items[i];
    return NULL;
}

void ebb_copies_drop(ebb_copies *c, ebb_snapshot_id id)
{
    const ebb_snapshot *s = find(c, id);
    if (s == NULL)
        return;
    c->hooks->end(c->self, s->copy);
    ebb_vec_remove(&c->snapshots, (size_t)(s - c->snapshots.items));
}

static void drop_all(ebb_copies *c)
{
    while (c->snapshots.n > 0)
        ebb_copies_drop(c, c->snapshots.items[c->snapshots.n - 1].id);
}

void ebb_copies_free(ebb_copies *c)
{
    if (c == NULL)
        return;
    drop_all(c);
    ebb_vec_fini(&c->snapshots);
    free(c);
}

ebb_status ebb_copies_take(ebb_copies *c, ebb_snapshot_id *id, ebb_error *err)
{
    ebb_snapshot taken = {0};
    EBB_TRY(c->hooks->take(c->self, &taken, err));
    *id = insert(c, &taken);
    return EBB_OK;
}

/* After the program's end its newest copy has what was the program's own, and nobody else has any more: that is not what going back costs. */
static size_t n_weighed(const ebb_copies *c)
{
    return c->newest.has_ended && !c->opened && c->snapshots.n > 0 ? c->snapshots.n - 1 : c->snapshots.n;
}

uint64_t ebb_copies_nbytes(const ebb_copies *c)
{
    uint64_t nbytes = 0;
    for (size_t i = 0; i < n_weighed(c); i++)
        nbytes += c->hooks->nbytes(c->self, c->snapshots.items[i].copy);
    uint64_t shared = c->hooks->live_shared && c->newest.has_live ? c->hooks->live_shared(c->self) : 0;
    return nbytes > shared ? nbytes - shared : 0;
}

/* ---- thinning ------------------------------------------------------------------------------------- */

/* A live one that runs was last seen at its last stop, and has taken snapshots since. */
static uint64_t newest_timestamp(const ebb_copies *c)
{
    uint64_t at = ebb_copies_newest(c).at.timestamp, last = c->snapshots.items[c->snapshots.n - 1].at.timestamp;
    return at > last ? at : last;
}

void ebb_copies_thin(ebb_copies *c, uint64_t now, uint64_t smallest_gap)
{
    size_t n = c->snapshots.n;
    if (n == 0)
        return;
    ebb_thinning how = {.newest = newest_timestamp(c), .now = now, .smallest_gap = smallest_gap};
    bool *drop = ebb_zalloc(n * sizeof *drop);
    ebb_snapshots_thin(c->snapshots.items, n, &how, drop);
    for (size_t i = n; i-- > 0;) /* from the end: dropping moves those that come after */
        if (drop[i])
            ebb_copies_drop(c, c->snapshots.items[i].id);
    free(drop);
}

void ebb_copies_bound(ebb_copies *c, uint64_t now, uint64_t smallest_gap, uint64_t most)
{
    while (c->snapshots.n > 2 && ebb_copies_nbytes(c) > most) {
        ebb_thinning how = {.newest = newest_timestamp(c), .now = now, .smallest_gap = smallest_gap};
        size_t least = ebb_snapshots_least(c->snapshots.items, c->snapshots.n, &how);
        if (least == c->snapshots.n)
            return;
        ebb_copies_drop(c, c->snapshots.items[least].id);
    }
}

/* ---- by itself, while it runs --------------------------------------------------------------------- */

static void tell_pace(ebb_copies *c)
{
    if (c->hooks->pace != NULL && !c->opened)
        c->hooks->pace(c->self, c->pace);
}

void ebb_copies_set_pace(ebb_copies *c, ebb_pace_rule rule, void (*taken)(void *self), void *self)
{
    c->pace = rule;
    c->taken = taken;
    c->taken_self = self;
    tell_pace(c);
}

void ebb_copies_add(ebb_copies *c, const ebb_snapshot *taken)
{
    ebb_copies_add_first(c, taken);
    ebb_copies_settle(c);
}

void ebb_copies_add_first(ebb_copies *c, const ebb_snapshot *taken)
{
    insert(c, taken);
    c->is_unsettled = true;
}

void ebb_copies_settle(ebb_copies *c)
{
    if (!c->is_unsettled)
        return;
    c->is_unsettled = false;
    if (c->taken != NULL)
        c->taken(c->taken_self);
}

/* ---- the newest state ----------------------------------------------------------------------------- */

/* Where the live one stands is asked of it as long as it is the debuggee: a second copy of that would be wrong after each move. */
ebb_newest ebb_copies_newest(const ebb_copies *c)
{
    ebb_newest newest = c->newest;
    if (!c->is_replaying && newest.has_live)
        newest.at = c->hooks->where(c->self, &newest.thread);
    return newest;
}

/* A program that was killed, and a recording that was opened, are known up to what is written.  To stop there by the timestamp is to
 * stop in time: a replay that reads on would find nothing, and could not tell that from a recording that lost its end. */
ebb_position ebb_copies_until(const ebb_copies *c)
{
    ebb_newest newest = ebb_copies_newest(c);
    if (newest.has_live || (c->opened && c->ends_by_recording))
        return newest.at;
    return c->ends_by_recording ? (ebb_position){newest.at.timestamp, c->reach} : (ebb_position){UINT64_MAX, 0};
}

void ebb_copies_note_end(ebb_copies *c, uint64_t timestamp, const machine_stop *end)
{
    c->ends_by_recording = !c->is_replaying && end->kind == MACHINE_STOP_KILLED && timestamp != 0;
    c->newest = (ebb_newest){.is_known = true, .at = {timestamp, UINT64_MAX}, .has_ended = true, .end = *end};
    c->reach = 0;
}

void ebb_copies_note_reach(ebb_copies *c, machine_place place)
{
    c->reach = place;
}

void ebb_copies_note_newest(ebb_copies *c, ebb_position at)
{
    ebb_check(!c->newest.has_live && !c->newest.has_ended);
    c->newest.at = at;
    c->newest.is_known = true;
}

uint64_t ebb_copies_oldest(const ebb_copies *c)
{
    return c->snapshots.n > 0 ? c->snapshots.items[0].at.timestamp : ebb_copies_newest(c).at.timestamp;
}

/* ---- who is the debuggee -------------------------------------------------------------------------- */

bool ebb_copies_is_replaying(const ebb_copies *c)
{
    return c->is_replaying;
}

ebb_position ebb_copies_where(const ebb_copies *c, machine_tid *thread)
{
    return c->hooks->where(c->self, thread);
}

/* A copy of that snapshot, or (NULL) of the live one, is the debuggee. */
static ebb_status become(ebb_copies *c, const ebb_snapshot *from, ebb_error *err)
{
    ebb_newest newest = ebb_copies_newest(c);
    EBB_TRY(c->hooks->restore(c->self, from, ebb_copies_until(c), err));
    c->newest = newest;
    c->is_replaying = true;
    c->copied = from != NULL ? from->id : 0;
    return EBB_OK;
}

ebb_status ebb_copies_restore(ebb_copies *c, ebb_snapshot_id id, ebb_error *err)
{
    const ebb_snapshot *from = find(c, id);
    if (from == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No snapshot %u is there.", id);
    ebb_status status = become(c, from, err);
    if (status == EBB_NOT_FOUND) /* FC2: it would be chosen again and again, and fail each time */
        ebb_copies_drop(c, id);
    return status;
}

ebb_status ebb_copies_go_live(ebb_copies *c, ebb_error *err)
{
    if (!c->is_replaying)
        return EBB_OK;
    ebb_status status = c->hooks->leave(c->self, &c->newest, err);
    c->is_replaying = c->opened;
    c->copied = 0;
    if (status == EBB_OK && !c->newest.has_live)
        return ebb_fail(err, EBB_GONE, "The program is not running any more.");
    return status;
}

/* The live one's log is good for copies of it: the live one itself must be there to return to.  Whether the log reaches that far is asked first,
 * because mostly it doesn't, and a copy costs more than the question. */
static ebb_status rewind_live(ebb_copies *c, ebb_position to, bool *reached, ebb_error *err)
{
    if (!c->newest.has_live || c->hooks->undo_oldest(c->self) > to.timestamp)
        return EBB_OK;
    EBB_TRY(become(c, NULL, err));
    ebb_status status = c->hooks->rewind(c->self, to, reached, err);
    if (status != EBB_OK || !*reached) /* FC2 */
        EBB_TRY(ebb_copies_go_live(c, err));
    return status;
}

ebb_status ebb_copies_rewind(ebb_copies *c, ebb_position to, bool *reached, ebb_error *err)
{
    *reached = false;
    if (c->hooks->rewind == NULL)
        return EBB_OK;
    return c->is_replaying ? c->hooks->rewind(c->self, to, reached, err) : rewind_live(c, to, reached, err);
}

void ebb_copies_end(ebb_copies *c)
{
    c->newest.has_live = false;
    if (c->is_replaying)
        (void)!c->hooks->leave(c->self, &c->newest, NULL);
    c->is_replaying = false;
    drop_all(c);
}

/* FC5 */
static void drop_future(ebb_copies *c)
{
    machine_tid thread;
    ebb_position now = c->hooks->where(c->self, &thread);
    for (size_t i = c->snapshots.n; i-- > 0;) {
        const ebb_snapshot *s = &c->snapshots.items[i];
        if (ebb_position_compare(s->at, now) > 0 || s->id == c->copied)
            ebb_copies_drop(c, s->id);
    }
}

/* FC5.  If it fails, that moment is reached from an earlier snapshot, if at all: no reason to refuse the branch. */
static void keep_copied(ebb_copies *c)
{
    const ebb_snapshot *from = find(c, c->copied);
    ebb_snapshot again = {0};
    if (from == NULL || c->hooks->take_again == NULL || c->hooks->take_again(c->self, from, &again, NULL) != EBB_OK)
        return;
    again.stays = from->stays;
    insert(c, &again);
}

ebb_status ebb_copies_branch(ebb_copies *c, ebb_buf *undone, ebb_error *err)
{
    if (!c->is_replaying || c->opened || c->hooks->branch == NULL)
        return ebb_fail(err, EBB_UNSUPPORTED, "Only a program that ran here can run on from its past.");
    EBB_TRY(c->hooks->branch(c->self, undone, err));
    keep_copied(c);
    drop_future(c); /* from here on there is no way back to the old future */
    c->is_replaying = c->ends_by_recording = false;
    c->copied = 0;
    c->newest = (ebb_newest){.is_known = true, .has_live = true};
    EBB_TRY(c->hooks->adopt(c->self, err));
    tell_pace(c);
    ebb_snapshot_id id; /* where the new part of history begins; without it the program is live all the same */
    (void)!ebb_copies_take(c, &id, NULL);
    return EBB_OK;
}
