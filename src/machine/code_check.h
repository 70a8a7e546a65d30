/* code_check.h - whether code from anywhere keeps CD1 and CD2 (code.h).
 *
 * Freestanding: the runtime inside a native debuggee checks code too.  Which operations a machine has, and operands other than
 * those of jumps, are its own to check. */
#ifndef EBB_MACHINE_CODE_CHECK_H
#define EBB_MACHINE_CODE_CHECK_H

#include "machine/code.h"

#include <stdbool.h>

enum { MACHINE_CODE_NOT_REACHED = UINT8_MAX };

static inline bool machine_code_jumps(uint32_t op)
{
    return op == MACHINE_CODE_AND_THEN || op == MACHINE_CODE_OR_ELSE || op == MACHINE_CODE_UNLESS || op == MACHINE_CODE_JUMP;
}

/* Notes how many values there are where step i jumps to; false if that is no step after it, or it was said otherwise before. */
static inline bool machine_code_note_jump(const machine_code *code, unsigned n, unsigned i, uint8_t *depths)
{
    int64_t to = code[i].operand;
    uint8_t there = (uint8_t)(code[i].op == MACHINE_CODE_UNLESS ? depths[i] - 1 : depths[i]);
    if (to <= (int64_t)i || to > (int64_t)n || (depths[to] != MACHINE_CODE_NOT_REACHED && depths[to] != there))
        return false;
    depths[to] = there;
    return true;
}

/* depths has room for n + 1: how many values there are before each step, and at the end; *deepest is the most of them. */
static inline bool machine_code_check(const machine_code *code, unsigned n, unsigned max_depth, uint8_t *depths, unsigned *deepest)
{
    static const struct { uint8_t takes, leaves; } effects[] = {
#define X(name, takes, leaves) [MACHINE_CODE_##name] = {takes, leaves},
        MACHINE_CODE_OPS(X) MACHINE_CODE_JAVA_OPS(X) MACHINE_CODE_NATIVE_OPS(X)
#undef X
    };
    for (unsigned i = 1; i <= n; i++)
        depths[i] = MACHINE_CODE_NOT_REACHED;
    depths[0] = 0;
    *deepest = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t op = code[i].op;
        if (op >= MACHINE_CODE_N_OPS || depths[i] == MACHINE_CODE_NOT_REACHED || depths[i] < effects[op].takes)
            return false;
        if (machine_code_jumps(op) && !machine_code_note_jump(code, n, i, depths))
            return false;
        unsigned depth = depths[i] - effects[op].takes + effects[op].leaves;
        bool goes_on = op != MACHINE_CODE_JUMP;
        if (depth > max_depth || (goes_on && depths[i + 1] != MACHINE_CODE_NOT_REACHED && depths[i + 1] != depth))
            return false;
        if (goes_on)
            depths[i + 1] = (uint8_t)depth;
        *deepest = depth > *deepest ? depth : *deepest;
    }
    return depths[n] == 1;
}

#endif
