/* origin_input.c - a value that a system call brought: which call, and of a file, which one and where in it.
 *
 * The recording has the calls' numbers and results; their arguments are in the registers of whoever makes them.  So the calls that may have moved
 * the descriptor, since it was opened, are visited one by one.
 *
 * OI1  an offset is told only if all of these were understood, and a file only if nothing else can have become of its descriptor. */
#include "session/c/origin_chain.h"
#include "x86/native.h"

#include <string.h>

enum {
    MAX_VISITS = 400, /* a millisecond or so each */
    MAX_PATH = 512,
};

/* What a call does to a descriptor. */
typedef enum moving {
    MOVES_NOT,
    MOVES_ON,      /* by its result */
    MOVES_TO,      /* its result */
    MOVES_SOMEHOW,
    OPENS,         /* a file: its result is the descriptor */
    MAKES,         /* something else: its result is the descriptor */
    MAKES_TWO,     /* two of them, in memory: the last argument */
} moving;

static moving moving_of(const machine_call *call)
{
    static const struct {
        const char *name;
        moving how;
    } rows[] = {
        {"read", MOVES_ON}, {"readv", MOVES_ON}, {"write", MOVES_ON}, {"writev", MOVES_ON}, {"lseek", MOVES_TO}, {"preadv2", MOVES_SOMEHOW}, {"pwritev2", MOVES_SOMEHOW},
        {"sendfile", MOVES_SOMEHOW}, {"splice", MOVES_SOMEHOW}, {"copy_file_range", MOVES_SOMEHOW}, {"getdents64", MOVES_SOMEHOW}, {"open", OPENS}, {"openat", OPENS},
        {"openat2", OPENS}, {"creat", MAKES}, {"dup", MAKES}, {"dup2", MAKES}, {"dup3", MAKES}, {"socket", MAKES}, {"accept", MAKES}, {"accept4", MAKES},
        {"eventfd2", MAKES}, {"timerfd_create", MAKES}, {"memfd_create", MAKES}, {"signalfd4", MAKES}, {"epoll_create1", MAKES}, {"inotify_init1", MAKES},
        {"fcntl", MAKES}, {"pipe", MAKES_TWO}, {"pipe2", MAKES_TWO}, {"socketpair", MAKES_TWO},
    };
    const char *name = x86_syscall_name((long)call->number);
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].how;
    return MOVES_NOT;
}

static bool is_call(const machine_call *call, const char *name)
{
    const char *its = x86_syscall_name((long)call->number);
    return its && strcmp(its, name) == 0;
}

typedef struct descriptor {
    ses_chain *c;
    uint64_t fd;
    bool is_opened;
    machine_call open;
    EBB_VEC(machine_call) since; /* of any descriptor */
    uint64_t offset;
    bool knows_file, knows_offset;
} descriptor;

static void note_call(void *self, const machine_call *call)
{
    descriptor *d = self;
    moving how = moving_of(call);
    bool is_ours = call->result == (int64_t)d->fd;
    if (how == OPENS && is_ours) {
        d->is_opened = true;
        d->open = *call;
        d->since.n = 0;
    } else if (how != MOVES_NOT && how != OPENS && call->result >= 0 && (how != MAKES || is_ours)) {
        ebb_vec_push(&d->since, *call);
    }
}

/* To the system call; *there false: it was not found where it should be. */
static ebb_status go_to_call(ses_chain *c, const machine_call *call, bool *there, ebb_error *err)
{
    ebb_position at;
    machine_datum nothing = {.nbytes = 1};
    machine_flow flow;
    bool ended = false;
    EBB_TRY(ses_chain_go(c, (ebb_position){.timestamp = call->time}, err));
    for (*there = false; !ended;) {
        EBB_TRY(ses_chain_now(c, &at, err));
        if (at.timestamp != call->time)
            return EBB_OK;
        EBB_TRY(ses_chain_flow(c, ses_chain_thread(c), &nothing, &flow, err));
        *there = flow.kind == MACHINE_FLOW_KERNEL && ses_chain_register(c, "rax") == call->number;
        if (*there)
            return EBB_OK;
        EBB_TRY(ses_chain_step(c, at, &ended, err));
    }
    return EBB_OK;
}

static ebb_status read_path(descriptor *d, char path[MAX_PATH], ebb_error *err)
{
    bool there;
    *path = '\0';
    EBB_TRY(go_to_call(d->c, &d->open, &there, err));
    if (there)
        ses_chain_text(d->c, ses_chain_register(d->c, is_call(&d->open, "open") ? "rdi" : "rsi"), path, MAX_PATH);
    return EBB_OK;
}

/* A pipe or a pair of sockets: one of them may have the number. */
static ebb_status look_at_pair(descriptor *d, const machine_call *call, ebb_error *err)
{
    ebb_position at;
    bool ended = false;
    int32_t pair[2] = {-1, -1};
    uint64_t addr = ses_chain_register(d->c, is_call(call, "socketpair") ? "r10" : "rdi");
    EBB_TRY(ses_chain_now(d->c, &at, err));
    EBB_TRY(ses_chain_step(d->c, at, &ended, err));
    bool is_read = machine_read(d->c->s->machine, addr, pair, sizeof pair, NULL) == EBB_OK;
    if (!is_read || (uint64_t)pair[0] == d->fd || (uint64_t)pair[1] == d->fd)
        d->knows_file = d->knows_offset = false;
    return EBB_OK;
}

/* The debuggee stands at a call of which one argument or two may be the descriptor. */
static ebb_status take_call(descriptor *d, const machine_call *call, ebb_error *err)
{
    bool is_first = ses_chain_register(d->c, "rdi") == d->fd, is_other = ses_chain_register(d->c, "rsi") == d->fd || ses_chain_register(d->c, "rdx") == d->fd;
    switch (moving_of(call)) {
    case MOVES_ON: d->offset += is_first ? (uint64_t)call->result : 0; break;
    case MOVES_TO: d->offset = is_first ? (uint64_t)call->result : d->offset; break;
    case MOVES_SOMEHOW: d->knows_offset &= !is_first && !is_other; break;
    case MAKES: d->knows_file = d->knows_offset = is_call(call, "fcntl") && is_first && d->knows_file; break; /* fcntl of itself asks or sets something */
    case MAKES_TWO: return look_at_pair(d, call, err);
    default: break;
    }
    return EBB_OK;
}

/* OI1 */
static ebb_status look_since(descriptor *d, ebb_error *err)
{
    bool there;
    d->knows_file = d->is_opened;
    d->knows_offset = d->is_opened && d->since.n <= MAX_VISITS;
    for (size_t i = 0; i < d->since.n && d->knows_file; i++) {
        bool makes = moving_of(&d->since.items[i]) == MAKES || moving_of(&d->since.items[i]) == MAKES_TWO;
        if (!makes && !d->knows_offset)
            continue;
        EBB_TRY(go_to_call(d->c, &d->since.items[i], &there, err));
        if (!there)
            d->knows_offset = d->knows_file = false;
        else
            EBB_TRY(take_call(d, &d->since.items[i], err));
    }
    return EBB_OK;
}

/* Where in a file a call finds the first byte that it brings. */
typedef struct file_place {
    uint64_t fd, in_buffer;
    bool is_told;    /* by the call itself: */
    uint64_t offset;
} file_place;

static ebb_status find_file(descriptor *d, char path[MAX_PATH], ebb_error *err)
{
    if (d->is_opened)
        EBB_TRY(look_since(d, err));
    return d->knows_file ? read_path(d, path, err) : EBB_OK;
}

/* Which file, and where in it, a call got the datum from.  Comes back to the call. */
static ebb_status put_file(ses_chain *c, const file_place *from, ebb_position at, ebb_buf *words, ebb_error *err)
{
    descriptor d = {.c = c, .fd = from->fd};
    char path[MAX_PATH] = "";
    ebb_status status = c->s->machine->native->calls(c->s->machine, at.timestamp, note_call, &d, err);
    if (status == EBB_OK)
        status = find_file(&d, path, err);
    if (status == EBB_OK)
        status = ses_chain_go(c, at, err);
    if (status == EBB_OK && *path)
        ebb_buf_addf(words, " of %s", path);
    else if (status == EBB_OK && from->fd == 0 && !d.is_opened)
        ebb_buf_adds(words, " of the standard input");
    if (status == EBB_OK && *path && (from->is_told || d.knows_offset))
        ebb_buf_addf(words, ", from byte %llu of the file on", (unsigned long long)((from->is_told ? from->offset : d.offset) + from->in_buffer));
    ebb_vec_fini(&d.since);
    return status;
}

/* Those that bring bytes of a file.  *mapped: where a mapping begins, after the call. */
static bool reads_file(const ses_chain *c, const char *name, uint64_t mapped, file_place *from)
{
    *from = (file_place){.fd = ses_chain_register(c, "rdi"), .in_buffer = c->datum.addr - ses_chain_register(c, "rsi")};
    if (strcmp(name, "read") == 0)
        return true;
    if (strcmp(name, "pread64") == 0) {
        from->is_told = true;
        from->offset = ses_chain_register(c, "r10");
        return true;
    }
    *from = (file_place){.fd = ses_chain_register(c, "r8"), .in_buffer = c->datum.addr - mapped, .is_told = true, .offset = ses_chain_register(c, "r9")};
    return strcmp(name, "mmap") == 0 && from->fd <= INT32_MAX && c->datum.addr >= mapped;
}

/* The result of the call at which the debuggee stands, and stands again. */
static ebb_status result_of(ses_chain *c, ebb_position at, uint64_t *result, ebb_error *err)
{
    bool ended;
    EBB_TRY(ses_chain_step(c, at, &ended, err));
    *result = ses_chain_register(c, "rax");
    return ses_chain_go(c, at, err);
}

ebb_status ses_chain_tell_kernel(ses_chain *c, ebb_error *err)
{
    ebb_position at;
    ebb_buf words = {0};
    file_place from = {0};
    uint64_t result = 0;
    const char *name = x86_syscall_name((long)ses_chain_register(c, "rax"));
    name = name ? name : "?";
    EBB_TRY(ses_chain_now(c, &at, err));
    if (strcmp(name, "mmap") == 0)
        EBB_TRY(result_of(c, at, &result, err));
    bool is_file = !c->datum.is_register && reads_file(c, name, result, &from);
    if (c->datum.is_register)
        ebb_buf_addf(&words, "is the result of the system call %s", name);
    else if (is_file)
        ebb_buf_addf(&words, "was %s from descriptor %llu", strcmp(name, "mmap") == 0 ? "mapped" : "read", (unsigned long long)from.fd);
    else
        ebb_buf_addf(&words, "was written by the system call %s", name);
    ebb_status status = is_file ? put_file(c, &from, at, &words, err) : EBB_OK;
    if (status != EBB_OK) {
        ebb_buf_fini(&words);
        return status;
    }
    ses_chain_add(c, SES_ORIGIN_INPUT, &words);
    c->is_over = true;
    return EBB_OK;
}
