/* condition.c - conditions of points as ebb itself executes them, where the debuggee had no say: at single steps. */
#include "x86/code_reals.h"
#include "x86/run_code.h"
#include "x86/vm/private.h"

typedef struct looker {
    x86_vm *vm;
    machine_tid tid;
} looker;

static bool load(const void *self, uint64_t addr, void *bytes, size_t nbytes)
{
    return machine_read(((const looker *)self)->vm->native, addr, bytes, nbytes, NULL) == EBB_OK;
}

static bool read_register(const void *self, unsigned number, uint64_t *value)
{
    const looker *l = self;
    return vm_get(l->vm, l->tid, vm_gprs[number], value, NULL) == EBB_OK;
}

bool vm_condition_holds(x86_vm *vm, machine_tid tid, const machine_code *code, size_t n_steps)
{
    looker l = {vm, tid};
    x86_code_world world = {.self = &l, .load = load, .reg = read_register, .real = x86_code_real, .thread = (uint64_t)tid};
    return vm_get(vm, tid, VM_REG(rip), &world.place, NULL) != EBB_OK || x86_code_holds(&world, code, n_steps);
}
