/* files.c - files of the computer that the program runs on, for a gdb on another one: `set sysroot target:` reads the program and its libraries
 * so.
 *
 * They are read only: who wants to write has a shell.
 *
 * GF1  gdb's numbers of files are places in a table of at most MOST_FILES; what it leaves open is closed when it goes. */
#include "front/rsp/rsp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 64, LONGEST_NAME = 4096 };

/* ---- answers ---- */

/* The protocol has numbers of its own, of which these are others than Linux has. */
static int gdbs_errno(int error)
{
    return error == ENAMETOOLONG ? 91 : error > ERANGE ? 9999 : error;
}

static void answer_errno(ebb_buf *reply, int error)
{
    ebb_buf_addf(reply, "F-1,%x", (unsigned)gdbs_errno(error));
}

static void answer_bytes(ebb_buf *reply, const void *bytes, size_t n)
{
    ebb_buf_addf(reply, "F%zx;", n);
    ebb_buf_add(reply, bytes, n);
}

/* ---- arguments ---- */

/* Takes a name in hexadecimal digits, which ends at a comma or at the packet's end. */
static bool take_name(const char **at, const char *end, char name[LONGEST_NAME])
{
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    size_t n = (size_t)((comma ? comma : end) - *at);
    ebb_buf bytes = {0};
    bool good = rsp_take_hex(*at, n, &bytes) && bytes.n > 0 && bytes.n < LONGEST_NAME && !memchr(bytes.data, 0, bytes.n);
    if (good)
        snprintf(name, LONGEST_NAME, "%s", ebb_buf_text(&bytes));
    *at += n + (comma != NULL);
    ebb_buf_fini(&bytes);
    return good;
}

/* The descriptor that gdb means; -1: none. */
static int take_file(rsp *r, const char **at)
{
    uint64_t number;
    bool good = rsp_take_number(at, &number) && number < r->files.n;
    *at += **at == ',';
    return good ? r->files.items[number] : -1;
}

/* ---- open files ---- */

static int number_for(rsp *r, int fd)
{
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.items[i] < 0) {
            r->files.items[i] = fd;
            return (int)i;
        }
    if (r->files.n == MOST_FILES)
        return -1;
    ebb_vec_push(&r->files, fd);
    return (int)r->files.n - 1;
}

/* What /proc has of the program is that of the process which stands where the program does: in the past a copy. */
static void point_to_process(rsp *r, char name[LONGEST_NAME])
{
    char own[40], rest[LONGEST_NAME];
    snprintf(own, sizeof own, "/proc/%d/", (int)ses_get_pid(r->session));
    if (!ses_get_machine(r->session) || strncmp(name, own, strlen(own)) != 0)
        return;
    snprintf(rest, sizeof rest, "%s", name + strlen(own));
    snprintf(name, LONGEST_NAME, "/proc/%d/%.*s", (int)ses_get_process(r->session), LONGEST_NAME - 20, rest);
}

/* A regular file only: who opens a pipe or a device may wait for ever. */
static int open_file(const char *name)
{
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
}

void rsp_do_file_open(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    enum { GDB_READ_ONLY = 0 };
    char name[LONGEST_NAME];
    const char *end = args + n;
    uint64_t flags;
    if (!take_name(&args, end, name) || !rsp_take_number(&args, &flags)) {
        answer_errno(reply, EINVAL);
        return;
    }
    point_to_process(r, name);
    int fd = flags == GDB_READ_ONLY ? open_file(name) : -1;
    int error = flags == GDB_READ_ONLY ? errno : EROFS;
    int number = fd >= 0 ? number_for(r, fd) : -1;
    if (fd >= 0 && number < 0) {
        close(fd);
        error = EMFILE;
    }
    if (number >= 0)
        ebb_buf_addf(reply, "F%x", (unsigned)number);
    else
        answer_errno(reply, error);
}

void rsp_do_file_close(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    int fd = take_file(r, &args);
    for (size_t i = 0; fd >= 0 && i < r->files.n; i++)
        if (r->files.items[i] == fd)
            r->files.items[i] = -1;
    if (fd >= 0)
        close(fd);
    if (fd >= 0)
        ebb_buf_adds(reply, "F0");
    else
        answer_errno(reply, EBADF);
}

void rsp_do_file_read(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    uint64_t nbytes, offset;
    int fd = take_file(r, &args);
    if (fd < 0 || !rsp_take_span(&args, &nbytes, &offset) || offset > INT64_MAX) {
        answer_errno(reply, fd < 0 ? EBADF : EINVAL);
        return;
    }
    char *bytes = ebb_zalloc(RSP_MAX_PACKET / 2);
    ssize_t got = pread(fd, bytes, (size_t)(nbytes < RSP_MAX_PACKET / 2 ? nbytes : RSP_MAX_PACKET / 2), (off_t)offset);
    if (got >= 0)
        answer_bytes(reply, bytes, (size_t)got);
    else
        answer_errno(reply, errno);
    free(bytes);
}

/* ---- what a file is ---- */

static void add_big_endian(ebb_buf *out, uint64_t number, unsigned nbytes)
{
    while (nbytes-- > 0)
        ebb_buf_addc(out, (char)(number >> 8 * nbytes));
}

void rsp_do_file_stat(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    struct stat st;
    ebb_buf form = {0};
    int fd = take_file(r, &args);
    if (fd < 0 || fstat(fd, &st) != 0) {
        answer_errno(reply, EBADF);
        return;
    }
    const uint64_t fields[] = {st.st_dev, st.st_ino, st.st_mode, st.st_nlink, st.st_uid, st.st_gid, st.st_rdev};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        add_big_endian(&form, fields[i], 4);
    add_big_endian(&form, (uint64_t)st.st_size, 8);
    add_big_endian(&form, (uint64_t)st.st_blksize, 8);
    add_big_endian(&form, (uint64_t)st.st_blocks, 8);
    add_big_endian(&form, (uint64_t)st.st_atime, 4);
    add_big_endian(&form, (uint64_t)st.st_mtime, 4);
    add_big_endian(&form, (uint64_t)st.st_ctime, 4);
    answer_bytes(reply, form.data, form.n);
    ebb_buf_fini(&form);
}

void rsp_do_file_link(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    char name[LONGEST_NAME], target[LONGEST_NAME];
    const char *end = args + n;
    bool is_named = take_name(&args, end, name);
    if (is_named)
        point_to_process(r, name);
    ssize_t got = is_named ? readlink(name, target, sizeof target) : -1;
    if (got >= 0)
        answer_bytes(reply, target, (size_t)got);
    else
        answer_errno(reply, errno ? errno : EINVAL);
}

/* There is one file system: the program's, which is ours. */
void rsp_do_file_system(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)r, (void)args, (void)n;
    ebb_buf_adds(reply, "F0");
}

void rsp_do_file_refused(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)r, (void)args, (void)n;
    answer_errno(reply, EROFS);
}

void rsp_files_fini(rsp *r)
{
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.items[i] >= 0)
            close(r->files.items[i]);
    ebb_vec_fini(&r->files);
}
