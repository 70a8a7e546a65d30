/* scratch.c - what a copy may do that is thrown away. */
#include "x86/inside/scratch.h"
#include "x86/inside/border.h"
#include "x86/inside/own.h"
#include "x86/inside/replay.h"
#include "x86/inside/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static long make(const uint64_t *r)
{
    return x86_sys6((long)r[X86_RAX], (long)r[X86_RDI], (long)r[X86_RSI], (long)r[X86_RDX], (long)r[10], (long)r[8], (long)r[9]);
}

static long change_memory(x86_tcb *tcb)
{
    const uint64_t *r = tcb->regs;
    uint64_t end = r[X86_RDI] + x86_page_up(r[X86_RSI]);
    if (r[X86_RAX] == SYS_munmap)
        return x86_border_unmap(r[X86_RDI], end);
    if (x86_own_hit(r[X86_RDI], end))
        return -ENOMEM;
    long result = make(r);
    if (!x86_call_failed(result))
        x86_border_drop(tcb, r[X86_RDI], r[X86_RSI]);
    return result;
}

static long map(const uint64_t *r)
{
    bool is_plain = (r[10] & MAP_ANONYMOUS) && (r[10] & MAP_PRIVATE) && !(r[10] & MAP_FIXED);
    return is_plain ? make(r) : -EPERM;
}

static long move_break(x86_tcb *tcb)
{
    uint64_t asked = tcb->regs[X86_RDI], now = x86_replay_break(tcb);
    return (long)(asked < now || !x86_replay_set_break(tcb, asked) ? now : asked);
}

/* Nobody else executes here: nobody is there to wake, and nobody to wait for. */
static long futex(const uint64_t *r)
{
    return (r[X86_RSI] & FUTEX_CMD_MASK) == FUTEX_WAKE ? 0 : -EAGAIN;
}

static long write_out(const uint64_t *r)
{
    return r[X86_RDI] == 1 || r[X86_RDI] == 2 ? (long)r[X86_RDX] : -EBADF;
}

/* Calls that make a range of its own memory another are known by how the runtime takes them to the kernel. */
long x86_scratch_call(x86_tcb *tcb)
{
    const uint64_t *r = tcb->regs;
    const x86_call_row *row = x86_call_row_of(r[X86_RAX]);
    switch (r[X86_RAX]) {
    case SYS_brk: return move_break(tcb);
    case SYS_mmap: return map(r);
    case SYS_futex: return futex(r);
    case SYS_write: return write_out(r);
    case SYS_gettid: return (long)tcb->thread;
    default: break;
    }
    if (row && (row->border == X86_BORDER_UNMAP || row->border == X86_BORDER_REMAP))
        return change_memory(tcb);
    return x86_call_word(row, X86_HARMLESS) ? make(r) : -EPERM;
}
