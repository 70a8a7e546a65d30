/* writes.c - what a system call has written: the sizes that syscalls.def has words for, computed. */
#include "x86/inside/writes.h"
#include "x86/inside/sys.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* One call that is being looked at, and whom to tell. */
typedef struct look {
    const x86_called *call;
    uint64_t got;    /* what the result says; UINT64_MAX: as much as there is room for (WR4) */
    bool succeeded;
    bool complete;   /* WR3 */
    bool only_whole; /* x86_call_wrote_whole */
    bool is_part;    /* the pointer that is looked at leads to what may have been left as it was */
    x86_each_range *each;
    void *context;
} look;

static uint64_t argument(const x86_called *call, unsigned k)
{
    return call->arguments[k - 1];
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void tell(const look *l, uint64_t at, uint64_t nbytes)
{
    if (at && nbytes && !(l->only_whole && l->is_part))
        l->each(l->context, at, nbytes);
}

static size_t peek(const x86_called *call, void *to, uint64_t from, size_t nbytes)
{
    return call->looker ? call->looker->peek(call->looker->self, to, from, nbytes) : x86_sys_peek(to, from, nbytes);
}

/* 0 where nothing can be read. */
static uint32_t word_at(const x86_called *call, uint64_t at)
{
    uint32_t word = 0;
    return at && peek(call, &word, at, sizeof word) == sizeof word ? word : 0;
}

static uint64_t long_at(const x86_called *call, uint64_t at)
{
    uint64_t value = 0;
    return at && peek(call, &value, at, sizeof value) == sizeof value ? value : 0;
}

/* ---- sizes of what an argument points to itself ----------------------------------------------- */

static uint64_t text_nbytes(const x86_called *call, uint64_t at)
{
    char piece[64];
    for (uint64_t n = 0;; n += sizeof piece) {
        size_t there = peek(call, piece, at + n, sizeof piece);
        for (size_t i = 0; i < there; i++)
            if (!piece[i])
                return n + i + 1;
        if (there < sizeof piece)
            return n + there;
    }
}

/* Without a limit, only the result says how much it is. */
static uint64_t items(look *l, const x86_pointer *p)
{
    if (p->of)
        return least(l->got, argument(l->call, p->of)) * p->n;
    if (l->got == UINT64_MAX)
        l->complete = false;
    return l->got == UINT64_MAX ? 0 : l->got * p->n;
}

static uint64_t nbytes_of(look *l, const x86_pointer *p)
{
    const x86_called *call = l->call;
    uint64_t other = p->of ? argument(call, p->of) : 0;
    switch ((x86_size)p->size) {
    case X86_SIZE_BYTES: return p->n;
    case X86_SIZE_COUNT: return other * p->n;
    case X86_SIZE_UPTO: return least(l->got, other);
    case X86_SIZE_EACH: return items(l, p);
    case X86_SIZE_LENGTH: return least(call->lengths[p->of - 1], l->got == UINT64_MAX ? UINT64_MAX : word_at(l->call, other));
    case X86_SIZE_LENGTHS: return (uint64_t)word_at(l->call, other) * p->n;
    case X86_SIZE_PAGES: return (other + 4095) / 4096;
    case X86_SIZE_BITS: return (other + 63) / 64 * 8;
    case X86_SIZE_TEXT: return text_nbytes(call, argument(call, p->argument));
    case X86_SIZE_QUEUED: return 8 + least(l->got, other);
    case X86_SIZE_HANDLE: return 8 + (uint64_t)word_at(l->call, argument(call, p->argument));
    default: return 0;
    }
}

/* ---- what it leads to ------------------------------------------------------------------------- */

static void tell_vector(const look *l, uint64_t at, uint64_t n, uint64_t nbytes)
{
    for (uint64_t i = 0; i < n && nbytes; i++) {
        struct iovec piece;
        if (peek(l->call, &piece, at + i * sizeof piece, sizeof piece) != sizeof piece)
            return;
        uint64_t part = least(piece.iov_len, nbytes);
        tell(l, (uint64_t)piece.iov_base, part);
        nbytes -= part;
    }
}

/* The room for name and control data was perhaps less than what the kernel says that there is. */
static void tell_message(const look *l, uint64_t at, uint64_t nbytes, uint64_t name_room, uint64_t control_room)
{
    struct msghdr m;
    if (peek(l->call, &m, at, sizeof m) != sizeof m)
        return;
    tell(l, at, sizeof m);
    tell(l, (uint64_t)m.msg_name, least(m.msg_namelen, name_room));
    tell(l, (uint64_t)m.msg_control, least(m.msg_controllen, control_room));
    look data = *l;
    data.is_part = false; /* it is there, whatever the other fields say */
    tell_vector(&data, (uint64_t)m.msg_iov, m.msg_iovlen, nbytes);
}

/* What of each was received stands beside it. */
static void tell_messages(const look *l, uint64_t at, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++, at += sizeof(struct mmsghdr)) {
        uint64_t length = at + offsetof(struct mmsghdr, msg_len);
        tell(l, length, sizeof(unsigned));
        tell_message(l, at, word_at(l->call, length), sizeof(struct sockaddr_storage), UINT64_MAX);
    }
}

static void tell_sent(const look *l, uint64_t at, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        tell(l, at + i * sizeof(struct mmsghdr) + offsetof(struct mmsghdr, msg_len), sizeof(unsigned));
}

static bool is_own_process(const x86_called *call, uint64_t pid)
{
    return pid == (call->looker ? call->looker->pid : (uint64_t)x86_sys6(SYS_getpid, 0, 0, 0, 0, 0, 0));
}

static void tell_regset(const look *l, uint64_t at)
{
    tell(l, at, sizeof(struct iovec));
    tell(l, long_at(l->call, at), long_at(l->call, at + offsetof(struct iovec, iov_len)));
}

/* The kernel is asked how many there are. */
static void tell_semaphores(const look *l, uint64_t at)
{
    enum { STAT = 2, COUNT_AT = 80, SET_NBYTES = 104 };
    uint64_t set[SET_NBYTES / 8];
    if (x86_sys6(SYS_semctl, (long)argument(l->call, 1), 0, STAT, (long)set, 0, 0) == 0)
        tell(l, at, set[COUNT_AT / 8] * 2);
}

/* struct ifconf: a length, and an address. */
static void tell_ifconf(const look *l, uint64_t at)
{
    tell(l, at, 16);
    tell(l, long_at(l->call, at + 8), word_at(l->call, at));
}

/* struct fiemap, struct file_dedupe_range: a head, and as many items as a word in it says. */
static void tell_counted(const look *l, uint64_t at, uint64_t head_nbytes, uint64_t count, uint64_t item_nbytes)
{
    tell(l, at, head_nbytes);
    tell(l, at + head_nbytes, count * item_nbytes);
}

/* struct pm_scan_arg. */
static void tell_scan(const look *l, uint64_t at)
{
    enum { VECTOR_AT = 40, ROOM_AT = 48, REGION_NBYTES = 24, NBYTES = 96 };
    tell(l, at, NBYTES);
    tell(l, long_at(l->call, at + VECTOR_AT), least(l->got, long_at(l->call, at + ROOM_AT)) * REGION_NBYTES);
}

/* struct uffdio_copy, struct uffdio_zeropage: where to, and how much. */
static void tell_fill(const look *l, uint64_t at)
{
    enum { COPY = 0xc028aa03 };
    bool copies = (uint32_t)argument(l->call, 2) == COPY;
    tell(l, at, copies ? 40 : 32);
    tell(l, long_at(l->call, at), long_at(l->call, at + (copies ? 16 : 8)));
}

/* The child, whose result is 0, finds its number; in memory of its own, unless it shares its parent's. */
static bool is_told_to_child(const look *l, uint64_t flags)
{
    return (flags & CLONE_CHILD_SETTID) && (l->got == 0 || (flags & CLONE_VM));
}

static void tell_child(const look *l)
{
    uint64_t flags = argument(l->call, 1);
    if (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD))
        tell(l, argument(l->call, 3), sizeof(int));
    if (is_told_to_child(l, flags))
        tell(l, argument(l->call, 4), sizeof(int));
}

static void tell_child_args(const look *l, uint64_t at)
{
    uint64_t flags = long_at(l->call, at + offsetof(struct clone_args, flags));
    if (flags & CLONE_PIDFD)
        tell(l, long_at(l->call, at + offsetof(struct clone_args, pidfd)), sizeof(int));
    if (flags & CLONE_PARENT_SETTID)
        tell(l, long_at(l->call, at + offsetof(struct clone_args, parent_tid)), sizeof(int));
    if (is_told_to_child(l, flags))
        tell(l, long_at(l->call, at + offsetof(struct clone_args, child_tid)), sizeof(int));
}

/* ---- one pointer ------------------------------------------------------------------------------ */

static void tell_written(look *l, const x86_pointer *p)
{
    const x86_called *call = l->call;
    uint64_t at = argument(call, p->argument), other = p->of ? argument(call, p->of) : 0;
    l->is_part = p->way != X86_OUT;
    switch ((x86_size)p->size) {
    case X86_SIZE_VECTOR: tell_vector(l, at, other, l->got); break;
    case X86_SIZE_OWN:
        if (is_own_process(call, argument(call, 1)))
            tell_vector(l, at, other, l->got);
        break;
    case X86_SIZE_MESSAGE: tell_message(l, at, l->got, call->name_nbytes, call->control_nbytes); break;
    case X86_SIZE_MESSAGES: tell_messages(l, at, least(l->got, other)); break;
    case X86_SIZE_SENT: tell_sent(l, at, least(l->got, other)); break;
    case X86_SIZE_XATTR: tell(l, long_at(l->call, at), least(l->got, word_at(l->call, at + 8))); break;
    case X86_SIZE_REGSET: tell_regset(l, at); break;
    case X86_SIZE_SEMAPHORES: tell_semaphores(l, at); break;
    case X86_SIZE_IFCONF: tell_ifconf(l, at); break;
    case X86_SIZE_FIEMAP: tell_counted(l, at, 32, least(word_at(l->call, at + 20), word_at(l->call, at + 24)), 56); break;
    case X86_SIZE_DEDUPE: tell_counted(l, at, 24, word_at(l->call, at + 16) & 0xffff, 32); break;
    case X86_SIZE_SCAN: tell_scan(l, at); break;
    case X86_SIZE_FILL: tell_fill(l, at); break;
    case X86_SIZE_CHILD: tell_child(l); break;
    case X86_SIZE_CHILD_ARGS: tell_child_args(l, at); break;
    case X86_SIZE_UNKNOWN: l->complete = false; break;
    default: tell(l, at, nbytes_of(l, p));
    }
}

/* An ioctl that nobody knows: most say in their number how much they read and write (asm-generic/ioctl.h). */
static void tell_by_number(look *l, uint32_t command)
{
    enum { READS = 2 };
    uint32_t direction = command >> 30, nbytes = command >> 16 & 0x3fff;
    if (!direction || !nbytes)
        l->complete = false;
    else if (direction & READS && !l->only_whole)
        tell(l, argument(l->call, 3), nbytes);
}

static void tell_pointers(look *l, const x86_pointer *pointers, size_t n);

static uint32_t command_in(const x86_called *call, const x86_pointer *p)
{
    uint32_t command = (uint32_t)(argument(call, p->argument) >> p->size) & p->n;
    return p->way == X86_OPTION_IN ? (uint32_t)argument(call, 2) << 16 | command : command;
}

static void tell_by_command(look *l, const x86_pointer *p)
{
    const x86_called *call = l->call;
    uint32_t command = command_in(call, p);
    const x86_command_row *row = x86_command_row_of(call->number, command);
    if (row)
        tell_pointers(l, row->pointers, X86_MAX_COMMAND_POINTERS);
    else if (call->number == SYS_ioctl)
        tell_by_number(l, command);
    else if (p->way == X86_COMMAND_IN)
        l->complete = false;
}

static void tell_pointer(look *l, const x86_pointer *p)
{
    switch ((x86_way)p->way) {
    case X86_COMMAND_IN:
    case X86_OPTION_IN: tell_by_command(l, p); break;
    case X86_OUT:
    case X86_INOUT:
        if (l->succeeded)
            tell_written(l, p);
        break;
    case X86_ANYWAY: tell_written(l, p); break;
    case X86_IN:
    case X86_FLAGS_IN:
    case X86_KEPT:
    case X86_RESUMED:
    case X86_EARLY:
    case X86_PLACED:
    case X86_REFUSED:
    case X86_HARMLESS:
    case X86_WHO:
    case X86_TELLS_WHO:
    case X86_NO_WAY: break;
    }
}

static void tell_pointers(look *l, const x86_pointer *pointers, size_t n)
{
    for (size_t i = 0; i < n && pointers[i].way != X86_NO_WAY; i++)
        tell_pointer(l, &pointers[i]);
}

/* ---- a call ----------------------------------------------------------------------------------- */

static void look_before(x86_called *call, const x86_pointer *p)
{
    if (p->size == X86_SIZE_LENGTH && p->way != X86_COMMAND_IN)
        call->lengths[p->of - 1] = word_at(call, argument(call, p->of));
    if (p->size != X86_SIZE_MESSAGE || p->way != X86_INOUT)
        return;
    uint64_t at = argument(call, p->argument);
    call->name_nbytes = word_at(call, at + offsetof(struct msghdr, msg_namelen));
    call->control_nbytes = word_at(call, at + offsetof(struct msghdr, msg_controllen));
}

void x86_call_look_before(x86_called *call)
{
    const x86_call_row *row = x86_call_row_of(call->number);
    for (unsigned i = 0; row && i < X86_MAX_POINTERS; i++)
        look_before(call, &row->pointers[i]);
}

void x86_call_begins(x86_called *call, const uint64_t regs[X86_N_GPRS])
{
    *call = (x86_called){.number = regs[X86_RAX]};
    for (unsigned k = 1; k <= X86_N_ARGUMENTS; k++)
        call->arguments[k - 1] = regs[x86_argument_register(k)];
    x86_call_look_before(call);
}

const x86_command_row *x86_call_command(const x86_called *call)
{
    const x86_call_row *row = x86_call_row_of(call->number);
    for (unsigned i = 0; row && i < X86_MAX_POINTERS; i++)
        if (row->pointers[i].way == X86_COMMAND_IN || row->pointers[i].way == X86_OPTION_IN)
            return x86_command_row_of(call->number, command_in(call, &row->pointers[i]));
    return NULL;
}

static void ignore(void *context, uint64_t at, uint64_t nbytes)
{
    (void)context, (void)at, (void)nbytes;
}

/* Most rows are plain: only those are looked at twice that have commands, or say that nobody knows. */
static bool has_doubts(const x86_call_row *row)
{
    bool doubts = false;
    for (unsigned i = 0; i < X86_MAX_POINTERS; i++)
        doubts |= row->pointers[i].way == X86_COMMAND_IN || (row->pointers[i].way != X86_NO_WAY && row->pointers[i].size == X86_SIZE_UNKNOWN);
    return doubts;
}

bool x86_call_is_known(const x86_called *call)
{
    const x86_call_row *row = x86_call_row_of(call->number);
    return row && (!has_doubts(row) || x86_call_wrote(call, 0, ignore, NULL));
}

bool x86_call_wrote(const x86_called *call, long result, x86_each_range *each, void *context)
{
    const x86_call_row *row = x86_call_row_of(call->number);
    bool failed = result < 0 && result >= -4095, by_fault = result == -EFAULT;
    look l = {.call = call, .got = by_fault ? UINT64_MAX : failed ? 0 : (uint64_t)result, .succeeded = !failed || by_fault,
              .complete = row || result == -ENOSYS, .each = each, .context = context};
    if (row)
        tell_pointers(&l, row->pointers, X86_MAX_POINTERS);
    return l.complete || (failed && !by_fault && row);
}

void x86_call_wrote_whole(const x86_called *call, long result, x86_each_range *each, void *context)
{
    const x86_call_row *row = x86_call_row_of(call->number);
    look l = {.call = call, .got = (uint64_t)result, .succeeded = true, .only_whole = true, .each = each, .context = context};
    if (row && (result >= 0 || result < -4095))
        tell_pointers(&l, row->pointers, X86_MAX_POINTERS);
}
