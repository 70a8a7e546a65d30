/* aside.c - other addresses for a call that waits, and the way back of what was written there. */
#include "x86/inside/aside.h"
#include "x86/inside/border.h"
#include "x86/inside/record.h"
#include "x86/inside/sys.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { MOST = 64, ALIGNMENT = 16, LARGEST = 1 << 30, MOST_ROOMS = 64, LEAST_ROOM = 1 << 18, KEPT = 1 << 20 };

/* Memory that the program gave to the call, and the room that stands in for it. */
typedef struct piece {
    uint64_t program, room, nbytes;
} piece;

typedef struct aside {
    uint64_t n;                   /* XA4.  0: nothing is aside */
    struct room *large;           /* for this call; NULL: none */
    uint64_t free, end;           /* of the room */
    uint64_t is_full;             /* not all could be put there: nothing is */
    uint64_t message;             /* the copy of a struct msghdr, with other addresses in it; 0: none */
    uint64_t wanted;              /* bytes of room, as they are counted */
    piece pieces[MOST];
} aside;

_Static_assert(sizeof(aside) < X86_ASIDE_BYTES / 2, "there is room beside the list");
_Static_assert(offsetof(aside, n) == 0, "XA4");

static aside *aside_of(const x86_tcb *tcb)
{
    return (aside *)tcb->aside;
}

static const x86_called *called(const x86_tcb *tcb)
{
    return (const x86_called *)tcb->call;
}

/* ---- room ------------------------------------------------------------------------------------- */

/* Room for calls that want much of it, for all threads: whoever has the turn takes one, and gives it back. */
typedef struct room {
    uint64_t at, nbytes;
    bool is_used;
} room;

static room rooms[MOST_ROOMS];

static room *free_room(uint64_t nbytes)
{
    room *best = NULL;
    for (room *r = rooms; r < rooms + MOST_ROOMS; r++)
        if (!r->is_used && r->nbytes >= nbytes && (!best || r->nbytes < best->nbytes))
            best = r;
    return best;
}

static room *new_room(uint64_t nbytes)
{
    room *r = rooms;
    while (r < rooms + MOST_ROOMS && r->nbytes)
        r++;
    uint64_t size = LEAST_ROOM;
    while (size < nbytes)
        size *= 2;
    void *at = r < rooms + MOST_ROOMS ? x86_sys_map(0, size, PROT_READ | PROT_WRITE) : NULL;
    if (!at)
        return NULL;
    *r = (room){(uint64_t)at, size, false};
    return r;
}

static void forget(aside *a)
{
    if (a->large) {
        if (a->large->nbytes > KEPT)
            x86_sys6(SYS_madvise, (long)a->large->at, (long)a->large->nbytes, MADV_DONTNEED, 0, 0, 0);
        a->large->is_used = false;
    }
    a->large = NULL;
    a->n = a->is_full = a->message = a->wanted = 0;
    a->free = (uint64_t)(a + 1);
    a->end = (uint64_t)a + X86_ASIDE_BYTES;
}

void x86_aside_forget(x86_tcb *tcb)
{
    forget(aside_of(tcb));
}

static uint64_t aligned(uint64_t nbytes)
{
    return (nbytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool make_room(aside *a)
{
    if (a->wanted <= a->end - a->free)
        return true;
    room *r = a->wanted <= LARGEST ? free_room(a->wanted) : NULL;
    if (!r && a->wanted <= LARGEST)
        r = new_room(a->wanted);
    if (!r)
        return false;
    r->is_used = true;
    a->large = r;
    a->free = r->at;
    a->end = r->at + r->nbytes;
    return true;
}

static uint64_t take_room(aside *a, uint64_t nbytes)
{
    uint64_t at = a->free;
    a->free += aligned(nbytes);
    return at;
}

/* ---- what the call could write ---------------------------------------------------------------- */

static bool overlaps(const aside *a, uint64_t at, uint64_t nbytes)
{
    for (uint64_t i = 0; i < a->n; i++)
        if (at < a->pieces[i].program + a->pieces[i].nbytes && a->pieces[i].program < at + nbytes)
            return true;
    return false;
}

/* Where there is nothing, the kernel has to find that out. */
static void add_piece(void *context, uint64_t at, uint64_t nbytes)
{
    aside *a = context;
    uint8_t byte;
    a->is_full |= a->n == MOST || nbytes > LARGEST || overlaps(a, at, nbytes) || x86_inside_copy(&byte, at, 1) != 1 ||
                  x86_inside_copy(&byte, at + nbytes - 1, 1) != 1;
    if (a->is_full)
        return;
    a->pieces[a->n++] = (piece){at, 0, nbytes};
    a->wanted += aligned(nbytes);
}

/* What the kernel reads there, it finds: as much as fits into the small room at once; a large piece is written only. */
static void fill_pieces(aside *a)
{
    for (uint64_t i = 0; i < a->n; i++) {
        piece *p = &a->pieces[i];
        p->room = take_room(a, p->nbytes);
        if (p->nbytes <= X86_ASIDE_BYTES)
            x86_inside_copy((void *)p->room, p->program, p->nbytes);
    }
}

static uint64_t room_of(const aside *a, uint64_t at)
{
    for (uint64_t i = 0; i < a->n; i++)
        if (a->pieces[i].program == at)
            return a->pieces[i].room;
    return at;
}

/* ---- other addresses -------------------------------------------------------------------------- */

static uint64_t redirect_vector(aside *a, uint64_t at, uint64_t n)
{
    struct iovec *copy = (struct iovec *)take_room(a, n * sizeof *copy);
    if (x86_inside_copy(copy, at, n * sizeof *copy) != n * sizeof *copy)
        return at;
    for (uint64_t i = 0; i < n; i++)
        copy[i].iov_base = (void *)room_of(a, (uint64_t)copy[i].iov_base);
    return (uint64_t)copy;
}

static uint64_t redirect_message(aside *a, uint64_t at)
{
    struct msghdr *copy = (struct msghdr *)room_of(a, at);
    a->message = (uint64_t)copy;
    copy->msg_name = (void *)room_of(a, (uint64_t)copy->msg_name);
    copy->msg_control = (void *)room_of(a, (uint64_t)copy->msg_control);
    copy->msg_iov = (struct iovec *)redirect_vector(a, (uint64_t)copy->msg_iov, copy->msg_iovlen);
    return (uint64_t)copy;
}

static bool is_written(const x86_pointer *p)
{
    return p->way == X86_OUT || p->way == X86_INOUT || p->way == X86_ANYWAY;
}

static uint64_t redirect(aside *a, const x86_called *call, const x86_pointer *p)
{
    uint64_t at = call->arguments[p->argument - 1];
    switch (p->size) {
    case X86_SIZE_VECTOR: return redirect_vector(a, at, call->arguments[p->of - 1]);
    case X86_SIZE_MESSAGE: return redirect_message(a, at);
    default: return room_of(a, at);
    }
}

static bool is_plain_size(uint8_t size)
{
    switch (size) {
    case X86_SIZE_BYTES:
    case X86_SIZE_COUNT:
    case X86_SIZE_UPTO:
    case X86_SIZE_EACH:
    case X86_SIZE_LENGTH:
    case X86_SIZE_BITS:
    case X86_SIZE_QUEUED:
    case X86_SIZE_VECTOR:
    case X86_SIZE_MESSAGE: return true;
    default: return false;
    }
}

/* Whether everything that it writes can be put aside, and it writes at all. */
static bool can_be_aside(const x86_call_row *row)
{
    bool writes = false;
    if (x86_call_word(row, X86_RESUMED) || row->border != X86_BORDER_MADE)
        return false;
    for (unsigned i = 0; i < X86_MAX_POINTERS && row->pointers[i].way != X86_NO_WAY; i++) {
        const x86_pointer *p = &row->pointers[i];
        if (p->way == X86_COMMAND_IN || p->way == X86_OPTION_IN || (is_written(p) && !is_plain_size(p->size)))
            return false;
        writes |= is_written(p);
    }
    return writes;
}

/* For the arrays that are copied so that they can lead elsewhere. */
static uint64_t vectors_nbytes(const x86_called *call, const x86_call_row *row)
{
    uint64_t nbytes = 0;
    struct msghdr m;
    for (unsigned i = 0; i < X86_MAX_POINTERS; i++) {
        const x86_pointer *p = &row->pointers[i];
        if (!is_written(p))
            continue;
        uint64_t at = call->arguments[p->argument - 1];
        if (p->size == X86_SIZE_VECTOR)
            nbytes += aligned(call->arguments[p->of - 1] * sizeof(struct iovec));
        else if (p->size == X86_SIZE_MESSAGE && x86_inside_copy(&m, at, sizeof m) == sizeof m)
            nbytes += aligned(m.msg_iovlen * sizeof(struct iovec));
    }
    return nbytes;
}

static bool is_wanted(x86_tcb *tcb, const x86_call_row *row)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    runtime->fills_pages |= tcb->regs[X86_RAX] == SYS_userfaultfd;
    return row && runtime->n_threads > 1 && tcb->called && !runtime->fills_pages && can_be_aside(row);
}

const uint64_t *x86_aside_begin(x86_tcb *tcb, const uint64_t *regs, uint64_t other[X86_N_GPRS])
{
    aside *a = aside_of(tcb);
    const x86_called *call = called(tcb);
    const x86_call_row *row = x86_call_row_of(tcb->regs[X86_RAX]);
    if (!is_wanted(tcb, row))
        return regs;
    x86_call_wrote(call, -EFAULT, add_piece, a); /* WR4: all that it could */
    a->wanted += vectors_nbytes(call, row);
    if (a->is_full || !a->n || !make_room(a)) {
        forget(a);
        return regs;
    }
    fill_pieces(a);
    __builtin_memcpy(other, regs, X86_N_GPRS * sizeof *other);
    for (unsigned i = 0; i < X86_MAX_POINTERS; i++)
        if (is_written(&row->pointers[i]) && other[x86_argument_register(row->pointers[i].argument)] == call->arguments[row->pointers[i].argument - 1])
            other[x86_argument_register(row->pointers[i].argument)] = redirect(a, call, &row->pointers[i]);
    return other;
}

/* ---- back ------------------------------------------------------------------------------------- */

typedef struct way_back {
    aside *a;
    bool heads;  /* first the lengths, and what leads elsewhere: from them the rest is known */
    bool failed;
} way_back;

static void put_back(void *context, uint64_t at, uint64_t nbytes)
{
    way_back *w = context;
    bool is_head = nbytes == sizeof(uint32_t) || nbytes == sizeof(struct msghdr);
    for (uint64_t i = 0; i < w->a->n && is_head == w->heads; i++) {
        const piece *p = &w->a->pieces[i];
        if (p->program != at)
            continue;
        uint64_t n = nbytes < p->nbytes ? nbytes : p->nbytes;
        w->failed |= x86_inside_copy((void *)at, p->room, n) != n;
        return;
    }
}

/* In the copy of the header stands what leads to the room. */
static void mend_message(const aside *a)
{
    struct msghdr *copy = (struct msghdr *)a->message, program;
    for (uint64_t i = 0; i < a->n; i++)
        if (a->pieces[i].room == a->message && x86_inside_copy(&program, a->pieces[i].program, sizeof program) == sizeof program) {
            copy->msg_name = program.msg_name;
            copy->msg_control = program.msg_control;
            copy->msg_iov = program.msg_iov;
        }
}

long x86_aside_end(x86_tcb *tcb, long result)
{
    aside *a = aside_of(tcb);
    way_back w = {a, .heads = true};
    if (!tcb->called || !a->n)
        return result;
    if (a->message)
        mend_message(a);
    long told = result == -EFAULT ? -EINVAL : result; /* what failed there has written nothing that the program could have seen */
    x86_call_wrote(called(tcb), told, put_back, &w);
    w.heads = false;
    x86_call_wrote(called(tcb), told, put_back, &w);
    forget(a);
    return w.failed ? -EFAULT : result;
}
