/* symbols_live.h - a fixture program, stopped by its own int3, as the symbol reader sees it.  What a
 * machine does for a debugger, this does in a few lines, so that the tests of symbols/ need no other
 * part of the house. */
#ifndef EBB_TESTS_SYMBOLS_LIVE_H
#define EBB_TESTS_SYMBOLS_LIVE_H

#include "unit.h"
#include "symbols/symbols.h"

#include <sys/types.h>

typedef struct live {
    pid_t pid;
    sym_table *table;
    sym_module *program;
    sym_target target;
    sym_frame frame; /* the innermost one, at the stop */
} live;

/* Runs the fixture up to its n-th int3 (from 1). */
void live_start(live *l, const char *fixture, int stop);
void live_continue(live *l); /* to the next one */
bool live_step(live *l);     /* one instruction; false at the next int3 */
void live_finish(live *l);

/* Runs the tests for each way in which the program was compiled; split: also those whose debug information is split off. */
extern const char *live_fixture;   /* the one under test */
extern bool live_is_optimised;
int live_run_variants(const char *program, bool split, const struct CMUnitTest *tests, size_t n);

/* The path of a fixture. */
const char *live_path(const char *fixture);

/* Names of the frames' functions, innermost first, inlined ones in parentheses, "<signal>" for a
 * trampoline, "??" for unknown ones: "inner middle main".  `frames` may be NULL. */
char *live_backtrace(live *l, sym_frame *frames, size_t max, size_t *n);

/* The innermost variable of that name in the frame; NULL if there is none. */
const sym_variable *live_variable(live *l, sym_frame *frame, const char *name);
/* Its value, at most 8 bytes, sign-extended; fails the test if it isn't known. */
long live_value(live *l, sym_frame *frame, const char *name);
/* Its location. */
sym_location live_location(live *l, sym_frame *frame, const char *name);

#endif
