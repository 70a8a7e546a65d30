/* runtime.c - the counters of a program that was compiled by `ebb cc`; linked into it.
 *
 * Each thread has its own.  A counter begins at a number below zero, __ebb_base, and goes up; the timestamp is the difference.  When it
 * reaches zero the program executes a breakpoint instruction (plugin.cc), so the timestamp to stop at is -__ebb_base.
 *
 * EBB_STOP=N makes the main thread stop at timestamp N; a debugger may as well set the two variables.
 * EBB_COUNTS=FILE writes the main thread's timestamp to FILE when the program ends. */
#include <stdio.h>
#include <stdlib.h>

#define NEVER (-(1L << 62))

__thread long __ebb_counter = NEVER;
__thread long __ebb_base = NEVER;

long ebb_now(void);
void ebb_stop_at(long timestamp);

/* The timestamp of the thread that asks. */
long ebb_now(void)
{
    return __ebb_counter - __ebb_base;
}

/* The thread that asks stops when it has this timestamp. */
void ebb_stop_at(long timestamp)
{
    long now = ebb_now();
    __ebb_base = -timestamp;
    __ebb_counter = now - timestamp;
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *stop = getenv("EBB_STOP");
    if (stop)
        ebb_stop_at(atol(stop));
}

__attribute__((destructor(101))) static void end(void)
{
    const char *name = getenv("EBB_COUNTS");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", ebb_now());
    fclose(file);
}
