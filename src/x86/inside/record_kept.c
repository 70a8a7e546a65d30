/* record_kept.c - what calls did to what the kernel keeps of the program (descriptors, signals, its folder, timers), recorded with their arguments, for
 * whoever makes a copy live (vm/kept.h): replay does none of it. */
#include "x86/inside/record.h"
#include "x86/inside/border.h"
#include "x86/inside/links.h"
#include "x86/inside/sys.h"
#include "x86/ring.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { N_ARGUMENTS = 4 };

static void put(const x86_note *note, const x86_called *call, long result, const void *bytes, size_t nbytes)
{
    ebb_event_writer w;
    if (!x86_ring_begin(note->ring, EBB_EVENT_PAIR_MAX_BYTES + (N_ARGUMENTS + 2) * EBB_VARINT_MAX_BYTES + nbytes, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_KEPT, note->time);
    ebb_event_u64(&w, call->number);
    ebb_event_u64(&w, note->thread);
    ebb_event_i64(&w, result);
    for (unsigned i = 0; i < N_ARGUMENTS; i++)
        ebb_event_u64(&w, call->arguments[i]);
    ebb_event_bytes(&w, bytes, nbytes);
    ebb_event_end(&w);
    x86_ring_end(note->ring, &w);
}

/* ---- descriptors ------------------------------------------------------------------------------ */

static void put_opened(const x86_note *note, const x86_called *call, long fd)
{
    char text[X86_LINK_BYTES];
    put(note, call, fd, text, x86_link_of_fd(fd, text));
}

static void put_pair(const x86_note *note, const x86_called *call)
{
    int fds[2];
    const x86_pointer *p = x86_call_word(x86_call_row_of(call->number), X86_OUT);
    if (!p || x86_sys_peek(fds, call->arguments[p->argument - 1], sizeof fds) != sizeof fds)
        return;
    put_opened(note, call, fds[0]);
    put_opened(note, call, fds[1]);
}

static uint8_t fds_of(const x86_called *call)
{
    const x86_call_row *row = x86_call_row_of(call->number);
    const x86_command_row *command = x86_call_command(call);
    return command && command->fds != X86_FDS_NONE ? command->fds : row ? row->fds : X86_FDS_NONE;
}

static void put_descriptors(const x86_note *note, const x86_called *call, long result)
{
    switch (fds_of(call)) {
    case X86_FDS_OPENS: put_opened(note, call, result); return;
    case X86_FDS_PAIR: put_pair(note, call); return;
    case X86_FDS_SETS:
        if (call->number != SYS_fcntl)
            return;
        __attribute__((fallthrough));
    case X86_FDS_RIGHTS:
    case X86_FDS_COPIES:
    case X86_FDS_CLOSES:
    case X86_FDS_OFFSET: put(note, call, result, NULL, 0); return;
    default: return;
    }
}

/* ---- the rest --------------------------------------------------------------------------------- */

/* With the bytes that an argument leads to, if it does. */
static void put_with(const x86_note *note, const x86_called *call, long result, uint64_t at, size_t nbytes)
{
    uint8_t bytes[64];
    size_t there = at ? x86_sys_peek(bytes, at, nbytes) : 0;
    put(note, call, result, bytes, there == nbytes ? nbytes : 0);
}

/* A signal to the program itself, as far as can be told here. */
static bool is_to_itself(const x86_called *call)
{
    return call->arguments[0] == (uint64_t)x86_sys6(SYS_getpid, 0, 0, 0, 0, 0, 0) || call->arguments[0] == (uint64_t)x86_sys6(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static void put_folder(const x86_note *note, const x86_called *call)
{
    char text[X86_LINK_BYTES];
    put(note, call, 0, text, x86_link("/proc/self/cwd", text));
}

static void put_kept(const x86_note *note, const x86_called *call, long result, const x86_pointer *kept)
{
    bool shares = call->arguments[3] & MAP_SHARED; /* of mmap */
    if (kept->argument)
        put_with(note, call, result, call->arguments[kept->argument - 1], kept->n);
    else if (kept->n == X86_KEPT_FOLDER)
        put_folder(note, call);
    else if ((kept->n != X86_KEPT_SHARED || shares) && (kept->n != X86_KEPT_ITSELF || is_to_itself(call)))
        put(note, call, result, NULL, 0);
}

void x86_note_kept(const x86_note *note, const x86_called *call, long result)
{
    if (!note->ring->keeps || x86_call_failed(result))
        return;
    const x86_pointer *kept = x86_call_word(x86_call_row_of(call->number), X86_KEPT);
    if (kept)
        put_kept(note, call, result, kept);
    else
        put_descriptors(note, call, result);
}

void x86_note_sigreturn(x86_tcb *tcb)
{
    x86_ring *ring = (x86_ring *)((const x86_runtime *)tcb->runtime)->ring;
    x86_note note = {.ring = ring, .time = x86_count_get(tcb), .thread = tcb->thread};
    x86_called call = {.number = SYS_rt_sigreturn};
    if (ring && !ring->ended && ring->keeps)
        put_with(&note, &call, 0, (uint64_t)&((ucontext_t *)tcb->regs[X86_RSP])->uc_sigmask, sizeof(uint64_t));
}
