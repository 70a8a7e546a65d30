/* trail.c - where runs of a program that counts its time were at some of their ticks, so that one which differs is known.
 *
 * A timestamp alone names no place that a run could miss.  So each run, the first one, too, is stopped for a moment at timestamps that all runs have in
 * common: eight of them from one power of two to the next, which is a few hundred in a run of any length.
 *
 * CT8  the trail has one place for a timestamp, that of the latest run which was stopped there, at the tick itself. */
#include "session/counted/again.h"
#include "session/hits.h"
#include "session/move.h"
#include "session/settings.h"

void ses_counted_forget_runs(session *s)
{
    ebb_vec_fini(&s->counted_runs.trail);
    s->counted_runs = (ses_counted_runs){0};
}

/* Who runs it himself may have changed what it reads. */
void ses_counted_begin_run(session *s)
{
    if (s->is_again)
        return;
    s->counted_runs.differs = false;
    s->counted_runs.trail.n = 0;
}

/* The least number above `now` of which only the first four bits are set, if any. */
static uint64_t round_number_after(uint64_t now)
{
    uint64_t step = 1;
    while (now / step >= 16)
        step *= 2;
    return (now / step + 1) * step;
}

/* The next timestamp after `now` at which a run on the way to `time` is to be stopped: for the trail, or `time` itself. */
static uint64_t next_tick(const session *s, uint64_t now, uint64_t time)
{
    uint64_t next = round_number_after(now);
    bool is_mains = s->thread == ses_again_main_thread(s) && !ses_setting_is(s, "follow-fork-mode", "child");
    return is_mains && next < time ? next : time;
}

static ebb_position *find(session *s, uint64_t time)
{
    for (size_t i = s->counted_runs.trail.n; i-- > 0;)
        if (s->counted_runs.trail.items[i].timestamp == time)
            return &s->counted_runs.trail.items[i];
    return NULL;
}

static void say_differs(session *s, uint64_t time)
{
    if (!s->counted_runs.differs)
        ses_say(s, SES_NOTICE_WARNING, 0,
                "At timestamp %lu this run is not where an earlier one was: the program does not do the same in each run, or was changed by hand.", (unsigned long)time);
    s->counted_runs.differs = true;
}

static void note(session *s, ebb_position at)
{
    ebb_position *known = find(s, at.timestamp);
    if (!known) {
        ebb_vec_push(&s->counted_runs.trail, at);
        return;
    }
    if (known->place != at.place)
        say_differs(s, at.timestamp);
    *known = at;
}

/* ---- runs ---- */

typedef struct trail_move {
    ses_move move; /* the first: what it is told of is this */
    uint64_t tick; /* that it stops at next, */
    uint64_t time; /* and that it is to end at */
} trail_move;

/* Goes on from a tick that only the trail has an interest in, unless the user stops right after it: the machine takes where it stands for a place that was told. */
static ebb_status trapped(session *s, ses_move *move, const machine_stop *at, bool *done, ses_stop *stop, ebb_error *err)
{
    ebb_position then;
    trail_move *m = (trail_move *)move;
    bool is_known = ses_counted_now(s, &then, NULL) == EBB_OK;
    if (s->interrupted) /* the move ends by itself, and tells that */
        *done = false;
    if (s->interrupted || !is_known || then.timestamp < m->tick)
        return EBB_OK;
    if (then.timestamp == m->tick && s->thread == ses_again_main_thread(s))
        note(s, then);
    if (then.timestamp >= m->time)
        return EBB_OK;
    *done = ses_check_hits(s, at, stop);
    m->tick = next_tick(s, then.timestamp, m->time);
    return *done ? EBB_OK : ses_again_stop_at(s, then.timestamp, m->tick, err);
}

ebb_status ses_trail_run(session *s, machine_tid thread, uint64_t now, uint64_t time, ses_stop *stop, ebb_error *err)
{
    trail_move m = {.move = {.thread = thread, .request.move = MACHINE_RUN, .trapped = trapped}, .tick = next_tick(s, now, time), .time = time};
    EBB_TRY(ses_again_stop_at(s, now, m.tick, err));
    return ses_move_run(s, &m.move, stop, err);
}
