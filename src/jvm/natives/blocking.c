/* natives/blocking.c - natives of the JDK's libraries that may block: wait first, then let the library
 * do it.
 *
 * Each row of the table names a native, the library that has it, and how it blocks.  The library's own
 * function runs after the wait, so that results, errors and exceptions are exactly the JDK's. */
#include "jvm/natives/blocking.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "jvm/agent/agent.h"
#include "jvm/engine/invoke.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"

/* ---- descriptors ---- */

static bool is_no_file(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISBLK(st.st_mode);
}

bool jvm_fd_may_block(int fd) { return JVM_OUTSIDE(FD_KIND, is_no_file(fd)); }

static int poll_now(int fd, short events)
{
    struct pollfd p = { .fd = fd, .events = events };
    return poll(&p, 1, 0);
}

/* Also when it is closed or in error: the call will tell. */
static bool is_ready(int fd, short events) { return JVM_OUTSIDE(FD_READY, poll_now(fd, events)) != 0; }

static bool has_blocking_flag(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

static bool is_blocking(int fd) { return JVM_OUTSIDE(FD_MODE, has_blocking_flag(fd)); }

bool jvm_wait_ready(jvm_thread *t, int fd, short events)
{
    while (!is_ready(fd, events) && is_blocking(fd) && !jvm_pending(t))
        (void)jvm_wait_fd(t, fd, events, -1);
    return !jvm_pending(t);
}

static void set_blocking(int fd, bool blocking)
{
    int flags = jvm_is_replaying() ? -1 : fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/* ---- rows ---- */

typedef struct blocking_row blocking_row;
typedef jvm_slot blocking_fn(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row);

struct blocking_row {
    const char *class_name, *name, *library;
    blocking_fn *how;
    short events;
    uint8_t fd_at;      /* slot of the descriptor */
    uint8_t timeout_at; /* slot of the timeout in milliseconds, where there is one */
};

/* ---- calling the library ---- */

static jvm_slot call_library(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    return jvm_native_call_library(t, m, args, row->library);
}

/* ---- ways of blocking ---- */

enum { IO_UNAVAILABLE = -2 }; /* sun.nio.ch.IOStatus */

/* A FileDescriptor's number; -1 for null. */
static int fd_of(const jvm_slot *args, blocking_row *row)
{
    const jvm_obj *fd = args[row->fd_at].a;
    return fd == NULL ? -1 : jvm_get_i32(fd, jvm.fields.FileDescriptor_fd);
}

static jvm_slot wait_then_call(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    if (!jvm_wait_ready(t, fd_of(args, row), row->events))
        return jvm_nothing();
    return call_library(t, m, args, row);
}

/* write0(fd, address, count): writes everything, as a blocking write does, but in the non-blocking way. */
static jvm_slot write_all(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    int fd = fd_of(args, row);
    if (!jvm_fd_may_block(fd) || !is_blocking(fd))
        return call_library(t, m, args, row);
    jvm_slot rest[4] = { args[0], args[1], args[2], args[3] };
    int32_t done = 0, count = args[3].i;
    do {
        if (!jvm_wait_ready(t, fd, POLLOUT))
            return jvm_nothing();
        set_blocking(fd, false);
        int32_t n = call_library(t, m, rest, row).i;
        set_blocking(fd, true);
        if (jvm_pending(t) || (n < 0 && n != IO_UNAVAILABLE))
            return jvm_int(done > 0 && !jvm_pending(t) ? done : n);
        done += n < 0 ? 0 : n;
        rest[1].j = args[1].j + done;
        rest[3].i = count - done;
    } while (done < count);
    return jvm_int(done);
}

/* One call in the non-blocking way once the descriptor is ready; it may do less than asked. */
static jvm_slot do_some(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    int fd = fd_of(args, row);
    bool blocking = jvm_fd_may_block(fd) && is_blocking(fd);
    for (;;) {
        if (!jvm_wait_ready(t, fd, row->events))
            return jvm_nothing();
        if (blocking)
            set_blocking(fd, false);
        jvm_slot n = call_library(t, m, args, row);
        if (blocking)
            set_blocking(fd, true);
        bool again = blocking && !jvm_pending(t) && (m->ret == 'J' ? n.j : n.i) == IO_UNAVAILABLE;
        if (!again)
            return n;
    }
}

static int socket_error(int fd)
{
    int error = 0;
    socklen_t nbytes = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &nbytes) == 0 ? error : errno;
}

/* connect0: begun in the non-blocking way, awaited here, its outcome read from the socket. */
static jvm_slot connect_socket(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    int fd = fd_of(args, row);
    if (!is_blocking(fd))
        return call_library(t, m, args, row);
    set_blocking(fd, false);
    jvm_slot n = call_library(t, m, args, row);
    set_blocking(fd, true);
    if (jvm_pending(t) || n.i != IO_UNAVAILABLE)
        return n;
    while (!is_ready(fd, POLLOUT) && !jvm_pending(t))
        (void)jvm_wait_fd(t, fd, POLLOUT, -1);
    if (jvm_pending(t))
        return jvm_nothing();
    int error = (int)JVM_OUTSIDE(SOCKET_ERROR, socket_error(fd));
    if (error == 0)
        return jvm_int(1);
    jvm_throw(t, error == ECONNREFUSED || error == ETIMEDOUT ? "java/net/ConnectException"
                 : error == EHOSTUNREACH                     ? "java/net/NoRouteToHostException"
                                                             : "java/net/SocketException",
              "%s", strerror(error));
    return jvm_nothing();
}

static int64_t timeout_of(const jvm_method *m, const jvm_slot *args, blocking_row *row)
{
    bool is_long = strchr(m->sig->text, ')')[-1] == 'J'; /* the timeout is always the last parameter */
    return is_long ? args[row->timeout_at].j : args[row->timeout_at].i;
}

/* Waits here for the time given, then asks the library without waiting. */
static jvm_slot poll_one(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row, int fd, short events)
{
    int64_t timeout = timeout_of(m, args, row);
    if (timeout != 0 && !is_ready(fd, events))
        (void)jvm_wait_fd(t, fd, events, timeout);
    jvm_slot zero = args[row->timeout_at];
    args[row->timeout_at].j = 0;
    jvm_slot result = call_library(t, m, args, row);
    args[row->timeout_at] = zero;
    return result;
}

/* Net.poll(fd, events, timeout) */
static jvm_slot poll_events(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    return poll_one(t, m, args, row, fd_of(args, row), (short)args[1].i);
}

static jvm_slot poll_fixed(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    return poll_one(t, m, args, row, fd_of(args, row), row->events);
}

/* EPoll.wait(int epfd, ...): an epoll descriptor is itself ready when it has events. */
static jvm_slot poll_epoll(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    return poll_one(t, m, args, row, args[0].i, POLLIN);
}

static int gather(const struct pollfd *fds, int n)
{
    int gathered = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; gathered >= 0 && i < n; i++) {
        struct epoll_event event = { .events = (uint32_t)fds[i].events, .data.fd = fds[i].fd };
        (void)epoll_ctl(gathered, EPOLL_CTL_ADD, fds[i].fd, &event);
    }
    return gathered;
}

static void close_own(int fd)
{
    if (!jvm_is_replaying())
        close(fd);
}

/* Waits for any of several descriptors by gathering them in an epoll descriptor. */
static void wait_any(jvm_thread *t, const struct pollfd *fds, int n, int64_t timeout)
{
    int gathered = (int)JVM_OUTSIDE(FD_NEW, gather(fds, n));
    if (gathered < 0)
        return;
    (void)jvm_wait_fd(t, gathered, POLLIN, timeout);
    close_own(gathered);
}

/* How many are ready; what poll(2) leaves in them is for the library to write. */
static int poll_copy(const struct pollfd *fds, int n)
{
    struct pollfd *copy = ebb_alloc(((size_t)n + 1) * sizeof *copy);
    memcpy(copy, fds, (size_t)n * sizeof *copy);
    int ready = poll(copy, (nfds_t)n, 0);
    free(copy);
    return ready;
}

/* PollSelectorImpl.poll(long address, int count, int timeout) */
static jvm_slot poll_many(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    struct pollfd *fds = (struct pollfd *)(intptr_t)args[0].j;
    if (args[3].i != 0 && JVM_OUTSIDE(FD_READY, poll_copy(fds, args[2].i)) == 0)
        wait_any(t, fds, args[2].i, args[3].i);
    jvm_slot kept = args[3];
    args[3].i = 0;
    jvm_slot result = call_library(t, m, args, row);
    args[3] = kept;
    return result;
}

/* LinuxWatchService.poll(int fd1, int fd2) */
static jvm_slot poll_pair(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    struct pollfd fds[] = { { args[0].i, POLLIN, 0 }, { args[1].i, POLLIN, 0 } };
    if (JVM_OUTSIDE(FD_READY, poll_copy(fds, 2)) == 0)
        wait_any(t, fds, 2, -1);
    return call_library(t, m, args, row);
}

/* waitForProcessExit0(long pid, boolean reap) */
static jvm_slot wait_process(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    int pidfd = (int)JVM_OUTSIDE(FD_NEW, syscall(SYS_pidfd_open, (pid_t)args[0].j, 0));
    if (pidfd >= 0) { /* else the process is gone already */
        while (!is_ready(pidfd, POLLIN) && !jvm_pending(t))
            (void)jvm_wait_fd(t, pidfd, POLLIN, -1);
        close_own(pidfd);
        if (jvm_pending(t))
            return jvm_nothing();
    }
    return call_library(t, m, args, row);
}

/* lock0(fd, boolean blocking, ...): the kernel can't tell us when a lock comes free, so we ask again. */
static jvm_slot lock_file(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    enum { RETRY_NANOS = 5 * 1000 * 1000, NO_LOCK = -1 };
    bool blocking = args[1].i != 0;
    args[1].i = 0;
    jvm_slot result = call_library(t, m, args, row);
    while (blocking && !jvm_pending(t) && result.i == NO_LOCK) {
        jvm_sleep(t, RETRY_NANOS);
        if (!jvm_pending(t))
            result = call_library(t, m, args, row);
    }
    return result;
}

static size_t element(int32_t i) { return JVM_ARRAY_BASE + (size_t)i * sizeof(int64_t); }

/* getProcessPids0(long pid, long[] pids, long[] ppids, long[] starttimes): children, or all processes.  Copies of this one are
 * nobody's business.  More than there is room for are only counted: it is asked again. */
static jvm_slot list_processes(jvm_thread *t, jvm_method *m, jvm_slot *args, blocking_row *row)
{
    jvm_slot n = call_library(t, m, args, row);
    jvm_obj *lists[] = { args[2].a, args[3].a, args[4].a };
    if (jvm_pending(t) || lists[0] == NULL || n.i > lists[0]->length)
        return n;
    int32_t kept = 0;
    for (int32_t i = 0; i < n.i; i++) {
        if (JVM_OUTSIDE(IS_COPY, jvm_agent_is_copy(jvm_get_i64(lists[0], element(i)))) != 0)
            continue;
        for (int k = 0; k < 3; k++)
            if (lists[k] != NULL)
                jvm_put_i64(lists[k], element(kept), jvm_get_i64(lists[k], element(i)));
        kept++;
    }
    return jvm_int(kept);
}

static blocking_row rows[] = {
    { "sun/nio/ch/FileDispatcherImpl", "read0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/FileDispatcherImpl", "readv0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/FileDispatcherImpl", "write0", "nio", write_all, POLLOUT, 0 },
    { "sun/nio/ch/FileDispatcherImpl", "writev0", "nio", do_some, POLLOUT, 0 },
    { "sun/nio/ch/FileDispatcherImpl", "lock0", "nio", lock_file },
    { "sun/nio/ch/FileChannelImpl", "transferTo0", "nio", do_some, POLLOUT, .fd_at = 6 }, /* an instance method */
    { "sun/nio/ch/SocketDispatcher", "read0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/SocketDispatcher", "readv0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/DatagramDispatcher", "read0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/DatagramDispatcher", "readv0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/DatagramDispatcher", "write0", "nio", wait_then_call, POLLOUT, 0 },
    { "sun/nio/ch/DatagramDispatcher", "writev0", "nio", wait_then_call, POLLOUT, 0 },
    { "sun/nio/ch/DatagramChannelImpl", "receive0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/DatagramChannelImpl", "send0", "nio", wait_then_call, POLLOUT, 0 },
    { "sun/nio/ch/Net", "accept", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/Net", "connect0", "nio", connect_socket, POLLOUT, 1 },
    { "sun/nio/ch/Net", "poll", "nio", poll_events, 0, 0, .timeout_at = 2 },
    { "sun/nio/ch/Net", "pollConnect", "nio", poll_fixed, POLLOUT, 0, .timeout_at = 1 },
    { "sun/nio/ch/UnixDomainSockets", "accept0", "nio", wait_then_call, POLLIN, 0 },
    { "sun/nio/ch/UnixDomainSockets", "connect0", "nio", connect_socket, POLLOUT, 0 },
    { "sun/nio/ch/EPoll", "wait", "nio", poll_epoll, POLLIN, 0, .timeout_at = 4 },
    { "sun/nio/ch/PollSelectorImpl", "poll", "nio", poll_many, 0, 0, .timeout_at = 3 },
    { "sun/nio/fs/LinuxWatchService", "poll", "nio", poll_pair },
    { "java/lang/ProcessHandleImpl", "waitForProcessExit0", "java", wait_process },
    { "java/lang/ProcessHandleImpl", "getProcessPids0", "java", list_processes },
};

enum { NROWS = sizeof rows / sizeof *rows };

/* Inner natives have no room for a row of their own: it is found by the method's name. */
static jvm_slot blocking_native(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    for (int i = 0; i < NROWS; i++)
        if (jvm_sym_is(m->name, rows[i].name) && jvm_sym_is(m->cls->name, rows[i].class_name))
            return rows[i].how(t, m, args, &rows[i]);
    jvm_throw(t, JVM_INTERNAL_ERROR, "%s.%s has no row of its own", m->cls->name->text, m->name->text);
    return jvm_nothing();
}

/* NIO wakes a blocked thread with a signal after it has made the descriptor ready; that is enough here. */
static jvm_slot native_thread_current(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_long(t->id); }

void jvm_natives_add_blocking(void)
{
    static jvm_inner_native table[NROWS + 4];
    for (int i = 0; i < NROWS; i++)
        table[i] = (jvm_inner_native){ rows[i].class_name, rows[i].name, NULL, blocking_native, JVM_NATIVE_BLOCKS };
    table[NROWS] = (jvm_inner_native){ "sun/nio/ch/NativeThread", "current", NULL, native_thread_current, JVM_NATIVE_PURE };
    table[NROWS + 1] = (jvm_inner_native){ "sun/nio/ch/NativeThread", "signal", NULL, jvm_native_nothing, JVM_NATIVE_PURE };
    table[NROWS + 2] = (jvm_inner_native){ "sun/nio/ch/NativeThread", "init", NULL, jvm_native_nothing, JVM_NATIVE_PURE };
    jvm_native_add_table(table);
}
