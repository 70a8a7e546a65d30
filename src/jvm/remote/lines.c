/* lines.c - what the line table of a method does not say, and its code does. */
#include "jvm/remote/lines.h"

#include "jvm/engine/ops.h"

#include <string.h>

/* ---- where loops go on in the middle of a line: the head of `for (X x : xs)` is one row, and all but its first iteration begin in it ---- */

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

/* ---- copies: a compiler makes one of a `finally` for each way that leads out of the `try` ---- */

static uint32_t length(const java_code *code, uint32_t at) { return jvm_op_length(code->bytes, code->nbytes, at); }

/* iload_2 is iload. */
static uint8_t general(uint8_t op)
{
    if (op >= JVM_OP_iload_0 && op <= JVM_OP_aload_3)
        return (uint8_t)(JVM_OP_iload + (op - JVM_OP_iload_0) / 4);
    if (op >= JVM_OP_istore_0 && op <= JVM_OP_astore_3)
        return (uint8_t)(JVM_OP_istore + (op - JVM_OP_istore_0) / 4);
    return op;
}

/* Variables lie in other slots there, and jumps have other lengths. */
static bool is_same(const java_code *code, uint32_t a, uint32_t b)
{
    uint8_t op = code->bytes[a];
    if (general(op) != general(code->bytes[b]))
        return false;
    const char *operands = jvm_ops[op].operands;
    return *operands == '\0' || strchr("loOTSW", *operands) != NULL || memcmp(code->bytes + a, code->bytes + b, length(code, a)) == 0;
}

/* The copy for exceptions begins by putting one away. */
static uint32_t first_of_row(const java_code *code, size_t row)
{
    uint32_t at = code->lines[row].bci, n = length(code, at);
    return n != 0 && general(code->bytes[at]) == JVM_OP_astore ? at + n : at;
}

static uint32_t end_of_row(const java_code *code, size_t row)
{
    return row + 1 < code->n_lines ? code->lines[row + 1].bci : code->nbytes;
}

bool jvm_remote_is_copied_row(const java_code *code, size_t row, size_t of)
{
    uint32_t a = first_of_row(code, of), b = first_of_row(code, row), begin = b;
    for (uint32_t n, m; a < end_of_row(code, of) && b < end_of_row(code, row); a += n, b += m) {
        n = length(code, a);
        m = length(code, b);
        if (n == 0 || m == 0 || !is_same(code, a, b))
            return false;
    }
    return b > begin;
}
