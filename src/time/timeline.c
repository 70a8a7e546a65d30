#include "time/timeline.h"
#include "base/check.h"
#include "base/mem.h"

struct ebb_timeline {
    machine *machine; /* borrowed */
    ebb_timeline_state state;
    ebb_error poison; /* POISONED: why */
};

ebb_timeline *ebb_timeline_new(machine *m)
{
    ebb_timeline *tl = EBB_NEW(ebb_timeline);
    tl->machine = m;
    tl->state = EBB_TIMELINE_LIVE;
    return tl;
}

void ebb_timeline_free(ebb_timeline *tl)
{
    free(tl);
}

ebb_timeline_state ebb_timeline_get_state(const ebb_timeline *tl)
{
    return tl->state;
}

static ebb_status check_movable(ebb_timeline *tl, ebb_error *err)
{
    switch (tl->state) {
    case EBB_TIMELINE_LIVE: return EBB_OK;
    case EBB_TIMELINE_POISONED: return ebb_fail(err, tl->poison.status, "%s", tl->poison.text);
    case EBB_TIMELINE_ENDED: return ebb_fail(err, EBB_GONE, "The program is not being run.");
    }
    ebb_unreachable();
}

static ebb_status check_has_history(ebb_timeline *tl, ebb_error *err)
{
    if (machine_can(tl->machine, MACHINE_REVERSES))
        return EBB_OK;
    return ebb_fail(err, EBB_NO_HISTORY,
                    "no history is kept yet, so there is no way back from here");
}

static bool ends_debuggee(const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_EXITED || stop->kind == MACHINE_STOP_KILLED;
}

/* A machine that fails while moving may have moved some threads and not others: T2. */
static ebb_status poison(ebb_timeline *tl, const ebb_error *why, ebb_error *err)
{
    tl->state = EBB_TIMELINE_POISONED;
    tl->poison = *why;
    return ebb_fail(err, why->status, "%s", why->text);
}

ebb_status ebb_timeline_run(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    ebb_status status = check_movable(tl, err);
    if (status == EBB_OK && request->direction == MACHINE_BACKWARD)
        status = check_has_history(tl, err);
    if (status != EBB_OK)
        return status;
    *stop = (machine_stop){0};
    ebb_error why;
    if (tl->machine->ops->resume(tl->machine, request, stop, &why) != EBB_OK)
        return poison(tl, &why, err);
    if (ends_debuggee(stop))
        tl->state = EBB_TIMELINE_ENDED;
    return EBB_OK;
}

ebb_status ebb_timeline_now(ebb_timeline *tl, machine_tid thread, ebb_position *now, ebb_error *err)
{
    ebb_status status = check_movable(tl, err);
    if (status != EBB_OK)
        return status;
    machine *m = tl->machine;
    if (!machine_can(m, MACHINE_COUNTS_TIME))
        return ebb_fail(err, EBB_UNSUPPORTED, "native mode counts no time, so there are no positions");
    now->timestamp = m->ops->timestamp(m);
    return m->ops->place(m, thread, &now->place, err);
}

ebb_status ebb_timeline_seek(ebb_timeline *tl, ebb_position to, machine_stop *stop, ebb_error *err)
{
    (void)to, (void)stop;
    ebb_status status = check_movable(tl, err);
    if (status == EBB_OK)
        status = check_has_history(tl, err);
    if (status == EBB_OK)
        status = ebb_fail(err, EBB_UNSUPPORTED, "no machine keeps positions to go to yet");
    return status;
}
