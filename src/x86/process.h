/* process.h - a debuggee under ptrace: the state that native.h hides, shared by the files of this folder.
 *
 * Every thread ("task") of the debuggee is seized (PTRACE_SEIZE), so that PTRACE_INTERRUPT stops it
 * without a signal of its own, a stop can always be told from a real SIGSTOP, and any other stop that
 * comes first swallows the interrupt.  A task is RUNNING, STOPPED or EXITING.  What it stopped for is
 * worked out once, as the stop is collected (events.c); what deserves to be told is kept in the task
 * as its *event* until run.c takes it.
 *
 * run.c is a loop around three questions, asked again after each collected stop:
 *   is there an event to tell?  then stop every task, and return;
 *   which task has to move alone?  (step over a breakpoint, a vfork)
 *   which tasks may run, and how?
 *
 * XP1  a task in state STOPPED is in a ptrace-stop that has been collected by waitpid;
 * XP2  a task's event, once set, stays until it is taken by run.c or its points are gone (MA3);
 * XP3  the program counter of a task that ran into one of our int3 is put back at once, before
 *     anything else can look at the task;
 * XP4  a stopped task has no trap of ours still pending in the kernel (events.c collects it), so that
 *     points may be removed and the debuggee detached whenever all its tasks are stopped;
 * XP5  registers are cached per task and written back just before it moves. */
#ifndef EBB_X86_PROCESS_H
#define EBB_X86_PROCESS_H

#include "base/mem.h"
#include "machine/native.h"
#include "machine/terminal.h"
#include "x86/inside/writes.h"
#include "x86/native.h"

#include <signal.h>
#include <sys/types.h>
#include <sys/user.h>

typedef enum x86_task_state {
    X86_RUNNING,
    X86_STOPPED,
    X86_EXITING, /* went past its last stop: only its exit status can still come */
} x86_task_state;

/* One of the debuggee's threads. */
typedef struct x86_task {
    pid_t tid;  /* its number, as the program knows it */
    pid_t host; /* as the kernel does: another one in a copy of the program (body.h); 0: no thread of the kernel executes it just now */
    x86_task_state state;
    bool starting;    /* its very first stop has not come yet */
    pid_t newborn;    /* the thread that it made in the call in which it stands; 0: none */
    bool stepping;    /* was resumed for one instruction */
    bool interrupted; /* PTRACE_INTERRUPT was sent and no stop has come since */

    int signal;   /* stands before the delivery of this signal; 0 if it stopped for anything else */
    int deliver;  /* handed over when it moves; only if `signal` isn't 0 */
    int injected; /* a signal that we sent ourselves on behalf of a request: let it pass */
    siginfo_t *injected_info; /* borrowed; what it shall carry; NULL: as the kernel made it */

    bool has_event; /* MA3 */
    machine_stop event;
    uint64_t event_number; /* events are told in the order in which they came */
    bool by_syscall;       /* the event: bytes had changed when its system call returned, maybe by that (WX3) */

    bool exits;      /* stands in its last stop */
    bool in_syscall; /* stands between the entry and the return of a system call */
    bool has_call;   /*   which is this one, as it was when it began (WX3) */
    x86_called call;
    bool in_birth;   /* stands in the call by which it made a thread or process: its answer is still to come, whatever is put into rax */

    /* MA4: the point at skip_pc has been told (or is none of this task's business) and its instruction is
     * still to be executed.  If a signal handler comes in between, the task will be back with the same
     * stack pointer: then it isn't told again. */
    bool skip, skip_after_handler;
    uint64_t skip_pc, skip_sp;

    /* A signal that isn't told interrupts a step: its handler runs freely until the task is back here. */
    bool signal_is_quiet, in_handler;
    uint64_t back_pc, back_sp;
    machine_point_id back_point;

    uint64_t step_pc, step_sp, step_flags; /* where its last single step began */

    struct user_regs_struct regs; /* XP5 */
    bool regs_valid, regs_dirty;
    uint8_t *xstate; /* owned; the XSAVE area, NULL until asked for */
    bool xstate_valid, xstate_dirty;

    uint64_t watch_generation; /* of the debug registers as last written to this task */
    machine_stop touched; /* stepping: points that its instruction reads or accesses */
} x86_task;
typedef EBB_VEC(x86_task *) x86_task_list;

/* An address at which we have, or want, an int3: one for all the points there. */
typedef struct x86_site {
    uint64_t addr;
    uint8_t original;
    bool inserted;
    int n_points;
} x86_site;

enum { X86_WATCH_REGISTERS = 4 };

typedef struct x86_point {
    machine_point_id id;
    machine_point what;
    bool internal; /* the machine's own: never told */
    bool in_hardware; /* data points */
    bool is_cheap;    /*   the CPU has a register for it, if it may be in one */
    uint8_t *old;     /* owned; data points: the bytes when the debuggee was last looked at */
    bool knows_was;   /* data points of at most 8 bytes: a change was told, */
    uint64_t was;     /*   and this is what was there before */
    machine_code *condition; /* owned; NULL: none.  Registers are in the CPU's numbering. */
    size_t n_condition;
    machine_point_id ignored_with; /* machine.h, points_ignore: the first of those that share the count; 0: every hit is told */
} x86_point;

/* One debug register. */
typedef struct x86_watch_slot {
    machine_point_id point; /* 0 is free */
    uint64_t addr;
    unsigned nbytes;
    machine_point_kind kind;
} x86_watch_slot;

/* A fork that is being dealt with. */
typedef enum x86_fork_phase {
    X86_FORK_NONE,
    X86_FORK_WAITS_FOR_QUIET, /* every other task has to stop first */
    X86_FORK_HELD,            /* the child is to be followed as soon as the layer has got its parent out of its code */
    X86_FORK_VFORK_RUNS,      /* the child uses the parent's memory: no points in it, others held */
} x86_fork_phase;

typedef struct x86_fork {
    x86_fork_phase phase;
    pid_t parent; /* the task that forked */
    pid_t child;
    bool vfork;
} x86_fork;

/* Where a program that counts its own time has its counter (counter.h): both are counted from the thread's pointer. */
typedef struct x86_counter {
    bool is_there;
    uint64_t counter, base;
    uint64_t lender;   /* the thread's pointer of who called vfork */
    int64_t lent_stop; /* its stop, which it gets back; 0: it had none */
} x86_counter;

/* A process that was made out of a recording (stub.h): what the kernel would say of it, had it executed the program itself. */
typedef struct x86_told {
    char *program;    /* owned; NULL: ask the kernel */
    char *directory;  /* owned; in which it began */
    uint8_t *auxv;    /* owned; as /proc/PID/auxv has it */
    size_t n_auxv;    /* bytes */
    struct x86_recorded_files *files; /* owned; those that the recording has (recorded_files.h) */
} x86_told;

typedef struct x86_process {
    machine base;
    pid_t pid;
    bool launched; /* by us: dies with us (MA5) */
    bool is_copy;  /* of the program (body.h): the terminal is not its business */
    bool let_go;   /* it has executed a program that can't be debugged, and goes on without us: it is gone as well */
    bool gone, outlives; /* it ended; and copies of it may still be executed: points are set without looking */
    struct x86_core *core; /* core.h: it is what is left of a process; NULL: it is one */
    pid_t tracer;               /* our own thread that ptrace answers to */
    sig_atomic_t volatile interrupt_wanted; /* by the user: told sooner or later */
    bool pause_wanted; /* by the layer above: what else is told meanwhile will do instead */
    bool is_paused;    /* the last INTERRUPTED was for the layer alone */

    x86_task_list tasks; /* oldest first; owned */
    EBB_VEC(machine_thread) thread_view;
    uint64_t n_events;

    int mem; /* /proc/PID/mem */
    EBB_VEC(x86_point *) points; /* owned */
    EBB_VEC(x86_site) sites;     /* by address */
    machine_point_id last_point_id;
    bool points_lifted; /* none is in memory just now (vfork) */

    x86_watch_slot watch[X86_WATCH_REGISTERS];
    uint64_t watch_generation;
    bool watch_broken; /* there are no debug registers that work */
    bool watches_by_code; /* VM mode wants none of them to be used */
    size_t n_software_watches;
    size_t n_stores; /* of all data points, those that are about every write (WX3) */
    size_t n_software_reads, n_software_stores; /* of these, how many are about reads, and about writes that may change nothing */
    bool steps_are_not_the_programs; /* VM mode moves translated code */
    pid_t software_turn; /* the only task that may execute while there are software watches */
    unsigned software_steps;
    bool turn_is_over; /* it sits in a system call: let another one step */

    /* What VM mode, a layer over this, wants: its points are in translated code, none goes into memory; it counts
     * instructions that were stepped; it ends the turns of threads after `patience_ms` without news; what it makes a
     * thread do alone is no reason to let others go that stand in their last stop. */
    bool points_elsewhere, holds_exiting;
    bool parts_itself;      /* it is told of a fork before the child is followed, and calls x86_fork_follow */
    bool watches_elsewhere; /* no instruction has to be stepped for data points */
    void *layer;
    void (*when_stepped)(void *layer, pid_t tid, uint64_t from);
    void (*when_handling)(void *layer); /* a step went into a signal handler */
    bool (*when_signalled)(void *layer, pid_t tid, int signal); /* true: it was the layer's own, and is forgotten */
    int patience_ms; /* 0: endless */
    ebb_status (*when_impatient)(void *layer, ebb_error *err);
    void (*when_born)(void *layer, pid_t parent, pid_t child); /* while the parent still stands in its call */
    ebb_status (*when_forked)(void *layer, ebb_error *err); /* both are to be followed: p->fork, whose child stands in its first stop */
    void (*when_exiting)(void *layer); /* a thread is about to end, and its memory with it, if it is the last one */
    void (*when_child_goes)(void *layer, pid_t parent, pid_t child); /* before its first instruction, untraced */

    machine_request request; /* while run.c runs */
    pid_t executed_by;       /* the task that the last exec was called by: its number then */
    pid_t alone;             /* the task that steps over a point; 0 if none */

    bool wants[MACHINE_EVENT_SYSCALL + 1];
    uint64_t stop_signals, pass_signals; /* bit n-1 for signal n */
    x86_follow follow;
    x86_fork fork;
    EBB_VEC(x86_fork) vforks; /* those whose children wait for quiet, unless they are followed */
    x86_counter counter;
    machine_stop ending; /* gone: how it ended */

    x86_told told;
    char *program; /* owned */
    uint64_t entry;
    EBB_VEC(machine_module) modules; /* paths are owned */
    uint64_t vdso;
    uint64_t r_debug; /* 0: not known (yet), or static */
    machine_point_id loader_point; /* at r_brk */
    machine_point_id entry_point;  /* where r_debug can be found at last */

    machine_terminal terminal;
    x86_flavour flavour;
} x86_process;

static inline x86_process *x86_of(machine *m)
{
    return (x86_process *)m;
}

x86_process *x86_process_new(pid_t pid, bool launched);
ebb_status x86_native_decode(machine *m, machine_place place, machine_insn *insn, ebb_error *err) EBB_MUST_CHECK;
machine_place x86_call_before(machine *m, machine_place start, machine_place back); /* machine_native_ops */
void x86_process_free(x86_process *p);

bool x86_siginfo(machine *m, machine_tid tid, siginfo_t *info);

/* The options that every task is traced with. */
long x86_ptrace_options(const x86_process *p);

/* EBB_GONE for a ptrace call that failed because the task is no more, EBB_SYSTEM otherwise. */
ebb_status x86_ptrace_fail(ebb_error *err, const char *doing);
ebb_status x86_check_alive(const x86_process *p, ebb_error *err);

#endif
