/* search.c - notes the hits of points on the way to a moment (machine/search.h).
 *
 * Translated code writes most of them down by itself (inside/notes.h); they are taken out of its list here, and judged.  What it can't
 * note, it stops for: a place with several points, or with one that is not for this search; and single steps are looked at one by one. */
#include "x86/inside/runtime.h"
#include "x86/points.h"
#include "x86/vm/caught.h"
#include "x86/vm/history_private.h"
#include "x86/watch.h"

#include <string.h>

/* What of a hit is not in its stop. */
typedef struct hit {
    uint64_t time;
    bool has_is;
    uint64_t is;
} hit;

/* ---- which points ----------------------------------------------------------------------------- */

/* NULL: it is not one of those that are noted. */
static const machine_noted *noted_of(const machine_search *s, machine_point_id id)
{
    for (size_t i = 0; i < s->n_noted; i++)
        if (s->noted[i].id == id)
            return &s->noted[i];
    return NULL;
}

bool vm_noting_passes(const x86_vm *vm, machine_point_id id)
{
    const machine_search *s = vm->noting->search;
    const machine_noted *n = noted_of(s, id);
    return n ? n->as == MACHINE_NOTE_NOTHING : s->only_noted;
}

uint32_t vm_noting_number(const x86_vm *vm, machine_point_id id, uint32_t *group)
{
    const machine_search *s = vm->noting->search;
    const machine_noted *n = noted_of(s, id);
    if (!n || n - s->noted >= X86_MAX_NOTE)
        return 0;
    *group = n->as == MACHINE_NOTE_HIT ? n->group : MACHINE_UNGROUPED;
    return (uint32_t)(n - s->noted) + 1;
}

/* ---- judging ---------------------------------------------------------------------------------- */

static bool is_full(const vm_noting *s)
{
    return machine_judge_is_full(&s->judge, s->vm->history->listed.n);
}

static void list(vm_noting *s, const machine_stop *at, const hit *h)
{
    vm_history *history = s->vm->history;
    if (!s->search->n_listed || is_full(s))
        return;
    machine_listed one = {.time = h->time, .place = at->place, .thread = at->thread, .touched_by = at->touched_by, .has_is = h->has_is, .is = h->is};
    ebb_vec_push(&history->listed, one);
}

/* Takes the points of a stop apart; false: some of them are for the caller (SR4), and `stop` has just those. */
static bool note(vm_noting *s, machine_stop *stop, const hit *h)
{
    const machine_noted *noted[MACHINE_STOP_MAX_POINTS];
    for (size_t i = 0; i < stop->n_points; i++)
        noted[i] = noted_of(s->search, stop->points[i]);
    machine_verdict v = machine_judge_moment(&s->judge, noted, stop->n_points);
    machine_found_note(s->found, stop, h->time, &v);
    if (v.hits)
        list(s, stop, h);
    if (!v.others || s->search->only_noted)
        return true;
    *stop = machine_stop_of(stop, v.others);
    return false;
}

static bool has_lost_patience(const vm_noting *s)
{
    return machine_judge_has_lost_patience(&s->judge);
}

/* ---- the runtime's list ----------------------------------------------------------------------- */

static uint64_t notes_at(const x86_vm *vm, size_t field)
{
    return vm->runtime + offsetof(x86_runtime, notes) + field;
}

/* How many more hits end the search. */
static uint64_t room_left(const vm_noting *s)
{
    uint64_t room = X86_NOTES_AT_ONCE;
    if (s->search->n_listed && s->search->n_listed - s->vm->history->listed.n < room)
        room = s->search->n_listed - s->vm->history->listed.n;
    if (s->search->patience && s->search->patience - s->judge.n_noted < room)
        room = s->search->patience - s->judge.n_noted;
    return room;
}

/* Before it runs: the list is empty, and the group as we know it (NT3). */
static ebb_status tell_runtime(vm_noting *s, ebb_error *err)
{
    x86_vm *vm = s->vm;
    uint64_t group;
    x86_notes notes = {.items = (x86_hit *)vm->notes_copy.address, .room = room_left(s)};
    EBB_TRY(machine_write(vm->native, notes_at(vm, 0), &notes, sizeof notes, err));
    EBB_TRY(machine_read(vm->native, vm->runtime + offsetof(x86_runtime, cache.note_group), &group, sizeof group, err));
    return vm_poke_u32(vm, group, s->judge.last_group, err);
}

/* With room for what one store may hit at once. */
static ebb_status make_room(x86_vm *vm, ebb_error *err)
{
    size_t n = X86_NOTES_AT_ONCE + x86_of(vm->native)->points.n;
    return vm_copy_room(vm, vm_task_aboard(vm)->tid, &vm->notes_copy, n * sizeof(x86_hit), err);
}

static bool concerns(const x86_point *point, const x86_hit *n)
{
    return point && (point->what.thread == 0 || point->what.thread == (machine_tid)n->thread);
}

/* Adds what the note says to the stop of its moment. */
static void add_note(vm_noting *s, const x86_hit *n, machine_stop *stop, hit *h)
{
    const machine_noted *noted = n->what && n->what <= s->search->n_noted ? &s->search->noted[n->what - 1] : NULL;
    const x86_point *point = noted ? x86_point_get(x86_of(s->vm->native), noted->id) : NULL;
    if (!concerns(point, n) || stop->n_points == MACHINE_STOP_MAX_POINTS)
        return;
    stop->points[stop->n_points++] = point->id;
    h->has_is = point->what.kind != MACHINE_POINT_EXEC && point->what.nbytes <= sizeof h->is;
    h->is = h->has_is ? n->data.is : 0;
    stop->touched_by = n->data.touched_by;
}

static bool is_same_moment(const x86_hit *a, const x86_hit *b)
{
    return a->time == b->time && a->place == b->place && a->thread == b->thread;
}

static void judge_notes(vm_noting *s, const x86_hit *items, size_t n)
{
    for (size_t i = 0, next; i < n; i = next) {
        machine_stop stop = {.kind = MACHINE_STOP_POINT, .thread = items[i].thread, .place = items[i].place};
        hit h = {.time = items[i].time};
        for (next = i; next < n && is_same_moment(&items[i], &items[next]); next++)
            add_note(s, &items[next], &stop, &h);
        if (stop.n_points)
            note(s, &stop, &h);
    }
}

/* What translated code has noted since it began to run. */
static ebb_status take_notes(vm_noting *s, ebb_error *err)
{
    x86_vm *vm = s->vm;
    x86_notes notes;
    EBB_TRY(machine_read(vm->native, notes_at(vm, 0), &notes, sizeof notes, err));
    if (!notes.n)
        return EBB_OK;
    x86_hit *items = ebb_alloc(notes.n * sizeof *items);
    ebb_status status = machine_read(vm->native, (uint64_t)notes.items, items, notes.n * sizeof *items, err);
    if (status == EBB_OK)
        judge_notes(s, items, notes.n);
    free(items);
    return status == EBB_OK ? vm_poke_u64(vm, notes_at(vm, offsetof(x86_notes, n)), 0, err) : status;
}

ebb_status vm_noting_goes_on(x86_vm *vm, machine_tid tid, uint64_t place, machine_stop *stop, ebb_error *err)
{
    vm_noting *s = vm->noting;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid, .place = place};
    if (!s)
        return ebb_fail(err, EBB_UNSUPPORTED, "hits were noted that nobody looks for");
    EBB_TRY(take_notes(s, err));
    s->is_over = is_full(s) || has_lost_patience(s);
    if (s->is_over)
        stop->kind = MACHINE_STOP_POSITION;
    return s->is_over ? EBB_OK : tell_runtime(s, err);
}

/* ---- ebb's own hits --------------------------------------------------------------------------- */

/* NT2: leaves the points whose conditions hold. */
static void keep_holding(x86_vm *vm, machine_stop *stop)
{
    size_t n = 0;
    for (size_t i = 0; i < stop->n_points; i++) {
        const x86_point *point = x86_point_get(x86_of(vm->native), stop->points[i]);
        if (point && vm_condition_holds(vm, stop->thread, point->condition, point->n_condition))
            stop->points[n++] = stop->points[i];
    }
    stop->n_points = n;
}

/* What the data of a point is now, if it is small and there. */
static void read_data(x86_vm *vm, const machine_stop *stop, hit *h)
{
    for (size_t i = 0; i < stop->n_points; i++) {
        const x86_point *point = x86_point_get(x86_of(vm->native), stop->points[i]);
        if (!point || point->what.kind == MACHINE_POINT_EXEC || point->what.nbytes > sizeof h->is)
            continue;
        h->is = 0;
        h->has_is = machine_read(vm->native, point->what.addr, &h->is, point->what.nbytes, NULL) == EBB_OK;
    }
}

/* Who goes on from a stop for data passes the points of the place by (MA4), although nothing was told of them. */
static void add_place(vm_noting *s, machine_stop *stop)
{
    machine_stop here = {0};
    x86_task *task = vm_task(s->vm, stop->thread);
    ebb_position now = {s->vm->time, stop->place}, until = {s->search->until_time, s->search->until_place};
    if (!task || ebb_position_compare(now, until) >= 0)
        return;
    x86_points_at(x86_of(s->vm->native), task, stop->place, &here);
    for (size_t i = 0; i < here.n_points; i++) {
        size_t k = 0;
        while (k < stop->n_points && stop->points[k] != here.points[i])
            k++;
        if (k == stop->n_points && k < MACHINE_STOP_MAX_POINTS)
            stop->points[stop->n_points++] = here.points[i];
    }
}

/* The debuggee stands there. */
static bool note_now(vm_noting *s, machine_stop *stop)
{
    hit h = {.time = s->vm->time};
    add_place(s, stop);
    keep_holding(s->vm, stop);
    read_data(s->vm, stop, &h);
    return !stop->n_points || note(s, stop, &h);
}

/* SR2: what stands at the first moment is hit by the first instruction.  A point that is not noted has been told already (MA4). */
static void note_at_start(vm_noting *s, machine_tid tid)
{
    machine_stop stop = {.kind = MACHINE_STOP_POINT, .thread = tid};
    x86_task *task = vm_task(s->vm, tid);
    if (!task || vm_get(s->vm, tid, VM_REG(rip), &stop.place, NULL) != EBB_OK)
        return;
    ebb_position now = {s->vm->time, stop.place}, until = {s->search->until_time, s->search->until_place};
    if (ebb_position_compare(now, until) < 0 && x86_points_at(x86_of(s->vm->native), task, stop.place, &stop))
        note_now(s, &stop);
}

/* SR2: what stands at the last moment is not hit. */
static bool is_over(const vm_noting *s, const machine_stop *stop)
{
    ebb_position now = {s->vm->time, stop->place}, until = {s->search->until_time, s->search->until_place};
    return ebb_position_compare(now, until) >= 0 && !vm_stopped_for_data(s->vm, stop);
}

/* ---- a search --------------------------------------------------------------------------------- */

static ebb_status run_on(vm_noting *s, machine_tid tid, ebb_error *err)
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
        EBB_TRY(tell_runtime(s, err));
        EBB_TRY(vm_run(s->vm, &run, &stop, err));
        if (!vm_debuggee_ended(&stop))
            EBB_TRY(take_notes(s, err));
        if (stop.kind == MACHINE_STOP_POINT && is_over(s, &stop))
            stop.kind = MACHINE_STOP_POSITION;
        if (stop.kind != MACHINE_STOP_POINT || !note_now(s, &stop))
            break;
        if (is_full(s) || has_lost_patience(s)) {
            stop.kind = MACHINE_STOP_POSITION;
            break;
        }
        run.thread = stop.thread;
    }
    s->found->end = stop;
    machine_found_count(s->found, &s->judge);
    return EBB_OK;
}

ebb_status vm_search(machine *m, const machine_search *search, machine_found *found, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    vm_noting s = {.vm = vm, .search = search, .found = found, .judge = machine_judge_of(search->n_listed, search->patience)};
    *found = (machine_found){0};
    vm->history->listed.n = 0;
    vm_caught_hide(vm);
    machine_tid tid = vm->last ? vm->last : vm->threads.items[0].tid;
    note_at_start(&s, tid);
    EBB_TRY(make_room(vm, err));
    vm->noting = &s;
    ebb_status status = run_on(&s, tid, err);
    vm->noting = NULL;
    vm_forget_interrupt(vm);
    found->listed = vm->history->listed.items;
    found->n_listed = vm->history->listed.n;
    return status;
}
