/* code.c - tells the runtime which of its translations are out of date, and where there are points.
 *
 * Points are not put into the guest's code: the translator reads a sorted list of them. */
#include "x86/inside/runtime.h"
#include "x86/mappings.h"
#include "x86/page.h"
#include "x86/vm/undo.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

void vm_note_change(x86_vm *vm, uint64_t address, uint64_t nbytes)
{
    if (!nbytes)
        return;
    if (nbytes > X86_MAX_DROPS * PAGE) {
        vm->flush = true;
        return;
    }
    ebb_vec_push(&vm->changed, address);
    for (uint64_t at = (address | (PAGE - 1)) + 1; at < address + nbytes; at += PAGE)
        ebb_vec_push(&vm->changed, at);
    ebb_vec_push(&vm->changed, address + nbytes - 1);
}

/* Both lists are sorted: whatever stands in one of them only, or has another condition there, has come or gone. */
static bool note_changed_sites(x86_vm *vm, const vm_sites *now)
{
    const vm_sites *then = &vm->sites;
    size_t i = 0, k = 0, n_before = vm->changed.n;
    while (i < then->items.n || k < now->items.n) {
        uint64_t old = i < then->items.n ? then->items.items[i].guest : UINT64_MAX;
        uint64_t new = k < now->items.n ? now->items.items[k].guest : UINT64_MAX;
        if (old != new || !vm_site_same(then, i, now, k))
            ebb_vec_push(&vm->changed, old < new ? old : new);
        i += old <= new;
        k += new <= old;
    }
    return vm->changed.n != n_before;
}

ebb_status vm_copy_room(x86_vm *vm, machine_tid tid, vm_copy *copy, size_t nbytes, ebb_error *err)
{
    if (nbytes <= copy->room)
        return EBB_OK;
    size_t room = x86_page_up(2 * nbytes);
    EBB_TRY(vm_map_pages(vm, tid, room, PROT_READ | PROT_WRITE, &copy->address, err));
    copy->room = room;
    return EBB_OK;
}

ebb_status vm_copy_out(x86_vm *vm, machine_tid tid, vm_copy *copy, const void *bytes, size_t nbytes, ebb_error *err)
{
    EBB_TRY(vm_copy_room(vm, tid, copy, nbytes, err));
    return nbytes ? machine_write(vm->native, copy->address, bytes, nbytes, err) : EBB_OK;
}

static ebb_status copy_sites(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    const vm_sites *s = &vm->sites;
    uint64_t options = vm->runtime + offsetof(x86_runtime, options);
    EBB_TRY(vm_copy_out(vm, tid, &vm->sites_copy, s->items.items, s->items.n * sizeof *s->items.items, err));
    EBB_TRY(vm_copy_out(vm, tid, &vm->conditions_copy, s->conditions.items, s->conditions.n * sizeof *s->conditions.items, err));
    EBB_TRY(vm_poke_u64(vm, options + offsetof(x86_options, points), vm->sites_copy.address, err));
    EBB_TRY(vm_poke_u64(vm, options + offsetof(x86_options, conditions), vm->conditions_copy.address, err));
    return vm_poke_u64(vm, options + offsetof(x86_options, n_points), s->items.n, err);
}

static ebb_status tell_sites(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    vm_sites now = {0};
    vm_sites_collect(vm, &now);
    bool changed = note_changed_sites(vm, &now);
    vm_sites_fini(&vm->sites);
    vm->sites = now;
    return changed ? copy_sites(vm, tid, err) : EBB_OK;
}

static ebb_status tell_tuning(x86_vm *vm, ebb_error *err)
{
    if (memcmp(&vm->tuning, &vm->tuning_told, sizeof vm->tuning) == 0)
        return EBB_OK;
    uint64_t address = vm->runtime + offsetof(x86_runtime, options) + offsetof(x86_options, tuning);
    EBB_TRY(machine_write(vm->native, address, &vm->tuning, sizeof vm->tuning, err));
    vm->tuning_told = vm->tuning;
    vm->flush = true;
    return EBB_OK;
}

/* After those that no thread has come by to see yet. */
static ebb_status tell_drops(x86_vm *vm, ebb_error *err)
{
    uint64_t waiting, drops = vm->runtime + offsetof(x86_runtime, drops), n_drops = vm->runtime + offsetof(x86_runtime, n_drops);
    EBB_TRY(machine_read(vm->native, n_drops, &waiting, sizeof waiting, err));
    uint64_t n = vm->flush || waiting + vm->changed.n > X86_MAX_DROPS ? X86_MAX_DROPS + 1 : waiting + vm->changed.n;
    if (n <= X86_MAX_DROPS)
        EBB_TRY(machine_write(vm->native, drops + waiting * sizeof(uint64_t), vm->changed.items, vm->changed.n * sizeof(uint64_t), err));
    EBB_TRY(vm_poke_u64(vm, n_drops, n, err));
    vm->changed.n = 0;
    vm->flush = false;
    return EBB_OK;
}

ebb_status vm_tell_changes(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    vm_ignores_collect(vm);
    EBB_TRY(vm_ignores_tell(vm, err));
    EBB_TRY(tell_sites(vm, tid, err));
    EBB_TRY(vm_watch_tell(vm, tid, err));
    EBB_TRY(tell_tuning(vm, err));
    EBB_TRY(vm_undo_tell(vm, err));
    return vm->flush || vm->changed.n ? tell_drops(vm, err) : EBB_OK;
}

/* The same list that the runtime reads (inside/code.c). */
static unsigned read_regions(pid_t pid, x86_region *regions)
{
    x86_mappings all = x86_mappings_open(pid);
    x86_mapping m;
    const char *name;
    unsigned n = 0;
    while (n < X86_MAX_REGIONS && x86_mappings_next(&all, &m, &name))
        if (m.executable)
            regions[n++] = (x86_region){.lo = m.lo, .hi = m.hi, .writable = m.writable || m.shared};
    x86_mappings_close(&all);
    return n;
}

ebb_status vm_tell_regions(x86_vm *vm, uint64_t address, bool *is_code, ebb_error *err)
{
    x86_region regions[X86_MAX_REGIONS];
    uint64_t code = vm->runtime + offsetof(x86_runtime, code);
    unsigned n = read_regions(x86_any_tid(x86_of(vm->native)), regions);
    *is_code = false;
    for (unsigned i = 0; i < n; i++)
        *is_code = *is_code || (address >= regions[i].lo && address < regions[i].hi);
    EBB_TRY(machine_write(vm->native, code + offsetof(x86_code, regions), regions, n * sizeof *regions, err));
    return machine_write(vm->native, code + offsetof(x86_code, n_regions), &n, sizeof n, err);
}
