/* search.c - notes the hits of points on the way to a moment (machine/search.h), from stop to stop. */
#include "x86/points.h"
#include "x86/vm/history_private.h"

typedef struct searching {
    x86_vm *vm;
    const machine_search *search;
    machine_found *found;
} searching;

/* NULL: it is not one of those that are noted. */
static const machine_noted *noted_of(const machine_search *s, machine_point_id id)
{
    for (size_t i = 0; i < s->n_noted; i++)
        if (s->noted[i].id == id)
            return &s->noted[i];
    return NULL;
}

/* SR3: whether the hit of a point with that group counts; notes the group. */
static bool group_counts(machine_found *f, const machine_stop *stop, uint64_t time, uint32_t group)
{
    if (group == MACHINE_UNGROUPED)
        return true;
    uint32_t before = f->last_group;
    f->last_group = group;
    if (before == MACHINE_UNGROUPED && !f->has_first) {
        f->has_first = true;
        f->first_time = time;
        f->first = *stop;
        f->first_group = group;
        return group == MACHINE_GROUP_FRESH;
    }
    return group == MACHINE_GROUP_FRESH || group != before;
}

static void list(searching *s, const machine_stop *hit, uint64_t time)
{
    vm_history *h = s->vm->history;
    if (h->listed.n >= s->search->n_listed)
        return;
    machine_listed one = {.time = time, .place = hit->place, .thread = hit->thread, .touched_by = hit->touched_by};
    ebb_vec_push(&h->listed, one);
}

/* Takes the points of a stop apart; false: some of them are for the caller (SR4), and `stop` has just those. */
static bool note(searching *s, machine_stop *stop)
{
    machine_stop counted = *stop, others = *stop;
    counted.n_points = others.n_points = 0;
    for (size_t i = 0; i < stop->n_points; i++) {
        const machine_noted *n = noted_of(s->search, stop->points[i]);
        if (!n)
            others.points[others.n_points++] = stop->points[i];
        else if (group_counts(s->found, stop, s->vm->time, n->group))
            counted.points[counted.n_points++] = stop->points[i];
    }
    if (counted.n_points) {
        s->found->n_hits++;
        s->found->last = counted;
        s->found->last_time = s->vm->time;
        list(s, &counted, s->vm->time);
    }
    if (!others.n_points || s->search->only_noted)
        return true;
    *stop = others;
    return false;
}

/* SR2: what stands at the first moment is hit by the first instruction.  A point that is not noted has been told already (MA4). */
static void note_at_start(searching *s, machine_tid tid)
{
    machine_stop stop = {.kind = MACHINE_STOP_POINT, .thread = tid};
    x86_task *task = vm_task(s->vm, tid);
    if (!task || vm_get(s->vm, tid, VM_REG(rip), &stop.place, NULL) != EBB_OK)
        return;
    ebb_position now = {s->vm->time, stop.place}, until = {s->search->until_time, s->search->until_place};
    if (ebb_position_compare(now, until) < 0 && x86_points_at(x86_of(s->vm->native), task, stop.place, &stop))
        note(s, &stop);
}

/* SR2: what stands at the last moment is not hit. */
static bool is_over(const searching *s, const machine_stop *stop)
{
    ebb_position now = {s->vm->time, stop->place}, until = {s->search->until_time, s->search->until_place};
    return !stop->touched_by && ebb_position_compare(now, until) >= 0;
}

static bool is_full(const searching *s)
{
    return s->search->n_listed && s->vm->history->listed.n >= s->search->n_listed;
}

static ebb_status run_on(searching *s, machine_tid tid, ebb_error *err)
{
    machine_request run = {
        .move = MACHINE_RUN,
        .thread = tid,
        .until = true,
        .until_time = s->search->until_time,
        .until_place = s->search->until_place,
        .forgets = s->search->forgets,
    };
    machine_stop stop = {0};
    for (;;) {
        EBB_TRY(vm_run(s->vm, &run, &stop, err));
        if (stop.kind == MACHINE_STOP_POINT && is_over(s, &stop))
            stop.kind = MACHINE_STOP_POSITION;
        if (stop.kind != MACHINE_STOP_POINT || !note(s, &stop))
            break;
        if (is_full(s)) {
            stop.kind = MACHINE_STOP_POSITION;
            break;
        }
        run.thread = stop.thread;
    }
    s->found->end = stop;
    return EBB_OK;
}

ebb_status vm_search(machine *m, const machine_search *search, machine_found *found, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    searching s = {vm, search, found};
    *found = (machine_found){0};
    vm->history->listed.n = 0;
    machine_tid tid = vm->last ? vm->last : vm->threads.items[0].tid;
    note_at_start(&s, tid);
    EBB_TRY(run_on(&s, tid, err));
    vm_forget_interrupt(vm);
    found->listed = vm->history->listed.items;
    found->n_listed = vm->history->listed.n;
    return EBB_OK;
}
