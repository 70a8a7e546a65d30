/* ignores.c - hits that translated code passes by (machine.h, points_ignore): how many are left is counted in the runtime.
 *
 * A place counts if its only point is one of those; else it traps, and whoever set the points counts.  The counts are the runtime's only while
 * translated code runs: they are written before, and read after, wherever the debuggee might lose its memory (its end, another program), and before
 * another process is worn. */
#include "x86/inside/runtime.h"
#include "x86/points.h"
#include "x86/vm/private.h"
#include "x86/watch.h"

#include <string.h>

static vm_ignore *find(x86_vm *vm, machine_point_id first)
{
    for (size_t i = 0; first && i < vm->ignores.n; i++)
        if (vm->ignores.items[i].first == first)
            return &vm->ignores.items[i];
    return NULL;
}

static uint64_t counter(const x86_vm *vm, const vm_ignore *ignore)
{
    return vm->runtime + offsetof(x86_runtime, ignores) + (size_t)(ignore - vm->ignores.items) * sizeof(uint64_t);
}

uint64_t vm_ignore_counter(x86_vm *vm, const x86_point *point)
{
    const vm_ignore *ignore = vm->counts_hits && !point->what.thread ? find(vm, point->ignored_with) : NULL;
    return ignore && ignore->left ? counter(vm, ignore) : 0;
}

/* ---- told and read -------------------------------------------------------------------------------- */

ebb_status vm_ignores_tell(x86_vm *vm, ebb_error *err)
{
    for (size_t i = 0; vm->counts_hits && i < vm->ignores.n; i++)
        EBB_TRY(vm_poke_u64(vm, counter(vm, &vm->ignores.items[i]), vm->ignores.items[i].left, err));
    vm->ignores_are_told = vm->counts_hits && vm->ignores.n > 0;
    return EBB_OK;
}

void vm_ignores_collect(x86_vm *vm)
{
    for (size_t i = 0; vm->ignores_are_told && i < vm->ignores.n; i++) {
        vm_ignore *ignore = &vm->ignores.items[i];
        uint64_t left;
        if (machine_read(vm->native, counter(vm, ignore), &left, sizeof left, NULL) != EBB_OK || left > ignore->left)
            continue; /* its memory is gone: what was read before that stays */
        ignore->passed += ignore->left - left;
        ignore->left = left;
    }
}

void vm_ignores_when_exiting(void *layer)
{
    vm_ignores_collect(layer);
}

/* ---- machine_ops ---------------------------------------------------------------------------------- */

static void count_with(x86_process *p, x86_point *point, machine_point_id first)
{
    if (point->ignored_with == first)
        return;
    point->ignored_with = first;
    if (point->what.kind != MACHINE_POINT_EXEC)
        x86_watch_plan(p); /* the CPU's registers don't count */
}

static void forget(x86_vm *vm, machine_point_id first)
{
    x86_process *p = x86_of(vm->native);
    for (size_t i = 0; i < p->points.n; i++)
        if (p->points.items[i]->ignored_with == first)
            count_with(p, p->points.items[i], 0);
    if (find(vm, first))
        ebb_vec_remove(&vm->ignores, (size_t)(find(vm, first) - vm->ignores.items));
}

ebb_status vm_points_ignore(machine *m, const machine_point_id *ids, size_t n, uint64_t count, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    x86_process *p = x86_of(vm->native);
    if (n == 0)
        return EBB_OK;
    forget(vm, ids[0]);
    if (count == 0)
        return EBB_OK;
    if (vm->ignores.n == X86_MAX_IGNORES)
        return ebb_fail(err, EBB_UNSUPPORTED, "hits of no more than %d breakpoints can be passed by inside the program", X86_MAX_IGNORES);
    for (size_t i = 0; i < n; i++)
        if (!x86_point_get(p, ids[i]))
            return ebb_fail(err, EBB_NOT_FOUND, "there is no point %d", ids[i]);
    for (size_t i = 0; i < n; i++)
        count_with(p, x86_point_get(p, ids[i]), ids[0]);
    ebb_vec_push(&vm->ignores, ((vm_ignore){.first = ids[0], .left = count}));
    return EBB_OK;
}

uint64_t vm_points_passed(machine *m, machine_point_id first)
{
    vm_ignore *ignore = find(vm_of(m), first);
    uint64_t passed = ignore ? ignore->passed : 0;
    if (ignore)
        ignore->passed = 0;
    return passed;
}
