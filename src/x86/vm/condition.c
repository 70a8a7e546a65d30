/* condition.c - conditions of points (machine/code.h) as ebb itself executes them, where translated code had no say: at single steps. */
#include "x86/vm/private.h"

typedef struct evaluation {
    x86_vm *vm;
    machine_tid tid;
    uint64_t stack[MACHINE_CODE_MAX_DEPTH + 1];
    unsigned depth;
    bool failed; /* CD3 */
} evaluation;

static uint64_t extended(uint64_t word, int64_t nbytes, bool with_sign)
{
    unsigned unused = 64 - 8 * (unsigned)nbytes;
    return with_sign ? (uint64_t)((int64_t)(word << unused) >> unused) : word << unused >> unused;
}

static void load(evaluation *e, uint64_t *top, int64_t nbytes)
{
    uint64_t word = 0;
    e->failed |= machine_read(e->vm->native, *top, &word, (size_t)nbytes, NULL) != EBB_OK;
    *top = word;
}

static void push(evaluation *e, uint64_t word)
{
    e->stack[e->depth++] = word;
}

static void push_register(evaluation *e, int64_t number)
{
    uint64_t word = 0;
    e->failed |= vm_get(e->vm, e->tid, vm_gprs[number], &word, NULL) != EBB_OK;
    push(e, word);
}

static uint64_t combine(machine_code_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case MACHINE_CODE_ADD: return a + b;
    case MACHINE_CODE_SUB: return a - b;
    case MACHINE_CODE_MUL: return a * b;
    case MACHINE_CODE_AND: return a & b;
    case MACHINE_CODE_OR: return a | b;
    case MACHINE_CODE_XOR: return a ^ b;
    case MACHINE_CODE_EQ: return a == b;
    case MACHINE_CODE_NE: return a != b;
    case MACHINE_CODE_LT: return (int64_t)a < (int64_t)b;
    case MACHINE_CODE_LE: return (int64_t)a <= (int64_t)b;
    case MACHINE_CODE_BELOW: return a < b;
    default: return a <= b; /* BELOW_EQ */
    }
}

/* Those that change what is on top. */
static void change(evaluation *e, const machine_code *step)
{
    uint64_t *top = &e->stack[e->depth - 1];
    switch ((machine_code_op)step->op) {
    case MACHINE_CODE_LOAD: load(e, top, step->operand); break;
    case MACHINE_CODE_SIGN: *top = extended(*top, step->operand, true); break;
    case MACHINE_CODE_ZERO: *top = extended(*top, step->operand, false); break;
    case MACHINE_CODE_NEGATE: *top = -*top; break;
    case MACHINE_CODE_COMPLEMENT: *top = ~*top; break;
    case MACHINE_CODE_IS_ZERO: *top = *top == 0; break;
    case MACHINE_CODE_IS_TRUE: *top = *top != 0; break;
    case MACHINE_CODE_SHL: *top <<= step->operand; break;
    case MACHINE_CODE_SHR: *top >>= step->operand; break;
    default: *top = (uint64_t)((int64_t)*top >> step->operand); break; /* SAR */
    }
}

/* The step after it. */
static size_t execute(evaluation *e, const machine_code *step, size_t i)
{
    bool is_jump = step->op == MACHINE_CODE_AND_THEN || step->op == MACHINE_CODE_OR_ELSE;
    if (step->op == MACHINE_CODE_PUSH) {
        push(e, (uint64_t)step->operand);
    } else if (step->op == MACHINE_CODE_REG) {
        push_register(e, step->operand);
    } else if (is_jump) {
        if ((e->stack[e->depth - 1] == 0) == (step->op == MACHINE_CODE_AND_THEN))
            return (size_t)step->operand;
        e->depth--;
    } else if (step->op < MACHINE_CODE_ADD) {
        change(e, step);
    } else {
        e->depth--;
        e->stack[e->depth - 1] = combine((machine_code_op)step->op, e->stack[e->depth - 1], e->stack[e->depth]);
    }
    return i + 1;
}

bool vm_condition_holds(x86_vm *vm, machine_tid tid, const machine_code *code, size_t n_steps)
{
    evaluation e = {.vm = vm, .tid = tid};
    for (size_t i = 0; i < n_steps && !e.failed;)
        i = execute(&e, &code[i], i);
    return e.failed || n_steps == 0 || e.stack[0] != 0;
}
