/* branch_files.c - putting files back (files.h). */
#include "jvm/record/files.h"

#include "jvm/record/files_internal.h"
#include "jvm/record/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct undo {
    uint64_t what, number, at; /* number: size, mode or descriptor */
    uint64_t accessed, modified; /* in nanoseconds */
    char *path, *other;
    ebb_buf bytes;
} undo;

typedef struct journal {
    EBB_VEC(undo) undos; /* oldest first */
    uint64_t sent[3], sent_elsewhere;
} journal;

/* ---- reading ---- */

static char *take_text(ebb_values *v)
{
    size_t n;
    const char *text = (const char *)ebb_values_bytes(v, &n);
    return text == NULL || n == 0 || text[n - 1] != '\0' ? NULL : ebb_strdup(text);
}

static void take_undo(journal *j, ebb_values v)
{
    undo u = {.what = ebb_values_u64(&v), .path = take_text(&v)};
    size_t n;
    const void *bytes;
    switch (u.what) {
    case JVM_UNDO_BYTES:
        u.number = ebb_values_u64(&v);
        u.at = ebb_values_u64(&v);
        bytes = ebb_values_bytes(&v, &n);
        if (bytes != NULL)
            ebb_buf_add(&u.bytes, bytes, n);
        break;
    case JVM_UNDO_REMOVED: case JVM_UNDO_REMOVED_DIRECTORY: u.number = ebb_values_u64(&v); break;
    case JVM_UNDO_ATTRIBUTES:
        u.number = ebb_values_u64(&v);
        u.accessed = ebb_values_u64(&v);
        u.modified = ebb_values_u64(&v);
        break;
    case JVM_UNDO_REMOVED_LINK: case JVM_UNDO_RENAMED: u.other = take_text(&v); break;
    case JVM_UNDO_SENT:
        u.number = ebb_values_u64(&v);
        *(u.number < 3 ? &j->sent[u.number] : &j->sent_elsewhere) += ebb_values_u64(&v);
        break;
    default: break;
    }
    if (!v.is_bad && u.path != NULL)
        ebb_vec_push(&j->undos, u);
}

static void take_open_file(ebb_values v)
{
    uint64_t fd = ebb_values_u64(&v);
    char *path = take_text(&v);
    int flags = (int)ebb_values_u64(&v);
    off_t position = (off_t)ebb_values_u64(&v);
    if (v.is_bad || fd > INT32_MAX)
        return;
    jvm_open_file *f = jvm_open_file_at((int)fd);
    free(f->path);
    *f = (jvm_open_file){.fd = (int)fd, .path = path, .flags = flags, .position = position};
}

static ebb_status read_journal(journal *j, ebb_recording *in, uint64_t began, uint64_t from, ebb_error *err)
{
    ebb_event e;
    ebb_status status = ebb_recording_seek(in, began, err);
    while (status == EBB_OK && (status = ebb_recording_next(in, &e, err)) == EBB_OK) {
        if (e.kind == EBB_EVENT_FILE && e.number >= from)
            take_undo(j, e.values);
        else if (e.kind == EBB_EVENT_OPEN_FILE && e.number < from)
            take_open_file(e.values);
    }
    return status == EBB_NO_HISTORY ? EBB_OK : status;
}

/* ---- putting back ---- */

static bool put_bytes(const undo *u)
{
    int fd = open(u->path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = u->bytes.n == 0 || pwrite(fd, u->bytes.data, u->bytes.n, (off_t)u->at) == (ssize_t)u->bytes.n;
    ok = ftruncate(fd, (off_t)u->number) == 0 && ok;
    close(fd);
    return ok;
}

static bool put_file(const undo *u)
{
    int fd = open(u->path, O_WRONLY | O_CREAT | O_CLOEXEC, (mode_t)u->number);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static struct timespec time_of(uint64_t ns) { return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)}; }

static bool put_attributes(const undo *u)
{
    struct stat st;
    struct timespec times[] = {time_of(u->accessed), time_of(u->modified)};
    if (lstat(u->path, &st) != 0)
        return false;
    bool ok = S_ISLNK(st.st_mode) || chmod(u->path, (mode_t)u->number) == 0;
    return utimensat(AT_FDCWD, u->path, times, AT_SYMLINK_NOFOLLOW) == 0 && ok;
}

static bool remove_made(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT || (errno == EISDIR && rmdir(path) == 0);
}

static bool put_back(const undo *u)
{
    switch (u->what) {
    case JVM_UNDO_BYTES: return put_bytes(u);
    case JVM_UNDO_CREATED: return remove_made(u->path);
    case JVM_UNDO_REMOVED: return put_file(u);
    case JVM_UNDO_REMOVED_DIRECTORY: return mkdir(u->path, (mode_t)u->number) == 0 || errno == EEXIST;
    case JVM_UNDO_REMOVED_LINK: return u->other != NULL && symlink(u->other, u->path) == 0;
    case JVM_UNDO_ATTRIBUTES: return put_attributes(u);
    case JVM_UNDO_RENAMED: return u->other != NULL && rename(u->other, u->path) == 0;
    default: errno = ENOTSUP; return false;
    }
}

static void put_all_back(journal *j, ebb_buf *undone)
{
    for (size_t i = j->undos.n; i-- > 0;) {
        const undo *u = &j->undos.items[i];
        if (u->what == JVM_UNDO_LOST)
            ebb_buf_addf(undone, "owner, size or kind of %s\n", u->path);
        else if (!put_back(u))
            ebb_buf_addf(undone, "%s could not be put back: %s\n", u->path, strerror(errno));
    }
}

static void name_sent(const journal *j, ebb_buf *undone)
{
    static const char *const names[] = {"standard input", "standard output", "standard error"};
    for (int i = 0; i < 3; i++)
        if (j->sent[i] > 0)
            ebb_buf_addf(undone, "%llu bytes written to %s\n", (unsigned long long)j->sent[i], names[i]);
    if (j->sent_elsewhere > 0)
        ebb_buf_addf(undone, "%llu bytes written to pipes and connections\n", (unsigned long long)j->sent_elsewhere);
}

static void reopen(const jvm_open_file *f, ebb_buf *undone)
{
    int own = open(f->path, (f->flags & ~(O_CREAT | O_TRUNC | O_EXCL)) | O_CLOEXEC);
    if (own < 0 || lseek(own, f->position, SEEK_SET) < 0 || (own != f->fd && dup3(own, f->fd, O_CLOEXEC) < 0))
        ebb_buf_addf(undone, "%s could not be opened again: %s\n", f->path, strerror(errno));
    if (own >= 0 && own != f->fd)
        close(own);
}

static void journal_fini(journal *j)
{
    for (size_t i = 0; i < j->undos.n; i++) {
        free(j->undos.items[i].path);
        free(j->undos.items[i].other);
        ebb_buf_fini(&j->undos.items[i].bytes);
    }
    ebb_vec_fini(&j->undos);
}

ebb_status jvm_files_put_back(ebb_recording *in, uint64_t began, uint64_t from, ebb_buf *undone, ebb_error *err)
{
    journal j = {0};
    ebb_status status = read_journal(&j, in, began, from, err);
    if (status == EBB_OK) {
        put_all_back(&j, undone);
        name_sent(&j, undone);
    }
    journal_fini(&j);
    return status;
}

void jvm_files_reopen(ebb_buf *undone)
{
    for (size_t i = 0; i < jvm_open_files_now.n; i++)
        if (jvm_open_files_now.items[i].path != NULL)
            reopen(&jvm_open_files_now.items[i], undone);
}
