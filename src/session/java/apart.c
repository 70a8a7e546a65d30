/* apart.c - one thread goes back while the others stay: `set direction independent`.
 *
 * Where the thread was before is found as ever (back/verbs.c): the whole program goes back in the copy that the timeline moves.  What
 * is shown is put together from the moment at which the threads parted, and the moments to which some of them went back
 * (jvm_remote_show_apart).  It is no part of the history: it can go on, in a copy that touches nothing outside, but then there is no way
 * back from it.  `set direction whole` returns to the moment at which they parted.
 *
 * AP1  a step that fails or is refused leaves what was shown before. */
#include "session/java/java.h"
#include "session/travel.h"
#include "session/settings_impl.h"
#include "session/stack.h"

struct ses_java_apart {
    ebb_position since; /* where those are that didn't go back */
    EBB_VEC(jvm_remote_target) targets;
};

bool ses_java_is_independent(session *s)
{
    return ses_setting_is(s, "direction", "independent");
}

/* ---- beginning and end ---------------------------------------------------------------------------- */

void ses_java_apart_forget(ses_java *java)
{
    if (java->apart)
        ebb_vec_fini(&java->apart->targets);
    free(java->apart);
    java->apart = NULL;
}

static ebb_status part(session *s, ebb_error *err)
{
    ebb_position since;
    EBB_TRY(ebb_timeline_hold(s->timeline, err));
    EBB_TRY(ebb_timeline_now(s->timeline, 0, &since, err));
    EBB_TRY(jvm_remote_part(s->machine, err));
    s->java->apart = EBB_NEW(ses_java_apart);
    s->java->apart->since = since;
    return EBB_OK;
}

static void hide(session *s)
{
    jvm_remote_hide_apart(s->machine);
    ebb_timeline_rejoin(s->timeline);
    ses_stack_forget(s);
}

void ses_java_rejoin(session *s)
{
    machine_stop at;
    if (!s->java->apart)
        return;
    ebb_position since = s->java->apart->since;
    jvm_remote_rejoin(s->machine);
    ebb_timeline_rejoin(s->timeline);
    ses_java_apart_forget(s->java);
    if (ses_seek(s, since, &at, NULL) == EBB_OK)
        ses_moved(s, &at);
}

/* ---- what is shown -------------------------------------------------------------------------------- */

static jvm_remote_target *target_of(ses_java_apart *apart, machine_tid thread)
{
    for (size_t i = 0; i < apart->targets.n; i++)
        if (apart->targets.items[i].thread == thread)
            return &apart->targets.items[i];
    return NULL;
}

static ebb_status show(session *s, machine_tid thread, ebb_error *err)
{
    const ses_java_apart *apart = s->java->apart;
    EBB_TRY(jvm_remote_show_apart(s->machine, apart->targets.items, apart->targets.n, err));
    ebb_timeline_part(s->timeline);
    machine_stop at = {.kind = MACHINE_STOP_STEP, .thread = thread};
    ses_moved(s, &at);
    return EBB_OK;
}

/* AP1 */
static ebb_status as_before(session *s, machine_tid thread, ebb_status status)
{
    ebb_error ignored;
    hide(s);
    if (s->java->apart->targets.n == 0 || show(s, thread, &ignored) != EBB_OK)
        ses_java_rejoin(s);
    ses_select(s, thread, 0);
    return status;
}

static ebb_status set_target(session *s, machine_tid thread, ebb_position to, ebb_error *err)
{
    ses_java_apart *apart = s->java->apart;
    jvm_remote_target *known = target_of(apart, thread), before = known ? *known : (jvm_remote_target){0};
    jvm_remote_target target = {.thread = thread, .time = to.timestamp, .place = to.place};
    if (known)
        *known = target;
    else
        ebb_vec_push(&apart->targets, target);
    ebb_status status = show(s, thread, err);
    if (status == EBB_OK)
        return EBB_OK;
    if (known)
        *known = before;
    else
        apart->targets.n--;
    return as_before(s, thread, status);
}

/* ---- a step --------------------------------------------------------------------------------------- */

/* The timeline is where the thread is in history. */
static ebb_status begin(session *s, machine_tid thread, ebb_error *err)
{
    machine_stop at;
    ebb_position now;
    if (!s->java->apart) {
        EBB_TRY(part(s, err));
        ses_select(s, thread, 0);
        return EBB_OK;
    }
    if (jvm_remote_has_run_apart(s->machine))
        return ebb_fail(err, EBB_NO_HISTORY, "What ran on after a thread went back alone was never recorded: `set direction whole` returns to the history.");
    hide(s);
    const jvm_remote_target *target = target_of(s->java->apart, thread);
    ebb_position from = target ? (ebb_position){target->time, target->place} : s->java->apart->since;
    bool is_there = ebb_timeline_now(s->timeline, 0, &now, NULL) == EBB_OK && ebb_position_compare(now, from) == 0;
    if (!is_there)
        EBB_TRY(ses_seek(s, from, &at, err));
    ses_select(s, thread, 0);
    return EBB_OK;
}

static ebb_status arrive(session *s, machine_tid thread, ses_stop_kind kind, ses_stop *stop, ebb_error *err)
{
    ebb_position to;
    EBB_TRY(ebb_timeline_now(s->timeline, 0, &to, err));
    if (ebb_timeline_get_thread(s->timeline) != thread)
        return as_before(s, thread, ebb_fail(err, EBB_UNSUPPORTED, "the thread did not run right before: step back by lines"));
    EBB_TRY(set_target(s, thread, to, err));
    machine_stop at = {.kind = MACHINE_STOP_STEP, .thread = thread, .place = to.place};
    ses_settle_at(s, &at, kind, stop);
    return EBB_OK;
}

ebb_status ses_java_back_alone(session *s, ses_move_back *move, const void *how, ses_stop *stop, ebb_error *err)
{
    machine_tid thread = s->thread;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(begin(s, thread, err));
    s->is_alone = true;
    ebb_status status = move(s, how, stop, err);
    s->is_alone = false;
    if (status != EBB_OK)
        return as_before(s, thread, status);
    if (stop->kind == SES_STOP_HISTORY_START || stop->kind == SES_STOP_INTERRUPTED) {
        as_before(s, thread, EBB_OK);
        return EBB_OK;
    }
    return arrive(s, thread, stop->kind, stop, err);
}
