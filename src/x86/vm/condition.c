/* condition.c - conditions of points (machine/code.h) as ebb itself executes them, where translated code had no say: at single steps. */
#include "x86/vm/private.h"

#include <string.h>

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

/* As translated code does it (inside/condition.c): no answer where the CPU would fault. */
static uint64_t divide(evaluation *e, machine_code_op op, uint64_t a, uint64_t b)
{
    bool with_signs = op == MACHINE_CODE_DIVIDE || op == MACHINE_CODE_REMAINDER;
    if (b == 0 || (with_signs && b == UINT64_MAX)) {
        e->failed = true;
        return 0;
    }
    switch (op) {
    case MACHINE_CODE_DIVIDE: return (uint64_t)((int64_t)a / (int64_t)b);
    case MACHINE_CODE_REMAINDER: return (uint64_t)((int64_t)a % (int64_t)b);
    case MACHINE_CODE_DIVIDE_U: return a / b;
    default: return a % b; /* REMAINDER_U */
    }
}

static uint64_t combine_reals(machine_code_op op, double a, double b)
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

static uint64_t combine(evaluation *e, machine_code_op op, uint64_t a, uint64_t b)
{
    if (op >= MACHINE_CODE_REAL_ADD && op <= MACHINE_CODE_REAL_GE)
        return combine_reals(op, real_of(a), real_of(b));
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
    case MACHINE_CODE_BELOW_EQ: return a <= b;
    default: return divide(e, op, a, b);
    }
}

/* Whether the step's bytes, which are in the DATA after it, are at that address. */
static void compare_bytes(evaluation *e, uint64_t *top, const machine_code *step)
{
    bool same = true;
    for (size_t i = 0; same && i < (size_t)step->operand; i++) { /* byte by byte: memory may end after the first one that differs */
        uint8_t there = 0;
        e->failed |= machine_read(e->vm->native, *top + i, &there, 1, NULL) != EBB_OK;
        same = !e->failed && there == (uint8_t)((uint64_t)step[1 + i / 8].operand >> (i % 8 * 8));
    }
    *top = same;
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
    case MACHINE_CODE_SAR: *top = (uint64_t)((int64_t)*top >> step->operand); break;
    case MACHINE_CODE_TO_REAL: *top = word_of((double)(int64_t)*top); break;
    case MACHINE_CODE_ROUND: *top = word_of((double)(float)real_of(*top)); break;
    case MACHINE_CODE_TO_LONG: *top = truncated(real_of(*top)); break;
    case MACHINE_CODE_WIDEN: *top = widened(*top); break;
    default: compare_bytes(e, top, step); break; /* IS_BYTES */
    }
}

static bool changes_the_top(machine_code_op op)
{
    return op < MACHINE_CODE_ADD || op == MACHINE_CODE_TO_REAL || op == MACHINE_CODE_ROUND || op == MACHINE_CODE_TO_LONG || op == MACHINE_CODE_WIDEN ||
           op == MACHINE_CODE_IS_BYTES;
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
    } else if (step->op == MACHINE_CODE_THREAD) {
        push(e, (uint64_t)e->tid);
    } else if (changes_the_top((machine_code_op)step->op)) {
        change(e, step);
    } else if (step->op != MACHINE_CODE_DATA) {
        e->depth--;
        e->stack[e->depth - 1] = combine(e, (machine_code_op)step->op, e->stack[e->depth - 1], e->stack[e->depth]);
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
