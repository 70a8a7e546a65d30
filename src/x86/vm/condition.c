/* condition.c - conditions of points as ebb itself executes them, where the debuggee had no say: at single steps. */
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

static double real_of(uint64_t word)
{
    double real;
    memcpy(&real, &word, sizeof real);
    return real;
}

static uint64_t word_of(double real)
{
    uint64_t word;
    memcpy(&word, &real, sizeof word);
    return word;
}

static uint64_t widened(uint64_t word)
{
    float single;
    memcpy(&single, &word, sizeof single);
    return word_of((double)single);
}

/* What is too big, or no number, is what the CPU makes of it. */
static uint64_t truncated(double real)
{
    return real >= -0x1p63 && real < 0x1p63 ? (uint64_t)(int64_t)real : (uint64_t)INT64_MIN;
}

static uint64_t combine(machine_code_op op, double a, double b)
{
    switch (op) {
    case MACHINE_CODE_REAL_ADD: return word_of(a + b);
    case MACHINE_CODE_REAL_SUB: return word_of(a - b);
    case MACHINE_CODE_REAL_MUL: return word_of(a * b);
    case MACHINE_CODE_REAL_DIV: return word_of(a / b);
    case MACHINE_CODE_REAL_EQ: return a == b;
    case MACHINE_CODE_REAL_LT: return a < b;
    case MACHINE_CODE_REAL_LE: return a <= b;
    case MACHINE_CODE_REAL_GT: return a > b;
    default: return a >= b; /* REAL_GE */
    }
}

static uint64_t real(machine_code_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case MACHINE_CODE_TO_REAL: return word_of((double)(int64_t)a);
    case MACHINE_CODE_ROUND: return word_of((double)(float)real_of(a));
    case MACHINE_CODE_TO_LONG: return truncated(real_of(a));
    case MACHINE_CODE_WIDEN: return widened(a);
    default: return combine(op, real_of(a), real_of(b));
    }
}

bool vm_condition_holds(x86_vm *vm, machine_tid tid, const machine_code *code, size_t n_steps)
{
    looker l = {vm, tid};
    x86_code_world world = {.self = &l, .load = load, .reg = read_register, .real = real, .thread = (uint64_t)tid};
    return vm_get(vm, tid, VM_REG(rip), &world.place, NULL) != EBB_OK || x86_code_holds(&world, code, n_steps);
}
