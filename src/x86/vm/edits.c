/* edits.c - changes by the user: made, written down, and made again. */
#include "x86/vm/edits.h"
#include "x86/ring.h"
#include "x86/vm/caught.h"
#include "x86/vm/record.h"

#include <errno.h>
#include <string.h>

/* Of a thread, or of memory (thread 0): at an address, or of the register with that number. */
typedef struct edit {
    ebb_position at; /* where it is made, */
    bool ticks;      /* ... and whether the moment after it is another one */
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
    return (edit){{vm->time, place}, !is_next || goes_elsewhere, thread, what};
}

enum { HOW_HEAD_BYTES = 2 * EBB_VARINT_MAX_BYTES };

static void put(x86_vm *vm, const edit *e, const uint8_t *bytes, size_t n)
{
    ebb_event_writer w;
    uint8_t how[HOW_HEAD_BYTES + X86_RECORDED_MAX_PIECE], *at = ebb_put_varint(ebb_put_varint(how, (uint64_t)e->thread), e->ticks);
    if (n)
        memcpy(at, bytes, n);
    ebb_edit event = {.at = e->at, .what = e->what, .how = how, .nbytes = (size_t)(at - how) + n};
    if (vm_is_recorded(vm) && x86_ring_begin(vm->recording.ring, ebb_edit_room(&event), &w) && ebb_edit_write(&w, &event))
        x86_ring_end(vm->recording.ring, &w);
}

void vm_edit_tick(x86_vm *vm)
{
    edit e = {.at = {vm->time++, vm_last_place(vm)}, .ticks = true};
    put(vm, &e, NULL, 0);
}

/* It was made: writes it down, in pieces that fit. */
static void note(x86_vm *vm, edit e, const uint8_t *bytes, size_t n)
{
    for (size_t piece; n; bytes += piece, n -= piece, e.what += piece) {
        piece = n < X86_RECORDED_MAX_PIECE ? n : X86_RECORDED_MAX_PIECE;
        put(vm, &e, bytes, piece);
        vm->time = e.at.timestamp += e.ticks;
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

static unsigned number_of(x86_vm *vm, const char *name)
{
    return (unsigned)machine_reg_by_name(vm->native, name);
}

/* A thread that is shown inside a system call (CU2) stands before it in replay, where rax says which call it is.  No call, natively, is to go on after it. */
static void note_other_call(x86_vm *vm, edit e, const void *bytes, const struct user_regs_struct *outside)
{
    int64_t call, result = -ENOSYS;
    uint64_t after = outside->rip + 2;
    memcpy(&call, bytes, sizeof call);
    e.what = number_of(vm, "rax");
    note(vm, e, (const uint8_t *)(call < 0 ? &result : &call), sizeof call);
    if (call >= 0)
        return;
    e = (edit){.at = {vm->time, e.at.place}, .ticks = true, .thread = e.thread, .what = number_of(vm, "rip")};
    note(vm, e, (const uint8_t *)&after, sizeof after);
}

ebb_status vm_edit_register(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    size_t n;
    EBB_TRY(check_live(vm, err));
    edit e = begin(vm, tid, reg, reg == number_of(vm, "rip"));
    struct user_regs_struct outside;
    bool is_call = reg == number_of(vm, "orig_rax") && vm_caught_is_shown(vm, vm_thread_find(vm, tid), &outside);
    const machine_reg *regs = vm->native->native->registers(vm->native, &n);
    EBB_TRY(vm->native->native->reg_write(vm->native, tid, reg, bytes, err));
    if (is_counted(vm) && is_call)
        note_other_call(vm, e, bytes, &outside);
    else if (is_counted(vm) && reg < n)
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

bool vm_edit_ticks(const ebb_edit *e)
{
    ebb_values how = {.at = e->how, .end = (const uint8_t *)e->how + e->nbytes};
    (void)ebb_values_u64(&how);
    return ebb_values_u64(&how);
}

ebb_status vm_edit_again(x86_vm *vm, const ebb_edit *e, ebb_error *err)
{
    ebb_values how = {.at = e->how, .end = (const uint8_t *)e->how + e->nbytes};
    machine_tid tid = (machine_tid)ebb_values_u64(&how);
    bool ticks = ebb_values_u64(&how);
    size_t n = (size_t)(how.end - how.at);
    if (how.is_bad)
        return ebb_fail(err, EBB_BAD_FILE, "the recording of a change is damaged");
    vm->time += ticks;
    if (n == 0)
        return EBB_OK;
    if (tid)
        return set_register(vm, tid, e->what, how.at, n, err);
    EBB_TRY(machine_write(vm->native, e->what, how.at, n, err));
    vm_note_change(vm, e->what, n);
    return EBB_OK;
}
