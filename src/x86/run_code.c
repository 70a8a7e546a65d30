/* run_code.c - see run_code.h. */
#include "x86/run_code.h"

#include "machine/code_check.h"

typedef struct evaluation {
    const x86_code_world *world;
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
    e->failed |= !e->world->load(e->world->self, *top, &word, (size_t)nbytes);
    *top = word;
}

static void push(evaluation *e, uint64_t word)
{
    e->stack[e->depth++] = word;
}

static void push_register(evaluation *e, int64_t number)
{
    uint64_t word = 0;
    e->failed |= !e->world->reg(e->world->self, (unsigned)number, &word);
    push(e, word);
}

/* As host code does it (inside/condition.c): no answer where the CPU would fault. */
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

static uint64_t combine(evaluation *e, machine_code_op op, uint64_t a, uint64_t b)
{
    if (op >= MACHINE_CODE_REAL_ADD && op <= MACHINE_CODE_REAL_GE)
        return e->world->real(op, a, b);
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
        e->failed |= !e->world->load(e->world->self, *top + i, &there, 1);
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
    case MACHINE_CODE_NEED: e->failed |= *top == 0; break;
    case MACHINE_CODE_IS_BYTES: compare_bytes(e, top, step); break;
    default: *top = e->world->real((machine_code_op)step->op, *top, 0); break; /* conversions */
    }
}

static bool changes_the_top(machine_code_op op)
{
    switch (op) {
    case MACHINE_CODE_TO_REAL:
    case MACHINE_CODE_ROUND:
    case MACHINE_CODE_TO_LONG:
    case MACHINE_CODE_WIDEN:
    case MACHINE_CODE_NEED:
    case MACHINE_CODE_IS_BYTES: return true;
    default: return op < MACHINE_CODE_ADD;
    }
}

/* The step after one that jumps. */
static size_t jump(evaluation *e, const machine_code *step, size_t i)
{
    uint64_t top = e->depth ? e->stack[e->depth - 1] : 0;
    size_t to = (size_t)step->operand;
    switch ((machine_code_op)step->op) {
    case MACHINE_CODE_JUMP: return to;
    case MACHINE_CODE_UNLESS: e->depth--; return top == 0 ? to : i + 1;
    default: break;
    }
    if ((top == 0) == (step->op == MACHINE_CODE_AND_THEN))
        return to;
    e->depth--;
    return i + 1;
}

static size_t execute(evaluation *e, const machine_code *step, size_t i)
{
    machine_code_op op = (machine_code_op)step->op;
    if (machine_code_jumps(op))
        return jump(e, step, i);
    switch (op) {
    case MACHINE_CODE_PUSH: push(e, (uint64_t)step->operand); break;
    case MACHINE_CODE_REG: push_register(e, step->operand); break;
    case MACHINE_CODE_THREAD: push(e, e->world->thread); break;
    case MACHINE_CODE_IS_AT: push(e, e->world->place == (uint64_t)step->operand); break;
    case MACHINE_CODE_DATA: break;
    default:
        if (changes_the_top(op)) {
            change(e, step);
            break;
        }
        e->depth--;
        e->stack[e->depth - 1] = combine(e, op, e->stack[e->depth - 1], e->stack[e->depth]);
    }
    return i + 1;
}

bool x86_code_holds(const x86_code_world *world, const machine_code *code, size_t n_steps)
{
    evaluation e = {.world = world};
    for (size_t i = 0; i < n_steps && !e.failed;)
        i = execute(&e, &code[i], i);
    return e.failed || n_steps == 0 || e.stack[0] != 0;
}
