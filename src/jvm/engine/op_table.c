/* op_table.c - the rows of ops.def as a table, and lengths of instructions: all that can be known without a class. */
#include "jvm/engine/ops.h"

const jvm_op_info jvm_ops[JVM_NOPS] = {
#define JVM_OP(code, name, operands, pops, pushes, undo, throws)                                   \
    [code] = {#name, operands, pops, pushes, JVM_UNDO_##undo, throws},
#include "jvm/engine/ops.def"
#undef JVM_OP
};

uint32_t jvm_operand_length(char letter)
{
    switch (letter) {
    case 'b': case 'l': case 'c': case 't': case 'd':
        return 1;
    case 's': case 'C': case 'F': case 'M': case 'K': case 'o':
        return 2;
    default:
        return 4; /* I D O */
    }
}

static uint32_t switch_length(const uint8_t *code, uint32_t ncode, uint32_t bci)
{
    uint32_t at = (bci + 4) & ~3u;
    bool table = code[bci] == JVM_OP_tableswitch;
    uint32_t fixed = table ? 12 : 8;
    if (at + fixed > ncode)
        return 0;
    int64_t rows;
    if (table)
        rows = (int64_t)jvm_s4(code + at + 8) - jvm_s4(code + at + 4) + 1;
    else
        rows = jvm_s4(code + at + 4);
    if (rows < (table ? 1 : 0) || rows > 65536)
        return 0;
    return at + fixed + (uint32_t)rows * (table ? 4 : 8) - bci;
}

static uint32_t wide_length(const uint8_t *code, uint32_t ncode, uint32_t bci)
{
    if (bci + 1 >= ncode)
        return 0;
    uint8_t op = code[bci + 1];
    if (op == JVM_OP_iinc)
        return 6;
    bool local = op < JVM_NOPS && jvm_ops[op].operands[0] == 'l';
    return local ? 4 : 0;
}

uint32_t jvm_op_length(const uint8_t *code, uint32_t ncode, uint32_t bci)
{
    if (bci >= ncode || code[bci] >= JVM_NOPS)
        return 0;
    uint32_t n = 1;
    const char *letters = jvm_ops[code[bci]].operands;
    if (*letters == 'T' || *letters == 'S')
        n = switch_length(code, ncode, bci);
    else if (*letters == 'W')
        n = wide_length(code, ncode, bci);
    else
        for (; *letters != '\0'; letters++)
            n += jvm_operand_length(*letters);
    return n <= ncode - bci ? n : 0;
}
