/* agent.h - gdb's agent expressions: the small stack machine that it compiles the conditions of breakpoints for.
 *
 * AE1  whatever the bytes are, they end: a program has at most AGENT_MAX_STEPS steps and AGENT_STACK values;
 * AE2  what can't be carried out to its end is an error, and then the breakpoint stops: gdb looks at it itself. */
#ifndef EBB_FRONT_RSP_AGENT_H
#define EBB_FRONT_RSP_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AGENT_MAX_STEPS = 100000, AGENT_STACK = 64 };

typedef struct agent_world {
    void *self;
    bool (*read)(void *self, uint64_t addr, void *bytes, size_t nbytes);
    bool (*register_)(void *self, unsigned number, uint64_t *value); /* gdb's number */
} agent_world;

/* False: AE2. */
bool agent_evaluate(const agent_world *world, const uint8_t *code, size_t n, uint64_t *value);

#endif
