/* syscalls.c - system calls by name. */
#include "x86/native.h"

#include <string.h>

static const char *const names[] = {
#define X86_CALL(number, name, ...) [number] = #name,
#include "x86/syscalls.def"
#undef X86_CALL
};

enum { N_NAMES = sizeof names / sizeof *names };

const char *x86_syscall_name(long number)
{
    return number >= 0 && number < N_NAMES ? names[number] : NULL;
}

long x86_syscall_number(const char *name)
{
    for (long i = 0; i < N_NAMES; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return i;
    return -1;
}
