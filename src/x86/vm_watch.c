/* vm_watch.c - data points that are checked by translated stores (inside/watch.h): those for which there are no debug
 * registers. */
#include "x86/inside/runtime.h"
#include "x86/vm_private.h"
#include "x86/watch.h"

#include <string.h>

typedef EBB_VEC(x86_watch_range) ranges;

static size_t collect(const x86_process *p, ranges *out)
{
    size_t nbytes = 0;
    for (size_t i = 0; i < p->points.n; i++) {
        const x86_point *point = p->points.items[i];
        if (point->what.kind != MACHINE_POINT_WRITE || point->in_hardware)
            continue;
        x86_watch_range r = {point->what.addr, point->what.nbytes, nbytes};
        ebb_vec_push(out, r);
        nbytes += point->what.nbytes;
    }
    return nbytes;
}

/* The runtime's copies are of now, or of the moment at which translated code runs again: the guest stands still. */
static ebb_status tell_ranges(x86_vm *vm, machine_tid tid, const ranges *list, size_t nbytes, ebb_error *err)
{
    EBB_TRY(vm_copy_out(vm, tid, &vm->watches_copy, list->items, list->n * sizeof *list->items, err));
    EBB_TRY(vm_copy_room(vm, tid, &vm->watched_bytes, nbytes, err));
    x86_watches w = {
        .ranges = (const x86_watch_range *)vm->watches_copy.address,
        .n = list->n,
        .copies = (uint8_t *)vm->watched_bytes.address,
        .refresh = 1,
    };
    return machine_write(vm->native, vm->runtime + offsetof(x86_runtime, watches), &w, sizeof w, err);
}

ebb_status vm_watch_tell(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    ranges list = {0};
    size_t nbytes = collect(x86_of(vm->native), &list);
    bool watching = list.n > 0;
    ebb_status status = EBB_OK;
    if (watching || vm->watching)
        status = tell_ranges(vm, tid, &list, nbytes, err);
    ebb_vec_fini(&list);
    if (status != EBB_OK || watching == vm->watching)
        return status;
    vm->watching = watching;
    vm->flush = true; /* what was translated looks at no store, or at all */
    uint64_t option = vm->runtime + offsetof(x86_runtime, options) + offsetof(x86_options, watching);
    return machine_write(vm->native, option, &watching, sizeof watching, err);
}

bool vm_watch_changes(x86_vm *vm, machine_tid tid, machine_stop *stop)
{
    *stop = (machine_stop){.kind = MACHINE_STOP_POINT, .thread = tid};
    return x86_watch_changes(x86_of(vm->native), vm_task(vm, tid), stop);
}
