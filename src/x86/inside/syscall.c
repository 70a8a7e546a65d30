/* syscall.c - the border to the kernel. */
#include "x86/calls.h"
#include "x86/inside/aside.h"
#include "x86/inside/border.h"
#include "x86/inside/caught.h"
#include "x86/inside/gate.h"
#include "x86/inside/own.h"
#include "x86/inside/replay.h"
#include "x86/inside/record.h"
#include "x86/inside/runtime.h"
#include "x86/inside/sys.h"
#include "x86/inside/timed.h"
#include "x86/inside/wake.h"
#include "x86/inside/x87.h"

#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#ifndef ARCH_SHSTK_ENABLE
#define ARCH_SHSTK_ENABLE 0x5001
#endif

enum { FLAG_TRAP = 0x100 };

x86_border x86_border_of(uint64_t number)
{
    const x86_call_row *row = x86_call_row_of(number);
    return row ? (x86_border)row->border : X86_BORDER_MADE; /* a newer kernel may know it */
}

/* A call that waits for nobody is no reason to let others run (turn.h).  Nor is an exec: the time at which it began is that of its end. */
static bool keeps_turn(uint64_t number)
{
    const x86_call_row *row = x86_call_row_of(number);
    return row && (row->waits == X86_SOON || row->border == X86_BORDER_EXEC);
}

static long pass(x86_tcb *tcb)
{
    x86_turn *turn = &((x86_runtime *)tcb->runtime)->turn;
    x86_timed timed;
    uint64_t other[X86_N_GPRS];
    const uint64_t *regs = x86_timed_regs(tcb, tcb->open_at == tcb->target - 2, &timed);
    if (x86_wakes(turn, tcb)) {
        long woken = x86_wake(turn, tcb);
        x86_turn_take(turn, tcb);
        return woken;
    }
    if (!keeps_turn(tcb->regs[X86_RAX])) {
        regs = x86_aside_begin(tcb, regs, other);
        x86_wake_waits(turn, tcb);
        x86_turn_give(turn, tcb);
    }
    long result = x86_inside_guest_syscall(regs);
    x86_wake_came(turn, tcb);
    x86_turn_take(turn, tcb);
    return tcb->outside == X86_HAS_TURN ? x86_aside_end(tcb, result) : result;
}

uint64_t x86_border_real_number(const x86_runtime *runtime, uint64_t known)
{
    for (uint64_t i = 0; i < runtime->n_numbers; i++)
        if (runtime->numbers[i].known == (uint32_t)known)
            return runtime->numbers[i].real;
    return known;
}

static long known_number(const x86_runtime *runtime, long real)
{
    for (uint64_t i = 0; i < runtime->n_numbers; i++)
        if ((long)runtime->numbers[i].real == real)
            return (long)runtime->numbers[i].known;
    return real;
}

static uint64_t *argument_of(x86_tcb *tcb, const x86_pointer *p)
{
    return &tcb->regs[x86_argument_register(p->argument)];
}

/* A process that went live from the past, and its threads, have other numbers than the program knows them by. */
static long pass_renamed(x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    const x86_call_row *row = x86_call_row_of(tcb->regs[X86_RAX]);
    uint64_t known[X86_N_ARGUMENTS + 1];
    for (unsigned i = 0; row && i < X86_MAX_POINTERS; i++)
        if (row->pointers[i].way == X86_WHO) {
            uint64_t *argument = argument_of(tcb, &row->pointers[i]);
            known[row->pointers[i].argument] = *argument;
            *argument = x86_border_real_number(runtime, *argument);
        }
    long result = pass(tcb);
    for (unsigned i = 0; row && i < X86_MAX_POINTERS; i++)
        if (row->pointers[i].way == X86_WHO)
            *argument_of(tcb, &row->pointers[i]) = known[row->pointers[i].argument];
    return x86_call_word(row, X86_TELLS_WHO) ? known_number(runtime, result) : result;
}

/* If other threads of the program wait for the turn, they are whom the thread wants to let run: the kernel is not asked, so that the
 * clock has no say in who comes first. */
static long yield(x86_tcb *tcb)
{
    x86_turn *turn = &((x86_runtime *)tcb->runtime)->turn;
    if (!x86_turn_is_wanted(turn))
        return pass(tcb);
    x86_turn_pass_on(turn, tcb);
    x86_turn_take(turn, tcb);
    return 0;
}

void x86_border_drop(x86_tcb *tcb, uint64_t at, uint64_t nbytes)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    uint64_t end = at + x86_page_up(nbytes);
    if (end <= at)
        return;
    x86_code_forget(&runtime->code, at, end);
    x86_cache_drop_range(&runtime->cache, at, end);
}

/* What is the guest's of the range goes; what is ours is not there as far as the guest knows. */
long x86_border_unmap(uint64_t lo, uint64_t hi)
{
    uint64_t end;
    for (; x86_own_gap(&lo, hi, &end); lo = end) {
        long result = x86_sys6(SYS_munmap, (long)lo, (long)(end - lo), 0, 0, 0, 0);
        if (x86_call_failed(result))
            return result;
    }
    return 0;
}

/* A call about a range with some of our memory in it (own.h). */
static long spare_our_own(uint64_t number, uint64_t at, uint64_t end)
{
    switch (number) {
    case SYS_munmap: return at % 4096 ? -EINVAL : x86_border_unmap(at, end);
    default: return -ENOMEM; /* for mmap at a fixed address, there is no better answer */
    }
}

static bool is_at_fixed_address(uint64_t number, uint64_t flags)
{
    return number != SYS_mmap || ((flags & MAP_FIXED) && !(flags & MAP_FIXED_NOREPLACE));
}

static long unmap(x86_tcb *tcb)
{
    uint64_t number = tcb->regs[X86_RAX], at = tcb->regs[X86_RDI], nbytes = tcb->regs[X86_RSI];
    uint64_t end = at + x86_page_up(nbytes);
    bool ours = end > at && x86_own_hit(at, end) && is_at_fixed_address(number, tcb->regs[10]);
    long result = ours ? spare_our_own(number, at, end) : pass(tcb);
    if (!x86_call_failed(result) && result != X86_NOT_MADE)
        x86_border_drop(tcb, number == SYS_mmap ? (uint64_t)result : at, nbytes);
    return result;
}

static long remap(x86_tcb *tcb)
{
    uint64_t at = tcb->regs[X86_RDI], old = tcb->regs[X86_RSI], new = tcb->regs[X86_RDX];
    bool fixed = tcb->regs[10] & MREMAP_FIXED;
    uint64_t to = tcb->regs[8];
    if (x86_own_hit(at, at + x86_page_up(old)))
        return -EFAULT;
    if (fixed && x86_own_hit(to, to + x86_page_up(new)))
        return -ENOMEM;
    long result = pass(tcb);
    if (!x86_call_failed(result) && result != X86_NOT_MADE) {
        x86_border_drop(tcb, at, old);
        x86_border_drop(tcb, (uint64_t)result, new);
    }
    return result;
}

void x86_border_finish(x86_tcb *tcb, long result)
{
    tcb->regs[X86_RAX] = (uint64_t)result;
    tcb->regs[X86_RCX] = tcb->target;
    tcb->regs[11] = tcb->rflags | (tcb->trap_flag ? FLAG_TRAP : 0);
}

void x86_border_stay(x86_tcb *tcb)
{
    tcb->target -= 2;
    tcb->skip_at = tcb->target;
}

/* The call is to be made, but not by the runtime. */
static uint64_t leave_to_ebb(x86_tcb *tcb, x86_stuck why)
{
    x86_border_stay(tcb);
    tcb->outside = X86_HAS_TURN;
    return x86_give_up(tcb, why);
}

/* A child must not come back to this C code: after vfork it would use the stack that its parent still needs, and a
 * thread has another stack altogether.  So entry.S makes these calls, with the guest's registers. */
static uint64_t fork_process(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    runtime->has_forked = true;
    x86_caught_later(tcb, tcb->regs[X86_RAX]);
    x86_x87_tell_guest_address(&runtime->cache);
    x86_turn_give(&runtime->turn, tcb);
    return (uint64_t)x86_inside_fork;
}

/* The thread has the turn when it comes back: a new thread is ebb's, until its first instruction. */
static uint64_t clone_beside(x86_tcb *tcb)
{
    x86_caught_later(tcb, tcb->regs[X86_RAX]);
    return (uint64_t)x86_inside_clone;
}

/* A process that shares memory, and that no debugger is to trace, is made to trace the program: ebb has to let that go on alone (vm/alone.c).
 * A thread that ebb doesn't hear of would go on in the runtime, with its maker's control block: ebb hears of it.  The flag is gone from the
 * guest's register afterwards, too, where nobody looks for it. */
static uint64_t clone_untraced(x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    bool is_thread = tcb->regs[X86_RAX] == SYS_clone && (tcb->regs[X86_RDI] & CLONE_THREAD);
    if (!is_thread && !runtime->feed.is_on)
        return leave_to_ebb(tcb, X86_STUCK_UNTRACED);
    tcb->regs[X86_RDI] &= ~(uint64_t)CLONE_UNTRACED;
    return clone_beside(tcb);
}

/* A thread, or a process: by its flags. */
static uint64_t clone_with(x86_tcb *tcb, uint64_t flags)
{
    bool beside_parent = (flags & CLONE_VM) && !(flags & CLONE_VFORK);
    if (!beside_parent)
        return fork_process(tcb);
    if (flags & CLONE_UNTRACED)
        return clone_untraced(tcb);
    return clone_beside(tcb);
}

static uint64_t clone_any(x86_tcb *tcb)
{
    return clone_with(tcb, tcb->regs[X86_RDI]);
}

/* What the kernel can't read, or finds too short, it refuses. */
static uint64_t clone_by_struct(x86_tcb *tcb)
{
    struct clone_args args;
    if (tcb->regs[X86_RSI] < CLONE_ARGS_SIZE_VER0 || x86_sys_peek(&args, tcb->regs[X86_RDI], CLONE_ARGS_SIZE_VER0) != CLONE_ARGS_SIZE_VER0)
        return fork_process(tcb);
    return clone_with(tcb, args.flags);
}

/* What is in rax then depends on who said no. */
static uint64_t denied(x86_tcb *tcb, long result)
{
    x86_border_finish(tcb, result);
    tcb->outside = X86_HAS_TURN;
    return x86_give_up(tcb, X86_STUCK_DENIED);
}

/* The kernel takes the registers from a copy of the frame, which leads back into the runtime: the program may look at the frame itself
 * for as long as it likes, and finds in it what it would find natively.  False: it can't be read. */
static bool copy_sigframe(x86_tcb *tcb)
{
    _Static_assert(X86_SIGFRAME_BYTES == offsetof(ucontext_t, uc_sigmask) + sizeof(uint64_t), "what the kernel reads");
    greg_t *gregs = (greg_t *)(tcb->sigframe + offsetof(ucontext_t, uc_mcontext.gregs));
    if (x86_inside_copy(tcb->sigframe, tcb->regs[X86_RSP], X86_SIGFRAME_BYTES) != X86_SIGFRAME_BYTES)
        return false;
    tcb->sigreturn = (uint64_t)tcb->sigframe;
    tcb->target = (uint64_t)gregs[REG_RIP];
    gregs[REG_RIP] = (greg_t)x86_inside_sigreturned;
    tcb->trap_flag = (gregs[REG_EFL] & FLAG_TRAP) != 0;
    gregs[REG_EFL] &= ~(greg_t)FLAG_TRAP;
    return true;
}

/* The thread gets the signal that the kernel would give it.  In a replay that comes from outside. */
static uint64_t refuse_sigframe(x86_tcb *tcb)
{
    if (((const x86_runtime *)tcb->runtime)->feed.is_on)
        return leave_to_ebb(tcb, X86_STUCK_EVENT);
    tcb->denial = (x86_denial){.how = X86_DENIED_BY_SIGNAL, .signal = SIGSEGV, .code = SI_KERNEL};
    return denied(tcb, 0);
}

/* The handler may have edited the frame: what counts is what it says now.  It ticks, since the place may be any (TR4). */
uint64_t x86_border_sigreturn(x86_tcb *tcb)
{
    if (!copy_sigframe(tcb))
        return refuse_sigframe(tcb);
    tcb->source = 0;
    x86_count_tick(tcb);
    tcb->link = X86_TICKED; /* TU6: a turn may end here, too */
    return (uint64_t)x86_inside_sigreturn;
}

/* By its name: whatever else is called so costs a little time. */
static bool is_process_memory(uint64_t path)
{
    char name[64];
    size_t room = x86_sys_peek(name, path, sizeof name), n = 0;
    while (n < room && name[n])
        n++;
    return n >= 3 && n < room && __builtin_memcmp(name + n - 3, "mem", 3) == 0;
}

static long open_file(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    bool relative = tcb->regs[X86_RAX] == SYS_openat;
    uint64_t path = tcb->regs[relative ? X86_RSI : X86_RDI], flags = tcb->regs[relative ? X86_RDX : X86_RSI];
    bool unlocks = (flags & O_ACCMODE) != O_RDONLY && !runtime->code.all_writable && is_process_memory(path);
    long result = pass(tcb);
    if (unlocks && !x86_call_failed(result) && result != X86_NOT_MADE) {
        runtime->code.all_writable = true;
        runtime->n_drops = X86_MAX_DROPS + 1;
    }
    return result;
}

/* The kernel looks whether the stack pointer is on the stack that is asked about. */
static long sigaltstack_call(x86_tcb *tcb)
{
    long result = SYS_sigaltstack;
    uint64_t rsp = tcb->regs[X86_RSP];
    __asm__ volatile("xchg %1, %%rsp\n\t syscall\n\t xchg %1, %%rsp"
                     : "+a"(result), "+b"(rsp)
                     : "D"(tcb->regs[X86_RDI]), "S"(tcb->regs[X86_RSI])
                     : "rcx", "r11", "memory");
    return result;
}

static long arch_prctl(x86_tcb *tcb)
{
    uint64_t value = tcb->regs[X86_RSI];
    switch (tcb->regs[X86_RDI]) {
    case ARCH_SET_GS:
        if (value >= X86_USER_END)
            return -EPERM;
        tcb->guest_gs_base = value;
        return 0;
    case ARCH_SET_CPUID: ((x86_runtime *)tcb->runtime)->cpuid_may_fault |= !value; return pass(tcb);
    case ARCH_SHSTK_ENABLE: return -EOPNOTSUPP; /* translated calls and returns would not agree with a shadow stack */
    case ARCH_GET_GS: return x86_sys_poke(value, &tcb->guest_gs_base, sizeof tcb->guest_gs_base) ? 0 : -EFAULT;
    default: return pass(tcb);
    }
}

/* ebb wants the thread before the call was made: it still is to be made.  The point there has been passed. */
static uint64_t go_back(x86_tcb *tcb)
{
    x86_border_stay(tcb);
    return x86_dispatch(tcb);
}

/* seccomp(operation, flags, filter), prctl(PR_SET_SECCOMP, mode, filter).  Programs that ask what the kernel can do pass no
 * filter. */
static bool sets_filter(const x86_tcb *tcb, x86_border what)
{
    uint64_t first = tcb->regs[X86_RDI], second = tcb->regs[X86_RSI], filter = tcb->regs[X86_RDX];
    if (what == X86_BORDER_SECCOMP)
        return (first == SECCOMP_SET_MODE_STRICT && !second && !filter) || (first == SECCOMP_SET_MODE_FILTER && filter);
    return what == X86_BORDER_PRCTL && first == PR_SET_SECCOMP &&
           (second == SECCOMP_MODE_STRICT || (second == SECCOMP_MODE_FILTER && filter));
}

void x86_border_note_name(x86_tcb *tcb, long result)
{
    if (tcb->regs[X86_RDI] != PR_SET_NAME || result != 0)
        return;
    __builtin_memset(tcb->name, 0, sizeof tcb->name);
    x86_sys_peek(tcb->name, tcb->regs[X86_RSI], sizeof tcb->name - 1);
}

static long name_thread(x86_tcb *tcb)
{
    long result = pass(tcb);
    x86_border_note_name(tcb, result);
    return result;
}

static long control_process(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    switch (tcb->regs[X86_RDI]) {
    case PR_GET_SECCOMP: return tcb->filter ? SECCOMP_MODE_FILTER : pass(tcb); /* nobody can ask in strict mode */
    case PR_SET_SYSCALL_USER_DISPATCH: return x86_gate_set_dispatch(tcb);
    case PR_SET_NAME: return name_thread(tcb);
    case PR_SET_TSC: runtime->tsc_may_fault |= tcb->regs[X86_RSI] == PR_TSC_SIGSEGV; return pass(tcb);
    default: return pass(tcb);
    }
}

static long make(x86_tcb *tcb, x86_border what)
{
    long answer;
    if (x86_record_refuses(tcb, &answer))
        return answer;
    if (tcb->regs[X86_RAX] == SYS_exit || tcb->regs[X86_RAX] == SYS_exit_group)
        x86_record_ends(tcb);
    x86_files_before(tcb);
    switch (what) {
    case X86_BORDER_UNMAP: return unmap(tcb);
    case X86_BORDER_REMAP: return remap(tcb);
    case X86_BORDER_RSEQ: return ((x86_runtime *)tcb->runtime)->is_from_start ? -ENOSYS : pass(tcb);
    case X86_BORDER_PRCTL: return control_process(tcb);
    case X86_BORDER_ARCH_PRCTL: return arch_prctl(tcb);
    case X86_BORDER_SIGALTSTACK: return sigaltstack_call(tcb);
    case X86_BORDER_OPEN: return open_file(tcb);
    case X86_BORDER_YIELD: return yield(tcb);
    default: break;
    }
    long result = ((x86_runtime *)tcb->runtime)->n_numbers ? pass_renamed(tcb) : pass(tcb);
    x86_files_after(tcb, result);
    return result;
}

/* What ebb has to see before the call is made, in the next round. */
static x86_stuck is_looked_at(x86_tcb *tcb, x86_border what)
{
    if (what == X86_BORDER_EXEC)
        return X86_STUCK_EXEC;
    if (tcb->regs[X86_RAX] == SYS_exit_group && x86_record_tells_end(tcb))
        return X86_STUCK_LAST;
    if (tcb->regs[X86_RAX] == SYS_exit && (((const x86_runtime *)tcb->runtime)->catches & X86_CATCHES_LEAVING))
        return X86_STUCK_LEAVES;
    return x86_files_are_ebbs(tcb) ? X86_STUCK_FILES : X86_NOT_STUCK;
}

static uint64_t cross(x86_tcb *tcb, x86_border what)
{
    switch (what) {
    case X86_BORDER_FORK: return fork_process(tcb);
    case X86_BORDER_CLONE: return clone_any(tcb);
    case X86_BORDER_CLONE3: return clone_by_struct(tcb);
    case X86_BORDER_SIGRETURN: x86_note_sigreturn(tcb); return x86_border_sigreturn(tcb);
    default: break;
    }
    if (what == X86_BORDER_PRCTL && tcb->regs[X86_RDI] == PR_SET_MDWE)
        return leave_to_ebb(tcb, X86_STUCK_FORBIDS);
    if (sets_filter(tcb, what))
        return leave_to_ebb(tcb, X86_STUCK_FILTER);
    x86_stuck look = is_looked_at(tcb, what);
    if (look != X86_NOT_STUCK && tcb->open_at != tcb->target - 2)
        return leave_to_ebb(tcb, look);
    uint64_t number = tcb->regs[X86_RAX];
    long result = make(tcb, what);
    if (result == X86_NOT_MADE)
        return go_back(tcb);
    tcb->open_at = 0;
    x86_border_finish(tcb, result);
    return x86_caught_answer(tcb, number, result);
}

uint64_t x86_syscall(x86_tcb *tcb)
{
    __atomic_store_n(&tcb->outside, X86_IN_SYSCALL, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&tcb->stop_wanted, __ATOMIC_SEQ_CST))
        return go_back(tcb);
    if (tcb->yield == X86_YIELD_TO_EBB)
        return leave_to_ebb(tcb, X86_STUCK_TICK);
    if (((x86_runtime *)tcb->runtime)->feed.is_on)
        return x86_replay_syscall(tcb);
    long result;
    uint64_t number = tcb->regs[X86_RAX];
    x86_border what = x86_border_of(number);
    if (x86_caught_call(tcb))
        return leave_to_ebb(tcb, X86_STUCK_CALLS);
    if (what != X86_BORDER_SIGRETURN)
        x86_record_begins(tcb);
    switch (x86_gate_at_syscall(tcb, &result)) {
    case X86_GATE_OPEN: return cross(tcb, what);
    case X86_GATE_ERROR: x86_border_finish(tcb, result); return x86_caught_answer(tcb, number, result);
    default: return denied(tcb, (long)number);
    }
}
