/* journal.c - while recording: writing down what is about to be lost in files. */
#include "time/journal_private.h"

#include "base/file.h"
#include "base/sizes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 }; /* of a file that is removed or mapped: recording more takes longer than anybody waits */

ebb_journal *ebb_journal_new(ebb_recorder *rec, ebb_journal_program of)
{
    ebb_journal *j = EBB_NEW(ebb_journal);
    j->rec = rec;
    j->of = of;
    return j;
}

void ebb_journal_free(ebb_journal *j)
{
    if (j == NULL)
        return;
    journal_forget_open_files(j);
    ebb_vec_fini(&j->open_files);
    ebb_vec_fini(&j->shared);
    free(j);
}

void ebb_journal_share(ebb_journal *j, const struct stat *file)
{
    ebb_vec_push(&j->shared, ((journal_file_id){file->st_dev, file->st_ino}));
}

/* ---- events ---- */

static void put_text(ebb_journal *j, const char *text)
{
    ebb_recorder_bytes(j->rec, text == NULL ? "" : text, text == NULL ? 0 : strlen(text) + 1);
}

static void begin(ebb_journal *j, ebb_journal_what what, const char *path)
{
    ebb_recorder_begin(j->rec, EBB_EVENT_FILE, j->of.now(j->of.self));
    ebb_recorder_u64(j->rec, what);
    put_text(j, path);
}

static void end(ebb_journal *j)
{
    if (ebb_recorder_end(j->rec, NULL) != EBB_OK)
        return; /* JN3 */
}

void ebb_journal_lose(ebb_journal *j, const char *path)
{
    begin(j, EBB_JOURNAL_LOST, path);
    end(j);
}

/* ---- contents ---- */

static bool is_shared(const ebb_journal *j, const struct stat *st)
{
    for (size_t i = 0; i < j->shared.n; i++)
        if (j->shared.items[i].device == st->st_dev && j->shared.items[i].inode == st->st_ino)
            return true;
    return false;
}

/* A regular file that is the program's. */
static bool is_own(const ebb_journal *j, int fd, journal_descriptor *d)
{
    return journal_look_at(j, fd, d) && S_ISREG(d->st.st_mode) && !is_shared(j, &d->st);
}

/* By way of a descriptor of its own, as the program's may be for writing only. */
static size_t read_there(const char *path, off_t at, char *bytes, size_t nbytes)
{
    int fd = nbytes > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    ssize_t got = pread(fd, bytes, nbytes, at);
    close(fd);
    return got < 0 ? 0 : (size_t)got;
}

/* `nbytes` from `at` are about to change; afterwards the file is to have the size that it has now. */
static void keep_bytes(ebb_journal *j, const char *path, off_t size, off_t at, size_t nbytes)
{
    size_t there = at >= size ? 0 : (size_t)(size - at) < nbytes ? (size_t)(size - at) : nbytes;
    char *bytes = ebb_alloc((there < EBB_FILE_PIECE_BYTES ? there : EBB_FILE_PIECE_BYTES) + 1);
    size_t done = 0;
    do { /* with no bytes there is the size to be put back */
        size_t piece = there - done < EBB_FILE_PIECE_BYTES ? there - done : EBB_FILE_PIECE_BYTES;
        size_t got = read_there(path, at + (off_t)done, bytes, piece);
        begin(j, EBB_JOURNAL_BYTES, path);
        ebb_recorder_u64(j->rec, (uint64_t)size);
        ebb_recorder_u64(j->rec, (uint64_t)at + done);
        ebb_recorder_bytes(j->rec, bytes, got);
        end(j);
        done += piece;
    } while (done < there);
    free(bytes);
}

static void note_sent(ebb_journal *j, int fd, size_t nbytes)
{
    begin(j, EBB_JOURNAL_SENT, NULL);
    ebb_recorder_u64(j->rec, (uint64_t)fd);
    ebb_recorder_u64(j->rec, nbytes);
    end(j);
}

static void keep_written(ebb_journal *j, int fd, off_t size, off_t at, size_t nbytes)
{
    char *path = ebb_file_path_of(j->of.pid, fd);
    keep_bytes(j, path, size, at < 0 ? 0 : at, nbytes);
    free(path);
}

void ebb_journal_before_write(ebb_journal *j, int fd, size_t nbytes)
{
    journal_descriptor d;
    if (!is_own(j, fd, &d))
        note_sent(j, fd, nbytes);
    else
        keep_written(j, fd, d.st.st_size, d.flags & O_APPEND ? d.st.st_size : d.position, nbytes);
}

void ebb_journal_before_write_at(ebb_journal *j, int fd, off_t at, size_t nbytes)
{
    journal_descriptor d;
    if (!is_own(j, fd, &d))
        note_sent(j, fd, nbytes);
    else
        keep_written(j, fd, d.st.st_size, at, nbytes);
}

void ebb_journal_before_map(ebb_journal *j, int fd, off_t at, size_t nbytes)
{
    if (nbytes <= MOST_BYTES) {
        ebb_journal_before_write_at(j, fd, at, nbytes);
        return;
    }
    char *path = ebb_file_path_of(j->of.pid, fd);
    ebb_journal_lose(j, path);
    free(path);
}

static void keep_tail(ebb_journal *j, const char *path, off_t size, off_t to)
{
    keep_bytes(j, path, size, to, size > to ? (size_t)(size - to) : 0);
}

void ebb_journal_before_truncate(ebb_journal *j, int fd, off_t to)
{
    journal_descriptor d;
    if (!is_own(j, fd, &d))
        return;
    char *path = ebb_file_path_of(j->of.pid, fd);
    keep_tail(j, path, d.st.st_size, to);
    free(path);
}

/* ---- names ---- */

void ebb_journal_before_create(ebb_journal *j, const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0)
        return; /* it will fail, or is there already */
    begin(j, EBB_JOURNAL_CREATED, path);
    end(j);
}

void ebb_journal_before_open(ebb_journal *j, const char *path, bool creates, bool truncates)
{
    struct stat st;
    if (creates)
        ebb_journal_before_create(j, path);
    if (truncates && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        keep_tail(j, path, st.st_size, 0);
}

static void begin_with_mode(ebb_journal *j, ebb_journal_what what, const char *path, const struct stat *st)
{
    begin(j, what, path);
    ebb_recorder_u64(j->rec, st->st_mode & 07777);
}

static void keep_link(ebb_journal *j, const char *path)
{
    char target[4096];
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    begin(j, EBB_JOURNAL_REMOVED_LINK, path);
    put_text(j, target);
    end(j);
}

/* A file, link or directory is about to lose its name. */
void ebb_journal_before_remove(ebb_journal *j, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return;
    if (S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES) {
        keep_bytes(j, path, st.st_size, 0, (size_t)st.st_size); /* put back last, when it has its name again */
        begin_with_mode(j, EBB_JOURNAL_REMOVED, path, &st);
        end(j);
    } else if (S_ISDIR(st.st_mode)) {
        begin_with_mode(j, EBB_JOURNAL_REMOVED_DIRECTORY, path, &st);
        end(j);
    } else if (S_ISLNK(st.st_mode)) {
        keep_link(j, path);
    } else {
        ebb_journal_lose(j, path);
    }
}

void ebb_journal_before_rename(ebb_journal *j, const char *from, const char *to)
{
    struct stat st;
    if (lstat(from, &st) != 0)
        return;
    ebb_journal_before_remove(j, to);
    begin(j, EBB_JOURNAL_RENAMED, from);
    put_text(j, to);
    end(j);
}

static uint64_t nanoseconds(const struct timespec *t) { return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec; }

void ebb_journal_before_attributes(ebb_journal *j, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return;
    begin_with_mode(j, EBB_JOURNAL_ATTRIBUTES, path, &st);
    ebb_recorder_u64(j->rec, nanoseconds(&st.st_atim));
    ebb_recorder_u64(j->rec, nanoseconds(&st.st_mtim));
    end(j);
}

/* ---- which files are open ---- */

journal_open_file *journal_open_file_at(ebb_journal *j, int fd)
{
    for (size_t i = 0; i < j->open_files.n; i++)
        if (j->open_files.items[i].fd == fd)
            return &j->open_files.items[i];
    ebb_vec_push(&j->open_files, ((journal_open_file){.fd = fd}));
    return &j->open_files.items[j->open_files.n - 1];
}

void journal_forget_open_files(ebb_journal *j)
{
    for (size_t i = 0; i < j->open_files.n; i++)
        free(j->open_files.items[i].path);
    j->open_files.n = 0;
}

static void record_open_file(ebb_journal *j, const journal_open_file *f)
{
    ebb_recorder_begin(j->rec, EBB_EVENT_OPEN_FILE, j->of.now(j->of.self));
    ebb_recorder_u64(j->rec, (uint64_t)f->fd);
    put_text(j, f->path);
    ebb_recorder_u64(j->rec, (uint64_t)f->flags);
    ebb_recorder_u64(j->rec, (uint64_t)f->position);
    end(j);
}

static void note_closed(ebb_journal *j, journal_open_file *f)
{
    if (f->path == NULL)
        return;
    free(f->path);
    *f = (journal_open_file){.fd = f->fd};
    record_open_file(j, f);
}

static void note_open(ebb_journal *j, journal_open_file *f, const journal_descriptor *d)
{
    bool is_same = f->path != NULL && f->inode == d->st.st_ino && f->device == d->st.st_dev;
    if (is_same && f->position == d->position)
        return;
    if (!is_same) {
        free(f->path);
        f->path = ebb_file_path_of(j->of.pid, f->fd);
        f->flags = d->flags;
    }
    f->inode = d->st.st_ino;
    f->device = d->st.st_dev;
    f->position = d->position;
    record_open_file(j, f);
}

void ebb_journal_used(ebb_journal *j, int fd)
{
    journal_descriptor d;
    if (fd < 0)
        return;
    if (is_own(j, fd, &d))
        note_open(j, journal_open_file_at(j, fd), &d);
    else if (j->open_files.n > 0)
        note_closed(j, journal_open_file_at(j, fd));
}

bool ebb_journal_is_open(const ebb_journal *j, int fd)
{
    for (size_t i = 0; i < j->open_files.n; i++)
        if (j->open_files.items[i].fd == fd)
            return j->open_files.items[i].path != NULL;
    return false;
}
