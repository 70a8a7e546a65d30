/* driver.h - what the fuzzers of protocols share: each supplies try_input and, without EBB_LIBFUZZER, add_random.
 *
 *   FUZZER FILE...          each file is one input
 *   FUZZER --random N SEED  N inputs that add_random makes
 * Built with -fsanitize=fuzzer -DEBB_LIBFUZZER it is a libFuzzer target instead. */
#ifndef EBB_FUZZ_DRIVER_H
#define EBB_FUZZ_DRIVER_H

#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void try_input(const char *bytes, size_t nbytes);

#ifdef EBB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    try_input((const char *)data, n);
    return 0;
}
#else
static void add_random(uint64_t *state, ebb_buf *input);

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void try_random(uint64_t *state)
{
    ebb_buf input = {0};
    add_random(state, &input);
    try_input(ebb_buf_text(&input), input.n);
    ebb_buf_fini(&input);
}

static void try_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    ebb_buf input = {0};
    char bytes[4096];
    for (size_t n; in && (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        ebb_buf_add(&input, bytes, n);
    if (in)
        fclose(in);
    try_input(ebb_buf_text(&input), input.n);
    ebb_buf_fini(&input);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--random") == 0) {
        uint64_t state = strtoull(argv[3], NULL, 10);
        for (unsigned long n = strtoul(argv[2], NULL, 10); n; n--)
            try_random(&state);
        return 0;
    }
    for (int i = 1; i < argc; i++)
        try_file(argv[i]);
    return 0;
}
#endif

#endif
