/* descriptors.c - opens a program's descriptors again in a copy of it, or sends them there. */
#include "x86/vm/descriptors.h"
#include "x86/body.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

ebb_status vm_receiver_call(const vm_receiver *r, long number, const uint64_t args[6], int64_t *result, ebb_error *err)
{
    uint64_t answer;
    EBB_TRY(x86_body_syscall(r->copy, r->insn, number, args, &answer, err));
    *result = (int64_t)answer;
    return EBB_OK;
}

static ebb_status write_scratch(const vm_receiver *r, uint64_t offset, const void *bytes, size_t nbytes, ebb_error *err)
{
    return machine_write(r->vm->native, r->scratch + offset, bytes, nbytes, err);
}

/* The descriptor `from` of the copy gets that number, and no other. */
static ebb_status put_at(const vm_receiver *r, int64_t from, const vm_kept_fd *fd, ebb_error *err)
{
    int64_t result;
    uint64_t closes = fd->closes ? O_CLOEXEC : 0;
    if (from == fd->fd)
        return vm_receiver_call(r, SYS_fcntl, (uint64_t[6]){(uint64_t)from, F_SETFD, fd->closes ? FD_CLOEXEC : 0}, &result, err);
    EBB_TRY(vm_receiver_call(r, SYS_dup3, (uint64_t[6]){(uint64_t)from, (uint64_t)fd->fd, closes}, &result, err));
    return vm_receiver_call(r, SYS_close, (uint64_t[6]){(uint64_t)from}, &result, err);
}

static uint64_t first_unused(const vm_kept *kept)
{
    int last = 2;
    for (size_t i = 0; i < kept->fds.n; i++)
        last = kept->fds.items[i].fd > last ? kept->fds.items[i].fd : last;
    return (uint64_t)last + 1;
}

/* ---- by their paths --------------------------------------------------------------------------- */

static bool can_open(const vm_kept_file *f)
{
    struct stat st;
    return f->text[0] == '/' && stat(f->text, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISCHR(st.st_mode));
}

static bool is_regular(const vm_kept_file *f)
{
    struct stat st;
    return stat(f->text, &st) == 0 && S_ISREG(st.st_mode);
}

static ebb_status open_again(const vm_receiver *r, const vm_kept_file *f, const vm_kept_fd *fd, bool *done, ebb_buf *lost, ebb_error *err)
{
    int64_t opened, moved = 0;
    *done = false;
    if (strlen(f->text) >= 4000)
        return EBB_OK;
    EBB_TRY(write_scratch(r, 0, f->text, strlen(f->text) + 1, err));
    EBB_TRY(vm_receiver_call(r, SYS_open, (uint64_t[6]){r->scratch, f->flags | O_NOCTTY, 0}, &opened, err));
    if (opened < 0)
        return EBB_OK;
    if (is_regular(f) && f->position >= 0)
        EBB_TRY(vm_receiver_call(r, SYS_lseek, (uint64_t[6]){(uint64_t)opened, (uint64_t)f->position, SEEK_SET}, &moved, err));
    if (f->position < 0 || moved < 0)
        ebb_buf_addf(lost, "the position in %s\n", f->text);
    *done = true;
    return put_at(r, opened, fd, err);
}

/* ---- from somebody who has them --------------------------------------------------------------- */

static bool is_called(const char *link, const char *text)
{
    char target[4096];
    ssize_t n = readlink(link, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    return n > 0 && strcmp(target, text) == 0;
}

/* Not for what many things are called: "anon_inode:[eventfd]". */
static bool is_one_of_a_kind(const char *text)
{
    return text[0] == '/' || strncmp(text, "pipe:", 5) == 0 || strncmp(text, "socket:", 7) == 0;
}

/* It is opened again: where it stood then, not where it stands now. */
static bool is_read_only(const vm_kept_file *f)
{
    return is_regular(f) && (f->flags & O_ACCMODE) == O_RDONLY;
}

/* ebb's own stream of that number, or what the program has under it; -1: neither is the one. */
static int find_elsewhere(const vm_receiver *r, const vm_kept_file *f, int fd)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    bool may_be_ebbs = fd < X86_RING_STREAMS ? !is_read_only(f) : is_one_of_a_kind(f->text) && f->text[0] != '/'; /* both had it from who started ebb */
    if (may_be_ebbs && is_called(link, f->text))
        return dup(fd);
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)r->live, fd);
    if (!r->live || !is_one_of_a_kind(f->text) || f->text[0] == '/' || !is_called(link, f->text))
        return -1;
    int process = (int)syscall(SYS_pidfd_open, r->live, 0);
    int taken = process >= 0 ? (int)syscall(SYS_pidfd_getfd, process, fd, 0) : -1;
    if (process >= 0)
        close(process);
    return taken;
}

/* In the scratch page: a message whose control part takes one descriptor. */
enum { MESSAGE_AT = 0, BYTE_AT = 128, VECTOR_AT = 192, CONTROL_AT = 256, NAME_AT = 512, NAME_NBYTES_AT = 704 };

static ebb_status make_socket(const vm_receiver *r, uint64_t above, int64_t *high, struct sockaddr_un *name, socklen_t *n, ebb_error *err)
{
    sa_family_t family = AF_UNIX;
    int64_t low, result;
    uint32_t room = sizeof *name;
    EBB_TRY(vm_receiver_call(r, SYS_socket, (uint64_t[6]){AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0}, &low, err));
    EBB_TRY(vm_receiver_call(r, SYS_fcntl, (uint64_t[6]){(uint64_t)low, F_DUPFD_CLOEXEC, above}, high, err));
    EBB_TRY(vm_receiver_call(r, SYS_close, (uint64_t[6]){(uint64_t)low}, &result, err));
    EBB_TRY(write_scratch(r, NAME_AT, &family, sizeof family, err));
    EBB_TRY(write_scratch(r, NAME_NBYTES_AT, &room, sizeof room, err));
    uint64_t fd = (uint64_t)*high;
    EBB_TRY(vm_receiver_call(r, SYS_bind, (uint64_t[6]){fd, r->scratch + NAME_AT, sizeof family}, &result, err));
    EBB_TRY(vm_receiver_call(r, SYS_getsockname, (uint64_t[6]){fd, r->scratch + NAME_AT, r->scratch + NAME_NBYTES_AT}, &result, err));
    EBB_TRY(machine_read(r->vm->native, r->scratch + NAME_NBYTES_AT, n, sizeof *n, err));
    EBB_TRY(machine_read(r->vm->native, r->scratch + NAME_AT, name, sizeof *name, err));
    return *high >= 0 && result == 0 ? EBB_OK : ebb_fail(err, EBB_UNAVAILABLE, "the copy of the program can't be given descriptors");
}

static bool send_to(const struct sockaddr_un *name, socklen_t n, int fd)
{
    char byte = 0;
    struct iovec vector = {&byte, 1};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_name = (void *)name, .msg_namelen = n, .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    int from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool sent = from >= 0 && sendmsg(from, &message, MSG_NOSIGNAL) == 1;
    if (from >= 0)
        close(from);
    return sent;
}

static ebb_status receive(const vm_receiver *r, int64_t socket, int64_t *fd, ebb_error *err)
{
    int got = -1;
    int64_t result;
    struct iovec vector = {(void *)(r->scratch + BYTE_AT), 1};
    struct msghdr message = {.msg_iov = (void *)(r->scratch + VECTOR_AT), .msg_iovlen = 1, .msg_control = (void *)(r->scratch + CONTROL_AT), .msg_controllen = CMSG_SPACE(sizeof(int))};
    EBB_TRY(write_scratch(r, VECTOR_AT, &vector, sizeof vector, err));
    EBB_TRY(write_scratch(r, MESSAGE_AT, &message, sizeof message, err));
    EBB_TRY(vm_receiver_call(r, SYS_recvmsg, (uint64_t[6]){(uint64_t)socket, r->scratch + MESSAGE_AT, MSG_DONTWAIT | MSG_CMSG_CLOEXEC}, &result, err));
    if (result == 1)
        EBB_TRY(machine_read(r->vm->native, r->scratch + CONTROL_AT + CMSG_LEN(0), &got, sizeof got, err));
    *fd = got;
    return EBB_OK;
}

static ebb_status send_over(const vm_receiver *r, int own, const vm_kept_fd *fd, uint64_t above, bool *done, ebb_error *err)
{
    struct sockaddr_un name = {0};
    socklen_t n;
    int64_t socket, got = -1, result;
    EBB_TRY(make_socket(r, above, &socket, &name, &n, err));
    if (send_to(&name, n, own))
        EBB_TRY(receive(r, socket, &got, err));
    EBB_TRY(vm_receiver_call(r, SYS_close, (uint64_t[6]){(uint64_t)socket}, &result, err));
    *done = got >= 0;
    return got >= 0 ? put_at(r, got, fd, err) : EBB_OK;
}

/* ---- pipes of its own ------------------------------------------------------------------------- */

/* A descriptor that leads to the other end; NULL: the program has none. */
static const vm_kept_fd *other_end(const vm_kept *kept, const vm_kept_file *f)
{
    for (size_t i = 0; i < kept->fds.n; i++) {
        const vm_kept_file *other = &kept->files.items[kept->fds.items[i].file];
        if (other != f && other->is_own_pipe && strcmp(other->text, f->text) == 0)
            return &kept->fds.items[i];
    }
    return NULL;
}

/* Both ends get a number that none of the program's has, and then theirs. */
static ebb_status make_pipe(const vm_receiver *r, const vm_kept_fd *ends[2], uint64_t above, bool *done, ebb_error *err)
{
    int made[2];
    int64_t result, high[2];
    EBB_TRY(vm_receiver_call(r, SYS_pipe2, (uint64_t[6]){r->scratch, 0}, &result, err));
    *done = result == 0;
    if (!*done)
        return EBB_OK;
    EBB_TRY(machine_read(r->vm->native, r->scratch, made, sizeof made, err));
    for (unsigned i = 0; i < 2; i++) {
        EBB_TRY(vm_receiver_call(r, SYS_fcntl, (uint64_t[6]){(uint64_t)made[i], F_DUPFD_CLOEXEC, above}, &high[i], err));
        EBB_TRY(vm_receiver_call(r, SYS_close, (uint64_t[6]){(uint64_t)made[i]}, &result, err));
    }
    EBB_TRY(put_at(r, high[0], ends[0], err));
    return put_at(r, high[1], ends[1], err);
}

/* A new one is as good, if nobody else has an end of it and nothing is in it. */
static ebb_status give_pipe(const vm_receiver *r, const vm_kept *kept, const vm_kept_fd *fd, const vm_kept_fd **other, ebb_buf *lost, ebb_error *err)
{
    bool done;
    const vm_kept_file *f = &kept->files.items[fd->file];
    *other = f->is_own_pipe && !kept->n_children ? other_end(kept, f) : NULL;
    if (!*other)
        return EBB_OK;
    bool reads = (f->flags & O_ACCMODE) == O_RDONLY;
    const vm_kept_fd *ends[2] = {reads ? fd : *other, reads ? *other : fd};
    int64_t n_inside = kept->files.items[ends[0]->file].position;
    if (n_inside > 0)
        ebb_buf_addf(lost, "%ld bytes in a pipe, descriptor %d\n", (long)n_inside, ends[0]->fd);
    EBB_TRY(make_pipe(r, ends, first_unused(kept), &done, err));
    *other = done ? *other : NULL;
    return EBB_OK;
}

/* ---- all of them ------------------------------------------------------------------------------ */

static ebb_status give_first(const vm_receiver *r, const vm_kept *kept, const vm_kept_fd *fd, bool *done, ebb_buf *lost, ebb_error *err)
{
    const vm_kept_file *f = &kept->files.items[fd->file];
    int own = find_elsewhere(r, f, fd->fd);
    ebb_status status = EBB_OK;
    *done = false;
    if (own >= 0) {
        status = send_over(r, own, fd, first_unused(kept), done, err);
        close(own);
    }
    if (status == EBB_OK && !*done && can_open(f))
        status = open_again(r, f, fd, done, lost, err);
    return status;
}

static ebb_status give_copy(const vm_receiver *r, int of, const vm_kept_fd *fd, ebb_error *err)
{
    int64_t result;
    return vm_receiver_call(r, SYS_dup3, (uint64_t[6]){(uint64_t)of, (uint64_t)fd->fd, fd->closes ? O_CLOEXEC : 0}, &result, err);
}

ebb_status vm_descriptors_give(const vm_receiver *r, const vm_kept *kept, vm_fd_list *closed, ebb_buf *lost, ebb_error *err)
{
    EBB_VEC(int) given = {0}; /* by file: a descriptor that leads there; -1: none does yet */
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < kept->files.n; i++)
        ebb_vec_push(&given, -1);
    for (size_t i = 0; status == EBB_OK && i < kept->fds.n; i++) {
        const vm_kept_fd *fd = &kept->fds.items[i];
        bool done = given.items[fd->file] >= 0;
        const vm_kept_fd *other = NULL;
        if (given.items[fd->file] == fd->fd)
            continue; /* the other end of a pipe */
        status = done ? give_copy(r, given.items[fd->file], fd, err) : give_pipe(r, kept, fd, &other, lost, err);
        if (other)
            given.items[other->file] = other->fd;
        if (status == EBB_OK && !done && !other)
            status = give_first(r, kept, fd, &done, lost, err);
        done = done || other;
        if (status == EBB_OK && done) {
            given.items[fd->file] = fd->fd;
            continue;
        }
        ebb_buf_addf(lost, "descriptor %d (%s), which the program finds closed\n", fd->fd, kept->files.items[fd->file].text);
        ebb_vec_push(closed, fd->fd);
    }
    ebb_vec_fini(&given);
    return status;
}
