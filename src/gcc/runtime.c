/* runtime.c - the counters of a program that was compiled by `ebb cc`; linked into it.
 *
 * Each thread has its own.  A counter begins at a number below zero, __ebb_base, and goes up; the timestamp is the difference.  When it
 * reaches zero the program executes a breakpoint instruction (plugin.cc), so the timestamp to stop at is -__ebb_base.
 *
 * EBB_STOP=N makes the main thread stop at timestamp N; a debugger may as well set the two variables.
 * EBB_COUNTS=FILE writes the main thread's timestamp to FILE when the program ends.
 * Both are for this process: its children don't see them.  A child of fork() has no stop, unless a debugger that follows it says so. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEVER (-(1L << 62))

__thread long __ebb_counter = NEVER;
__thread long __ebb_base = NEVER;
__thread long __ebb_frame; /* where the counter is in a register (plugin.cc): the stack pointer of the function that has it; else 0 */
__thread long __ebb_outer; /* in the handler of a signal, while __ebb_frame is a loop's of its own: what it was in the loop that the signal came in; else nothing */
long __ebb_follows; /* a debugger sets it if it follows children: the stop is theirs, too */

long ebb_now(void);
void ebb_stop_at(long timestamp);

static char *counts_file; /* NULL: nobody wants to know */
static pid_t counted;     /* the process that it is for */

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

/* Nobody would see it stop. */
static void in_child(void)
{
    if (!__ebb_follows)
        ebb_stop_at(-NEVER);
}

/* A text that is no timestamp is told and means no stop. */
static void stop_at_text(const char *text)
{
    static const char told[] = "ebb: EBB_STOP is no timestamp, a number from 1 on: the program runs without a stop.\n";
    char *end;
    errno = 0;
    long timestamp = strtol(text, &end, 10);
    if (errno == 0 && *text != '\0' && *end == '\0' && timestamp > 0 && timestamp < -NEVER)
        ebb_stop_at(timestamp);
    else if (write(STDERR_FILENO, told, sizeof told - 1) < 0)
        errno = 0; /* nobody reads it */
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *stop = getenv("EBB_STOP"), *file = getenv("EBB_COUNTS");
    pthread_atfork(NULL, NULL, in_child);
    if (stop)
        stop_at_text(stop);
    if (file) {
        counts_file = strdup(file);
        counted = getpid();
    }
    unsetenv("EBB_STOP");
    unsetenv("EBB_COUNTS");
}

__attribute__((destructor(101))) static void end(void)
{
    FILE *file = counts_file && counted == getpid() ? fopen(counts_file, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", ebb_now());
    fclose(file);
}
