/* edits.c - changes by the user: made, written down, and made again. */
#include "x86/vm/edits.h"
#include "x86/ring.h"
#include "x86/vm/record.h"

#include <string.h>

/* Of a thread, or of memory (thread 0): at an address, or of the register with that number. */
typedef struct edit {
    uint64_t time, place; /* where it is made, */
    bool ticks;           /* ... and whether the moment after it is another one */
    machine_tid thread;
    uint64_t what;
} edit;

static bool is_counted(const x86_vm *vm)
{
    return vm->mode == X86_MODE_VM && !vm->scratch;
}

/* EU2 */
static ebb_status check_live(const x86_vm *vm, ebb_error *err)
{
    if (!vm->replaying || vm->scratch)
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED, "The past can't be changed: \"branch\" makes it the present, \"goto end\" leaves it.");
}

/* EU1.  Whoever sends a thread elsewhere makes a moment of its own of it in any case. */
static edit begin(x86_vm *vm, machine_tid thread, uint64_t what, bool goes_elsewhere)
{
    uint64_t place = vm_last_place(vm);
    bool is_next = vm->edited && vm->edited_at.timestamp == vm->time && vm->edited_at.place == place;
    return (edit){vm->time, place, !is_next || goes_elsewhere, thread, what};
}

static void put(x86_vm *vm, const edit *e, const uint8_t *bytes, size_t n)
{
    ebb_event_writer w;
    if (!vm_is_recorded(vm) || !x86_ring_begin(vm->recording.ring, EBB_EVENT_PAIR_MAX_BYTES + 4 * EBB_VARINT_MAX_BYTES + n, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_EDIT, e->time);
    ebb_event_u64(&w, (uint64_t)e->thread);
    ebb_event_u64(&w, e->place);
    ebb_event_u64(&w, e->ticks);
    ebb_event_u64(&w, e->what);
    ebb_event_bytes(&w, bytes, n);
    ebb_event_end(&w);
    x86_ring_end(vm->recording.ring, &w);
}

void vm_edit_tick(x86_vm *vm)
{
    edit e = {.time = vm->time++, .place = vm_last_place(vm), .ticks = true};
    put(vm, &e, NULL, 0);
}

/* It was made: writes it down, in pieces that fit. */
static void note(x86_vm *vm, edit e, const uint8_t *bytes, size_t n)
{
    for (size_t piece; n; bytes += piece, n -= piece, e.what += piece) {
        piece = n < X86_RECORDED_MAX_PIECE ? n : X86_RECORDED_MAX_PIECE;
        put(vm, &e, bytes, piece);
        vm->time = e.time += e.ticks;
        e.ticks = false;
    }
    vm->edited = true;
    vm->edited_at = (ebb_position){vm->time, vm_last_place(vm)};
}

/* The user may write into code. */
ebb_status vm_edit_memory(machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t n, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    EBB_TRY(check_live(vm, err));
    edit e = begin(vm, 0, addr, false);
    vm_note_change(vm, addr, n);
    EBB_TRY(vm->native->ops->write(vm->native, space, addr, bytes, n, err));
    if (is_counted(vm))
        note(vm, e, bytes, n);
    return EBB_OK;
}

static bool is_program_counter(x86_vm *vm, unsigned reg)
{
    return (int)reg == machine_reg_by_name(vm->native, "rip");
}

ebb_status vm_edit_register(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    size_t n;
    EBB_TRY(check_live(vm, err));
    edit e = begin(vm, tid, reg, is_program_counter(vm, reg));
    const machine_reg *regs = vm->native->native->registers(vm->native, &n);
    EBB_TRY(vm->native->native->reg_write(vm->native, tid, reg, bytes, err));
    if (is_counted(vm) && reg < n)
        note(vm, e, bytes, regs[reg].nbytes);
    return EBB_OK;
}

/* ---- again ------------------------------------------------------------------------------------ */

static ebb_status set_register(x86_vm *vm, machine_tid tid, uint64_t reg, const uint8_t *bytes, size_t n, ebb_error *err)
{
    uint8_t raw[MACHINE_REG_MAX_BYTES] = {0};
    size_t n_regs;
    vm->native->native->registers(vm->native, &n_regs);
    if (reg >= n_regs || n > sizeof raw)
        return ebb_fail(err, EBB_BAD_FILE, "the recording of a change is damaged");
    memcpy(raw, bytes, n);
    return vm->native->native->reg_write(vm->native, tid, (unsigned)reg, raw, err);
}

ebb_status vm_edit_again(x86_vm *vm, ebb_event *event, ebb_error *err)
{
    size_t n;
    machine_tid tid = (machine_tid)ebb_values_u64(&event->values);
    (void)ebb_values_u64(&event->values); /* the place is where the copy is */
    bool ticks = ebb_values_u64(&event->values);
    uint64_t what = ebb_values_u64(&event->values);
    const uint8_t *bytes = ebb_values_bytes(&event->values, &n);
    if (!bytes)
        return ebb_fail(err, EBB_BAD_FILE, "the recording of a change is damaged");
    vm->time += ticks;
    if (n == 0)
        return EBB_OK;
    if (tid)
        EBB_TRY(set_register(vm, tid, what, bytes, n, err));
    else
        EBB_TRY(machine_write(vm->native, what, bytes, n, err));
    if (!tid)
        vm_note_change(vm, what, n);
    return EBB_OK;
}
