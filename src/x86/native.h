/* native.h - native mode: the debuggee runs on the CPU itself, controlled with ptrace.
 *
 * Breakpoints are int3, put in when the debuggee next runs and never shown; watchpoints are the CPU's debug registers,
 * and, once these run out or the watched range is too long, single-stepping with a comparison after
 * each instruction (slow: machine_ops.point_is_cheap tells).  All threads stop together.
 *
 * fork: the child is detached at once, free of our breakpoints, unless following it is asked for.
 * exec: the machine stays, its points are gone, MACHINE_STOP_EXEC tells. */
#ifndef EBB_X86_NATIVE_H
#define EBB_X86_NATIVE_H

#include "machine/machine.h"

typedef struct x86_launch {
    const char *program;      /* searched in PATH if it has no slash */
    char *const *args;        /* NULL-terminated, args[0] included */
    char *const *environment; /* NULL: ebb's own */
    const char *directory;    /* NULL: ebb's own */
    const char *shell_line;   /* NULL: the program is executed with `args`.  Else a shell does so, told by this line */
    const char *terminal;     /* a file to be the standard input, output and error; NULL: ebb's own */
    bool randomize;           /* leave address randomisation on */
    bool own_terminal;        /* give the debuggee the terminal's foreground while it runs */
} x86_launch;

/* Checks that the file can be debugged as a native program at all: it exists, is executable, and is
 * an x86-64 ELF executable or a static one (a script is named as such, with what to do instead).
 * *path (caller frees) is the file that PATH led to. */
ebb_status x86_native_check(const char *program, char **path, ebb_error *err) EBB_MUST_CHECK;

/* Starts the program; it stands at its first instruction (of the dynamic loader, if it has one). */
ebb_status x86_native_launch(const x86_launch *launch, machine **m, ebb_error *err) EBB_MUST_CHECK;

/* Stops the running process with all its threads. */
ebb_status x86_native_attach(pid_t pid, machine **m, ebb_error *err) EBB_MUST_CHECK;

/* BOTH is for VM mode only: the child gets an ebb of its own (hand_over.h). */
typedef enum x86_follow { X86_FOLLOW_PARENT, X86_FOLLOW_CHILD, X86_FOLLOW_BOTH } x86_follow;
void x86_native_set_follow_fork(machine *m, x86_follow follow);

/* The program counts its own time (counter.h), in two variables of each thread, at these distances from its pointer. */
void x86_native_set_counter(machine *m, int64_t counter, int64_t base);

/* The name of a system call, NULL if there is none; and back, -1 if there is none. */
const char *x86_syscall_name(long number);
long x86_syscall_number(const char *name);

/* Decodes `nbytes` of code that stand at `place`, whatever machine they come from (AT&T is gdb's default flavour). */
typedef enum x86_flavour { X86_ATT, X86_INTEL } x86_flavour;
ebb_status x86_decode(const void *code, size_t nbytes, machine_place place, x86_flavour flavour, machine_insn *insn, ebb_error *err) EBB_MUST_CHECK;
void x86_native_set_flavour(machine *m, x86_flavour flavour); /* what machine_ops.decode uses */

#endif
