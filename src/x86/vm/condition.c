/* condition.c - conditions of points as ebb itself executes them, where the debuggee had no say: at single steps. */
#include "machine/code_words.h"
#include "x86/run_code.h"
#include "x86/vm/private.h"

#include <string.h>

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

/* ---- real numbers ----------------------------------------------------------------------------- */

static uint64_t widened(uint64_t word)
{
    float single;
    memcpy(&single, &word, sizeof single);
    return machine_code_word((double)single);
}

/* What is too big, or no number, is what the CPU makes of it. */
static uint64_t truncated(double real)
{
    return real >= -0x1p63 && real < 0x1p63 ? (uint64_t)(int64_t)real : (uint64_t)INT64_MIN;
}

#define SIGNED(word) ((int64_t)(word))
#define TOP a
#define REAL(word) machine_code_real(word)
#define A REAL(a)
#define B REAL(b)
#define REAL_ONE(name, expression) case MACHINE_CODE_##name: return machine_code_word(expression);
#define REAL_TWO(name, expression) REAL_ONE(name, expression)
#define REAL_TRUTH(name, expression) case MACHINE_CODE_##name: return expression;

static uint64_t real(machine_code_op op, uint64_t a, uint64_t b)
{
    switch (op) {
#include "machine/code_numbers.def"
    case MACHINE_CODE_TO_LONG: return truncated(A);
    default: return widened(a); /* WIDEN */
    }
}

bool vm_condition_holds(x86_vm *vm, machine_tid tid, const machine_code *code, size_t n_steps)
{
    looker l = {vm, tid};
    x86_code_world world = {.self = &l, .load = load, .reg = read_register, .real = real, .thread = (uint64_t)tid};
    return vm_get(vm, tid, VM_REG(rip), &world.place, NULL) != EBB_OK || x86_code_holds(&world, code, n_steps);
}
