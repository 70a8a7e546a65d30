/* watch.c - data points that are checked by translated stores and loads (inside/watch.h): those for which there are no debug
 * registers. */
#include "x86/inside/runtime.h"
#include "x86/vm/private.h"
#include "x86/watch.h"

#include <string.h>

typedef EBB_VEC(x86_watch_range) range_list;

/* With the code of their conditions, which are told together: `condition` counts from its beginning until then. */
typedef struct ranges {
    range_list list;
    EBB_VEC(machine_code) code;
    size_t nbytes; /* of all */
} ranges;

static uint32_t told_on(machine_point_kind kind)
{
    switch (kind) {
    case MACHINE_POINT_READ: return X86_WATCH_ON_READ;
    case MACHINE_POINT_ACCESS: return X86_WATCH_ON_READ | X86_WATCH_ON_WRITE;
    case MACHINE_POINT_STORE: return X86_WATCH_ON_CHANGE | X86_WATCH_ON_WRITE;
    default: return X86_WATCH_ON_CHANGE;
    }
}

static bool is_checked_by_code(const x86_point *point)
{
    return point->what.kind != MACHINE_POINT_EXEC && !point->in_hardware;
}

/* Whether stores and loads have to be looked at for it just now. */
static bool is_told_of(const x86_vm *vm, const x86_point *point)
{
    return is_checked_by_code(point) && !vm->quiet && !(vm->noting && vm_noting_passes(vm, point->id));
}

/* All of them are noted, or none: ebb can't tell a change that was noted from one that wasn't. */
static void note_all(x86_vm *vm, range_list *list)
{
    const x86_process *p = x86_of(vm->native);
    size_t n = 0;
    uint32_t group;
    bool all = vm->noting != NULL;
    for (size_t i = 0; i < p->points.n; i++)
        if (all && is_told_of(vm, p->points.items[i])) {
            list->items[n].note = vm_noting_number(vm, p->points.items[i]->id, &group);
            all = list->items[n++].note != 0;
        }
    for (size_t i = 0; i < list->n && !all; i++)
        list->items[i].note = 0;
}

static void collect(x86_vm *vm, ranges *out)
{
    const x86_process *p = x86_of(vm->native);
    for (size_t i = 0; i < p->points.n; i++) {
        const x86_point *point = p->points.items[i];
        if (!is_told_of(vm, point))
            continue;
        x86_watch_range r = {
            .addr = point->what.addr,
            .nbytes = point->what.nbytes,
            .bits = point->what.bits,
            .copy_at = out->nbytes,
            .on = told_on(point->what.kind),
            .n_condition = (uint32_t)point->n_condition,
            .left = (uint64_t *)vm_ignore_counter(vm, point),
            .condition = (const machine_code *)(out->code.n * sizeof(machine_code)),
        };
        ebb_vec_push(&out->list, r);
        for (size_t k = 0; k < point->n_condition; k++)
            ebb_vec_push(&out->code, point->condition[k]);
        out->nbytes += point->what.nbytes;
    }
    note_all(vm, &out->list);
}

/* The ranges, and the code after them. */
static ebb_status copy_out(x86_vm *vm, machine_tid tid, ranges *told, ebb_error *err)
{
    size_t n_list = told->list.n * sizeof *told->list.items, n_code = told->code.n * sizeof *told->code.items;
    EBB_TRY(vm_copy_room(vm, tid, &vm->watches_copy, n_list + n_code, err));
    for (size_t i = 0; i < told->list.n; i++)
        told->list.items[i].condition = (const machine_code *)(vm->watches_copy.address + n_list + (uint64_t)told->list.items[i].condition);
    EBB_TRY(vm_copy_out(vm, tid, &vm->watches_copy, told->list.items, n_list, err));
    return n_code ? machine_write(vm->native, vm->watches_copy.address + n_list, told->code.items, n_code, err) : EBB_OK;
}

/* The runtime's copies are of now, or of the moment at which translated code runs again: the guest stands still. */
static ebb_status tell_ranges(x86_vm *vm, machine_tid tid, ranges *told, ebb_error *err)
{
    EBB_TRY(copy_out(vm, tid, told, err));
    EBB_TRY(vm_copy_room(vm, tid, &vm->watched_bytes, told->nbytes, err));
    x86_watches w = {
        .ranges = (x86_watch_range *)vm->watches_copy.address,
        .n = told->list.n,
        .copies = (uint8_t *)vm->watched_bytes.address,
        .refresh = 1,
    };
    return machine_write(vm->native, vm->runtime + offsetof(x86_runtime, watches), &w, sizeof w, err);
}

static ebb_status tell_option(x86_vm *vm, size_t option, bool now, bool *told, ebb_error *err)
{
    if (now == *told)
        return EBB_OK;
    *told = now;
    vm->flush = true; /* what was translated looks at too little, or too much */
    return machine_write(vm->native, vm->runtime + offsetof(x86_runtime, options) + option, &now, sizeof now, err);
}

ebb_status vm_watch_tell(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    ranges told = {0};
    const x86_process *p = x86_of(vm->native);
    collect(vm, &told);
    bool watching = told.list.n > 0;
    ebb_status status = EBB_OK;
    if (watching || vm->watching)
        status = tell_ranges(vm, tid, &told, err);
    ebb_vec_fini(&told.list);
    ebb_vec_fini(&told.code);
    if (status != EBB_OK)
        return status;
    EBB_TRY(tell_option(vm, offsetof(x86_options, watching), watching, &vm->watching, err));
    EBB_TRY(tell_option(vm, offsetof(x86_options, watching_stores), watching && p->n_software_stores > 0, &vm->watching_stores, err));
    return tell_option(vm, offsetof(x86_options, watching_reads), watching && p->n_software_reads > 0, &vm->watching_reads, err);
}

/* WS4: changes that the runtime passed by were none; then what is there now, or was before the last one, is what ebb saw. */
static void look_again(x86_vm *vm, x86_point *point, const x86_watch_range *r)
{
    if (r->hit)
        memcpy(point->old, &r->was, point->what.nbytes);
    else if (machine_read(vm->native, point->what.addr, point->old, point->what.nbytes, NULL) != EBB_OK)
        return; /* not mapped just now: the old bytes stay */
}

static void add_hit(x86_vm *vm, machine_tid tid, x86_point *point, const x86_watch_range *r, machine_stop *stop)
{
    bool is_change = r->on & X86_WATCH_ON_CHANGE;
    if (is_change && (r->n_condition || r->left))
        look_again(vm, point, r);
    if (r->hit && r->on != X86_WATCH_ON_CHANGE)
        x86_watch_tell(x86_of(vm->native), vm_task(vm, tid), point->id, stop);
}

/* The ranges stand in the order of the points: nothing was set or cleared since they were told.  What changed is told by comparing, afterwards. */
static void add_hits(x86_vm *vm, machine_tid tid, machine_stop *stop)
{
    x86_process *p = x86_of(vm->native);
    uint64_t at = vm->watches_copy.address;
    for (size_t i = 0; i < p->points.n; i++) {
        x86_watch_range r;
        if (!is_told_of(vm, p->points.items[i]))
            continue;
        if (machine_read(vm->native, at, &r, sizeof r, NULL) != EBB_OK)
            return;
        if (r.addr == p->points.items[i]->what.addr)
            add_hit(vm, tid, p->points.items[i], &r, stop);
        r.hit = 0;
        if (machine_write(vm->native, at, &r, sizeof r, NULL) != EBB_OK)
            return;
        at += sizeof r;
    }
}

bool vm_watch_changes(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, machine_stop *stop)
{
    *stop = (machine_stop){.kind = MACHINE_STOP_POINT, .thread = tid, .touched_by = x86_watch_toucher(tcb)};
    add_hits(vm, tid, stop);
    x86_watch_changes(x86_of(vm->native), vm_task(vm, tid), stop);
    return stop->n_points > 0;
}

void vm_watch_by_code(x86_vm *vm, bool by_code)
{
    x86_process *p = x86_of(vm->native);
    if (p->watches_by_code == by_code)
        return;
    p->watches_by_code = by_code;
    x86_watch_plan(p);
}
