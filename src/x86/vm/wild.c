/* wild.c - returns and jumps to where no code can be: the CPU faults at the instruction, translated code notices after it
 * (inside/translate.h, TR7). */
#include "x86/vm/private.h"

#include <string.h>

/* What a return drops after the return address. */
static ebb_status dropped_nbytes(x86_vm *vm, uint64_t guest, const machine_insn *insn, uint64_t *nbytes, ebb_error *err)
{
    uint8_t code[15];
    uint16_t immediate = 0;
    EBB_TRY(machine_read(vm->native, guest, code, insn->nbytes, err));
    bool drops = insn->nbytes >= 3 && code[insn->nbytes - 3] == 0xc2;
    if (drops)
        memcpy(&immediate, code + insn->nbytes - 2, sizeof immediate);
    *nbytes = immediate;
    return EBB_OK;
}

ebb_status vm_take_back_transfer(x86_vm *vm, machine_tid tid, uint64_t guest, ebb_error *err)
{
    machine_insn insn;
    uint64_t rsp, dropped;
    EBB_TRY(vm->native->ops->decode(vm->native, guest, &insn, err));
    if (!insn.is_return)
        return EBB_OK;
    EBB_TRY(dropped_nbytes(vm, guest, &insn, &dropped, err));
    EBB_TRY(vm_get(vm, tid, VM_REG(rsp), &rsp, err));
    return vm_set(vm, tid, VM_REG(rsp), rsp - 8 - dropped, err);
}
