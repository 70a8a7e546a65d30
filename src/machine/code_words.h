/* code_words.h - real numbers as conditions (code.h) have them on their stack: as the bits of a double. */
#ifndef EBB_MACHINE_CODE_WORDS_H
#define EBB_MACHINE_CODE_WORDS_H

#include <stdint.h>

static inline double machine_code_real(uint64_t word)
{
    double real;
    __builtin_memcpy(&real, &word, sizeof real);
    return real;
}

static inline uint64_t machine_code_word(double real)
{
    uint64_t word;
    __builtin_memcpy(&word, &real, sizeof word);
    return word;
}

#endif
