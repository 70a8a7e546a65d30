/* terminal.h - who has ebb's terminal: the debuggee while it runs, ebb while it stands still.
 *
 * The foreground changes hands at each start and stop of the debuggee, so that Ctrl-C and input reach
 * the one who is active, and each has its own modes (echo, line editing). */
#ifndef EBB_MACHINE_TERMINAL_H
#define EBB_MACHINE_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

typedef struct machine_terminal {
    bool shared; /* the debuggee gets the foreground while it runs, when ebb has it */
    bool debuggee_has_it;
    pid_t debuggee_group;
    bool has_debuggee_modes;
    struct termios ours, debuggees;
} machine_terminal; /* zero-initialised is not shared */

/* The debuggee is the leader of a process group of its own. */
void machine_terminal_init(machine_terminal *term, pid_t debuggee, bool wanted);
void machine_terminal_give(machine_terminal *term); /* the debuggee is about to run */
void machine_terminal_take(machine_terminal *term); /* it stopped */

/* In a child that is about to become the debuggee: a process group of its own, and signals as ebb found them. */
void machine_child_begin(void);

#endif
