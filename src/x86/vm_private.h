/* vm_private.h - the state behind vm.h, shared by the vm_*.c files. */
#ifndef EBB_X86_VM_PRIVATE_H
#define EBB_X86_VM_PRIVATE_H

#include "base/mem.h"
#include "x86/inside_image.h"
#include "x86/shared.h"
#include "x86/vm.h"

typedef struct vm_thread {
    machine_tid tid;
    uint64_t tcb;   /* its control block; 0: none yet */
    bool entered;   /* its registers are not the guest's own now */
    uint64_t gs_base; /* entered: the guest's own */
} vm_thread;

typedef struct x86_vm {
    machine base;
    machine *native; /* owned */
    x86_mode mode;
    bool installed;  /* the runtime is in the debuggee */
    uint64_t image_lo, image_hi;
    uint64_t home_used; /* bytes of X86_HOME_OUTSIDE that were given out */
    uint64_t runtime; /* address of the x86_runtime */
    x86_inside_exports exports;
    EBB_VEC(vm_thread) threads;
    EBB_VEC(uint64_t) sites;   /* where breakpoint instructions were when translated code last ran */
    EBB_VEC(uint64_t) changed; /* addresses whose code has to be translated anew */
    EBB_VEC(machine_stop) pending; /* stops that came while threads were being moved for our own ends */
    uint64_t time;
    uint64_t stop_signals, pass_signals; /* as machine_ops.signal_policy has them */
    bool wants_thread_start; /* the user does, not only we */
    int reg_rip, reg_rsp, reg_rax, reg_rcx, reg_gs_base, reg_orig_rax, reg_gprs[X86_N_GPRS], reg_eflags;
} x86_vm;

static inline x86_vm *vm_of(machine *m)
{
    return (x86_vm *)m;
}

/* vm_remote.c: making a parked thread do things for us.  It is as before afterwards. */
ebb_status vm_remote_syscall(x86_vm *vm, machine_tid tid, long number, const uint64_t args[6], uint64_t *result, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_remote_call(x86_vm *vm, machine_tid tid, uint64_t function, uint64_t stack, const uint64_t args[2], uint64_t *result, ebb_error *err) EBB_MUST_CHECK;
/* Moves one thread alone until its step is done or it comes to a trap of ours.  Whatever else native mode has to
 * tell meanwhile goes to `pending`.  EBB_GONE if the debuggee ended. */
ebb_status vm_move_alone(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* vm_install.c */
ebb_status vm_install(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_thread_prepare(x86_vm *vm, vm_thread *thread, ebb_error *err) EBB_MUST_CHECK; /* its tcb */

/* vm_map.c: what a host address is. */
typedef enum vm_place_kind {
    VM_PLACE_NATIVE,    /* neither translated code nor the runtime */
    VM_PLACE_BOUNDARY,  /* the guest's state, at `guest` */
    VM_PLACE_BETWEEN,   /* in the translation of the instruction at `guest`, or in a stub */
    VM_PLACE_RUNTIME,   /* in the runtime's own code */
} vm_place_kind;
typedef struct vm_place {
    vm_place_kind kind;
    uint64_t guest;
    bool spilled; /* BETWEEN: rax and rcx are in the control block */
} vm_place;
ebb_status vm_place_of(x86_vm *vm, const vm_thread *thread, uint64_t host, vm_place *place, ebb_error *err) EBB_MUST_CHECK;

/* vm_park.c */
ebb_status vm_enter(x86_vm *vm, vm_thread *thread, ebb_error *err) EBB_MUST_CHECK;
/* at_fault: the thread stands at an instruction that faulted, and must not be moved on. */
ebb_status vm_park(x86_vm *vm, vm_thread *thread, bool at_fault, ebb_error *err) EBB_MUST_CHECK;

/* Registers by their native index, of at most 8 bytes. */
static inline ebb_status vm_get(x86_vm *vm, machine_tid tid, int reg, uint64_t *value, ebb_error *err)
{
    return machine_reg_get_u64(vm->native, tid, (unsigned)reg, value, err);
}

static inline ebb_status vm_set(x86_vm *vm, machine_tid tid, int reg, uint64_t value, ebb_error *err)
{
    return machine_reg_set_u64(vm->native, tid, (unsigned)reg, value, err);
}

#define VM_TRY(call)                                                                               \
    do {                                                                                           \
        ebb_status status_ = (call);                                                               \
        if (status_ != EBB_OK)                                                                     \
            return status_;                                                                        \
    } while (0)

#endif
