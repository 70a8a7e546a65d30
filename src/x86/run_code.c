/* run_code.c - see run_code.h. */
#include "x86/run_code.h"

#include "machine/code_check.h"

typedef struct evaluation {
    const x86_code_world *world;
    uint64_t stack[MACHINE_CODE_MAX_DEPTH + 1];
    unsigned depth;
    bool failed; /* CD3 */
} evaluation;

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

/* Steps about real numbers: the rest. */
static void execute_real(evaluation *e, machine_code_op op)
{
    bool takes_two = op >= MACHINE_CODE_REAL_ADD && op <= MACHINE_CODE_REAL_GE;
    uint64_t top = e->stack[e->depth - 1];
    e->depth -= takes_two;
    e->stack[e->depth - 1] = takes_two ? e->world->real(op, e->stack[e->depth - 1], top) : e->world->real(op, top, 0);
}

#define TOP e->stack[e->depth - 1]
#define BELOW e->stack[e->depth - 2]
#define OPERAND step->operand
#define SIGNED(word) ((int64_t)(word))
#define UNSIGNED(word) (word)
#define ONE(name, expression) case MACHINE_CODE_##name: TOP = (uint64_t)(expression); break;
#define TWO(name, expression)                                                                      \
    case MACHINE_CODE_##name:                                                                      \
        BELOW = (uint64_t)(expression);                                                            \
        e->depth--;                                                                                \
        break;

static size_t execute(evaluation *e, const machine_code *step, size_t i)
{
    machine_code_op op = (machine_code_op)step->op;
    if (machine_code_jumps(op))
        return jump(e, step, i);
    switch (op) {
#include "machine/code_numbers.def"
    TWO(DIVIDE, divide(e, op, BELOW, TOP))
    TWO(REMAINDER, divide(e, op, BELOW, TOP))
    TWO(DIVIDE_U, divide(e, op, BELOW, TOP))
    TWO(REMAINDER_U, divide(e, op, BELOW, TOP))
    case MACHINE_CODE_PUSH: push(e, (uint64_t)step->operand); break;
    case MACHINE_CODE_REG: push_register(e, step->operand); break;
    case MACHINE_CODE_THREAD: push(e, e->world->thread); break;
    case MACHINE_CODE_IS_AT: push(e, e->world->place == (uint64_t)step->operand); break;
    case MACHINE_CODE_LOAD: load(e, &TOP, step->operand); break;
    case MACHINE_CODE_NEED: e->failed |= TOP == 0; break;
    case MACHINE_CODE_IS_BYTES: compare_bytes(e, &TOP, step); break;
    case MACHINE_CODE_DATA: break;
    default: execute_real(e, op); break;
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
