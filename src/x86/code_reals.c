/* code_reals.c - executes one step about real numbers.  Freestanding (code_reals.h). */
#include "x86/code_reals.h"

#include "machine/code_words.h"

static uint64_t widened(uint64_t word)
{
    float single;
    __builtin_memcpy(&single, &word, sizeof single);
    return machine_code_word((double)single);
}

/* What is too big, or no number, is what the CPU makes of it. */
static uint64_t truncated(double real)
{
    return real >= -0x1p63 && real < 0x1p63 ? (uint64_t)(int64_t)real : (uint64_t)INT64_MIN;
}

#define SIGNED(word) ((int64_t)(word))
#define TOP a
#define REAL(word) machine_code_real(word)
#define A REAL(a)
#define B REAL(b)
#define REAL_ONE(name, expression) case MACHINE_CODE_##name: return machine_code_word(expression);
#define REAL_TWO(name, expression) REAL_ONE(name, expression)
#define REAL_TRUTH(name, expression) case MACHINE_CODE_##name: return expression;

uint64_t x86_code_real(machine_code_op op, uint64_t a, uint64_t b)
{
    switch (op) {
#include "machine/code_numbers.def"
    case MACHINE_CODE_TO_LONG: return truncated(A);
    default: return widened(a); /* WIDEN */
    }
}
