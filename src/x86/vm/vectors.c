/* vectors.c - the vector registers in which translated code counts (inside/translate.h): xmm30 and xmm31.  The guest's own
 * values are in the control block while a thread is in translated code, and back in their place when it is parked. */
#include "x86/regs.h"
#include "x86/vm/private.h"

#include <string.h>

enum { ZMM_BYTES = 64 };

static ebb_status vector_reg(x86_vm *vm, const char *name, unsigned *reg, ebb_error *err)
{
    int index = machine_reg_by_name(vm->native, name);
    if (index < 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "the kernel doesn't tell the register %s, in which time is counted", name);
    *reg = (unsigned)index;
    return EBB_OK;
}

static ebb_status get_vector(x86_vm *vm, machine_tid tid, const char *name, uint8_t bytes[ZMM_BYTES], ebb_error *err)
{
    unsigned reg = 0;
    EBB_TRY(vector_reg(vm, name, &reg, err));
    return vm->native->native->reg_read(vm->native, tid, reg, bytes, err);
}

static ebb_status set_vector(x86_vm *vm, machine_tid tid, const char *name, const uint8_t bytes[ZMM_BYTES], ebb_error *err)
{
    unsigned reg = 0;
    EBB_TRY(vector_reg(vm, name, &reg, err));
    return x86_vector_put(vm_task(vm, tid), reg, bytes, err);
}

ebb_status vm_count_get(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, const vm_place *place, uint64_t *count, ebb_error *err)
{
    *count = tcb->counter;
    if (tcb->tick == X86_TICK_IN_VECTOR && !place->swapped) {
        uint8_t zmm30[ZMM_BYTES];
        EBB_TRY(get_vector(vm, tid, "zmm30", zmm30, err));
        memcpy(count, zmm30, sizeof *count);
    }
    if (place->repeats) {
        uint64_t rcx;
        EBB_TRY(vm_get(vm, tid, VM_REG(rcx), &rcx, err));
        *count += tcb->spills[X86_RCX] - rcx;
    }
    return EBB_OK;
}

ebb_status vm_count_settle(x86_vm *vm, const vm_thread *t, const vm_place *place, ebb_error *err)
{
    if (!place->repeats)
        return EBB_OK;
    x86_tcb tcb;
    uint64_t before, now;
    vm_place plain = {.kind = VM_PLACE_BOUNDARY};
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    EBB_TRY(vm_count_get(vm, t->tid, &tcb, &plain, &before, err));
    EBB_TRY(vm_count_get(vm, t->tid, &tcb, place, &now, err));
    EBB_TRY(vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, counter), now, err));
    EBB_TRY(vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, left), tcb.left - (now - before), err));
    if (tcb.tick != X86_TICK_IN_VECTOR)
        return EBB_OK;
    uint8_t zmm30[ZMM_BYTES] = {0};
    memcpy(zmm30, &now, sizeof now);
    return set_vector(vm, t->tid, "zmm30", zmm30, err);
}

ebb_status vm_vectors_give_back(x86_vm *vm, machine_tid tid, uint64_t tcb_at, ebb_error *err)
{
    x86_tcb tcb;
    EBB_TRY(machine_read(vm->native, tcb_at, &tcb, sizeof tcb, err));
    if (tcb.tick != X86_TICK_IN_VECTOR)
        return EBB_OK;
    EBB_TRY(set_vector(vm, tid, "zmm30", tcb.guest_zmm30, err));
    return set_vector(vm, tid, "zmm31", tcb.guest_zmm31, err);
}

ebb_status vm_vectors_keep(x86_vm *vm, const vm_thread *t, ebb_error *err)
{
    x86_tcb tcb;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    if (tcb.tick != X86_TICK_IN_VECTOR)
        return EBB_OK;
    EBB_TRY(get_vector(vm, t->tid, "zmm30", tcb.guest_zmm30, err));
    EBB_TRY(get_vector(vm, t->tid, "zmm31", tcb.guest_zmm31, err));
    return machine_write(vm->native, t->tcb + offsetof(x86_tcb, guest_zmm30), tcb.guest_zmm30, 2 * ZMM_BYTES, err);
}

ebb_status vm_x87_give_back(x86_vm *vm, const vm_thread *t, ebb_error *err)
{
    uint64_t fip = 0;
    vm_place place;
    unsigned reg = (unsigned)machine_reg_by_name(vm->native, "fip");
    EBB_TRY(vm->native->native->reg_read(vm->native, t->tid, reg, &fip, err));
    if (!fip)
        return EBB_OK;
    EBB_TRY(vm_place_of(vm, t, fip, &place, err));
    bool translated = place.kind == VM_PLACE_BOUNDARY || place.kind == VM_PLACE_POINT || place.kind == VM_PLACE_BETWEEN;
    if (!translated || !place.guest)
        return EBB_OK;
    return vm->native->native->reg_write(vm->native, t->tid, reg, &place.guest, err);
}
