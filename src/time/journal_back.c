/* journal_back.c - putting files back to what they were at a moment of the past. */
#include "time/journal_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

static char *take_text(ebb_values *v)
{
    size_t n;
    const char *text = (const char *)ebb_values_bytes(v, &n);
    return text == NULL || n == 0 || text[n - 1] != '\0' ? NULL : ebb_strdup(text);
}

static void take_bytes(ebb_values *v, journal_entry *e)
{
    size_t n;
    e->number = ebb_values_u64(v);
    e->at = ebb_values_u64(v);
    const void *bytes = ebb_values_bytes(v, &n);
    if (bytes != NULL)
        ebb_buf_add(&e->bytes, bytes, n);
}

static void take_attributes(ebb_values *v, journal_entry *e)
{
    e->number = ebb_values_u64(v);
    e->accessed = ebb_values_u64(v);
    e->modified = ebb_values_u64(v);
}

static void take_sent(ebb_values *v, journal_entries *out)
{
    uint64_t fd = ebb_values_u64(v), nbytes = ebb_values_u64(v);
    if (!v->is_bad)
        *(fd < 3 ? &out->sent[fd] : &out->sent_elsewhere) += nbytes;
}

static void entry_fini(journal_entry *e)
{
    free(e->path);
    free(e->other);
    ebb_buf_fini(&e->bytes);
}

static void take_entry(ebb_values v, journal_entries *out)
{
    journal_entry e = {.what = ebb_values_u64(&v), .path = take_text(&v)};
    switch (e.what) {
    case EBB_JOURNAL_BYTES: take_bytes(&v, &e); break;
    case EBB_JOURNAL_REMOVED: case EBB_JOURNAL_REMOVED_DIRECTORY: e.number = ebb_values_u64(&v); break;
    case EBB_JOURNAL_ATTRIBUTES: take_attributes(&v, &e); break;
    case EBB_JOURNAL_REMOVED_LINK: case EBB_JOURNAL_RENAMED: e.other = take_text(&v); break;
    case EBB_JOURNAL_SENT: take_sent(&v, out); break;
    default: break;
    }
    if (ebb_values_done(&v) && e.path != NULL)
        ebb_vec_push(&out->all, e);
    else
        entry_fini(&e); /* half an entry would put back what never was: its file stays as it is */
}

static void take_open_file(ebb_journal *j, ebb_values v)
{
    uint64_t fd = ebb_values_u64(&v);
    char *path = take_text(&v);
    int flags = (int)ebb_values_u64(&v);
    off_t position = (off_t)ebb_values_u64(&v);
    if (!ebb_values_done(&v) || fd > INT32_MAX) {
        free(path);
        return;
    }
    journal_open_file *f = journal_open_file_at(j, (int)fd);
    free(f->path);
    *f = (journal_open_file){.fd = (int)fd, .path = path, .flags = flags, .position = position};
}

/* Files are to be what they were at `from`, so what was done to them after it is wanted; but which files were open there, and at which positions, was told before it. */
ebb_status journal_read(ebb_journal *j, ebb_recording *in, uint64_t began, uint64_t from, journal_entries *out, ebb_error *err)
{
    ebb_event e;
    ebb_status status = ebb_recording_seek(in, began, err);
    while (status == EBB_OK && (status = ebb_recording_next(in, &e, err)) == EBB_OK) {
        if (e.kind == EBB_EVENT_FILE && e.number >= from)
            take_entry(e.values, out);
        else if (e.kind == EBB_EVENT_OPEN_FILE && e.number < from)
            take_open_file(j, e.values);
    }
    return status == EBB_NO_HISTORY ? EBB_OK : status;
}

void journal_entries_fini(journal_entries *e)
{
    for (size_t i = 0; i < e->all.n; i++)
        entry_fini(&e->all.items[i]);
    ebb_vec_fini(&e->all);
}

/* ---- putting back ---- */

/* Its size last: bytes that the program cut off are there again only after they were written, and what it appended has to go. */
static bool put_bytes(const journal_entry *e)
{
    int fd = open(e->path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = e->bytes.n == 0 || pwrite(fd, e->bytes.data, e->bytes.n, (off_t)e->at) == (ssize_t)e->bytes.n;
    ok = ftruncate(fd, (off_t)e->number) == 0 && ok;
    close(fd);
    return ok;
}

/* Empty: what it held was recorded before it was removed, and so comes after this. */
static bool put_file(const journal_entry *e)
{
    int fd = open(e->path, O_WRONLY | O_CREAT | O_CLOEXEC, (mode_t)e->number);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static struct timespec time_of(uint64_t ns) { return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)}; }

static bool put_attributes(const journal_entry *e)
{
    struct stat st;
    struct timespec times[] = {time_of(e->accessed), time_of(e->modified)};
    if (lstat(e->path, &st) != 0)
        return false;
    bool ok = S_ISLNK(st.st_mode) || chmod(e->path, (mode_t)e->number) == 0; /* of a link it would be the target's */
    return utimensat(AT_FDCWD, e->path, times, AT_SYMLINK_NOFOLLOW) == 0 && ok;
}

/* The program made it, or tried to: that it is not there is what was wanted. */
static bool remove_made(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT || (errno == EISDIR && rmdir(path) == 0);
}

static bool put_back(const journal_entry *e)
{
    switch (e->what) {
    case EBB_JOURNAL_BYTES: return put_bytes(e);
    case EBB_JOURNAL_CREATED: return remove_made(e->path);
    case EBB_JOURNAL_REMOVED: return put_file(e);
    case EBB_JOURNAL_REMOVED_DIRECTORY: return mkdir(e->path, (mode_t)e->number) == 0 || errno == EEXIST;
    case EBB_JOURNAL_REMOVED_LINK: return e->other != NULL && symlink(e->other, e->path) == 0;
    case EBB_JOURNAL_ATTRIBUTES: return put_attributes(e);
    case EBB_JOURNAL_RENAMED: return e->other != NULL && rename(e->other, e->path) == 0;
    default: errno = ENOTSUP; return false;
    }
}

/* Newest first, since each entry has what its own change destroyed.  One that fails does not stop the others: a user is better off with most files, and is told of the rest. */
static void put_all_back(const journal_entries *e, ebb_buf *lost)
{
    for (size_t i = e->all.n; i-- > 0;) {
        const journal_entry *entry = &e->all.items[i];
        if (entry->what == EBB_JOURNAL_LOST)
            ebb_buf_addf(lost, "owner, size or kind of %s\n", entry->path);
        else if (!put_back(entry))
            ebb_buf_addf(lost, "%s could not be put back: %s\n", entry->path, strerror(errno));
    }
}

static void name_sent(const journal_entries *e, ebb_buf *lost)
{
    static const char *const names[] = {"standard input", "standard output", "standard error"};
    for (int i = 0; i < 3; i++)
        if (e->sent[i] > 0)
            ebb_buf_addf(lost, "%llu bytes written to %s\n", (unsigned long long)e->sent[i], names[i]);
    if (e->sent_elsewhere > 0)
        ebb_buf_addf(lost, "%llu bytes written to pipes and connections\n", (unsigned long long)e->sent_elsewhere);
}

ebb_status ebb_journal_put_back(ebb_journal *j, ebb_recording *in, uint64_t began, uint64_t from, ebb_buf *lost, ebb_error *err)
{
    journal_entries entries = {0};
    if (from < began) { /* it went back to before the copy was made: what it knows of open files is from later */
        journal_forget_open_files(j);
        began = 0;
    }
    ebb_status status = journal_read(j, in, began, from, &entries, err);
    if (status == EBB_OK) {
        put_all_back(&entries, lost);
        name_sent(&entries, lost);
    }
    journal_entries_fini(&entries);
    return status;
}

/* ---- open files ---- */

/* A descriptor of the copy shares its position with those of all other copies, and the newest of them has moved it: only a new one has a position of its own.  What
 * the program wanted of the file when it opened it, to make it or to empty it, was done then. */
static void reopen(const journal_open_file *f, ebb_buf *lost)
{
    int own = open(f->path, (f->flags & ~(O_CREAT | O_TRUNC | O_EXCL)) | O_CLOEXEC);
    if (own < 0 || lseek(own, f->position, SEEK_SET) < 0 || (own != f->fd && dup3(own, f->fd, O_CLOEXEC) < 0))
        ebb_buf_addf(lost, "%s could not be opened again: %s\n", f->path, strerror(errno));
    if (own >= 0 && own != f->fd)
        close(own);
}

void ebb_journal_reopen(ebb_journal *j, ebb_buf *lost)
{
    for (size_t i = 0; i < j->open_files.n; i++)
        if (j->open_files.items[i].path != NULL)
            reopen(&j->open_files.items[i], lost);
}
