/* files.c - what a native is about to do to files, found out from its arguments, for the journal. */
#include "jvm/record/files.h"

#include "base/file.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/border/native.h"
#include "jvm/record/internal.h"
#include "jvm/jvm.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Whoever started the program gave it their own streams, mostly. */
static void share_streams(ebb_journal *journal)
{
    struct stat st;
    for (int fd = 1; fd < 3; fd++) {
        char *path = ebb_asprintf("/proc/%d/fd/%d", (int)jvm_starter_pid, fd);
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
            ebb_journal_share(journal, &st);
        free(path);
    }
}

static uint64_t now(void *self)
{
    return jvm_time();
}

ebb_journal *jvm_files_journal(void)
{
    static ebb_journal *journal;
    if (journal == NULL) {
        journal = ebb_journal_new(jvm_log_recorder(), (ebb_journal_program){.now = now});
        share_streams(journal);
    }
    return journal;
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
    char *directory = ebb_file_path_of(0, args[slot].i), *whole = ebb_asprintf("%s/%s", directory, path);
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
    ebb_journal *journal = jvm_files_journal();
    if (path == NULL)
        return;
    switch (row->what) {
    case OPEN_STREAM: ebb_journal_before_open(journal, path, true, !second->i); break;
    case OPEN_RANDOM: ebb_journal_before_open(journal, path, (second->i & RANDOM_WRITES) != 0, false); break;
    case OPEN_FLAGS: ebb_journal_before_open(journal, path, (second->i & O_CREAT) != 0, (second->i & O_TRUNC) != 0); break;
    case CREATE: ebb_journal_before_create(journal, path); break;
    case REMOVE: ebb_journal_before_remove(journal, path); break;
    case ATTRIBUTES: ebb_journal_before_attributes(journal, path); break;
    case RENAME:
        other = path_argument(m, args, row->second);
        if (other != NULL)
            ebb_journal_before_rename(journal, path, other);
        free(other);
        break;
    default: ebb_journal_lose(journal, path); break;
    }
    free(path);
}

static void before_in_directory(const jvm_slot *args, const file_row *row)
{
    char *path = path_at(args, row->first), *other = row->what == RENAME_AT ? path_at(args, row->second) : NULL;
    int flags = args[row->second].i;
    ebb_journal *journal = jvm_files_journal();
    switch (row->what) {
    case OPEN_FLAGS_AT: ebb_journal_before_open(journal, path, (flags & O_CREAT) != 0, (flags & O_TRUNC) != 0); break;
    case REMOVE_AT: ebb_journal_before_remove(journal, path); break;
    default: ebb_journal_before_rename(journal, path, other); break;
    }
    free(path);
    free(other);
}

/* Of an open file. */
static void before_attributes_of(int fd, bool are_lost)
{
    char *path = ebb_file_path_of(0, fd);
    if (are_lost)
        ebb_journal_lose(jvm_files_journal(), path);
    else
        ebb_journal_before_attributes(jvm_files_journal(), path);
    free(path);
}

static size_t vectors_nbytes(const struct iovec *v, int32_t n)
{
    size_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += v[i].iov_len;
    return sum;
}

static size_t positive(int32_t n) { return n > 0 ? (size_t)n : 0; }

static size_t file_nbytes(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
}

static void before_descriptor(const jvm_method *m, const jvm_slot *args, const file_row *row)
{
    int fd = descriptor_argument(m, args, row->first);
    const jvm_slot *second = &args[row->second];
    ebb_journal *journal = jvm_files_journal();
    if (fd < 0)
        return;
    switch (row->what) {
    case WRITE_BYTE: ebb_journal_before_write(journal, fd, 1); break;
    case WRITE: ebb_journal_before_write(journal, fd, positive(second->i)); break;
    case WRITE_AT: ebb_journal_before_write_at(journal, fd, second[1].j, positive(second->i)); break;
    case WRITE_VECTORS: ebb_journal_before_write(journal, fd, vectors_nbytes((const struct iovec *)(intptr_t)second->j, second[2].i)); break;
    case WRITE_ALL: ebb_journal_before_write(journal, fd, file_nbytes(fd)); break;
    case TRUNCATE: ebb_journal_before_truncate(journal, fd, second->j); break;
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
        ebb_journal_used(jvm_files_journal(), result.i);
    else if (row->what == OPEN_STREAM || row->what == OPEN_RANDOM)
        ebb_journal_used(jvm_files_journal(), descriptor_argument(m, args, 0));
    else if (!takes_path(row->what) && !is_in_directory(row->what))
        ebb_journal_used(jvm_files_journal(), descriptor_argument(m, args, row->first));
}
