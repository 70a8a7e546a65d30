/* regs.c - registers and words of the debuggee. */
#include "x86/regs.h"
#include "x86/vm/private.h"

#include <string.h>

const size_t vm_gprs[X86_N_GPRS] = {VM_REG(rax), VM_REG(rcx), VM_REG(rdx), VM_REG(rbx), VM_REG(rsp), VM_REG(rbp),
                                    VM_REG(rsi), VM_REG(rdi), VM_REG(r8),  VM_REG(r9),  VM_REG(r10), VM_REG(r11),
                                    VM_REG(r12), VM_REG(r13), VM_REG(r14), VM_REG(r15)};

ebb_status vm_regs(x86_vm *vm, machine_tid tid, struct user_regs_struct **regs, ebb_error *err)
{
    x86_task *t = vm_task(vm, tid);
    if (!t || t->state != X86_STOPPED)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no thread %lld.", (long long)tid);
    ebb_error why;
    *regs = x86_regs_get(t, &why);
    return *regs ? EBB_OK : ebb_fail(err, why.status, "%s", why.text);
}

ebb_status vm_get(x86_vm *vm, machine_tid tid, size_t reg, uint64_t *value, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    memcpy(value, (const char *)regs + reg, sizeof *value);
    return EBB_OK;
}

ebb_status vm_set(x86_vm *vm, machine_tid tid, size_t reg, uint64_t value, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    memcpy((char *)regs + reg, &value, sizeof value);
    if (reg == VM_REG(rip))
        regs->orig_rax = (uint64_t)-1;
    vm_task(vm, tid)->regs_dirty = true;
    return EBB_OK;
}

ebb_status vm_set_regs(x86_vm *vm, machine_tid tid, const struct user_regs_struct *wanted, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    *regs = *wanted;
    vm_task(vm, tid)->regs_dirty = true;
    return EBB_OK;
}

ebb_status vm_poke_u64(x86_vm *vm, uint64_t address, uint64_t value, ebb_error *err)
{
    return machine_write(vm->native, address, &value, sizeof value, err);
}

ebb_status vm_poke_u32(x86_vm *vm, uint64_t address, uint32_t value, ebb_error *err)
{
    return machine_write(vm->native, address, &value, sizeof value, err);
}

ebb_status vm_read_tcb(x86_vm *vm, const vm_thread *t, x86_tcb *tcb, ebb_error *err)
{
    return machine_read(vm->native, t->tcb, tcb, sizeof *tcb, err);
}
