/* symbols_fuzz FILE COUNT [FIRST_SEED] - breaks an ELF file in COUNT ways and asks the symbol reader
 * everything about each.  It prints the seed of a crash or hang; to look at one again:
 * symbols_fuzz FILE 1 SEED.  Build with the sanitizers: meson setup -Db_sanitize=address,undefined. */
#include "symbols_interrogate.h"
#include "base/mem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_SECONDS = 20 };

static unsigned long seed; /* what is being tried, for the signal handler */

static void say_seed(void)
{
    char text[80];
    int n = snprintf(text, sizeof text, "symbols_fuzz: seed %lu\n", seed);
    if (write(2, text, (size_t)n) < 0)
        _exit(3);
}

static void hangs(int number)
{
    say_seed();
    abort();
}

/* The address sanitizer calls this before it ends the program. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    say_seed();
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: symbols_fuzz FILE COUNT [FIRST_SEED]\n");
        return 64;
    }
    FILE *f = fopen(argv[1], "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        perror(argv[1]);
        return 1;
    }
    size_t n = (size_t)ftell(f);
    uint8_t *file = ebb_alloc(n);
    rewind(f);
    if (fread(file, 1, n, f) != n)
        return 1;
    fclose(f);
    signal(SIGALRM, hangs);
    unsigned long count = strtoul(argv[2], NULL, 0),
                  first = argc > 3 ? strtoul(argv[3], NULL, 0) : 1;
    for (seed = first; seed < first + count; seed++) {
        uint8_t *bytes = corrupt(file, n, seed);
        alarm(MAX_SECONDS);
        interrogate_bytes(bytes, n);
        alarm(0);
        free(bytes);
    }
    free(file);
    printf("%lu broken files, no crash, no hang\n", count);
    return 0;
}
