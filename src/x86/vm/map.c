/* map.c - reads the runtime's tables to tell which guest instruction a host address belongs to. */
#include "x86/inside/runtime.h"
#include "x86/vm/private.h"

static ebb_status peek(x86_vm *vm, const void *remote, void *to, size_t nbytes, ebb_error *err)
{
    return machine_read(vm->native, (uint64_t)remote, to, nbytes, err);
}

static ebb_status block_at(x86_vm *vm, const x86_arena *arena, uint64_t i, x86_block *block, ebb_error *err)
{
    x86_block *remote;
    EBB_TRY(peek(vm, &arena->index[i], &remote, sizeof remote, err));
    return peek(vm, remote, block, sizeof *block, err);
}

/* Binary search in the arena's index (CA5): the last block that begins at or before `host`. */
static ebb_status find_block(x86_vm *vm, const x86_arena *arena, uint64_t host, x86_block *block, ebb_error *err)
{
    uint64_t lo = 0, hi = arena->n_index;
    while (hi - lo > 1) {
        uint64_t middle = lo + (hi - lo) / 2;
        EBB_TRY(block_at(vm, arena, middle, block, err));
        if ((uint64_t)block->host - block->prefix_nbytes <= host)
            lo = middle;
        else
            hi = middle;
    }
    return block_at(vm, arena, lo, block, err);
}

/* A block's boundaries, read many at a time: each stop asks for them. */
typedef struct boundaries {
    const x86_block *block;
    unsigned first, n; /* those that were read */
    x86_boundary read[64];
} boundaries;

/* After the last one comes one that no offset reaches. */
static ebb_status boundary_at(x86_vm *vm, boundaries *all, unsigned i, x86_boundary *out, ebb_error *err)
{
    enum { WINDOW = sizeof all->read / sizeof *all->read };
    if (i >= all->block->n_boundaries) {
        *out = (x86_boundary){.host = UINT16_MAX};
        return EBB_OK;
    }
    if (i - all->first >= all->n) {
        unsigned left = all->block->n_boundaries - i;
        all->first = i;
        all->n = left < WINDOW ? left : WINDOW;
        EBB_TRY(peek(vm, &all->block->boundaries[i], all->read, all->n * sizeof *all->read, err));
    }
    *out = all->read[i - all->first];
    return EBB_OK;
}

static ebb_status place_in_block(x86_vm *vm, const x86_block *block, uint64_t host, vm_place *place, ebb_error *err)
{
    uint64_t offset = host - (uint64_t)block->host;
    uint64_t guest = block->guest;
    bool passed = block->is.past_point; /* ... or an earlier part of the instruction has seen to its points (NT1) */
    if (host < (uint64_t)block->host || !block->n_boundaries) { /* an entry (CA3, CA6) */
        *place = (vm_place){.kind = VM_PLACE_BETWEEN, .guest = guest};
        return EBB_OK;
    }
    boundaries all = {.block = block};
    x86_boundary b, next;
    EBB_TRY(boundary_at(vm, &all, 0, &b, err));
    for (unsigned i = 0; i < block->n_boundaries; i++, b = next) {
        EBB_TRY(boundary_at(vm, &all, i + 1, &next, err));
        if (offset == b.host) {
            *place = (vm_place){.kind = VM_PLACE_BOUNDARY, .guest = guest, .repeats = b.repeats, .passed_point = b.repeats || passed};
            return EBB_OK;
        }
        if (b.trap && offset == b.trap) {
            *place = (vm_place){.kind = VM_PLACE_POINT, .guest = guest};
            return EBB_OK;
        }
        if (offset < next.host) {
            *place = (vm_place){.kind = VM_PLACE_BETWEEN, .guest = guest, .spilled = b.spilled, .swapped = b.swapped,
                                .in_condition = b.condition};
            return EBB_OK;
        }
        guest += b.nbytes;
        passed = b.nbytes == 0 && (passed || b.notes || b.condition);
    }
    return ebb_fail(err, EBB_BAD_FILE, "the runtime's tables are broken");
}

static ebb_status place_in_arena(x86_vm *vm, const x86_arena *arena, uint64_t host, vm_place *place, ebb_error *err)
{
    if (host >= (uint64_t)arena->cold) { /* a stub, on its way to the dispatcher */
        *place = (vm_place){.kind = VM_PLACE_BETWEEN};
        return EBB_OK;
    }
    x86_block block;
    EBB_TRY(find_block(vm, arena, host, &block, err));
    return place_in_block(vm, &block, host, place, err);
}

static ebb_status read_cache(x86_vm *vm, x86_cache *cache, ebb_error *err)
{
    return machine_read(vm->native, vm->runtime + offsetof(x86_runtime, cache), cache, sizeof *cache, err);
}

/* TR7: the instruction that went where no code can be (CA7). */
static ebb_status place_of_source(x86_vm *vm, uint32_t source, vm_place *place, ebb_error *err)
{
    x86_cache cache;
    EBB_TRY(read_cache(vm, &cache, err));
    for (unsigned i = 0; i < cache.n_arenas; i++) {
        const x86_arena *arena = &cache.arenas[i];
        uint64_t host = (uint64_t)arena->begin + (source - (uint32_t)(uint64_t)arena->begin);
        if (host >= (uint64_t)arena->end || !arena->n_index)
            continue;
        EBB_TRY(place_in_arena(vm, arena, host, place, err));
        *place = (vm_place){.kind = VM_PLACE_BOUNDARY, .guest = place->guest, .wild = true, .passed_point = true};
        return EBB_OK;
    }
    return ebb_fail(err, EBB_BAD_FILE, "the runtime's tables are broken");
}

/* The first instruction of a door: the guest's state is complete, and the control block says where it is. */
static ebb_status place_at_door(x86_vm *vm, const vm_thread *thread, uint64_t host, vm_place *place, ebb_error *err)
{
    const x86_inside_exports *x = &vm->exports;
    *place = (vm_place){.kind = VM_PLACE_RUNTIME};
    bool resumes = host == x->dispatch || host == x->enter || host == x->sigreturned || host == x->stuck + 1;
    bool repeats = host == x->syscall || host == x->ask; /* the instruction is executed again */
    if (!resumes && !repeats)
        return EBB_OK;
    x86_tcb tcb;
    EBB_TRY(machine_read(vm->native, thread->tcb, &tcb, sizeof tcb, err));
    if (resumes && !x86_is_canonical(tcb.target) && tcb.source)
        return place_of_source(vm, tcb.source, place, err);
    bool passed_point = repeats || (host == x->dispatch && tcb.link == X86_STEP_IT);
    unsigned nbytes = host == x->syscall ? 2 : host == x->ask ? tcb.ask.insn_nbytes : 0;
    bool swapped = host == x->sigreturned || host == x->enter; /* to which the way back from a handler leads */
    *place = (vm_place){.kind = VM_PLACE_BOUNDARY, .guest = tcb.target - nbytes, .passed_point = passed_point, .swapped = swapped};
    return EBB_OK;
}

ebb_status vm_place_of(x86_vm *vm, const vm_thread *thread, uint64_t host, vm_place *place, ebb_error *err)
{
    if (host >= vm->image_lo && host < vm->image_hi)
        return place_at_door(vm, thread, host, place, err);
    x86_cache cache;
    EBB_TRY(read_cache(vm, &cache, err));
    for (unsigned i = 0; i < cache.n_arenas; i++) {
        const x86_arena *arena = &cache.arenas[i];
        if (host < (uint64_t)arena->begin || host >= (uint64_t)arena->end || !arena->n_index)
            continue;
        return place_in_arena(vm, arena, host, place, err);
    }
    *place = (vm_place){.kind = VM_PLACE_NATIVE, .guest = host};
    return EBB_OK;
}
