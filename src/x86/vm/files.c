/* files.c - what a call is about to change in the file system, by its row in the table of calls, told to the journal. */
#include "x86/vm/files.h"
#include "time/journal.h"
#include "x86/calls.h"
#include "x86/vm/scribe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* A call that a thread is about to make. */
typedef struct about {
    x86_vm *vm;
    pid_t pid;
    uint64_t number, a[X86_N_ARGUMENTS];
    const x86_call_row *row;
} about;

/* ---- paths ------------------------------------------------------------------------------------ */

static bool read_text(const about *c, uint64_t at, char text[PATH_BYTES])
{
    for (size_t n = 0; n < PATH_BYTES; n++) {
        size_t page_left = 4096 - (at + n) % 4096, piece = page_left < PATH_BYTES - n ? page_left : PATH_BYTES - n;
        if (machine_read(c->vm->native, at + n, text + n, piece, NULL) != EBB_OK)
            return false;
        if (memchr(text + n, '\0', piece))
            return true;
        n += piece - 1;
    }
    return false;
}

/* Of a descriptor, or of the folder the program is in.  NULL: there is none.  Caller frees. */
static char *path_of_fd(const about *c, int fd)
{
    char link[64], target[PATH_BYTES];
    if (fd == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/%d/cwd", (int)c->pid);
    else
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)c->pid, fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    return n > 0 ? ebb_strndup(target, (size_t)n) : NULL;
}

static bool is_pointer(const about *c, unsigned argument)
{
    for (unsigned i = 0; i < X86_MAX_POINTERS; i++)
        if (c->row->pointers[i].argument == argument && c->row->pointers[i].way == X86_IN)
            return true;
    return false;
}

static int folder_of(const about *c, unsigned argument)
{
    return argument > 1 && !is_pointer(c, argument - 1) ? (int)c->a[argument - 2] : AT_FDCWD;
}

/* Its first or its last path, absolute; NULL: it has none, or will fail.  An empty one (or none) is the folder itself.  Caller frees. */
static char *path_of(const about *c, bool last)
{
    char text[PATH_BYTES] = "";
    unsigned argument = 0;
    for (unsigned i = 0; i < X86_MAX_POINTERS && (last || !argument); i++)
        if (c->row->pointers[i].way == X86_IN && c->row->pointers[i].size == X86_SIZE_STRING)
            argument = c->row->pointers[i].argument;
    if (!argument || (c->a[argument - 1] && !read_text(c, c->a[argument - 1], text)))
        return NULL;
    if (text[0] == '/')
        return ebb_strdup(text);
    char *in = path_of_fd(c, folder_of(c, argument)), *path = in && text[0] ? ebb_asprintf("%s/%s", in, text) : NULL;
    if (!in || path)
        free(in);
    return path ? path : in;
}

/* ---- changes ---------------------------------------------------------------------------------- */

static bool read_word(void *self, uint64_t at, uint64_t *word)
{
    return machine_read(((const about *)self)->vm->native, at, word, sizeof *word, NULL) == EBB_OK;
}

static void before_open(about *c, const char *path, ebb_journal *j)
{
    uint64_t flags;
    if (x86_call_flags(c->number, c->a, read_word, c, &flags))
        ebb_journal_before_open(j, path, flags & O_CREAT, flags & O_TRUNC);
}

static void before_rename(const about *c, const char *from, ebb_journal *j)
{
    bool exchanges = c->number == SYS_renameat2 && c->a[4] & RENAME_EXCHANGE;
    char *to = path_of(c, true);
    if (to && exchanges)
        ebb_journal_lose(j, to);
    else if (to)
        ebb_journal_before_rename(j, from, to);
    free(to);
}

static void before_path(about *c, const char *path, ebb_journal *j)
{
    switch (c->row->files) {
    case X86_FILES_CREATES: before_open(c, path, j); return;
    case X86_FILES_TRUNCATES: ebb_journal_before_open(j, path, false, true); return;
    case X86_FILES_LINKS: ebb_journal_before_create(j, path); return;
    case X86_FILES_REMOVES: ebb_journal_before_remove(j, path); return;
    case X86_FILES_RENAMES: before_rename(c, path, j); return;
    case X86_FILES_ATTRIBUTES: ebb_journal_before_attributes(j, path); return;
    default: ebb_journal_lose(j, path); return; /* OWNERS */
    }
}

/* To where the descriptor stands, or to where the argument after it leads. */
static void before_copy(about *c, ebb_journal *j)
{
    uint64_t at;
    if (c->a[3] && read_word(c, c->a[3], &at))
        ebb_journal_before_write_at(j, (int)c->a[2], (off_t)at, c->a[4]);
    else
        ebb_journal_before_write(j, (int)c->a[2], c->a[4]);
}

/* Writes that are no plain ones; each has its arguments in another order. */
static void before_write(about *c, ebb_journal *j)
{
    switch (c->number) {
    case SYS_fallocate: ebb_journal_before_write_at(j, (int)c->a[0], (off_t)c->a[2], c->a[3]); return;
    case SYS_sendfile: ebb_journal_before_write(j, (int)c->a[0], c->a[3]); return;
    case SYS_splice:
    case SYS_copy_file_range: before_copy(c, j); return;
    default: return;
    }
}

static void before_fd(about *c, ebb_journal *j)
{
    char *path = path_of_fd(c, (int)c->a[0]);
    if (c->row->files == X86_FILES_WRITES)
        before_write(c, j);
    else if (c->row->files == X86_FILES_TRUNCATES)
        ebb_journal_before_truncate(j, (int)c->a[0], (off_t)c->a[1]);
    else if (path && c->row->files == X86_FILES_ATTRIBUTES)
        ebb_journal_before_attributes(j, path);
    else if (path && c->row->files == X86_FILES_OWNERS)
        ebb_journal_lose(j, path);
    free(path);
}

static void tell_journal(about *c, ebb_journal *j)
{
    char *path = path_of(c, c->row->files == X86_FILES_LINKS);
    bool has_path = false;
    for (unsigned i = 0; i < X86_MAX_POINTERS; i++)
        has_path |= c->row->pointers[i].way == X86_IN && c->row->pointers[i].size == X86_SIZE_STRING;
    if (path)
        before_path(c, path, j);
    else if (!has_path)
        before_fd(c, j);
    free(path);
}

static uint64_t now(void *self)
{
    return ((x86_vm *)self)->time;
}

ebb_status vm_files_before(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    struct user_regs_struct *r;
    EBB_TRY(vm_regs(vm, tid, &r, err));
    about c = {vm, x86_of(vm->native)->pid, r->rax, {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9}, x86_call_row_of(r->rax)};
    ebb_recorder *rec = c.row && vm->recording.scribe ? x86_scribe_lend(vm->recording.scribe, vm->time) : NULL;
    if (!rec)
        return EBB_OK;
    ebb_journal *j = ebb_journal_new(rec, (ebb_journal_program){.self = vm, .now = now, .pid = c.pid});
    struct stat st;
    for (int fd = 0; fd < X86_RING_STREAMS; fd++)
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            ebb_journal_share(j, &st);
    tell_journal(&c, j);
    ebb_journal_free(j);
    x86_scribe_take_back(vm->recording.scribe);
    return EBB_OK;
}
