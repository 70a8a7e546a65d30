/* agent.c - see agent.h.  Opcodes and their meaning are those of "The Agent Expression Mechanism" in gdb's manual. */
#include "front/rsp/agent.h"

#include <string.h>

typedef struct agent {
    const agent_world *world;
    const uint8_t *code;
    size_t n, at;
    uint64_t stack[AGENT_STACK];
    size_t depth;
    bool is_broken, is_done;
} agent;

static void push(agent *a, uint64_t value)
{
    if (a->depth < AGENT_STACK)
        a->stack[a->depth++] = value;
    else
        a->is_broken = true;
}

static uint64_t pop(agent *a)
{
    if (a->depth)
        return a->stack[--a->depth];
    a->is_broken = true;
    return 0;
}

/* Operands are big-endian. */
static uint64_t operand(agent *a, size_t nbytes)
{
    uint64_t value = 0;
    if (a->n - a->at < nbytes) {
        a->is_broken = true;
        return 0;
    }
    for (size_t i = 0; i < nbytes; i++)
        value = value << 8 | a->code[a->at++];
    return value;
}

static uint64_t sign_extended(uint64_t value, uint64_t nbits)
{
    return nbits == 0 || nbits >= 64 ? value : (uint64_t)((int64_t)(value << (64 - nbits)) >> (64 - nbits));
}

static uint64_t zero_extended(uint64_t value, uint64_t nbits)
{
    return nbits >= 64 ? value : value & ((1ull << nbits) - 1);
}

static void extend(agent *a, uint64_t (*how)(uint64_t value, uint64_t nbits))
{
    uint64_t nbits = operand(a, 1);
    push(a, how(pop(a), nbits));
}

static void reference(agent *a, size_t nbytes)
{
    uint64_t value = 0;
    if (!a->world->read(a->world->self, pop(a), &value, nbytes))
        a->is_broken = true;
    push(a, value);
}

static void divide(agent *a, bool is_signed, bool remainder)
{
    uint64_t by = pop(a), of = pop(a);
    bool overflows = is_signed && by == UINT64_MAX; /* the negative: dividing would trap for one value */
    if (by == 0)
        a->is_broken = true;
    else if (overflows)
        push(a, remainder ? 0 : 0 - of);
    else if (is_signed)
        push(a, (uint64_t)(remainder ? (int64_t)of % (int64_t)by : (int64_t)of / (int64_t)by));
    else
        push(a, remainder ? of % by : of / by);
}

static void jump(agent *a, bool taken)
{
    uint64_t to = operand(a, 2);
    if (taken && to < a->n)
        a->at = to;
    else if (taken)
        a->is_broken = true;
}

static void pick(agent *a)
{
    uint64_t i = operand(a, 1);
    if (i < a->depth)
        push(a, a->stack[a->depth - 1 - i]);
    else
        a->is_broken = true;
}

static void push_register(agent *a)
{
    uint64_t value = 0;
    if (!a->world->register_(a->world->self, (unsigned)operand(a, 2), &value))
        a->is_broken = true;
    push(a, value);
}

static bool do_binary(agent *machine, uint8_t opcode)
{
    switch (opcode) {
#define AGENT_BINARY(code, result)                                                                 \
    case code: {                                                                                   \
        uint64_t b = pop(machine), a = pop(machine);                                               \
        push(machine, (uint64_t)(result));                                                         \
        return true;                                                                               \
    }
#include "front/rsp/agent.def"
#undef AGENT_BINARY
    default: return false;
    }
}

static void swap(agent *a)
{
    uint64_t b = pop(a), under = pop(a);
    push(a, b);
    push(a, under);
}

static void step(agent *a)
{
    uint8_t opcode = (uint8_t)operand(a, 1);
    if (do_binary(a, opcode))
        return;
    switch (opcode) {
    case 0x05: divide(a, true, false); break;
    case 0x06: divide(a, false, false); break;
    case 0x07: divide(a, true, true); break;
    case 0x08: divide(a, false, true); break;
    case 0x0e: push(a, !pop(a)); break;                                             /* log_not */
    case 0x12: push(a, ~pop(a)); break;                                             /* bit_not */
    case 0x16: extend(a, sign_extended); break;                                     /* ext */
    case 0x17: reference(a, 1); break;
    case 0x18: reference(a, 2); break;
    case 0x19: reference(a, 4); break;
    case 0x1a: reference(a, 8); break;
    case 0x20: jump(a, pop(a) != 0); break;                                         /* if_goto */
    case 0x21: jump(a, true); break;
    case 0x22: push(a, operand(a, 1)); break;                                       /* const8 */
    case 0x23: push(a, operand(a, 2)); break;
    case 0x24: push(a, operand(a, 4)); break;
    case 0x25: push(a, operand(a, 8)); break;
    case 0x26: push_register(a); break;
    case 0x27: a->is_done = true; break;                                            /* end */
    case 0x28: push(a, a->depth ? a->stack[a->depth - 1] : pop(a)); break;          /* dup */
    case 0x29: pop(a); break;
    case 0x2a: extend(a, zero_extended); break;                                     /* zero_ext */
    case 0x2b: swap(a); break;
    case 0x32: pick(a); break;
    default: a->is_broken = true;
    }
}

bool agent_evaluate(const agent_world *world, const uint8_t *code, size_t n, uint64_t *value)
{
    agent a = {.world = world, .code = code, .n = n};
    for (size_t i = 0; i < AGENT_MAX_STEPS && !a.is_done && !a.is_broken; i++)
        step(&a);
    if (!a.is_done || a.is_broken || a.depth == 0)
        return false;
    *value = a.stack[a.depth - 1];
    return true;
}
