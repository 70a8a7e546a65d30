/* gate.c - runs the filters over a system call before it is made, and says what they decided. */
#include "x86/inside/gate.h"
#include "x86/inside/sys.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <signal.h>

/* ---- the filters' language -------------------------------------------------------------------- */

static uint32_t compute(uint16_t operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case BPF_ADD: return a + b;
    case BPF_SUB: return a - b;
    case BPF_MUL: return a * b;
    case BPF_DIV: return a / b;
    case BPF_OR: return a | b;
    case BPF_AND: return a & b;
    case BPF_XOR: return a ^ b;
    case BPF_LSH: return a << (b & 31);
    case BPF_RSH: return a >> (b & 31);
    default: return -a; /* BPF_NEG */
    }
}

static bool holds(uint16_t condition, uint32_t a, uint32_t b)
{
    switch (condition) {
    case BPF_JEQ: return a == b;
    case BPF_JGT: return a > b;
    case BPF_JGE: return a >= b;
    default: return a & b; /* BPF_JSET */
    }
}

static uint32_t load(const struct sock_filter *i, const struct seccomp_data *call, const uint32_t *memory)
{
    switch (BPF_MODE(i->code)) {
    case BPF_ABS: return ((const uint32_t *)call)[i->k / 4];
    case BPF_MEM: return memory[i->k];
    case BPF_LEN: return sizeof *call;
    default: return i->k; /* BPF_IMM */
    }
}

static uint32_t run(const struct sock_filter *i, const struct seccomp_data *call)
{
    uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};
    for (;; i++) {
        uint32_t operand = BPF_SRC(i->code) == BPF_X ? x : i->k;
        switch (BPF_CLASS(i->code)) {
        case BPF_LD: a = load(i, call, memory); break;
        case BPF_LDX: x = load(i, call, memory); break;
        case BPF_ST: memory[i->k] = a; break;
        case BPF_STX: memory[i->k] = x; break;
        case BPF_ALU:
            if (BPF_OP(i->code) == BPF_DIV && operand == 0)
                return 0; /* as the kernel has it */
            a = compute(BPF_OP(i->code), a, operand);
            break;
        case BPF_JMP: i += BPF_OP(i->code) == BPF_JA ? i->k : holds(BPF_OP(i->code), a, operand) ? i->jt : i->jf; break;
        case BPF_RET: return BPF_RVAL(i->code) == BPF_A ? a : i->k;
        case BPF_MISC:
            if (BPF_MISCOP(i->code) == BPF_TAX)
                x = a;
            else
                a = x;
            break;
        }
    }
}

/* ---- what it says ----------------------------------------------------------------------------- */

static x86_gate deny(x86_tcb *tcb, const struct seccomp_data *call, x86_denied how, int signal, int code, int error)
{
    tcb->denial = (x86_denial){how, signal, code, error, (uint32_t)call->nr, call->arch};
    return X86_GATE_DENIED;
}

enum { CODE_SECCOMP = 1, CODE_USER_DISPATCH = 2 }; /* of SIGSYS */

/* A listener or tracer of the guest's own can't be there. */
static x86_gate obey(x86_tcb *tcb, const struct seccomp_data *call, uint32_t answer, bool strict, long *error)
{
    int data = (int)(answer & SECCOMP_RET_DATA);
    switch (answer & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG: return X86_GATE_OPEN;
    case SECCOMP_RET_ERRNO: *error = -(data < 4095 ? data : 4095); return X86_GATE_ERROR;
    case SECCOMP_RET_TRACE:
    case SECCOMP_RET_USER_NOTIF: *error = -ENOSYS; return X86_GATE_ERROR;
    case SECCOMP_RET_TRAP: return deny(tcb, call, X86_DENIED_BY_SIGNAL, SIGSYS, CODE_SECCOMP, data);
    case SECCOMP_RET_KILL_THREAD: return deny(tcb, call, X86_DENIED_KILLS_THREAD, strict ? SIGKILL : SIGSYS, CODE_SECCOMP, data);
    default: return deny(tcb, call, X86_DENIED_KILLS_PROCESS, SIGSYS, CODE_SECCOMP, data);
    }
}

/* GT2 */
static x86_gate ask_filters(x86_tcb *tcb, const struct seccomp_data *call, long *error)
{
    uint32_t answer = SECCOMP_RET_ALLOW;
    bool strict = false;
    for (const x86_filter *f = (const x86_filter *)tcb->filter; f; f = (const x86_filter *)f->older) {
        uint32_t said = run(f->code, call);
        if ((int32_t)(said & SECCOMP_RET_ACTION_FULL) < (int32_t)(answer & SECCOMP_RET_ACTION_FULL)) {
            answer = said;
            strict = f->strict;
        }
    }
    return obey(tcb, call, answer, strict, error);
}

static x86_gate ask_dispatch(x86_tcb *tcb, const struct seccomp_data *call)
{
    enum { ALLOWS, BLOCKS };
    const x86_user_dispatch *d = &tcb->user_dispatch;
    uint8_t selector = BLOCKS;
    if (!d->on || call->instruction_pointer - d->offset < d->nbytes)
        return X86_GATE_OPEN;
    if (d->selector && x86_sys_peek(&selector, d->selector, 1) != 1)
        return deny(tcb, call, X86_DENIED_KILLS_PROCESS, SIGSEGV, SI_KERNEL, 0);
    if (selector == ALLOWS)
        return X86_GATE_OPEN;
    return deny(tcb, call, selector == BLOCKS ? X86_DENIED_BY_SIGNAL : X86_DENIED_KILLS_PROCESS, SIGSYS, CODE_USER_DISPATCH, 0);
}

static x86_gate ask(x86_tcb *tcb, const struct seccomp_data *call, long *error)
{
    x86_gate dispatch = ask_dispatch(tcb, call);
    return dispatch == X86_GATE_OPEN ? ask_filters(tcb, call, error) : dispatch;
}

/* ---- the two ways into the kernel ------------------------------------------------------------- */

static bool is_there(const x86_tcb *tcb, uint64_t insn)
{
    return (tcb->filter || tcb->user_dispatch.on) && tcb->open_at != insn; /* GT1 */
}

static bool is_in_tamed_vdso(const x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    return tcb->target - runtime->tamed_vdso < runtime->tamed_vdso_nbytes;
}

x86_gate x86_gate_at_syscall(x86_tcb *tcb, long *error)
{
    const uint64_t *r = tcb->regs;
    if (!is_there(tcb, tcb->target - 2) || is_in_tamed_vdso(tcb))
        return X86_GATE_OPEN;
    struct seccomp_data call = {(int)r[X86_RAX], AUDIT_ARCH_X86_64, tcb->target, {r[X86_RDI], r[X86_RSI], r[X86_RDX], r[10], r[8], r[9]}};
    return ask(tcb, &call, error);
}

x86_gate x86_gate_at_odd_insn(x86_tcb *tcb, long *error)
{
    enum { INT = 0xcd, LINUX = 0x80 };
    uint8_t code[2];
    const uint64_t *r = tcb->regs;
    if (!is_there(tcb, tcb->target) || x86_sys_peek(code, tcb->target, 2) != 2 || code[0] != INT || code[1] != LINUX)
        return X86_GATE_OPEN;
    struct seccomp_data call = {(int)r[X86_RAX], AUDIT_ARCH_I386, tcb->target + 2,
                                {(uint32_t)r[X86_RBX], (uint32_t)r[X86_RCX], (uint32_t)r[X86_RDX], (uint32_t)r[X86_RSI],
                                 (uint32_t)r[X86_RDI], (uint32_t)r[X86_RBP]}};
    return ask(tcb, &call, error);
}

long x86_gate_set_dispatch(x86_tcb *tcb)
{
    enum { OFF, ON };
    x86_user_dispatch d = {tcb->regs[X86_RSI], tcb->regs[X86_RDX], tcb->regs[10], tcb->regs[8]};
    bool useless = d.on ? d.offset && d.offset + d.nbytes <= d.offset : d.offset || d.nbytes || d.selector;
    if (d.on > ON || useless)
        return -EINVAL;
    if (d.selector >= X86_USER_END)
        return -EFAULT;
    tcb->user_dispatch = d;
    return 0;
}
