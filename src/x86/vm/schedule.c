/* schedule.c - ebb's half of inside/schedule.h: it reads the rings, and adds what happens while threads are parked. */
#include "x86/inside/runtime.h"
#include "x86/vm/record.h"

#include <string.h>
#include <ucontext.h>

#define SCHEDULE(field) (offsetof(x86_runtime, turn) + offsetof(x86_turn, schedule) + offsetof(x86_schedule, field))

/* ---- the rings -------------------------------------------------------------------------------- */

/* A ring in the debuggee: its count, its items, how many of them there are. */
typedef struct ring {
    size_t count, items, room, item_nbytes;
} ring;
static const ring switches_ring = {SCHEDULE(n_switches), SCHEDULE(switches), X86_KEPT_SWITCHES, sizeof(x86_switch)};
static const ring deliveries_ring = {SCHEDULE(n_deliveries), SCHEDULE(deliveries), X86_KEPT_DELIVERIES, sizeof(x86_delivery)};

static ebb_status ring_add(x86_vm *vm, const ring *r, const void *item, ebb_error *err)
{
    uint64_t n;
    if (!vm->installed)
        return EBB_OK; /* there is none yet */
    EBB_TRY(machine_read(vm->native, vm->runtime + r->count, &n, sizeof n, err));
    EBB_TRY(machine_write(vm->native, vm->runtime + r->items + n % r->room * r->item_nbytes, item, r->item_nbytes, err));
    return vm_poke_u64(vm, vm->runtime + r->count, n + 1, err);
}

static size_t ring_read(x86_vm *vm, const ring *r, uint64_t first, void *items, size_t room)
{
    uint64_t n = 0;
    size_t got = 0;
    if (!vm->installed || machine_read(vm->native, vm->runtime + r->count, &n, sizeof n, NULL) != EBB_OK)
        return 0;
    if (n > r->room && first < n - r->room)
        return 0; /* no longer there */
    for (uint64_t i = first; i < n && got < room; i++, got++) {
        uint64_t at = vm->runtime + r->items + i % r->room * r->item_nbytes;
        if (machine_read(vm->native, at, (char *)items + got * r->item_nbytes, r->item_nbytes, NULL) != EBB_OK)
            return got;
    }
    return got;
}

size_t x86_vm_switches(machine *m, uint64_t first, x86_switch *switches, size_t room)
{
    return ring_read(vm_of(m), &switches_ring, first, switches, room);
}

size_t x86_vm_deliveries(machine *m, uint64_t first, x86_delivery *deliveries, size_t room)
{
    return ring_read(vm_of(m), &deliveries_ring, first, deliveries, room);
}

uint64_t vm_n_switches(x86_vm *vm)
{
    uint64_t n = 0;
    return machine_read(vm->native, vm->runtime + switches_ring.count, &n, sizeof n, NULL) == EBB_OK ? n : 0;
}

/* ---- what happens while threads are parked ---------------------------------------------------- */

uint32_t vm_number_of(x86_vm *vm, machine_tid tid)
{
    const vm_thread *t = vm_thread_find(vm, tid);
    return t ? t->number : 0;
}

ebb_status vm_schedule_switched(x86_vm *vm, machine_tid to, ebb_error *err)
{
    x86_switch s = {.time = vm->time, .place = vm_last_place(vm), .from = vm_number_of(vm, vm->last), .to = vm_number_of(vm, to)};
    if (vm->installed)
        vm_record_switch(vm, vm_last_place(vm), to);
    return ring_add(vm, &switches_ring, &s, err);
}

/* The kernel's frame is one piece: the context, the siginfo, then the state of the floating-point unit and of the vectors, which says how
 * long it is (asm/sigcontext.h). */
static ebb_status frame_end(x86_vm *vm, uint64_t frame, uint64_t *end, ebb_error *err)
{
    enum { CONTEXT = 8, SOFTWARE = 464, MAGIC = 0x46505853, PLAIN = 512 };
    uint32_t software[2]; /* a magic number; the whole length, with the vectors */
    uint64_t state, at = frame + CONTEXT + offsetof(ucontext_t, uc_mcontext.fpregs);
    EBB_TRY(machine_read(vm->native, at, &state, sizeof state, err));
    EBB_TRY(machine_read(vm->native, state + SOFTWARE, software, sizeof software, err));
    *end = state + (software[0] == MAGIC ? software[1] : PLAIN);
    return EBB_OK;
}

ebb_status vm_schedule_delivered(x86_vm *vm, machine_tid tid, int signal, ebb_position at, ebb_error *err)
{
    x86_delivery d = {.time = at.timestamp, .place = at.place, .thread = vm_number_of(vm, tid), .signal = (uint32_t)signal};
    EBB_TRY(vm_get(vm, tid, VM_REG(rsp), &d.frame, err));
    EBB_TRY(frame_end(vm, d.frame, &d.frame_end, err));
    return ring_add(vm, &deliveries_ring, &d, err);
}
