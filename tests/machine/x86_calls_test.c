/* The oracle of syscalls.def and commands.def: calls are made on the CPU, and what has changed in memory is compared with what the
 * table says (inside/writes.h).
 *
 * All memory that a call gets lies in one arena, in blocks of just the size that the call may use, among bytes of a pattern.  After a
 * call each byte that has changed must be in a range that the table tells (WR1), and each range in a block (WR2).  Everything is
 * done twice, with different patterns, since the kernel may write what stands there already.  Each case is a child process, so that it may do
 * to itself what it likes. */
#include "unit.h"
#include "x86/calls.h"
#include "x86/inside/sys.h"
#include "x86/inside/writes.h"

#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
#define X86_CALL(number, name, ...) NR_##name = number,
#include "x86/syscalls.def"
#undef X86_CALL
    N_CALLS = 512
};

static const char *const names[N_CALLS] = {
#define X86_CALL(number, name, ...) [number] = #name,
#include "x86/syscalls.def"
#undef X86_CALL
};

static const struct { uint32_t call, command; const char *name; } commands[] = {
#define X86_COMMAND(call, command, name, ...) {NR_##call, command, #name},
#include "x86/commands.def"
#undef X86_COMMAND
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

#define X86_KERNEL_SIZE(name, nbytes, type) _Static_assert(sizeof(type) == nbytes, #name);
#include "x86/kernel_sizes.def"
#undef X86_KERNEL_SIZE

/* ---- the arena -------------------------------------------------------------------------------- */

enum { ARENA_NBYTES = 1 << 18, GAP = 48, MAX_BLOCKS = 512, MAX_RANGES = 4096 };

typedef struct range {
    uint64_t at, nbytes;
} range;

static uint8_t *arena, *arena_before, *told_bytes;
static size_t arena_used;
static unsigned seed;
static range blocks[MAX_BLOCKS];
static size_t n_blocks;

/* What all children have found out. */
typedef struct findings {
    uint8_t succeeded[N_CALLS], failed[N_CALLS], command_succeeded[N_COMMANDS];
    uint32_t n_calls, n_checked_bytes;
} findings;
static findings *found;
static const char *case_name;

static uint8_t poison_at(size_t i)
{
    return (uint8_t)((i * 167 + 13) ^ (seed ? 0xff : 0));
}

static void poison(void)
{
    for (size_t i = 0; i < ARENA_NBYTES; i++)
        arena[i] = poison_at(i);
}

/* Memory of just that size, with the pattern in it. */
static void *room(size_t nbytes)
{
    uint8_t *at = arena + ((arena_used + 15) & ~(size_t)15);
    arena_used = (size_t)(at - arena) + nbytes + GAP;
    if (arena_used > ARENA_NBYTES || n_blocks == MAX_BLOCKS)
        abort();
    blocks[n_blocks++] = (range){(uint64_t)at, nbytes};
    return at;
}

static void *given(const void *bytes, size_t nbytes)
{
    return memcpy(room(nbytes), bytes, nbytes);
}

static char *text(const char *s)
{
    return given(s, strlen(s) + 1);
}

#define GIVEN(type, ...) ((type *)given(&(type)__VA_ARGS__, sizeof(type)))
#define ROOM(type) ((type *)room(sizeof(type)))

static bool is_in_a_block(uint64_t at, uint64_t nbytes)
{
    for (size_t i = 0; i < n_blocks; i++)
        if (at >= blocks[i].at && at + nbytes <= blocks[i].at + blocks[i].nbytes)
            return true;
    return false;
}

/* ---- a call ----------------------------------------------------------------------------------- */

static void complain(uint64_t number, const long *arguments, long result, const char *what, uint64_t at, uint64_t nbytes)
{
    fprintf(stderr, "%s: %s(", case_name, names[number]);
    for (int i = 0; i < 6; i++)
        fprintf(stderr, "%s%#lx", i ? ", " : "", arguments[i]);
    fprintf(stderr, ") = %ld: %s at arena%+ld, %lu bytes\n", result, what, (long)(at - (uint64_t)arena), nbytes);
    _exit(1);
}

static range ranges[MAX_RANGES];
static size_t n_ranges;

static void note_range(void *context, uint64_t at, uint64_t nbytes)
{
    if (n_ranges < MAX_RANGES)
        ranges[n_ranges++] = (range){at, nbytes};
}

static void check(uint64_t number, const long *arguments, long result, bool complete)
{
    memset(told_bytes, 0, ARENA_NBYTES);
    for (size_t i = 0; i < n_ranges; i++) {
        bool may_be_wrong = result == -EFAULT; /* WR4 */
        if (!may_be_wrong && !is_in_a_block(ranges[i].at, ranges[i].nbytes))
            complain(number, arguments, result, "the table claims what was not given", ranges[i].at, ranges[i].nbytes);
        for (uint64_t k = 0; k < ranges[i].nbytes; k++)
            if (ranges[i].at + k - (uint64_t)arena < ARENA_NBYTES)
                told_bytes[ranges[i].at + k - (uint64_t)arena] = 1;
    }
    for (size_t i = 0; i < ARENA_NBYTES; i++)
        if (arena[i] != arena_before[i]) {
            if (!told_bytes[i] && complete)
                complain(number, arguments, result, "the kernel wrote and the table does not know", (uint64_t)(arena + i), 1);
            found->n_checked_bytes++;
        }
}

/* Of a range that was written, each byte was: several next to each other are not the poison by chance. */
static void check_whole(const x86_called *called, const long *arguments, long result)
{
    enum { MOST_BY_CHANCE = 3 };
    n_ranges = 0;
    x86_call_wrote_whole(called, result, note_range, NULL);
    for (size_t i = 0; i < n_ranges; i++) {
        unsigned n_left = 0;
        for (uint64_t at = ranges[i].at - (uint64_t)arena, end = at + ranges[i].nbytes; at < end && end <= ARENA_NBYTES; at++) {
            n_left = arena[at] == poison_at(at) ? n_left + 1 : 0;
            if (n_left > MOST_BY_CHANCE)
                complain(called->number, arguments, result, "the kernel left something as it was", (uint64_t)(arena + at), n_left);
        }
    }
}

static void note_command(const x86_command_row *row)
{
    for (size_t i = 0; row && i < N_COMMANDS; i++)
        if (commands[i].call == row->call && commands[i].command == row->command)
            found->command_succeeded[i] = 1;
}

static long call(uint64_t number, long a, long b, long c, long d, long e, long f)
{
    long arguments[6] = {a, b, c, d, e, f};
    uint64_t regs[X86_N_GPRS] = {[X86_RAX] = number};
    for (unsigned k = 1; k <= 6; k++)
        regs[x86_argument_register(k)] = (uint64_t)arguments[k - 1];
    x86_called called;
    x86_call_begins(&called, regs);
    memcpy(arena_before, arena, ARENA_NBYTES);
    long result = x86_sys6((long)number, a, b, c, d, e, f);
    n_ranges = 0;
    bool complete = x86_call_wrote(&called, result, note_range, NULL);
    check(number, arguments, result, complete);
    check_whole(&called, arguments, result);
    bool failed = result < 0 && result >= -4095;
    (failed ? found->failed : found->succeeded)[number] = 1;
    if (!failed)
        note_command(x86_call_command(&called));
    found->n_calls++;
    return result;
}

#define FIRST_SIX(a, b, c, d, e, f, ...) (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)
#define C(name, ...) call(NR_##name, FIRST_SIX(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0))
#define CALL0(name) call(NR_##name, 0, 0, 0, 0, 0, 0)

/* ---- what cases need -------------------------------------------------------------------------- */

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s (errno %d)\n", case_name, what, errno);
    _exit(1);
}
#define EXPECT(condition) expect(condition, #condition)

static char folder[64];

static char *path_of(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return text(path);
}

/* A file with some bytes in it, open at its beginning. */
static int a_file(const char *name)
{
    char path[128], bytes[5000];
    memset(bytes, 'x', sizeof bytes);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    EXPECT(fd >= 0 && write(fd, bytes, sizeof bytes) == sizeof bytes && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static void on_alarm(int signal)
{
}

/* Whatever waits is interrupted, soon and again and again. */
static void keep_interrupting(bool on)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval soon = {{0, on ? 3000 : 0}, {0, on ? 3000 : 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
}

/* ---- the cases -------------------------------------------------------------------------------- */

#define CASES(X)                                                                                                             \
    X(reading) X(writing) X(vectors) X(naming) X(status) X(folders) X(attributes) X(xattrs) X(handles) X(between_files) X(descriptors) \
    X(fcntls) X(terminals) X(file_ioctls) X(disk_ioctls) X(net_ioctls) X(other_ioctls) X(clocks) X(timers) X(sleeping) X(selecting) X(epolls) \
    X(sockets) X(messages) X(socket_options) X(queues) X(semaphores) X(shared_memory) X(posix_queues) X(signals) X(identities) \
    X(limits) X(scheduling) X(system_facts) X(waiting) X(births) X(tracing) X(other_memory) X(futexes) X(prctls) X(arch_prctls) \
    X(keys) X(asynchronous) X(memory) X(policies) X(watching) X(new_files) X(mounts) X(modules) X(rings) X(bpfs) X(notices) X(faults) \
    X(unknown_calls) X(quotas) X(odds)

static void reading(void)
{
    int fd = a_file("reading");
    C(read, fd, room(100), 100);
    C(read, fd, room(6000), 6000);
    C(read, fd, room(10), 10); /* the end */
    C(read, -1, room(10), 10);
    C(pread64, fd, room(50), 50, 4970);
    EXPECT(C(pread64, fd, room(50), 50, 0) == 50);
    C(lseek, fd, 0, SEEK_SET);
    C(getrandom, room(40), 40, 0);
    C(readahead, fd, 0, 100);
    C(fadvise64, fd, 0, 100, 0);
}

static void writing(void)
{
    int fd = a_file("writing");
    C(write, fd, text("words"), 5);
    C(pwrite64, fd, text("words"), 5, 10);
    C(truncate, path_of("writing"), 10);
    C(ftruncate, fd, 100);
    C(fallocate, fd, 0, 0, 1000);
    C(fsync, fd), C(fdatasync, fd), C(sync_file_range, fd, 0, 10, 2), C(syncfs, fd);
    C(creat, path_of("created"), 0644);
}

static struct iovec *three_pieces(void)
{
    struct iovec v[] = {{room(10), 10}, {room(0x100), 0x100}, {room(30), 30}};
    return given(v, sizeof v);
}

static void vectors(void)
{
    int fd = a_file("vectors");
    EXPECT(C(readv, fd, three_pieces(), 3) == 296);
    C(lseek, fd, -20, SEEK_END);
    EXPECT(C(readv, fd, three_pieces(), 3) == 20);
    EXPECT(C(preadv, fd, three_pieces(), 3, 4990, 0) == 10);
    EXPECT(C(preadv2, fd, three_pieces(), 3, 4900, 0, 0) == 100);
    C(writev, fd, three_pieces(), 3);
    C(pwritev, fd, three_pieces(), 3, 100, 0);
    C(pwritev2, fd, three_pieces(), 3, 100, 0, 0);
}

static void names_of(const char *a, const char *b)
{
    C(rename, path_of(a), path_of(b));
    C(renameat, AT_FDCWD, path_of(b), AT_FDCWD, path_of(a));
    C(renameat2, AT_FDCWD, path_of(a), AT_FDCWD, path_of(b), 0);
}

static void naming(void)
{
    a_file("names");
    names_of("names", "other");
    C(link, path_of("other"), path_of("linked"));
    C(linkat, AT_FDCWD, path_of("other"), AT_FDCWD, path_of("linked2"), 0);
    C(symlink, text("target of a link"), path_of("soft"));
    C(symlinkat, text("target"), AT_FDCWD, path_of("soft2"));
    EXPECT(C(readlink, path_of("soft"), room(100), 100) == 16);
    EXPECT(C(readlink, path_of("soft"), room(5), 5) == 5);
    EXPECT(C(readlinkat, AT_FDCWD, path_of("soft"), room(16), 16) == 16);
    C(mkdir, path_of("dir"), 0755), C(mkdirat, AT_FDCWD, path_of("dir2"), 0755);
    C(rmdir, path_of("dir")), C(unlinkat, AT_FDCWD, path_of("dir2"), AT_REMOVEDIR);
    C(mknod, path_of("node"), S_IFIFO | 0644, 0), C(mknodat, AT_FDCWD, path_of("node2"), S_IFIFO | 0644, 0);
    C(unlink, path_of("node")), C(unlink, path_of("node2"));
    C(access, path_of("other"), R_OK), C(faccessat, AT_FDCWD, path_of("other"), R_OK), C(faccessat2, AT_FDCWD, path_of("other"), R_OK, 0);
    C(open, path_of("other"), O_RDONLY), C(openat, AT_FDCWD, path_of("other"), O_RDONLY);
    C(openat2, AT_FDCWD, path_of("other"), given((uint64_t[3]){O_RDONLY}, 24), 24);
    C(umask, 022);
}

static void status(void)
{
    int fd = a_file("status");
    EXPECT(C(stat, path_of("status"), ROOM(struct stat)) == 0);
    EXPECT(C(lstat, path_of("status"), ROOM(struct stat)) == 0);
    EXPECT(C(fstat, fd, ROOM(struct stat)) == 0);
    EXPECT(C(newfstatat, AT_FDCWD, path_of("status"), ROOM(struct stat), 0) == 0);
    EXPECT(C(statx, AT_FDCWD, path_of("status"), 0, STATX_ALL, ROOM(struct statx)) == 0);
    EXPECT(C(statfs, path_of("status"), ROOM(struct statfs)) == 0);
    EXPECT(C(fstatfs, fd, ROOM(struct statfs)) == 0);
    C(stat, path_of("missing"), ROOM(struct stat));
    struct stat now;
    fstat(fd, &now);
    C(ustat, now.st_dev, room(32));
    C(cachestat, fd, given((uint64_t[2]){0, 4096}, 16), room(40), 0);
}

static void folders(void)
{
    a_file("folders1"), a_file("folders2");
    int fd = open(folder, O_RDONLY);
    EXPECT(C(getdents, fd, room(1000), 1000) > 0);
    C(lseek, fd, 0, SEEK_SET);
    EXPECT(C(getdents64, fd, room(1000), 1000) > 0);
    C(getdents64, fd, room(1000), 1000);
    C(chdir, text(folder)), C(fchdir, fd);
    EXPECT(C(getcwd, room(200), 200) > 0);
    C(getcwd, room(2), 2);
    C(chroot, text("/"));
}

static void attributes(void)
{
    int fd = a_file("attributes");
    C(chmod, path_of("attributes"), 0600), C(fchmod, fd, 0644), C(fchmodat, AT_FDCWD, path_of("attributes"), 0600);
    C(fchmodat2, AT_FDCWD, path_of("attributes"), 0600, 0);
    C(chown, path_of("attributes"), 0, 0), C(fchown, fd, 0, 0), C(lchown, path_of("attributes"), 0, 0);
    C(fchownat, AT_FDCWD, path_of("attributes"), 0, 0, 0);
    C(utime, path_of("attributes"), given((long[2]){1, 2}, 16));
    C(utimes, path_of("attributes"), given((long[4]){1, 2, 3, 4}, 32));
    C(futimesat, AT_FDCWD, path_of("attributes"), given((long[4]){1, 2, 3, 4}, 32));
    C(utimensat, AT_FDCWD, path_of("attributes"), given((long[4]){1, 2, 3, 4}, 32), 0);
    C(file_getattr, AT_FDCWD, path_of("attributes"), room(24), 24, 0);
    C(flock, fd, 2);
}

static void xattrs(void)
{
    int fd = a_file("xattrs");
    C(setxattr, path_of("xattrs"), text("trusted.one"), text("value"), 5, 0);
    C(lsetxattr, path_of("xattrs"), text("trusted.two"), text("value"), 5, 0);
    C(fsetxattr, fd, text("trusted.three"), text("value"), 5, 0);
    C(getxattr, path_of("xattrs"), text("trusted.one"), room(5), 5);
    C(getxattr, path_of("xattrs"), text("trusted.one"), room(100), 100);
    C(getxattr, path_of("xattrs"), text("trusted.one"), room(2), 2);
    C(getxattr, path_of("xattrs"), text("trusted.one"), 0, 0);
    C(lgetxattr, path_of("xattrs"), text("trusted.two"), room(10), 10), C(fgetxattr, fd, text("trusted.three"), room(10), 10);
    C(listxattr, path_of("xattrs"), room(100), 100), C(llistxattr, path_of("xattrs"), room(100), 100), C(flistxattr, fd, room(100), 100);
    C(listxattrat, AT_FDCWD, path_of("xattrs"), 0, room(100), 100);
    struct { uint64_t value; uint32_t size, flags; } args = {(uint64_t)room(10), 10, 0};
    C(getxattrat, AT_FDCWD, path_of("xattrs"), 0, text("trusted.one"), given(&args, sizeof args), 16);
    struct { uint64_t value; uint32_t size, flags; } in = {(uint64_t)text("value"), 5, 0};
    C(setxattrat, AT_FDCWD, path_of("xattrs"), 0, text("trusted.four"), given(&in, sizeof in), 16);
    C(removexattrat, AT_FDCWD, path_of("xattrs"), 0, text("trusted.four"));
    C(removexattr, path_of("xattrs"), text("trusted.one")), C(lremovexattr, path_of("xattrs"), text("trusted.two"));
    C(fremovexattr, fd, text("trusted.three"));
}

static void handles(void)
{
    static const char *const places[] = {"/dev/shm", "/tmp", "/", "/proc", "/sys"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint32_t small[2] = {0, 0};
        C(name_to_handle_at, AT_FDCWD, text(places[i]), given(small, sizeof small), room(8), 0);
        uint32_t *handle = room(8 + 128);
        handle[0] = 128;
        if (C(name_to_handle_at, AT_FDCWD, text(places[i]), handle, room(8), 0) == 0)
            C(open_by_handle_at, open(places[i], O_RDONLY), handle, O_RDONLY);
    }
}

static void between_files(void)
{
    int from = a_file("from"), to = a_file("to"), pipe_fds[2], other[2];
    EXPECT(pipe(pipe_fds) == 0 && pipe(other) == 0);
    C(copy_file_range, from, given((long[1]){10}, 8), to, given((long[1]){20}, 8), 100, 0);
    C(sendfile, to, from, given((long[1]){10}, 8), 100);
    C(sendfile, to, from, 0, 10);
    EXPECT(C(splice, from, given((long[1]){10}, 8), pipe_fds[1], 0, 100, 0) == 100);
    C(tee, pipe_fds[0], other[1], 50, 0);
    C(splice, pipe_fds[0], 0, to, given((long[1]){7}, 8), 40, 0);
    EXPECT(C(vmsplice, pipe_fds[1], three_pieces(), 3, 0) > 0);
    EXPECT(C(vmsplice, other[0], three_pieces(), 3, 0) > 0);
}

static void descriptors(void)
{
    int fd = a_file("descriptors");
    EXPECT(C(pipe, room(8)) == 0);
    EXPECT(C(pipe2, room(8), O_CLOEXEC) == 0);
    C(dup, fd), C(dup2, fd, 90), C(dup3, fd, 91, 0), C(close, 90), C(close_range, 91, 92, 0);
    C(eventfd, 1), C(eventfd2, 1, 0), C(epoll_create, 1), C(epoll_create1, 0), C(inotify_init1, 0), CALL0(inotify_init);
    C(memfd_create, text("memory"), 0), C(memfd_secret, 0);
    C(signalfd, -1, given((uint64_t[1]){0}, 8), 8), C(signalfd4, -1, given((uint64_t[1]){0}, 8), 8, 0);
    C(pidfd_open, getpid(), 0), C(pidfd_getfd, C(pidfd_open, getpid(), 0), fd, 0);
    C(kcmp, getpid(), getpid(), 0, fd, fd);
}

static void fcntls(void)
{
    int fd = a_file("fcntls"), other[2];
    EXPECT(pipe(other) == 0);
    EXPECT(C(fcntl, fd, F_GETLK, GIVEN(struct flock, {.l_type = F_WRLCK})) == 0);
    EXPECT(C(fcntl, fd, F_OFD_GETLK, GIVEN(struct flock, {.l_type = F_WRLCK})) == 0);
    EXPECT(C(fcntl, fd, F_SETLK, GIVEN(struct flock, {.l_type = F_WRLCK})) == 0);
    EXPECT(C(fcntl, fd, F_SETLK, GIVEN(struct flock, {.l_type = F_UNLCK})) == 0);
    EXPECT(C(fcntl, fd, F_OFD_SETLKW, GIVEN(struct flock, {.l_type = F_WRLCK})) == 0);
    C(fcntl, fd, 15, given((int[2]){1, getpid()}, 8));
    EXPECT(C(fcntl, fd, 16, room(8)) == 0);
    C(fcntl, fd, 17, room(8));
    C(fcntl, fd, 1035, room(8)), C(fcntl, fd, 1037, room(8)), C(fcntl, fd, 1036, given((uint64_t[1]){2}, 8));
    static const int plain[] = {F_DUPFD, F_GETFD, F_GETFL, F_GETOWN, 11, 1025, 1030, 1034};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        C(fcntl, fd, plain[i], room(64));
    C(fcntl, other[0], 1032, room(64)), C(fcntl, other[0], 1031, 8192);
}

static void terminals(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return;
    setsid();
    int slave = open(ptsname(master), O_RDWR);
    EXPECT(slave >= 0);
    C(ioctl, slave, TIOCSCTTY, 0);
    EXPECT(C(ioctl, slave, TCGETS, room(36)) == 0);
    EXPECT(C(ioctl, slave, 0x802c542a /* TCGETS2 */, room(44)) == 0);
    EXPECT(C(ioctl, slave, TCGETA, room(18)) == 0);
    EXPECT(C(ioctl, slave, TIOCGWINSZ, room(8)) == 0);
    C(ioctl, slave, TIOCSWINSZ, given((short[4]){24, 80}, 8));
    static const unsigned ints[] = {TIOCGPGRP, TIOCGSID, TIOCOUTQ, FIONREAD, TIOCGETD, TIOCGPTN, TIOCGPTLCK, TIOCGEXCL, TIOCGSOFTCAR};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        C(ioctl, slave, ints[i], room(4)), C(ioctl, master, ints[i], room(4));
    C(ioctl, slave, TIOCGLCKTRMIOS, room(36)), C(ioctl, slave, TIOCGSERIAL, room(72)), C(ioctl, slave, TIOCGICOUNT, room(80));
    C(ioctl, slave, TCSBRK, 1), C(ioctl, slave, TCFLSH, 0), C(ioctl, slave, TIOCEXCL), C(ioctl, slave, FIOCLEX), C(ioctl, slave, FIONCLEX);
    C(ioctl, slave, FIONBIO, given((int[1]){0}, 4)), C(ioctl, slave, TIOCMGET, room(4));
}

static void file_ioctls(void)
{
    int fd = a_file("file_ioctls"), same = a_file("same");
    EXPECT(C(ioctl, fd, FIGETBSZ, room(4)) == 0);
    C(ioctl, fd, FIOQSIZE, room(8));
    C(ioctl, fd, FIONREAD, room(4));
    C(ioctl, fd, FIBMAP, given((int[1]){0}, 4));
    C(ioctl, fd, FS_IOC_GETFLAGS, room(4)), C(ioctl, fd, FS_IOC_GETVERSION, room(4)), C(ioctl, fd, FS_IOC_FSGETXATTR, room(28));
    fsync(fd);
    struct fiemap *map = room(sizeof *map + 4 * sizeof(struct fiemap_extent));
    *map = (struct fiemap){.fm_length = 1 << 20, .fm_extent_count = 4};
    C(ioctl, fd, FS_IOC_FIEMAP, map);
    struct file_dedupe_range *dedupe = room(sizeof *dedupe + sizeof(struct file_dedupe_range_info));
    *dedupe = (struct file_dedupe_range){.src_length = 4096, .dest_count = 1};
    dedupe->info[0] = (struct file_dedupe_range_info){.dest_fd = same};
    C(ioctl, fd, FIDEDUPERANGE, dedupe);
    C(ioctl, fd, FICLONE, same);
    int folder_fd = open("/", O_RDONLY);
    C(ioctl, folder_fd, FS_IOC_GETFLAGS, room(4)), C(ioctl, folder_fd, FIGETBSZ, room(4));
}

/* Of the first disk that may be looked at. */
static void disk_ioctls(void)
{
    static const char *const disks[] = {"/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop0", "/dev/ram0"};
    static const struct { unsigned command; size_t nbytes; } asks[] = {
        {BLKROGET, 4}, {BLKGETSIZE, 8}, {BLKRAGET, 8}, {BLKFRAGET, 8}, {BLKSECTGET, 2}, {BLKSSZGET, 4}, {BLKIOMIN, 4}, {BLKIOOPT, 4},
        {BLKALIGNOFF, 4}, {BLKPBSZGET, 4}, {BLKDISCARDZEROES, 4}, {BLKROTATIONAL, 2}, {BLKGETSIZE64, 8}, {0x301 /* HDIO_GETGEO */, 16}};
    int fd = -1;
    for (size_t i = 0; i < sizeof disks / sizeof *disks && fd < 0; i++)
        fd = open(disks[i], O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        C(ioctl, fd, asks[i].command, room(asks[i].nbytes));
}

static void net_ioctls(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return;
    struct ifconf all = {.ifc_len = 10 * sizeof(struct ifreq), .ifc_buf = room(10 * sizeof(struct ifreq))};
    C(ioctl, fd, SIOCGIFCONF, given(&all, sizeof all));
    static const unsigned asks[] = {SIOCGIFNAME, SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFDSTADDR, SIOCGIFBRDADDR, SIOCGIFNETMASK, SIOCGIFMETRIC,
                                    SIOCGIFMTU, SIOCGIFHWADDR, SIOCGIFINDEX, SIOCGIFTXQLEN, SIOCGIFMAP};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        struct ifreq r = {.ifr_ifindex = 1};
        if (asks[i] != SIOCGIFNAME)
            strcpy(r.ifr_name, "lo");
        C(ioctl, fd, asks[i], given(&r, sizeof r));
    }
    C(ioctl, tcp, SIOCATMARK, room(4)), C(ioctl, fd, SIOCGPGRP, room(4)), C(ioctl, fd, FIOGETOWN, room(4));
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof self;
    char byte;
    if (bind(fd, (struct sockaddr *)&self, sizeof self) == 0 && getsockname(fd, (struct sockaddr *)&self, &n) == 0) {
        ioctl(fd, SIOCGSTAMP, &(struct timeval){0}); /* from now on the kernel keeps them */
        EXPECT(sendto(fd, "x", 1, 0, (struct sockaddr *)&self, sizeof self) == 1 && recv(fd, &byte, 1, 0) == 1);
    }
    C(ioctl, fd, FIONREAD, room(4)), C(ioctl, fd, TIOCOUTQ, room(4)), C(ioctl, fd, SIOCGSTAMP, room(16)), C(ioctl, fd, SIOCGSTAMPNS, room(16));
}

static void other_ioctls(void)
{
    int random = open("/dev/urandom", O_RDONLY), ns = open("/proc/self/ns/user", O_RDONLY), pagemap = open("/proc/self/pagemap", O_RDONLY);
    C(ioctl, random, RNDGETENTCNT, room(4));
    C(ioctl, ns, NS_GET_OWNER_UID, room(4)), C(ioctl, ns, NS_GET_USERNS), C(ioctl, ns, NS_GET_NSTYPE);
    struct { uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, inverted, mask, any, return_mask; } scan = {
        .size = 96, .start = (uint64_t)arena, .end = (uint64_t)arena + 8 * 4096, .vec = (uint64_t)room(24 * 8), .vec_len = 8, .any = 2, .return_mask = 2};
    scan.start &= ~(uint64_t)4095, scan.end &= ~(uint64_t)4095;
    uint64_t *at = given(&scan, sizeof scan);
    C(ioctl, pagemap, 0xc0606610 /* PAGEMAP_SCAN */, at);
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_CPU_CLOCK};
    long perf = C(perf_event_open, given(&attr, sizeof attr), 0, -1, -1, 0);
    attr.size = 2000; /* more than it is */
    uint8_t *large = room(2000);
    memset(large, 0xff, 2000), memcpy(large, &attr, sizeof attr);
    C(perf_event_open, large, 0, -1, -1, 0);
    C(ioctl, (int)perf, PERF_EVENT_IOC_ID, room(8)), C(ioctl, (int)perf, PERF_EVENT_IOC_ENABLE, 0);
    long uffd = C(userfaultfd, 1 /* of user mode only */);
    C(ioctl, uffd, UFFDIO_API, GIVEN(struct uffdio_api, {.api = UFFD_API}));
}

static void clocks(void)
{
    EXPECT(C(gettimeofday, ROOM(struct timeval), room(8)) == 0);
    C(gettimeofday, ROOM(struct timeval), 0);
    EXPECT(C(time, room(8)) > 0);
    EXPECT(C(clock_gettime, CLOCK_REALTIME, ROOM(struct timespec)) == 0);
    EXPECT(C(clock_getres, CLOCK_REALTIME, ROOM(struct timespec)) == 0);
    C(clock_gettime, 77, ROOM(struct timespec));
    EXPECT(C(times, ROOM(struct tms)) > 0);
    EXPECT(C(adjtimex, GIVEN(struct timex, {0})) >= 0);
    EXPECT(C(clock_adjtime, CLOCK_REALTIME, GIVEN(struct timex, {0})) >= 0);
    C(clock_settime, 77, GIVEN(struct timespec, {0}));
}

static void timers(void)
{
    struct itimerspec later = {{0}, {1000, 0}};
    EXPECT(C(setitimer, ITIMER_VIRTUAL, GIVEN(struct itimerval, {{0}, {1000, 0}}), ROOM(struct itimerval)) == 0);
    EXPECT(C(getitimer, ITIMER_VIRTUAL, ROOM(struct itimerval)) == 0);
    C(alarm, 0);
    int *id = room(4);
    EXPECT(C(timer_create, CLOCK_MONOTONIC, GIVEN(struct sigevent, {.sigev_notify = SIGEV_NONE}), id) == 0);
    EXPECT(C(timer_settime, *id, 0, given(&later, sizeof later), ROOM(struct itimerspec)) == 0);
    EXPECT(C(timer_gettime, *id, ROOM(struct itimerspec)) == 0);
    C(timer_getoverrun, *id), C(timer_delete, *id);
    long fd = C(timerfd_create, CLOCK_MONOTONIC, 0);
    EXPECT(C(timerfd_settime, fd, 0, given(&later, sizeof later), ROOM(struct itimerspec)) == 0);
    EXPECT(C(timerfd_gettime, fd, ROOM(struct itimerspec)) == 0);
}

static void sleeping(void)
{
    keep_interrupting(true);
    EXPECT(C(nanosleep, GIVEN(struct timespec, {100, 0}), ROOM(struct timespec)) == -EINTR);
    EXPECT(C(clock_nanosleep, CLOCK_MONOTONIC, 0, GIVEN(struct timespec, {100, 0}), ROOM(struct timespec)) == -EINTR);
    EXPECT(CALL0(pause) == -EINTR);
    EXPECT(C(rt_sigsuspend, given((uint64_t[1]){0}, 8), 8) == -EINTR);
    keep_interrupting(false);
    EXPECT(C(nanosleep, GIVEN(struct timespec, {0, 1000}), 0) == 0);
    EXPECT(C(clock_nanosleep, CLOCK_MONOTONIC, 0, GIVEN(struct timespec, {0, 1000}), 0) == 0);
}

static void selecting(void)
{
    int ready = a_file("selecting"), idle[2];
    EXPECT(pipe(idle) == 0 && ready < 64 && idle[0] < 64);
    struct pollfd both[] = {{ready, POLLIN, 0}, {idle[0], POLLIN, 0}};
    uint64_t set = (uint64_t)1 << ready | (uint64_t)1 << idle[0], quiet = (uint64_t)1 << idle[0], mask = 0;
    EXPECT(C(poll, given(both, sizeof both), 2, 0) == 1);
    EXPECT(C(ppoll, given(both, sizeof both), 2, GIVEN(struct timespec, {1, 0}), given(&mask, 8), 8) == 1);
    EXPECT(C(select, 64, given(&set, 8), given(&set, 8), given(&set, 8), GIVEN(struct timeval, {1, 0})) > 0);
    uint64_t sets[3] = {set};
    EXPECT(C(select, 130, given(sets, 24), 0, 0, 0) > 0);
    EXPECT(C(pselect6, idle[0] + 1, given(&set, 8), 0, 0, GIVEN(struct timespec, {1, 0}), given((uint64_t[2]){0}, 16)) > 0);
    EXPECT(C(pselect6, 64, given(&set, 8), given(&set, 8), given(&set, 8), GIVEN(struct timespec, {1, 0}), 0) > 0);
    keep_interrupting(true);
    EXPECT(C(select, 64, given(&quiet, 8), 0, 0, GIVEN(struct timeval, {100, 0})) == -EINTR);
    EXPECT(C(pselect6, 64, given(&quiet, 8), 0, 0, GIVEN(struct timespec, {100, 0}), 0) == -EINTR);
    EXPECT(C(ppoll, given(&both[1], 8), 1, GIVEN(struct timespec, {100, 0}), given(&mask, 8), 8) == -EINTR);
    EXPECT(C(poll, given(&both[1], 8), 1, 100000) == -EINTR);
}

static void epolls(void)
{
    int ready[2];
    EXPECT(pipe(ready) == 0 && write(ready[1], "x", 1) == 1);
    long fd = C(epoll_create1, 0);
    uint32_t event[3] = {EPOLLIN, 7, 8};
    EXPECT(C(epoll_ctl, fd, EPOLL_CTL_ADD, ready[0], given(event, 12)) == 0);
    EXPECT(C(epoll_wait, fd, room(5 * 12), 5, 0) == 1);
    EXPECT(C(epoll_pwait, fd, room(5 * 12), 5, 0, given((uint64_t[1]){0}, 8), 8) == 1);
    C(epoll_pwait2, fd, room(5 * 12), 5, GIVEN(struct timespec, {0}), given((uint64_t[1]){0}, 8), 8);
}

/* ---- sockets */

static struct sockaddr_in loopback(void)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void sockets(void)
{
    EXPECT(C(socketpair, AF_UNIX, SOCK_STREAM, 0, room(8)) == 0);
    long server = C(socket, AF_INET, SOCK_STREAM, 0), client[3];
    struct sockaddr_in address = loopback();
    EXPECT(C(bind, server, given(&address, sizeof address), sizeof address) == 0 && C(listen, server, 5) == 0);
    EXPECT(C(getsockname, server, room(sizeof address), given((int[1]){sizeof address}, 4)) == 0);
    C(getsockname, server, room(4), given((int[1]){4}, 4));
    socklen_t n = sizeof address;
    getsockname((int)server, (struct sockaddr *)&address, &n);
    for (int i = 0; i < 3; i++) {
        client[i] = C(socket, AF_INET, SOCK_STREAM, 0);
        EXPECT(C(connect, client[i], given(&address, sizeof address), sizeof address) == 0);
    }
    long peer = C(accept, server, room(100), given((int[1]){100}, 4));
    EXPECT(peer >= 0 && C(accept4, server, room(5), given((int[1]){5}, 4), 0) >= 0 && C(accept, server, 0, 0) >= 0);
    EXPECT(C(getpeername, peer, room(100), given((int[1]){100}, 4)) == 0);
    EXPECT(C(sendto, client[0], text("words"), 5, 0, 0, 0) == 5);
    EXPECT(C(recvfrom, peer, room(10), 10, MSG_PEEK, room(20), given((int[1]){20}, 4)) == 5);
    EXPECT(C(recvfrom, peer, room(3), 3, 0, 0, 0) == 3);
    int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = loopback();
    EXPECT(bind(a, (struct sockaddr *)&to, sizeof to) == 0 && getsockname(a, (struct sockaddr *)&to, &n) == 0);
    for (int i = 0; i < 3; i++)
        EXPECT(C(sendto, b, text("datagram"), 8, 0, given(&to, sizeof to), sizeof to) == 8);
    EXPECT(C(recvfrom, a, room(10), 10, 0, room(100), given((int[1]){100}, 4)) == 8);
    EXPECT(C(recvfrom, a, room(3), 3, MSG_TRUNC, room(7), given((int[1]){7}, 4)) == 8);
    C(shutdown, client[0], SHUT_RDWR);
}

static struct msghdr *a_message(size_t name, size_t control, size_t part)
{
    struct iovec v[] = {{room(part), part}, {room(part), part}};
    struct msghdr m = {.msg_name = name ? room(name) : NULL, .msg_namelen = (socklen_t)name, .msg_iov = given(v, sizeof v), .msg_iovlen = 2,
                       .msg_control = control ? room(control) : NULL, .msg_controllen = control};
    return given(&m, sizeof m);
}

static void send_with_descriptor(int fd)
{
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr head; } control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    int one = 1;
    memcpy(CMSG_DATA(&control.head), &one, sizeof one);
    struct iovec v = {text("words"), 5};
    struct msghdr m = {.msg_iov = given(&v, sizeof v), .msg_iovlen = 1, .msg_control = given(&control, sizeof control), .msg_controllen = sizeof control};
    EXPECT(C(sendmsg, fd, given(&m, sizeof m), 0) == 5);
}

static void messages(void)
{
    int pair[2], a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
    EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    send_with_descriptor(pair[0]), send_with_descriptor(pair[0]);
    EXPECT(C(recvmsg, pair[1], a_message(0, 64, 3), 0) == 5);
    EXPECT(C(recvmsg, pair[1], a_message(20, 18, 1), 0) == 2);
    struct sockaddr_in to = loopback();
    socklen_t n = sizeof to;
    EXPECT(bind(a, (struct sockaddr *)&to, sizeof to) == 0 && getsockname(a, (struct sockaddr *)&to, &n) == 0 && connect(b, (struct sockaddr *)&to, sizeof to) == 0);
    struct mmsghdr several[3] = {0};
    for (int i = 0; i < 3; i++) {
        struct msghdr *m = a_message(0, 0, 4);
        several[i].msg_hdr = *m;
    }
    EXPECT(C(sendmmsg, b, given(several, sizeof several), 3, 0) == 3);
    for (int i = 0; i < 3; i++)
        several[i].msg_hdr = *a_message(i == 1 ? 5 : 100, 0, i == 2 ? 2 : 10);
    several[1].msg_hdr.msg_name = room(128); /* recvmmsg tells how long the name is, not how much fitted */
    EXPECT(C(recvmmsg, a, given(several, sizeof several), 3, 0, GIVEN(struct timespec, {100, 0})) == 3);
    EXPECT(C(sendto, b, text("x"), 1, 0, 0, 0) == 1);
    EXPECT(C(recvmsg, a, a_message(5, 0, 10), 0) == 1);
    C(recvmsg, a, a_message(5, 0, 10), MSG_DONTWAIT);
}

static void socket_options(void)
{
    int tcp = socket(AF_INET, SOCK_STREAM, 0), pair[2];
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    static const int plain[] = {SO_TYPE, SO_ERROR, SO_SNDBUF, SO_LINGER, SO_RCVTIMEO, SO_PROTOCOL, SO_DOMAIN, SO_COOKIE};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        C(getsockopt, tcp, SOL_SOCKET, plain[i], room(40), given((int[1]){40}, 4));
        C(getsockopt, tcp, SOL_SOCKET, plain[i], room(2), given((int[1]){2}, 4));
    }
    EXPECT(C(getsockopt, pair[0], SOL_SOCKET, SO_PEERCRED, room(12), given((int[1]){12}, 4)) == 0);
    C(getsockopt, pair[0], SOL_SOCKET, 59 /* SO_PEERGROUPS */, room(2), given((int[1]){2}, 4));
    EXPECT(C(getsockopt, tcp, IPPROTO_TCP, TCP_INFO, room(400), given((int[1]){400}, 4)) == 0);
    C(getsockopt, tcp, IPPROTO_TCP, TCP_CONGESTION, room(16), given((int[1]){16}, 4));
    C(getsockopt, tcp, IPPROTO_IP, IP_TTL, room(4), given((int[1]){4}, 4));
    EXPECT(C(setsockopt, tcp, SOL_SOCKET, SO_REUSEADDR, given((int[1]){1}, 4), 4) == 0);
    struct sock_filter pass[] = {{6, 0, 0, 0xffff}, {6, 0, 0, 0}};
    struct sock_fprog program = {2, given(pass, sizeof pass)};
    C(setsockopt, tcp, SOL_SOCKET, SO_ATTACH_FILTER, given(&program, sizeof program), sizeof program);
    C(getsockopt, tcp, SOL_SOCKET, SO_GET_FILTER, room(80), given((int[1]){10}, 4));
}

/* ---- between processes */

static void queues(void)
{
    long id = C(msgget, IPC_PRIVATE, IPC_CREAT | 0600);
    if (id < 0)
        return;
    struct { long type; char words[5]; } message = {1, "words"};
    EXPECT(C(msgsnd, id, given(&message, sizeof message), 5, 0) == 0 && C(msgsnd, id, given(&message, sizeof message), 5, 0) == 0);
    EXPECT(C(msgrcv, id, room(8 + 100), 100, 0, 0) == 5);
    EXPECT(C(msgrcv, id, room(8 + 2), 2, 0, MSG_NOERROR) == 2);
    static const int asks[] = {IPC_STAT, MSG_STAT, 13};
    for (size_t i = 0; i < 3; i++)
        C(msgctl, asks[i] == IPC_STAT ? id : id & 0x7fff, asks[i], ROOM(struct msqid_ds));
    C(msgctl, id, IPC_INFO, room(32)), C(msgctl, id, MSG_INFO, room(32));
    C(msgctl, id, IPC_RMID, 0);
}

static void semaphores(void)
{
    long id = C(semget, IPC_PRIVATE, 5, IPC_CREAT | 0600);
    if (id < 0)
        return;
    struct sembuf up = {1, 1, 0};
    EXPECT(C(semop, id, given(&up, sizeof up), 1) == 0);
    C(semtimedop, id, given(&up, sizeof up), 1, GIVEN(struct timespec, {1, 0}));
    EXPECT(C(semctl, id, 0, GETALL, room(10)) == 0);
    EXPECT(C(semctl, id, 0, SETALL, given((short[5]){1, 2, 3}, 10)) == 0);
    C(semctl, id, 0, IPC_STAT, ROOM(struct semid_ds)), C(semctl, id & 0x7fff, 0, SEM_STAT, ROOM(struct semid_ds)), C(semctl, id & 0x7fff, 0, 20, ROOM(struct semid_ds));
    C(semctl, 0, 0, IPC_INFO, room(40)), C(semctl, 0, 0, SEM_INFO, room(40)), C(semctl, id, 1, GETVAL, room(8)), C(semctl, id, 0, IPC_RMID);
}

static void shared_memory(void)
{
    long id = C(shmget, IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (id < 0)
        return;
    long at = C(shmat, id, 0, 0);
    C(shmctl, id, IPC_STAT, ROOM(struct shmid_ds)), C(shmctl, id & 0x7fff, SHM_STAT, ROOM(struct shmid_ds)), C(shmctl, id & 0x7fff, 15, ROOM(struct shmid_ds));
    C(shmctl, 0, IPC_INFO, room(72)), C(shmctl, 0, SHM_INFO, room(48)), C(shmctl, id, SHM_LOCK, 0), C(shmctl, id, SHM_UNLOCK, 0);
    C(shmdt, at), C(shmctl, id, IPC_RMID, 0);
}

static void posix_queues(void)
{
    char name[32];
    snprintf(name, sizeof name, "ebb-calls-%d", (int)getpid());
    long fd = C(mq_open, text(name), O_RDWR | O_CREAT, 0600, GIVEN(struct mq_attr, {.mq_maxmsg = 2, .mq_msgsize = 30}));
    if (fd < 0)
        return;
    EXPECT(C(mq_timedsend, fd, text("words"), 5, 3, GIVEN(struct timespec, {0})) == 0);
    EXPECT(C(mq_getsetattr, fd, GIVEN(struct mq_attr, {0}), ROOM(struct mq_attr)) == 0);
    EXPECT(C(mq_timedreceive, fd, room(30), 30, room(4), 0) == 5);
    C(mq_notify, fd, GIVEN(struct sigevent, {.sigev_notify = SIGEV_NONE}));
    C(mq_unlink, text(name));
}

static void signals(void)
{
    struct { void *handler; unsigned long flags; void *restorer; unsigned long mask; } action = {SIG_IGN};
    uint64_t usr1 = (uint64_t)1 << (SIGUSR1 - 1);
    EXPECT(C(rt_sigaction, SIGUSR2, given(&action, sizeof action), room(sizeof action), 8) == 0);
    EXPECT(C(rt_sigprocmask, SIG_BLOCK, given(&usr1, 8), room(8), 8) == 0);
    C(kill, getpid(), SIGUSR1), C(tkill, gettid(), SIGUSR1), C(tgkill, getpid(), gettid(), SIGUSR1);
    EXPECT(C(rt_sigpending, room(8), 8) == 0);
    EXPECT(C(rt_sigtimedwait, given(&usr1, 8), ROOM(siginfo_t), GIVEN(struct timespec, {1, 0}), 8) == SIGUSR1);
    C(rt_sigtimedwait, given(&usr1, 8), ROOM(siginfo_t), GIVEN(struct timespec, {0}), 8);
    C(rt_sigtimedwait, given(&usr1, 8), ROOM(siginfo_t), GIVEN(struct timespec, {0}), 8);
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    C(rt_sigqueueinfo, getpid(), SIGUSR1, given(&info, sizeof info));
    C(rt_tgsigqueueinfo, getpid(), gettid(), SIGUSR1, given(&info, sizeof info));
    C(pidfd_send_signal, C(pidfd_open, getpid(), 0), SIGUSR1, given(&info, sizeof info), 0);
    EXPECT(C(sigaltstack, GIVEN(stack_t, {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}), ROOM(stack_t)) == 0);
    EXPECT(C(sigaltstack, 0, ROOM(stack_t)) == 0);
    int fd = signalfd(-1, (sigset_t *)&usr1, 0);
    C(read, fd, room(sizeof(struct signalfd_siginfo)), sizeof(struct signalfd_siginfo));
}

static void identities(void)
{
    CALL0(getpid), CALL0(gettid), CALL0(getppid), CALL0(getuid), CALL0(getgid), CALL0(geteuid), CALL0(getegid), CALL0(getpgrp), C(getpgid, 0), C(getsid, 0);
    EXPECT(C(getresuid, room(4), room(4), room(4)) == 0 && C(getresgid, room(4), room(4), room(4)) == 0);
    C(setgroups, 3, given((int[3]){1, 2, 3}, 12));
    C(getgroups, 0, room(4)), C(getgroups, 3, room(12)), C(getgroups, 10, room(40));
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0}, wrong = {0x1234, 0};
    void *now = room(24);
    EXPECT(C(capget, given(&head, sizeof head), now) == 0);
    C(capget, given(&wrong, sizeof wrong), room(24)), C(capset, given(&head, sizeof head), now), C(capset, given(&wrong, sizeof wrong), now);
    CALL0(setsid), C(setpgid, 0, 0), C(setreuid, 0, 0), C(setregid, 0, 0), C(setresuid, 0, 0, 0), C(setresgid, 0, 0, 0), C(setfsuid, 0), C(setfsgid, 0);
    C(setgid, 0), C(setuid, 0), C(unshare, 0), C(personality, 0xffffffff);
}

static void limits(void)
{
    EXPECT(C(getrlimit, RLIMIT_NOFILE, ROOM(struct rlimit)) == 0 && C(getrusage, RUSAGE_SELF, ROOM(struct rusage)) == 0);
    EXPECT(C(prlimit64, 0, RLIMIT_CORE, GIVEN(struct rlimit, {0, 0}), ROOM(struct rlimit)) == 0);
    C(setrlimit, RLIMIT_CORE, GIVEN(struct rlimit, {0, 0}));
}

static void scheduling(void)
{
    EXPECT(C(sched_getparam, 0, room(4)) == 0 && C(sched_rr_get_interval, 0, ROOM(struct timespec)) == 0);
    EXPECT(C(sched_getaffinity, 0, 128, room(128)) > 0 && C(getcpu, room(4), room(4), 0) == 0);
    uint8_t *attr = room(56), *large = room(100);
    EXPECT(C(sched_getattr, 0, attr, 56, 0) == 0);
    C(sched_setattr, 0, attr, 0);
    memset(large, 0xff, 100), memcpy(large, (uint32_t[1]){100}, 4);
    C(sched_setattr, 0, large, 0); /* too large: the kernel tells its own size */
    C(sched_setparam, 0, given((int[1]){0}, 4)), C(sched_setscheduler, 0, 0, given((int[1]){0}, 4)), C(sched_getscheduler, 0), CALL0(sched_yield);
    C(sched_get_priority_max, 1), C(sched_get_priority_min, 1), C(getpriority, 0, 0), C(setpriority, 0, 0, 0), C(ioprio_get, 1, 0), C(ioprio_set, 1, 0, 0);
    C(sched_setaffinity, 0, 8, given((uint64_t[1]){3}, 8)), C(membarrier, 0, 0, 0);
}

static void system_facts(void)
{
    EXPECT(C(uname, ROOM(struct utsname)) == 0 && C(sysinfo, ROOM(struct sysinfo)) == 0);
    C(syslog, 10, 0, 0), C(syslog, 3, room(300), 300);
    C(sysfs, 3), C(sysfs, 2, 0, room(40)), C(sysfs, 1, text("proc"));
    C(seccomp, 3, 0, room(6)), C(seccomp, 2, 0, given((uint32_t[1]){0x7fff0000}, 4));
    C(modify_ldt, 0, room(64), 64), C(modify_ldt, 2, room(64), 64);
    C(lookup_dcookie, 1, room(10), 10), C(_sysctl, room(64)), C(get_thread_area, room(16)), C(set_thread_area, room(16));
    C(iopl, 0), C(ioperm, 0, 1, 0), CALL0(restart_syscall);
}

static pid_t a_child(int code)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(code);
    EXPECT(pid > 0);
    return pid;
}

static void waiting(void)
{
    EXPECT(C(wait4, a_child(3), room(4), 0, ROOM(struct rusage)) > 0);
    EXPECT(C(waitid, P_PID, a_child(4), ROOM(siginfo_t), WEXITED, ROOM(struct rusage)) == 0);
    C(wait4, -1, room(4), WNOHANG, ROOM(struct rusage));
    C(waitid, P_ALL, 0, ROOM(siginfo_t), WEXITED | WNOHANG, ROOM(struct rusage));
    keep_interrupting(true);
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    C(wait4, pid, room(4), 0, ROOM(struct rusage));
    C(wait4, pid, room(4), WNOHANG, ROOM(struct rusage));
    kill(pid, SIGKILL);
}

static void births(void)
{
    long pid = C(clone, CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | SIGCHLD, 0, room(4), room(4), 0);
    if (pid == 0)
        _exit(0);
    EXPECT(pid > 0);
    pid = C(clone, CLONE_PIDFD | SIGCHLD, 0, room(4), 0, 0);
    if (pid == 0)
        _exit(0);
    struct clone_args args = {.flags = CLONE_PARENT_SETTID | CLONE_PIDFD, .pidfd = (uint64_t)room(4), .parent_tid = (uint64_t)room(4), .exit_signal = SIGCHLD};
    pid = C(clone3, given(&args, sizeof args), sizeof args);
    if (pid == 0)
        _exit(0);
    pid = CALL0(fork);
    if (pid == 0)
        _exit(0);
}

static pid_t a_stopped_child(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        _exit(0);
    }
    EXPECT(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
    return pid;
}

static void tracing(void)
{
    pid_t pid = a_stopped_child();
    EXPECT(C(ptrace, PTRACE_PEEKDATA, pid, arena, room(8)) == 0);
    C(ptrace, PTRACE_PEEKTEXT, pid, arena, room(8)), C(ptrace, PTRACE_PEEKUSER, pid, 0, room(8));
    EXPECT(C(ptrace, PTRACE_GETREGS, pid, 0, room(sizeof(struct user_regs_struct))) == 0);
    EXPECT(C(ptrace, PTRACE_GETFPREGS, pid, 0, room(512)) == 0);
    EXPECT(C(ptrace, PTRACE_GETSIGINFO, pid, 0, ROOM(siginfo_t)) == 0);
    C(ptrace, PTRACE_GETEVENTMSG, pid, 0, room(8)), C(ptrace, 25, pid, 12, room(16));
    C(ptrace, PTRACE_GETSIGMASK, pid, 8, room(8));
    struct iovec regs = {room(sizeof(struct user_regs_struct)), sizeof(struct user_regs_struct)};
    EXPECT(C(ptrace, PTRACE_GETREGSET, pid, 1, given(&regs, sizeof regs)) == 0);
    struct iovec much = {room(1000), 1000};
    EXPECT(C(ptrace, PTRACE_GETREGSET, pid, 1, given(&much, sizeof much)) == 0);
    C(ptrace, PTRACE_SETREGSET, pid, 1, given(&regs, sizeof regs));
    struct { uint64_t offset; uint32_t flags; int32_t n; } peek = {0, 1, 3};
    kill(pid, SIGUSR1);
    C(ptrace, PTRACE_PEEKSIGINFO, pid, given(&peek, sizeof peek), room(3 * 128));
    C(ptrace, PTRACE_GET_SYSCALL_INFO, pid, 88, room(88)), C(ptrace, 0x420f, pid, 24, room(24)), C(ptrace, 0x4211, pid, 32, room(32));
    C(ptrace, PTRACE_SECCOMP_GET_METADATA, pid, 16, given((uint64_t[2]){0}, 16));
    C(ptrace, PTRACE_SETOPTIONS, pid, 0, 0), C(ptrace, PTRACE_DETACH, pid, 0, SIGKILL);
}

static void other_memory(void)
{
    pid_t pid = a_stopped_child();
    struct iovec there = {arena, 280}, part = {arena, 15};
    EXPECT(C(process_vm_readv, pid, three_pieces(), 3, given(&there, sizeof there), 1, 0) == 280);
    EXPECT(C(process_vm_readv, pid, three_pieces(), 3, given(&part, sizeof part), 1, 0) == 15);
    EXPECT(C(process_vm_writev, pid, three_pieces(), 3, given(&part, sizeof part), 1, 0) == 15);
    struct iovec own = {room(100), 100};
    EXPECT(C(process_vm_writev, getpid(), three_pieces(), 3, given(&own, sizeof own), 1, 0) == 100);
    C(process_madvise, C(pidfd_open, pid, 0), given(&there, sizeof there), 1, MADV_COLD, 0), C(process_mrelease, C(pidfd_open, pid, 0), 0);
    C(get_robust_list, 0, room(8), room(8)), C(set_robust_list, room(24), 24), C(set_tid_address, room(4));
    kill(pid, SIGKILL);
}

static void futexes(void)
{
    int zero = 0, one = 1, tid = gettid();
    EXPECT(C(futex, given(&one, 4), FUTEX_WAIT, 0, 0, 0, 0) == -EAGAIN);
    EXPECT(C(futex, given(&one, 4), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0, 0) == 0);
    EXPECT(C(futex, given(&one, 4), FUTEX_WAKE_OP, 1, 1, given(&zero, 4), FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 0)) == 0);
    uint32_t *lock = given(&zero, 4), *other = given(&zero, 4);
    EXPECT(C(futex, lock, FUTEX_LOCK_PI, 0, 0, 0, 0) == 0 && *lock == (uint32_t)tid && C(futex, lock, FUTEX_UNLOCK_PI, 0, 0, 0, 0) == 0);
    EXPECT(C(futex, other, FUTEX_TRYLOCK_PI, 0, 0, 0, 0) == 0), C(futex, given(&zero, 4), 13, 0, 0, 0, 0);
    EXPECT(C(futex, given(&one, 4), FUTEX_WAIT_BITSET, 1, GIVEN(struct timespec, {0}), 0, ~0) == -ETIMEDOUT);
    C(futex, given(&one, 4), FUTEX_REQUEUE, 1, 1, given(&one, 4), 0), C(futex, given(&one, 4), FUTEX_CMP_REQUEUE, 1, 1, given(&one, 4), 1);
    struct { uint64_t value, address; uint32_t flags, reserved; } wait = {7, (uint64_t)given(&one, 4), 2, 0};
    C(futex_waitv, given(&wait, sizeof wait), 1, 0, GIVEN(struct timespec, {0}), CLOCK_MONOTONIC);
    C(futex_wake, given(&one, 4), ~0u, 1, 2), C(futex_wait, given(&one, 4), 7, ~0u, 2, GIVEN(struct timespec, {0}), CLOCK_MONOTONIC);
    C(futex_requeue, given((uint64_t[6]){0}, 48), 0, 1, 1);
}

static void prctls(void)
{
    static const int ints[] = {PR_GET_PDEATHSIG, PR_GET_TSC, PR_GET_CHILD_SUBREAPER, PR_GET_UNALIGN, PR_GET_FPEMU, PR_GET_FPEXC, PR_GET_ENDIAN};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        C(prctl, ints[i], room(4));
    EXPECT(C(prctl, PR_GET_NAME, room(16)) == 0);
    C(prctl, PR_SET_NAME, text("calls")), C(prctl, PR_GET_TID_ADDRESS, room(8)), C(prctl, 0x41555856, room(600), 600), C(prctl, 0x41555856, room(40), 40);
    C(prctl, 62, 0, 0, 0, room(8)), C(prctl, PR_SET_MM, 15, room(4));
    static const int plain[] = {PR_GET_DUMPABLE, PR_GET_KEEPCAPS, PR_GET_TIMING, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_SECUREBITS, PR_GET_TIMERSLACK,
                                PR_MCE_KILL_GET, PR_GET_NO_NEW_PRIVS, PR_GET_THP_DISABLE, PR_GET_SPECULATION_CTRL, PR_GET_IO_FLUSHER, 66, 68};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        C(prctl, plain[i], 0, 0, 0, 0);
}

static void arch_prctls(void)
{
    static const int asks[] = {ARCH_GET_FS, ARCH_GET_GS, 0x1021, 0x1022, 0x1024, 0x4001, 0x4003, 0x5005};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        C(arch_prctl, asks[i], room(8));
    C(arch_prctl, 0x1011, 0), C(arch_prctl, ARCH_SET_GS, 0);
}

static void keys(void)
{
    long ring = C(keyctl, KEYCTL_GET_KEYRING_ID, -1 /* of the thread */, 1);
    long key = C(add_key, text("user"), text("calls"), text("payload"), 7, -1);
    C(keyctl, KEYCTL_READ, key, room(20), 20), C(keyctl, KEYCTL_READ, key, room(3), 3), C(keyctl, KEYCTL_DESCRIBE, key, room(100), 100);
    C(keyctl, KEYCTL_DESCRIBE, key, room(5), 5), C(keyctl, KEYCTL_GET_SECURITY, key, room(50), 50), C(keyctl, 31, room(8), 8);
    C(keyctl, KEYCTL_SEARCH, ring, text("user"), text("calls"), 0), C(request_key, text("user"), text("calls"), 0, -1);
    C(keyctl, KEYCTL_REVOKE, key);
}

static void asynchronous(void)
{
    int fd = a_file("asynchronous");
    uint64_t *context = given((uint64_t[1]){0}, 8);
    if (C(io_setup, 4, context) != 0)
        return;
    struct iocb one = {.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = (uint32_t)fd, .aio_buf = (uint64_t)text("words"), .aio_nbytes = 5}, *list = given(&one, sizeof one);
    C(io_submit, *context, 1, given(&list, 8)), C(io_submit, *context, 1, given(&list, 8));
    C(io_getevents, *context, 1, 4, room(4 * 32), GIVEN(struct timespec, {1, 0}));
    C(io_pgetevents, *context, 0, 4, room(4 * 32), GIVEN(struct timespec, {0}), given((uint64_t[2]){0}, 16));
    C(io_cancel, *context, list, room(32)), C(io_destroy, *context);
}

static void memory(void)
{
    long at = C(mmap, 0, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(at > 0 && C(mincore, at, 8 * 4096, room(8)) == 0 && C(mincore, at, 5 * 4096 + 1, room(6)) == 0);
    at = C(mremap, at, 8 * 4096, 16 * 4096, MREMAP_MAYMOVE);
    C(mprotect, at, 4096, PROT_READ), C(pkey_mprotect, at, 4096, PROT_READ, -1), C(madvise, at, 4096, MADV_DONTNEED), C(msync, at, 4096, MS_SYNC);
    C(mlock, at, 4096), C(mlock2, at, 4096, 0), C(munlock, at, 4096), CALL0(munlockall), C(mlockall, MCL_FUTURE), CALL0(munlockall);
    C(brk, 0), C(remap_file_pages, at, 4096, 0, 0, 0), C(pkey_alloc, 0, 0), C(pkey_free, 1);
    C(munmap, at, 4096), C(mseal, at + 4096, 4096, 0), C(map_shadow_stack, 0, 4096, 0);
}

static void policies(void)
{
    C(get_mempolicy, room(4), room(128), 1024, 0, 0), C(get_mempolicy, room(4), room(8), 64, 0, 0);
    C(set_mempolicy, 0, 0, 0), C(set_mempolicy_home_node, 0, 0, 0, 0);
    uint64_t page = (uint64_t)arena & ~(uint64_t)4095, pages[2] = {page, page + 4096};
    C(move_pages, 0, 2, given(pages, 16), 0, room(8), 0), C(move_pages, 0, 2, given(pages, 16), given((int[2]){0}, 8), room(8), 0);
    C(mbind, page, 4096, 0, 0, 0, 0), C(migrate_pages, 0, 64, given((uint64_t[1]){1}, 8), given((uint64_t[1]){1}, 8));
}

static void watching(void)
{
    long fd = C(inotify_init1, IN_NONBLOCK), mark = C(fanotify_init, 0, 0);
    long watch = C(inotify_add_watch, fd, text(folder), IN_OPEN);
    a_file("watched");
    EXPECT(C(read, fd, room(500), 500) > 0);
    C(inotify_rm_watch, fd, watch), C(fanotify_mark, mark, 1, 2, AT_FDCWD, text(folder));
}

static void new_files(void)
{
    C(landlock_create_ruleset, 0, 0, 1), C(landlock_create_ruleset, given((uint64_t[1]){1}, 8), 8, 0);
    long fs = C(fsopen, text("tmpfs"), 0);
    C(fsconfig, fs, 6, 0, 0, 0), C(fsmount, fs, 0, 0), C(fspick, AT_FDCWD, text("/tmp"), 0), C(open_tree, AT_FDCWD, text("/tmp"), 0);
    C(open_tree_attr, AT_FDCWD, text("/tmp"), 0, 0, 0);
}

static void mounts(void)
{
    struct { uint32_t size, spare; uint64_t id, param; } root = {24, 0, 0xffffffffffffffff, 0};
    C(listmount, given(&root, sizeof root), room(8 * 20), 20, 0);
    uint64_t *ids = room(8 * 20);
    if (C(listmount, given(&root, sizeof root), ids, 20, 0) > 0) {
        root.id = ids[0], root.param = 0x3f;
        C(statmount, given(&root, sizeof root), room(2000), 2000, 0);
    }
}

static void modules(void)
{
    C(lsm_list_modules, room(80), given((int[1]){80}, 4), 0), C(lsm_list_modules, room(2), given((int[1]){2}, 4), 0);
    C(lsm_get_self_attr, 100, room(300), given((int[1]){300}, 4), 0);
}

static void rings(void)
{
    long fd = C(io_uring_setup, 4, memset(room(120), 0, 120));
    C(io_uring_enter, fd, 0, 0, 0, 0, 0);
}

static void bpfs(void)
{
    union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 2};
    uint8_t *at = given(&attr, sizeof attr);
    C(bpf, BPF_MAP_CREATE, at, sizeof attr);
    attr = (union bpf_attr){.start_id = 0};
    C(bpf, BPF_MAP_GET_NEXT_ID, given(&attr, sizeof attr), sizeof attr), C(bpf, BPF_PROG_GET_NEXT_ID, given(&attr, sizeof attr), sizeof attr);
}

/* A page that is not there, and memory that is filled while somebody waits for it. */
static void notices(void)
{
    long fd = C(userfaultfd, 1);
    if (fd < 0 || ioctl((int)fd, UFFDIO_API, &(struct uffdio_api){.api = UFFD_API}) != 0)
        return;
    uint64_t page = ((uint64_t)arena + ARENA_NBYTES / 2) & ~(uint64_t)4095;
    blocks[n_blocks++] = (range){page, 2 * 4096};
    madvise((void *)page, 2 * 4096, MADV_DONTNEED);
    struct uffdio_register all = {.range = {page, 2 * 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    EXPECT(ioctl((int)fd, UFFDIO_REGISTER, &all) == 0);
    void *source = malloc(8192);
    memset(source, 'u', 8192);
    struct uffdio_copy copy = {.dst = page, .src = ((uint64_t)source + 4095) & ~(uint64_t)4095, .len = 4096};
    struct uffdio_zeropage zero = {.range = {page + 4096, 4096}};
    /* The arena can't be looked at as a whole before both pages are there: the table alone is asked. */
    x86_called called = {.number = NR_ioctl, .arguments = {(uint64_t)fd, UFFDIO_COPY, (uint64_t)&copy}};
    EXPECT(ioctl((int)fd, UFFDIO_COPY, &copy) == 0);
    n_ranges = 0;
    EXPECT(x86_call_wrote(&called, 0, note_range, NULL) && n_ranges == 2 && ranges[1].at == page && ranges[1].nbytes == 4096);
    called.arguments[1] = UFFDIO_ZEROPAGE, called.arguments[2] = (uint64_t)&zero;
    EXPECT(ioctl((int)fd, UFFDIO_ZEROPAGE, &zero) == 0);
    n_ranges = 0;
    EXPECT(x86_call_wrote(&called, 0, note_range, NULL) && n_ranges == 2 && ranges[1].at == page + 4096 && ranges[1].nbytes == 4096);
}

/* WR4: the end of the arena is followed by nothing, and a call has written when it comes there. */
static void faults(void)
{
    uint8_t *end = arena + ARENA_NBYTES - 20;
    struct pollfd both[] = {{a_file("faults"), POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    blocks[n_blocks++] = (range){(uint64_t)end, 1000};
    struct iovec v[] = {{room(10), 10}, {(void *)8, 10}};
    C(read, both[0].fd, end, 1000), C(readv, both[0].fd, given(v, sizeof v), 2), C(getrandom, end, 1000, 0), C(uname, end), C(getcwd, end, 1000);
    C(read, both[0].fd, 8, 100), C(recvmsg, socket(AF_INET, SOCK_DGRAM, 0), 8, 0), C(getresuid, room(4), room(4), 8);
}

/* CL2: what nobody knows is not taken for harmless. */
static void unknown_calls(void)
{
    x86_called call = {.number = 10000};
    n_ranges = 0;
    EXPECT(!x86_call_wrote(&call, 0, note_range, NULL) && x86_call_wrote(&call, -ENOSYS, note_range, NULL));
    call = (x86_called){.number = NR_prctl, .arguments = {0x12345678, (uint64_t)arena}};
    EXPECT(!x86_call_wrote(&call, 0, note_range, NULL) && x86_call_wrote(&call, -EINVAL, note_range, NULL));
    call = (x86_called){.number = NR_ioctl, .arguments = {0, 0x12345, (uint64_t)arena}};
    EXPECT(!x86_call_wrote(&call, 0, note_range, NULL));
    call = (x86_called){.number = NR_ioctl, .arguments = {0, _IOR('?', 99, uint64_t), (uint64_t)arena}};
    n_ranges = 0;
    EXPECT(x86_call_wrote(&call, 0, note_range, NULL) && n_ranges == 1 && ranges[0].nbytes == 8);
    call.arguments[1] = _IOW('?', 99, uint64_t), n_ranges = 0;
    EXPECT(x86_call_wrote(&call, 0, note_range, NULL) && n_ranges == 0);
    EXPECT(!x86_call_row_of(337) && !x86_call_row_of(UINT64_MAX) && x86_call_row_of(0));
}

static void quotas(void)
{
    C(quotactl, 0x80000700 /* Q_GETQUOTA */, text("/dev/none"), 0, room(72));
    C(quotactl_fd, open("/", O_RDONLY), 0x80000700, 0, room(72));
}

static void odds(void)
{
    C(rseq, room(32), 32, 0, 0x53053053); /* the C library has one already */
    C(uselib, text("/none")), C(acct, text("/none")), C(swapon, text("/none")), C(swapoff, text("/none")), C(delete_module, text("none"));
    C(mount, text("none"), text("/none"), text("none"), 0, 0), C(umount2, text("/none"), 0), C(setns, -1, 0), C(move_mount, -1, text(""), -1, text(""), 0);
    C(mount_setattr, AT_FDCWD, text("/none"), 0, given((uint64_t[4]){0}, 32), 32), C(finit_module, -1, text(""), 0), C(execve, text("/none"), 0, 0);
    C(execveat, AT_FDCWD, text("/none"), 0, 0, 0), C(pivot_root, text("/none"), text("/none")), C(landlock_add_rule, -1, 1, room(16), 0);
    C(landlock_restrict_self, -1, 0), C(lsm_set_self_attr, 100, room(32), 32, 0), C(file_setattr, AT_FDCWD, text("/none"), memset(room(24), 0, 24), 24, 0);
    C(io_uring_register, -1, 0, room(8), 1);
}

/* ---- all of them ------------------------------------------------------------------------------ */

static void make_arena(void)
{
    size_t nbytes = ARENA_NBYTES + 2 * 4096;
    uint8_t *at = mmap(NULL, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED && mprotect(at + 4096, ARENA_NBYTES, PROT_READ | PROT_WRITE) == 0);
    arena = at + 4096;
    arena_before = malloc(ARENA_NBYTES), told_bytes = malloc(ARENA_NBYTES);
    found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    strcpy(folder, "/tmp/ebb-calls-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static bool passes(const char *name, void (*run)(void), unsigned pattern)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        case_name = name;
        seed = pattern;
        alarm(100);
        poison();
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0)
        fprintf(stderr, "%s: status %#x\n", name, status);
    return status == 0;
}

static void the_table_tells_what_the_kernel_writes(void **state)
{
    static const struct { const char *name; void (*run)(void); } cases[] = {
#define X(name) {#name, name},
        CASES(X)
#undef X
    };
    make_arena();
    unsigned n_failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned pattern = 0; pattern < 2; pattern++)
            n_failed += !passes(cases[i].name, cases[i].run, pattern);
    char remove[100];
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    assert_int_equal(system(remove), 0);
    assert_int_equal(n_failed, 0);
}

/* Calls that a test can't make, or that never come back. */
static const struct { uint16_t number; const char *why; } impossible[] = {
    {NR_reboot, "ends the computer"}, {NR_kexec_load, "ends the computer"}, {NR_kexec_file_load, "ends the computer"},
    {NR_exit, "does not come back"}, {NR_exit_group, "does not come back"}, {NR_rt_sigreturn, "does not come back"},
    {NR_vfork, "comes back twice on one stack"}, {NR_vhangup, "ends the terminal's session"}, {NR_sethostname, "changes the computer"},
    {NR_setdomainname, "changes the computer"}, {NR_settimeofday, "changes the computer"}, {NR_init_module, "changes the kernel"},
    {NR_sync, "waits for all disks"}, {NR_uretprobe, "for the kernel's own use"}, {NR_uprobe, "for the kernel's own use"},
};

static const char *why_impossible(unsigned number)
{
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++)
        if (impossible[i].number == number)
            return impossible[i].why;
    return NULL;
}

/* Numbers that Linux keeps for what it never had, or has no longer. */
static bool is_gone(unsigned number)
{
    errno = 0;
    return syscall(number, -1, -1, -1, -1, -1, -1) == -1 && errno == ENOSYS;
}

static bool writes(const x86_pointer *pointers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pointers[i].way > X86_IN && pointers[i].way < X86_FLAGS_IN)
            return true;
    return false;
}

/* Each row was tried, or it is known why not; what can't be seen here is said. */
static void every_row_was_tried(void **state)
{
    unsigned n_rows = 0, n_writing = 0, n_seen = 0;
    for (unsigned i = 0; i < N_CALLS; i++) {
        const x86_call_row *row = x86_call_row_of(i);
        if (!row)
            continue;
        n_rows++, n_writing += writes(row->pointers, X86_MAX_POINTERS), n_seen += found->succeeded[i] && writes(row->pointers, X86_MAX_POINTERS);
        if (found->succeeded[i])
            continue;
        const char *why = why_impossible(i) ? why_impossible(i) : found->failed[i] ? "fails here" : is_gone(i) ? "this kernel has it not" : NULL;
        if (!why)
            fail_msg("no case calls %s", names[i]);
        print_message("not seen to succeed: %s (%s)\n", names[i], why);
    }
    print_message("%u rows, %u write memory, %u of these were seen to; %u calls, %u bytes changed\n", n_rows, n_writing, n_seen, found->n_calls, found->n_checked_bytes);
    assert_true(n_seen * 10 >= n_writing * 8);
}

/* Commands need devices, rights and quotas that are not everywhere: what was not seen is said, and that is all. */
static void commands_that_were_not_seen(void **state)
{
    unsigned n_writing = 0, n_seen = 0;
    print_message("commands that write and were not seen to succeed:");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        const x86_command_row *row = x86_command_row_of(commands[i].call, commands[i].command);
        if (!writes(row->pointers, X86_MAX_COMMAND_POINTERS))
            continue;
        n_writing++, n_seen += found->command_succeeded[i];
        if (!found->command_succeeded[i])
            print_message(" %s:%s", names[commands[i].call], commands[i].name);
    }
    print_message("\n%u commands, %u write memory, %u of these were seen to\n", (unsigned)N_COMMANDS, n_writing, n_seen);
    assert_true(n_seen * 3 >= n_writing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_tells_what_the_kernel_writes),
        cmocka_unit_test(every_row_was_tried),
        cmocka_unit_test(commands_that_were_not_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
