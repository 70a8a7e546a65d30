/* files.c - while recording: logging what is about to be lost. */
#include "jvm/record/files.h"

#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/border/native.h"
#include "jvm/record/files_internal.h"
#include "jvm/record/internal.h"
#include "jvm/jvm.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

jvm_open_files jvm_open_files_now;

/* ---- events ---- */

static void begin(enum jvm_undo what, const char *path)
{
    jvm_log_event(EBB_EVENT_FILE);
    jvm_log_u(what);
    jvm_log_text(path);
}

static void log_lost(const char *path)
{
    begin(JVM_UNDO_LOST, path);
    jvm_log_end();
}

/* ---- regular files ---- */

/* The path behind a descriptor, "" if it has none; caller frees. */
static char *path_of(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return ebb_strdup(path);
}

static bool is_regular(int fd, struct stat *st) { return fstat(fd, st) == 0 && S_ISREG(st->st_mode); }

/* `n` bytes from `at` are about to change; afterwards the file is to have the size it has now. */
static void keep_bytes(const char *path, off_t size, off_t at, size_t n)
{
    size_t there = at >= size ? 0 : (size_t)(size - at) < n ? (size_t)(size - at) : n;
    size_t done = 0;
    do {
        size_t step = there - done < JVM_LOG_STEP ? there - done : JVM_LOG_STEP;
        char *bytes = ebb_alloc(step + 1);
        int reader = step > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got = reader < 0 ? 0 : pread(reader, bytes, step, at + (off_t)done);
        if (reader >= 0)
            close(reader);
        begin(JVM_UNDO_BYTES, path);
        jvm_log_u((uint64_t)size);
        jvm_log_u((uint64_t)at + done);
        jvm_log_bytes(bytes, got < 0 ? 0 : (size_t)got);
        jvm_log_end();
        free(bytes);
        done += step;
    } while (done < there);
}

static void before_write(int fd, bool positioned, off_t at, size_t n)
{
    struct stat st;
    if (!is_regular(fd, &st)) {
        begin(JVM_UNDO_SENT, NULL);
        jvm_log_u((uint64_t)fd);
        jvm_log_u(n);
        jvm_log_end();
        return;
    }
    if (!positioned)
        at = (fcntl(fd, F_GETFL) & O_APPEND) ? st.st_size : lseek(fd, 0, SEEK_CUR);
    char *path = path_of(fd);
    keep_bytes(path, st.st_size, at < 0 ? 0 : at, n);
    free(path);
}

static void before_truncate(int fd, const char *path, off_t to)
{
    struct stat st;
    if ((fd >= 0 ? fstat(fd, &st) : stat(path, &st)) != 0 || !S_ISREG(st.st_mode))
        return;
    char *own = fd >= 0 ? path_of(fd) : ebb_strdup(path);
    keep_bytes(own, st.st_size, to, st.st_size > to ? (size_t)(st.st_size - to) : 0);
    free(own);
}

/* ---- names ---- */

static void before_create(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0)
        return; /* it will fail, or is there already */
    begin(JVM_UNDO_CREATED, path);
    jvm_log_end();
}

/* A file, link or directory is about to lose its name. */
static void before_remove(const char *path)
{
    enum { MOST = 16 << 20 };
    struct stat st;
    if (lstat(path, &st) != 0)
        return;
    if (S_ISREG(st.st_mode) && st.st_size <= MOST) {
        keep_bytes(path, st.st_size, 0, (size_t)st.st_size); /* put back last, when it has its name again */
        begin(JVM_UNDO_REMOVED, path);
        jvm_log_u(st.st_mode & 07777);
        jvm_log_end();
    } else if (S_ISDIR(st.st_mode)) {
        begin(JVM_UNDO_REMOVED_DIRECTORY, path);
        jvm_log_u(st.st_mode & 07777);
        jvm_log_end();
    } else if (S_ISLNK(st.st_mode)) {
        char target[4096];
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        begin(JVM_UNDO_REMOVED_LINK, path);
        jvm_log_text(target);
        jvm_log_end();
    } else {
        log_lost(path);
    }
}

static void before_rename(const char *from, const char *to)
{
    struct stat st;
    if (lstat(from, &st) != 0)
        return;
    before_remove(to);
    begin(JVM_UNDO_RENAMED, from);
    jvm_log_text(to);
    jvm_log_end();
}

static uint64_t nanoseconds(const struct timespec *t) { return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec; }

static void before_attributes(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return;
    begin(JVM_UNDO_ATTRIBUTES, path);
    jvm_log_u(st.st_mode & 07777);
    jvm_log_u(nanoseconds(&st.st_atim));
    jvm_log_u(nanoseconds(&st.st_mtim));
    jvm_log_end();
}

static void before_open(const char *path, bool creates, bool truncates)
{
    if (creates)
        before_create(path);
    if (truncates)
        before_truncate(-1, path, 0);
}

/* ---- arguments ---- */

static char *absolute(const char *path)
{
    char directory[4096];
    if (path[0] == '/' || getcwd(directory, sizeof directory) == NULL)
        return ebb_strdup(path);
    return ebb_asprintf("%s/%s", directory, path);
}

/* The letter of the type of the argument in that slot; 'L' for a receiver. */
static char type_of_slot(const jvm_method *m, int slot)
{
    int at = 0;
    if (!jvm_method_is_static(m) && slot == at++)
        return 'L';
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; at += jvm_type_slots(type))
        if (at == slot)
            return type;
    return 0;
}

static const jvm_obj *object_field(const jvm_obj *o, const char *name)
{
    const jvm_field *f = NULL;
    for (const jvm_class *cls = o->cls; cls != NULL && f == NULL; cls = cls->super)
        f = jvm_class_own_field(cls, jvm_sym_get(name), NULL);
    return f == NULL ? NULL : jvm_get_ref(o, f->offset);
}

/* Caller frees; NULL: there is none. */
static char *path_argument(const jvm_method *m, const jvm_slot *args, int slot)
{
    if (type_of_slot(m, slot) == 'J')
        return absolute((const char *)(intptr_t)args[slot].j);
    const jvm_obj *o = args[slot].a;
    if (o != NULL && o->cls != jvm.classes.String)
        o = object_field(o, "path");
    if (o == NULL || o->cls != jvm.classes.String)
        return NULL;
    char *text = jvm_string_utf8((jvm_obj *)o), *path = absolute(text);
    free(text);
    return path;
}

static int descriptor_argument(const jvm_method *m, const jvm_slot *args, int slot)
{
    if (type_of_slot(m, slot) == 'I')
        return args[slot].i;
    const jvm_obj *o = args[slot].a;
    if (o != NULL && o->cls != jvm.classes.FileDescriptor)
        o = object_field(o, "fd");
    return o == NULL ? -1 : jvm_get_i32(o, jvm.fields.FileDescriptor_fd);
}

/* A path in the directory of a descriptor; caller frees. */
static char *path_at(const jvm_slot *args, int slot)
{
    const char *path = (const char *)(intptr_t)args[slot + 1].j;
    if (path[0] == '/' || args[slot].i < 0)
        return absolute(path);
    char *directory = path_of(args[slot].i), *whole = ebb_asprintf("%s/%s", directory, path);
    free(directory);
    return whole;
}

/* ---- natives ---- */

enum what { OPEN_STREAM, OPEN_RANDOM, OPEN_FLAGS, WRITE_BYTE, WRITE, WRITE_AT, WRITE_VECTORS, WRITE_ALL, TRUNCATE, MOVE, CREATE, REMOVE,
            RENAME, LOSE, ATTRIBUTES, OPEN_ATTRIBUTES, OPEN_LOSE, OPEN_FLAGS_AT, REMOVE_AT, RENAME_AT };

typedef struct file_row {
    const char *cls, *name;
    enum what what;
    int first, second;
} file_row;

static const file_row rows[] = {
#define JVM_FILE(cls, name, what, first, second) {cls, name, what, first, second},
#include "jvm/record/files.def"
#undef JVM_FILE
};

enum { ROW_UNKNOWN, ROW_NONE, ROW_FIRST };

static int16_t find_row(const jvm_method *m)
{
    for (size_t i = 0; m->cls->loader->object == NULL && i < sizeof rows / sizeof *rows; i++)
        if (jvm_sym_is(m->name, rows[i].name) && jvm_sym_is(m->cls->name, rows[i].cls))
            return (int16_t)(ROW_FIRST + i);
    return ROW_NONE;
}

static const file_row *row_of(const jvm_method *m)
{
    if (m->native->file_row == ROW_UNKNOWN)
        m->native->file_row = find_row(m);
    return m->native->file_row == ROW_NONE ? NULL : &rows[m->native->file_row - ROW_FIRST];
}

static bool takes_path(enum what what)
{
    return what == OPEN_STREAM || what == OPEN_RANDOM || what == OPEN_FLAGS || what == CREATE || what == REMOVE || what == RENAME ||
           what == LOSE || what == ATTRIBUTES;
}

static bool is_in_directory(enum what what)
{
    return what == OPEN_FLAGS_AT || what == REMOVE_AT || what == RENAME_AT;
}

static void before_path(const jvm_method *m, const jvm_slot *args, const file_row *row)
{
    enum { RANDOM_WRITES = 2 }; /* RandomAccessFile.O_RDWR */
    char *path = path_argument(m, args, row->first), *other;
    const jvm_slot *second = &args[row->second];
    if (path == NULL)
        return;
    switch (row->what) {
    case OPEN_STREAM: before_open(path, true, !second->i); break;
    case OPEN_RANDOM: before_open(path, (second->i & RANDOM_WRITES) != 0, false); break;
    case OPEN_FLAGS: before_open(path, (second->i & O_CREAT) != 0, (second->i & O_TRUNC) != 0); break;
    case CREATE: before_create(path); break;
    case REMOVE: before_remove(path); break;
    case ATTRIBUTES: before_attributes(path); break;
    case RENAME:
        other = path_argument(m, args, row->second);
        if (other != NULL)
            before_rename(path, other);
        free(other);
        break;
    default: log_lost(path); break;
    }
    free(path);
}

static void before_in_directory(const jvm_slot *args, const file_row *row)
{
    char *path = path_at(args, row->first), *other = row->what == RENAME_AT ? path_at(args, row->second) : NULL;
    int flags = args[row->second].i;
    switch (row->what) {
    case OPEN_FLAGS_AT: before_open(path, (flags & O_CREAT) != 0, (flags & O_TRUNC) != 0); break;
    case REMOVE_AT: before_remove(path); break;
    default: before_rename(path, other); break;
    }
    free(path);
    free(other);
}

/* Of an open file. */
static void before_attributes_of(int fd, bool are_lost)
{
    char *path = path_of(fd);
    if (are_lost)
        log_lost(path);
    else
        before_attributes(path);
    free(path);
}

static size_t vectors_nbytes(const struct iovec *v, int32_t n)
{
    size_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += v[i].iov_len;
    return sum;
}

static void before_descriptor(const jvm_method *m, const jvm_slot *args, const file_row *row)
{
    int fd = descriptor_argument(m, args, row->first);
    const jvm_slot *second = &args[row->second];
    struct stat st;
    if (fd < 0)
        return;
    switch (row->what) {
    case WRITE_BYTE: before_write(fd, false, 0, 1); break;
    case WRITE: before_write(fd, false, 0, second->i > 0 ? (size_t)second->i : 0); break;
    case WRITE_AT: before_write(fd, true, second[1].j, second->i > 0 ? (size_t)second->i : 0); break;
    case WRITE_VECTORS: before_write(fd, false, 0, vectors_nbytes((const struct iovec *)(intptr_t)second->j, second[2].i)); break;
    case WRITE_ALL: before_write(fd, false, 0, fstat(fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0); break;
    case TRUNCATE: before_truncate(fd, NULL, second->j); break;
    case OPEN_ATTRIBUTES: before_attributes_of(fd, false); break;
    case OPEN_LOSE: before_attributes_of(fd, true); break;
    default: break;
    }
}

void jvm_files_before_native(const jvm_method *m, const jvm_slot *args)
{
    const file_row *row = row_of(m);
    if (row == NULL)
        return;
    if (takes_path(row->what))
        before_path(m, args, row);
    else if (is_in_directory(row->what))
        before_in_directory(args, row);
    else
        before_descriptor(m, args, row);
}

void jvm_files_after_native(const jvm_method *m, const jvm_slot *args, jvm_slot result)
{
    const file_row *row = row_of(m);
    if (row == NULL)
        return;
    if (row->what == OPEN_FLAGS || row->what == OPEN_FLAGS_AT)
        jvm_files_used(result.i);
    else if (row->what == OPEN_STREAM || row->what == OPEN_RANDOM)
        jvm_files_used(descriptor_argument(m, args, 0));
    else if (!takes_path(row->what) && !is_in_directory(row->what))
        jvm_files_used(descriptor_argument(m, args, row->first));
}

void jvm_files_before_map(int fd, off_t at, size_t nbytes)
{
    enum { MOST = 16 << 20 };
    if (nbytes <= MOST) {
        before_write(fd, true, at, nbytes);
        return;
    }
    char *path = path_of(fd);
    log_lost(path);
    free(path);
}

void jvm_files_before_write(int fd, size_t nbytes) { before_write(fd, false, 0, nbytes); }

/* ---- which files are open ---- */

jvm_open_file *jvm_open_file_at(int fd)
{
    for (size_t i = 0; i < jvm_open_files_now.n; i++)
        if (jvm_open_files_now.items[i].fd == fd)
            return &jvm_open_files_now.items[i];
    ebb_vec_push(&jvm_open_files_now, ((jvm_open_file){.fd = fd}));
    return &jvm_open_files_now.items[jvm_open_files_now.n - 1];
}

void jvm_files_forget_open(void)
{
    for (size_t i = 0; i < jvm_open_files_now.n; i++)
        free(jvm_open_files_now.items[i].path);
    jvm_open_files_now.n = 0;
}

static void log_open_file(const jvm_open_file *f)
{
    jvm_log_event(EBB_EVENT_OPEN_FILE);
    jvm_log_u((uint64_t)f->fd);
    jvm_log_text(f->path);
    jvm_log_u((uint64_t)f->flags);
    jvm_log_u((uint64_t)f->position);
    jvm_log_end();
}

void jvm_files_used(int fd)
{
    struct stat st;
    if (fd < 0)
        return;
    bool open_now = is_regular(fd, &st);
    if (!open_now && jvm_open_files_now.n == 0)
        return;
    jvm_open_file *f = jvm_open_file_at(fd);
    if (!open_now && f->path == NULL)
        return;
    off_t position = open_now ? lseek(fd, 0, SEEK_CUR) : 0;
    if (open_now && f->path != NULL && f->inode == st.st_ino && f->device == st.st_dev && f->position == position)
        return;
    if (!open_now || f->inode != st.st_ino || f->device != st.st_dev || f->path == NULL) {
        free(f->path);
        f->path = open_now ? path_of(fd) : NULL;
        f->flags = open_now ? fcntl(fd, F_GETFL) : 0;
    }
    f->inode = st.st_ino;
    f->device = st.st_dev;
    f->position = position;
    log_open_file(f);
}
