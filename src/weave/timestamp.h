/* timestamp.h - puts the counting of timestamps into a class.
 *
 * Calls of `ebb.Timestamp` (runtime/ebb/Timestamp.java) are put in so that the counter of a thread ticks
 *   - at the entry of each method and before each return,
 *   - before each jump that can go back, to itself included, and before each `ret`,
 *   - at the beginning of each exception handler.
 * So a thread's counter goes up whenever its control leaves the method or goes backward in it, and between two ticks it only
 * goes forward through one method: a thread, a timestamp and a place are a moment.
 *
 * A tick before a conditional jump counts also when the jump is not taken.  That is one tick more for each loop, and no jump more.
 *
 * Most ticks are `tick()`.  Loops that call nothing count in a local variable (loops.h): `loop(count)` there, which is empty
 * unless a debugger wants exact stops, and `add(count)` where the count is handed in; `leave(count)` hands in and ticks.  A handler for
 * everything hands in what is pending when an exception leaves the method.
 *
 * WT1  the counts do not depend on which of these counted them;
 * WT2  a method that would get too long for the format is left as it is, and counted in `nleft`;
 * WT3  `getId()` of type long is left as it is: the counter asks a thread for its number, and must not be asked back;
 * WT4  a class that ticks already is refused, and so are the counters: they would count twice. */
#ifndef EBB_WEAVE_TIMESTAMP_H
#define EBB_WEAVE_TIMESTAMP_H

#include "weave/classfile.h"

#define WEAVE_RUNTIME_CLASS "ebb/Timestamp"

/* Which methods are woven: globs over `package.Class` or `package.Class#method`. */
typedef struct weave_choice {
    const char *const *only; /* one of them must fit, if there are any; NULL-terminated */
    const char *const *not;  /* none of them may */
    bool in_memory;          /* every tick is tick(): smaller class files, slower loops, the same counts */
} weave_choice;

typedef struct weave_counts {
    uint32_t nclasses, nmethods, nticks;
    uint32_t nleft;          /* methods left as they are because they would get too long */
    uint64_t nbytes_before, nbytes_after;
} weave_counts;

/* Adds the class with ticks to `out`, or the class as it is where nothing was chosen. */
ebb_status weave_timestamp(weave_span bytes, const weave_choice *choice, ebb_buf *out, weave_counts *counts,
                           ebb_error *err) EBB_MUST_CHECK;

#endif
