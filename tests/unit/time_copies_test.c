/* The family of copies by itself, over a machine that is a number: the timestamp at which its debuggee stands. */
#include "base/mem.h"
#include "time/copies.h"
#include "unit.h"

#include <string.h>

typedef struct process { /* a copy */
    ebb_position at;
    bool is_dead;
} process;

typedef struct toy {
    ebb_copies *copies;
    ebb_position now, live;  /* where the debuggee stands, and where the live one was left */
    bool replays;            /* the debuggee is a copy, as the hooks were told */
    unsigned frozen;         /* copies that are there */
    bool can_copy, can_branch, can_adopt;
    ebb_position until;      /* as the replaying one was told */
    ebb_newest left_for;     /* as `leave` was told */
    ebb_pace_rule pace;
    unsigned n_told_pace, n_taken, n_restored;
    uint64_t log_from;       /* how far the undo log reaches; every timestamp is a checkpoint */
    bool log_lies, log_breaks; /* it reaches nowhere although it said so; or is broken */
    char order[8];           /* what a branch did: b, e (a copy was ended), a, t (one was taken) */
} toy;

static void note(toy *t, char what)
{
    size_t n = strlen(t->order);
    if (n + 1 < sizeof t->order)
        t->order[n] = what;
}

static ebb_position where(void *self, machine_tid *thread)
{
    *thread = 7;
    return ((toy *)self)->now;
}

static ebb_status take(void *self, ebb_snapshot *out, ebb_error *err)
{
    toy *t = self;
    note(t, 't');
    if (!t->can_copy)
        return ebb_fail(err, EBB_SYSTEM, "no room");
    process *p = EBB_NEW(process);
    p->at = t->now;
    t->frozen++;
    *out = (ebb_snapshot){.at = t->now, .thread = 7, .copy = p};
    return EBB_OK;
}

static ebb_status restore(void *self, const ebb_snapshot *from, ebb_position until, ebb_error *err)
{
    toy *t = self;
    const process *p = from ? from->copy : NULL;
    if (p && p->is_dead)
        return ebb_fail(err, EBB_NOT_FOUND, "dead");
    if (!t->can_copy)
        return ebb_fail(err, EBB_SYSTEM, "no room");
    if (!t->replays)
        t->live = t->now;
    if (p)
        t->now = p->at;
    t->replays = true;
    t->n_restored++;
    t->until = until;
    return EBB_OK;
}

static void end(void *self, void *copy)
{
    toy *t = self;
    note(t, 'e');
    t->frozen--;
    free(copy);
}

static uint64_t nbytes(void *self, void *copy)
{
    return 1000;
}

static ebb_status leave(void *self, const ebb_newest *newest, ebb_error *err)
{
    toy *t = self;
    t->left_for = *newest;
    t->now = t->live;
    t->replays = false;
    return EBB_OK;
}

static ebb_status branch(void *self, ebb_buf *undone, ebb_error *err)
{
    toy *t = self;
    if (!t->can_branch)
        return ebb_fail(err, EBB_UNAVAILABLE, "not from here");
    note(t, 'b');
    ebb_buf_adds(undone, "a thing\n");
    return EBB_OK;
}

static ebb_status adopt(void *self, ebb_error *err)
{
    toy *t = self;
    note(t, 'a');
    t->replays = false;
    return t->can_adopt ? EBB_OK : ebb_fail(err, EBB_GONE, "it died");
}

static uint64_t undo_oldest(void *self)
{
    return ((toy *)self)->log_from;
}

static ebb_status go_back(void *self, ebb_position to, bool *reached, ebb_error *err)
{
    toy *t = self;
    assert_true(t->replays);
    if (t->log_breaks)
        return ebb_fail(err, EBB_SYSTEM, "broken");
    *reached = !t->log_lies && to.timestamp >= t->log_from;
    if (*reached)
        t->now = to;
    return EBB_OK;
}

static void pace(void *self, ebb_pace_rule rule)
{
    toy *t = self;
    t->pace = rule;
    t->n_told_pace++;
}

static const ebb_copies_hooks hooks = {
    .where = where, .take = take, .restore = restore, .end = end, .nbytes = nbytes, .leave = leave, .branch = branch, .adopt = adopt,
    .undo_oldest = undo_oldest, .rewind = go_back, .pace = pace,
};

static toy toy_new(void)
{
    return (toy){.can_copy = true, .can_branch = true, .can_adopt = true, .now.timestamp = 10, .log_from = UINT64_MAX};
}

/* At 10, 20, ... n * 10, where the live one stands; the first has id 1. */
static void grow(toy *t, unsigned n)
{
    t->copies = ebb_copies_new(&hooks, t);
    for (unsigned i = 1; i <= n; i++) {
        ebb_snapshot_id id;
        t->now = (ebb_position){10 * i, 0};
        assert_int_equal(ebb_copies_take(t->copies, &id, NULL), EBB_OK);
        assert_int_equal(id, i);
    }
}

static void shrink(toy *t)
{
    ebb_copies_free(t->copies);
    assert_int_equal(t->frozen, 0);
}

static size_t count(const toy *t)
{
    size_t n;
    ebb_copies_list(t->copies, &n);
    assert_int_equal(n, t->frozen);
    return n;
}

static void assert_list(const toy *t, const uint64_t *timestamps, size_t n)
{
    size_t there;
    const ebb_snapshot *all = ebb_copies_list(t->copies, &there);
    assert_int_equal(there, n);
    assert_int_equal(count(t), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(all[i].at.timestamp, timestamps[i]);
}

#define assert_timestamps(t, ...)                                                                  \
    assert_list(t, (const uint64_t[]){__VA_ARGS__}, sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static ebb_snapshot_id take_at(toy *t, uint64_t timestamp, uint64_t place)
{
    ebb_snapshot_id id;
    t->now = (ebb_position){timestamp, place};
    assert_int_equal(ebb_copies_take(t->copies, &id, NULL), EBB_OK);
    return id;
}

/* ---- the list ---- */

/* FC1 */
static void in_the_order_of_time(void **state)
{
    toy t = toy_new();
    grow(&t, 3);
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    ebb_snapshot_id early = take_at(&t, 15, 3), earlier = take_at(&t, 15, 2), again = take_at(&t, 15, 3);
    assert_timestamps(&t, 10, 15, 15, 15, 20, 30);
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(t.copies, &n);
    assert_int_equal(all[1].id, earlier);
    assert_int_equal(all[2].id, early);
    assert_int_equal(all[3].id, again);
    shrink(&t);
}

static void dropped(void **state)
{
    toy t = toy_new();
    grow(&t, 3);
    assert_int_equal(ebb_copies_nbytes(t.copies), 3000);
    ebb_copies_drop(t.copies, 2);
    ebb_copies_drop(t.copies, 2);
    ebb_copies_drop(t.copies, 99);
    assert_timestamps(&t, 10, 30);
    ebb_error err;
    assert_int_equal(ebb_copies_restore(t.copies, 2, &err), EBB_NOT_FOUND);
    assert_int_equal(take_at(&t, 40, 0), 4); /* numbers are not used twice */
    shrink(&t);
}

static void not_taken(void **state)
{
    toy t = toy_new();
    ebb_snapshot_id id;
    ebb_error err;
    grow(&t, 1);
    t.can_copy = false;
    assert_int_equal(ebb_copies_take(t.copies, &id, &err), EBB_SYSTEM);
    assert_timestamps(&t, 10);
    shrink(&t);
}

static void thin_on_taken(void *self)
{
    toy *t = self;
    t->n_taken++;
    ebb_copies_thin(t->copies, 10, 1);
}

static ebb_snapshot taken_at(toy *t, uint64_t timestamp)
{
    ebb_snapshot taken;
    ebb_position was = t->now;
    t->now = (ebb_position){timestamp, 0};
    assert_int_equal(take(t, &taken, NULL), EBB_OK);
    t->now = was;
    return taken;
}

static void add_at(toy *t, uint64_t timestamp)
{
    ebb_snapshot taken = taken_at(t, timestamp);
    ebb_copies_add(t->copies, &taken);
}

/* They are there at once, and thinned only when the live one runs again. */
static void thinned_when_it_goes_on(void **state)
{
    toy t = toy_new();
    grow(&t, 1);
    ebb_copies_set_pace(t.copies, (ebb_pace_rule){.interval_ms = 250, .share = 20}, thin_on_taken, &t);
    for (unsigned i = 2; i <= 500; i++) {
        ebb_snapshot taken = taken_at(&t, 10 * i);
        ebb_copies_add_first(t.copies, &taken);
    }
    assert_int_equal(count(&t), 500);
    assert_int_equal(t.n_taken, 0);
    ebb_copies_settle(t.copies);
    ebb_copies_settle(t.copies);
    assert_int_equal(t.n_taken, 1);
    assert_in_range(count(&t), 20, 200);
    shrink(&t);
}

/* Taken while it runs, thinned each time: many at the end of time, although the live one was last seen long before. */
static void thinned_as_it_runs(void **state)
{
    toy t = toy_new();
    grow(&t, 1);
    ebb_copies_set_pace(t.copies, (ebb_pace_rule){.interval_ms = 250, .share = 20}, thin_on_taken, &t);
    assert_int_equal(t.pace.interval_ms, 250);
    for (unsigned i = 2; i <= 5000; i++)
        add_at(&t, 10 * i);
    assert_int_equal(t.n_taken, 4999);
    assert_in_range(count(&t), 20, 200);
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(t.copies, &n);
    assert_int_equal(all[0].at.timestamp, 10);
    assert_int_equal(all[n - 1].at.timestamp, 50000);
    assert_int_equal(all[n - 2].at.timestamp, 49990);
    assert_true(all[n - 8].at.timestamp > 49900);
    shrink(&t);
}

/* Memory is bounded: the recent past stays dense, the oldest and the newest stay at all. */
static void bounded(void **state)
{
    toy t = toy_new();
    grow(&t, 40);
    ebb_copies_bound(t.copies, 400, 1, 8000);
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(t.copies, &n);
    assert_int_equal(n, 8);
    assert_int_equal(all[0].at.timestamp, 10);
    assert_int_equal(all[n - 1].at.timestamp, 400);
    for (size_t i = 2; i < n - 1; i++) /* the further away, the further apart */
        assert_true(all[i].at.timestamp - all[i - 1].at.timestamp >= all[i + 1].at.timestamp - all[i].at.timestamp);
    ebb_copies_bound(t.copies, 400, 1, 0);
    assert_timestamps(&t, 10, 400);
    shrink(&t);
}

/* After a visit to the past the anchor is where the live one has come to, not where it was left. */
static void thinned_after_a_return(void **state)
{
    toy t = toy_new();
    grow(&t, 1);
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    assert_int_equal(ebb_copies_go_live(t.copies, NULL), EBB_OK);
    for (unsigned i = 2; i <= 3000; i++)
        take_at(&t, 10 * i, 0);
    ebb_copies_thin(t.copies, 10, 1);
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(t.copies, &n);
    assert_int_equal(all[n - 2].at.timestamp, 29990);
    shrink(&t);
}

/* ---- who is the debuggee ---- */

static void assert_newest(const toy *t, uint64_t timestamp, bool has_live, bool has_ended)
{
    ebb_newest newest = ebb_copies_newest(t->copies);
    assert_true(newest.is_known);
    assert_int_equal(newest.at.timestamp, timestamp);
    assert_int_equal(newest.has_live, has_live);
    assert_int_equal(newest.has_ended, has_ended);
}

static void back_and_live_again(void **state)
{
    toy t = toy_new();
    grow(&t, 3);
    t.now = (ebb_position){35, 4};
    assert_newest(&t, 35, true, false);
    t.now = (ebb_position){36, 4}; /* it runs on: the newest state is where it is */
    assert_newest(&t, 36, true, false);
    assert_int_equal(ebb_copies_restore(t.copies, 2, NULL), EBB_OK);
    assert_true(ebb_copies_is_replaying(t.copies));
    assert_int_equal(t.now.timestamp, 20);
    assert_int_equal(t.until.timestamp, 36);
    assert_int_equal(t.until.place, 4);
    t.now.timestamp = 25; /* what replays moves, and the newest state doesn't */
    assert_newest(&t, 36, true, false);
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    assert_int_equal(t.until.timestamp, 36);
    assert_newest(&t, 36, true, false);
    assert_int_equal(ebb_copies_oldest(t.copies), 10);
    assert_int_equal(ebb_copies_go_live(t.copies, NULL), EBB_OK);
    assert_true(t.left_for.has_live && t.left_for.at.timestamp == 36 && t.left_for.thread == 7);
    assert_false(ebb_copies_is_replaying(t.copies));
    assert_newest(&t, 36, true, false);
    assert_int_equal(ebb_copies_go_live(t.copies, NULL), EBB_OK); /* and stays so */
    shrink(&t);
}

/* By the undo log: from the live one in a copy of it, then in that copy. */
static void rewound(void **state)
{
    toy t = toy_new();
    bool reached;
    grow(&t, 1);
    t.now.timestamp = 50;
    t.log_from = 40;
    assert_int_equal(ebb_copies_rewind(t.copies, (ebb_position){39, 0}, &reached, NULL), EBB_OK);
    assert_false(reached || ebb_copies_is_replaying(t.copies) || t.n_restored); /* no copy is made in vain */
    assert_int_equal(ebb_copies_rewind(t.copies, (ebb_position){45, 0}, &reached, NULL), EBB_OK);
    assert_true(reached && ebb_copies_is_replaying(t.copies));
    machine_tid thread;
    assert_int_equal(ebb_copies_where(t.copies, &thread).timestamp, 45);
    assert_int_equal(t.until.timestamp, 50);
    assert_newest(&t, 50, true, false);
    assert_int_equal(ebb_copies_rewind(t.copies, (ebb_position){42, 0}, &reached, NULL), EBB_OK);
    assert_true(reached);
    assert_int_equal(ebb_copies_rewind(t.copies, (ebb_position){30, 0}, &reached, NULL), EBB_OK);
    assert_false(reached);
    assert_int_equal(t.now.timestamp, 42);
    assert_int_equal(t.n_restored, 1); /* all in one copy */
    ebb_buf undone = {0};
    assert_int_equal(ebb_copies_branch(t.copies, &undone, NULL), EBB_OK);
    assert_timestamps(&t, 10, 42); /* it was a copy of no snapshot */
    ebb_buf_fini(&undone);
    shrink(&t);
}

/* FC2: the log says that it reaches so far, and then it doesn't, or fails. */
static void rewinding_fails(void **state)
{
    for (int fails = 0; fails < 2; fails++) {
        toy t = toy_new();
        bool reached;
        ebb_error err;
        grow(&t, 1);
        t.now.timestamp = 50;
        t.log_from = 0;
        t.log_lies = true;
        t.log_breaks = fails;
        assert_int_equal(ebb_copies_rewind(t.copies, (ebb_position){45, 0}, &reached, &err), fails ? EBB_SYSTEM : EBB_OK);
        assert_false(reached || ebb_copies_is_replaying(t.copies) || t.replays);
        assert_int_equal(t.now.timestamp, 50);
        assert_newest(&t, 50, true, false);
        shrink(&t);
    }
}

static void nothing_to_rewind(void **state)
{
    toy t = toy_new();
    bool reached = true;
    grow(&t, 1);
    t.log_from = 0;
    ebb_copies_note_end(t.copies, 40, &(machine_stop){.kind = MACHINE_STOP_EXITED});
    assert_int_equal(ebb_copies_rewind(t.copies, (ebb_position){45, 0}, &reached, NULL), EBB_OK);
    assert_false(reached); /* nobody is there to be copied */
    shrink(&t);
}

/* FC2, from the live one and from a copy. */
static void restoring_fails(void **state)
{
    for (int replaying = 0; replaying < 2; replaying++) {
        toy t = toy_new();
        ebb_error err;
        grow(&t, 3);
        if (replaying)
            assert_int_equal(ebb_copies_restore(t.copies, 2, NULL), EBB_OK);
        t.can_copy = false;
        ebb_position was = t.now;
        assert_int_equal(ebb_copies_restore(t.copies, 1, &err), EBB_SYSTEM);
        bool reached;
        t.log_from = 0;
        if (!replaying)
            assert_int_equal(ebb_copies_rewind(t.copies, was, &reached, &err), EBB_SYSTEM);
        assert_int_equal(ebb_copies_is_replaying(t.copies), replaying);
        assert_int_equal(t.now.timestamp, was.timestamp);
        assert_timestamps(&t, 10, 20, 30);
        assert_newest(&t, 30, true, false);
        shrink(&t);
    }
}

static void a_frozen_copy_died(void **state)
{
    toy t = toy_new();
    ebb_error err;
    size_t n;
    grow(&t, 3);
    ((process *)ebb_copies_list(t.copies, &n)[1].copy)->is_dead = true;
    assert_int_equal(ebb_copies_restore(t.copies, 2, &err), EBB_NOT_FOUND);
    assert_false(ebb_copies_is_replaying(t.copies));
    assert_timestamps(&t, 10, 30);
    assert_int_equal(ebb_copies_restore(t.copies, 1, &err), EBB_OK);
    shrink(&t);
}

/* ---- ends ---- */

static void after_the_end(void **state)
{
    toy t = toy_new();
    ebb_error err;
    grow(&t, 2);
    machine_stop stop = {.kind = MACHINE_STOP_EXITED, .exit_status = 3};
    ebb_copies_note_end(t.copies, 40, &stop);
    assert_newest(&t, 40, false, true);
    assert_int_equal(ebb_copies_newest(t.copies).end.exit_status, 3);
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    assert_int_equal(t.until.timestamp, UINT64_MAX); /* replay comes to the end by itself */
    assert_newest(&t, 40, false, true);
    assert_int_equal(ebb_copies_go_live(t.copies, &err), EBB_GONE);
    assert_false(ebb_copies_is_replaying(t.copies));
    assert_newest(&t, 40, false, true);
    shrink(&t);
}

static void after_a_kill(void **state)
{
    toy t = toy_new();
    grow(&t, 2);
    machine_stop stop = {.kind = MACHINE_STOP_KILLED, .signal = 9};
    ebb_copies_note_end(t.copies, 30, &stop);
    ebb_copies_note_end(t.copies, 44, &stop); /* as the recording says */
    assert_newest(&t, 44, false, true);
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    assert_int_equal(t.until.timestamp, 44);
    assert_int_equal(t.until.place, 0);
    shrink(&t);
}

static void opened_recordings(void **state)
{
    toy t = toy_new();
    ebb_error err;
    grow(&t, 1);
    ebb_copies_open(t.copies, (ebb_position){.timestamp = 90});
    assert_true(ebb_copies_is_replaying(t.copies));
    assert_false(ebb_copies_newest(t.copies).is_known);
    ebb_copies_set_pace(t.copies, (ebb_pace_rule){.interval_ms = 250}, NULL, NULL);
    assert_int_equal(t.n_told_pace, 0); /* nobody is live */
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    assert_int_equal(t.until.timestamp, 90);
    assert_int_equal(ebb_copies_branch(t.copies, &(ebb_buf){0}, &err), EBB_UNSUPPORTED);
    t.now = (ebb_position){95, 6};
    ebb_copies_note_newest(t.copies, t.now);
    assert_newest(&t, 95, false, false);
    assert_int_equal(ebb_copies_go_live(t.copies, &err), EBB_GONE);
    assert_true(ebb_copies_is_replaying(t.copies));
    shrink(&t);
}

static void all_end(void **state)
{
    toy t = toy_new();
    grow(&t, 3);
    assert_int_equal(ebb_copies_restore(t.copies, 2, NULL), EBB_OK);
    ebb_copies_end(t.copies);
    assert_false(t.left_for.has_live); /* nobody need be told: it is about to end */
    assert_int_equal(count(&t), 0);
    assert_false(t.replays);
    ebb_copies_end(t.copies);
    shrink(&t);
}

/* ---- branches ---- */

/* FC5: the future goes, and so does the copy's own snapshot, before the copy is adopted. */
static void branches(void **state)
{
    toy t = toy_new();
    ebb_buf undone = {0};
    grow(&t, 4);
    ebb_copies_set_pace(t.copies, (ebb_pace_rule){.interval_ms = 250}, NULL, NULL);
    assert_int_equal(ebb_copies_restore(t.copies, 2, NULL), EBB_OK);
    t.now = (ebb_position){30, 0};
    memset(t.order, 0, sizeof t.order);
    assert_int_equal(ebb_copies_branch(t.copies, &undone, NULL), EBB_OK);
    assert_string_equal(t.order, "beeat");
    assert_string_equal(ebb_buf_text(&undone), "a thing\n");
    assert_timestamps(&t, 10, 30, 30); /* that of this very moment stays, and so begins the new part */
    assert_false(ebb_copies_is_replaying(t.copies));
    assert_int_equal(t.n_told_pace, 2); /* the new live one too */
    t.now.timestamp = 77;
    assert_newest(&t, 77, true, false);
    ebb_buf_fini(&undone);
    shrink(&t);
}

/* Of two moments of one timestamp the later place is the future. */
static void branches_within_a_timestamp(void **state)
{
    toy t = toy_new();
    ebb_buf undone = {0};
    grow(&t, 1);
    take_at(&t, 20, 5);
    take_at(&t, 20, 9);
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    t.now = (ebb_position){20, 7};
    assert_int_equal(ebb_copies_branch(t.copies, &undone, NULL), EBB_OK);
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(t.copies, &n);
    assert_int_equal(n, 2);
    assert_int_equal(all[0].at.place, 5);
    assert_int_equal(all[1].at.place, 7);
    ebb_buf_fini(&undone);
    shrink(&t);
}

static void an_ended_program_lives_again(void **state)
{
    toy t = toy_new();
    ebb_buf undone = {0};
    grow(&t, 2);
    ebb_copies_note_end(t.copies, 40, &(machine_stop){.kind = MACHINE_STOP_KILLED});
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    assert_int_equal(ebb_copies_branch(t.copies, &undone, NULL), EBB_OK);
    t.now.timestamp = 12;
    assert_newest(&t, 12, true, false);
    assert_int_equal(ebb_copies_until(t.copies).timestamp, 12);
    ebb_buf_fini(&undone);
    shrink(&t);
}

static void branching_fails(void **state)
{
    toy t = toy_new();
    ebb_buf undone = {0};
    ebb_error err;
    grow(&t, 3);
    assert_int_equal(ebb_copies_branch(t.copies, &undone, &err), EBB_UNSUPPORTED); /* now is the newest state */
    assert_int_equal(ebb_copies_restore(t.copies, 1, NULL), EBB_OK);
    t.can_branch = false;
    assert_int_equal(ebb_copies_branch(t.copies, &undone, &err), EBB_UNAVAILABLE);
    assert_timestamps(&t, 10, 20, 30); /* nothing is lost */
    assert_true(ebb_copies_is_replaying(t.copies));
    assert_newest(&t, 30, true, false);
    t.can_branch = true;
    t.can_adopt = false;
    assert_int_equal(ebb_copies_branch(t.copies, &undone, &err), EBB_GONE); /* half-way */
    assert_false(ebb_copies_is_replaying(t.copies));
    ebb_buf_fini(&undone);
    shrink(&t);
}

/* The program is live, even if nothing is left to go back to. */
static void branching_without_room(void **state)
{
    for (unsigned older = 0; older < 2; older++) {
        toy t = toy_new();
        ebb_buf undone = {0};
        grow(&t, 1 + older);
        assert_int_equal(ebb_copies_restore(t.copies, 1 + older, NULL), EBB_OK);
        t.can_copy = false;
        assert_int_equal(ebb_copies_branch(t.copies, &undone, NULL), EBB_OK);
        assert_int_equal(count(&t), older);
        ebb_buf_fini(&undone);
        shrink(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_order_of_time),
        cmocka_unit_test(dropped),
        cmocka_unit_test(not_taken),
        cmocka_unit_test(thinned_as_it_runs),
        cmocka_unit_test(thinned_when_it_goes_on),
        cmocka_unit_test(bounded),
        cmocka_unit_test(thinned_after_a_return),
        cmocka_unit_test(back_and_live_again),
        cmocka_unit_test(rewound),
        cmocka_unit_test(rewinding_fails),
        cmocka_unit_test(nothing_to_rewind),
        cmocka_unit_test(restoring_fails),
        cmocka_unit_test(a_frozen_copy_died),
        cmocka_unit_test(after_the_end),
        cmocka_unit_test(after_a_kill),
        cmocka_unit_test(opened_recordings),
        cmocka_unit_test(all_end),
        cmocka_unit_test(branches),
        cmocka_unit_test(branches_within_a_timestamp),
        cmocka_unit_test(an_ended_program_lives_again),
        cmocka_unit_test(branching_fails),
        cmocka_unit_test(branching_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
