/* loops.c - where loops go on in the middle of a line: the head of `for (X x : xs)` is one row of the line table, and all but its first turn begin in it. */
#include "jvm/remote/loops.h"

#include "jvm/engine/ops.h"

static unsigned line_of(const java_code *code, uint32_t bci)
{
    unsigned line = 0;
    for (size_t i = 0; i < code->n_lines && code->lines[i].bci <= bci; i++)
        line = code->lines[i].line;
    return line;
}

static bool begins_row(const java_code *code, uint32_t bci)
{
    for (size_t i = 0; i < code->n_lines; i++)
        if (code->lines[i].bci == bci)
            return true;
    return false;
}

/* Where the instruction jumps back to, if it is a jump backward; else its own place. */
static uint32_t back_to(const java_code *code, uint32_t bci)
{
    const char *operands = jvm_ops[code->bytes[bci]].operands;
    int64_t by = *operands == 'o' ? jvm_s2(code->bytes + bci + 1) : *operands == 'O' ? jvm_s4(code->bytes + bci + 1) : 0;
    return by < 0 && -by <= bci ? (uint32_t)(bci + by) : bci;
}

static void add(java_code *code, uint16_t *found, uint32_t bci)
{
    for (size_t i = 0; i < code->n_loops; i++)
        if (found[i] == bci)
            return;
    found[code->n_loops++] = (uint16_t)bci;
}

void jvm_remote_find_loops(ebb_arena *arena, java_code *code)
{
    size_t n_jumps = 0;
    for (uint32_t at = 0, n; at < code->nbytes && (n = jvm_op_length(code->bytes, code->nbytes, at)) != 0; at += n)
        n_jumps += back_to(code, at) != at;
    uint16_t *found = EBB_ARENA_ARRAY(arena, uint16_t, n_jumps + 1);
    code->loops = found;
    for (uint32_t at = 0, n; at < code->nbytes && (n = jvm_op_length(code->bytes, code->nbytes, at)) != 0; at += n) {
        uint32_t to = back_to(code, at);
        if (to != at && !begins_row(code, to) && line_of(code, to) != line_of(code, at))
            add(code, found, to);
    }
}
