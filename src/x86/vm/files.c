/* files.c - which call changes what in the file system, told to the journal. */
#include "x86/vm/files.h"
#include "time/journal.h"
#include "x86/vm/scribe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NO_FOLDER = -1 };

typedef enum change_kind {
    OPENS_PATH,  /* creates or truncates */
    CUTS_PATH,
    CUTS_FD,
    FILLS_FD,
    COPIES_TO_FD, /* where it stands, or where the argument after it points */
    SENDS_TO_FD,
    CREATES_PATH,
    REMOVES_PATH,
    RENAMES_PATH,
    SETS_PATH,
    SETS_FD,
    LOSES_PATH,   /* owners and the like */
} change_kind;

/* Arguments are counted from 0.  `folder`: which one is the descriptor that the path is relative to. */
typedef struct change {
    long number;
    change_kind kind;
    int folder, path;
} change;

static const change changes[] = {
    {SYS_open, OPENS_PATH, NO_FOLDER, 0},       {SYS_creat, OPENS_PATH, NO_FOLDER, 0},      {SYS_openat, OPENS_PATH, 0, 1},
    {SYS_openat2, OPENS_PATH, 0, 1},            {SYS_truncate, CUTS_PATH, NO_FOLDER, 0},    {SYS_ftruncate, CUTS_FD, NO_FOLDER, 0},
    {SYS_fallocate, FILLS_FD, NO_FOLDER, 0},    {SYS_sendfile, SENDS_TO_FD, NO_FOLDER, 0},  {SYS_splice, COPIES_TO_FD, NO_FOLDER, 2},
    {SYS_copy_file_range, COPIES_TO_FD, NO_FOLDER, 2}, {SYS_mkdir, CREATES_PATH, NO_FOLDER, 0}, {SYS_mkdirat, CREATES_PATH, 0, 1},
    {SYS_mknod, CREATES_PATH, NO_FOLDER, 0},    {SYS_mknodat, CREATES_PATH, 0, 1},          {SYS_link, CREATES_PATH, NO_FOLDER, 1},
    {SYS_linkat, CREATES_PATH, 2, 3},           {SYS_symlink, CREATES_PATH, NO_FOLDER, 1},  {SYS_symlinkat, CREATES_PATH, 1, 2},
    {SYS_unlink, REMOVES_PATH, NO_FOLDER, 0},   {SYS_unlinkat, REMOVES_PATH, 0, 1},         {SYS_rmdir, REMOVES_PATH, NO_FOLDER, 0},
    {SYS_rename, RENAMES_PATH, NO_FOLDER, 0},   {SYS_renameat, RENAMES_PATH, 0, 1},         {SYS_renameat2, RENAMES_PATH, 0, 1},
    {SYS_chmod, SETS_PATH, NO_FOLDER, 0},       {SYS_fchmod, SETS_FD, NO_FOLDER, 0},        {SYS_fchmodat, SETS_PATH, 0, 1},
    {SYS_utime, SETS_PATH, NO_FOLDER, 0},       {SYS_utimes, SETS_PATH, NO_FOLDER, 0},      {SYS_futimesat, SETS_PATH, 0, 1},
    {SYS_utimensat, SETS_PATH, 0, 1},           {SYS_chown, LOSES_PATH, NO_FOLDER, 0},      {SYS_lchown, LOSES_PATH, NO_FOLDER, 0},
    {SYS_fchownat, LOSES_PATH, 0, 1},           {SYS_setxattr, LOSES_PATH, NO_FOLDER, 0},   {SYS_lsetxattr, LOSES_PATH, NO_FOLDER, 0},
};

/* A call that a thread is about to make. */
typedef struct about {
    x86_vm *vm;
    pid_t pid;
    uint64_t a[6];
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

static char *folder_of(const about *c, int argument)
{
    char link[64], target[PATH_BYTES];
    int fd = argument == NO_FOLDER ? AT_FDCWD : (int)c->a[argument];
    if (fd == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/%d/cwd", (int)c->pid);
    else
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)c->pid, fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    return n > 0 ? ebb_strndup(target, (size_t)n) : NULL;
}

/* Absolute; NULL: the call will fail.  An empty one (or none) is the folder itself.  Caller frees. */
static char *path_of(const about *c, int folder, int argument)
{
    char text[PATH_BYTES] = "";
    if (c->a[argument] && !read_text(c, c->a[argument], text))
        return NULL;
    if (text[0] == '/')
        return ebb_strdup(text);
    char *in = folder_of(c, folder), *path = in && text[0] ? ebb_asprintf("%s/%s", in, text) : NULL;
    if (!in || path)
        free(in);
    return path ? path : in;
}

/* ---- changes ---------------------------------------------------------------------------------- */

static uint64_t open_flags(const about *c, long number)
{
    uint64_t flags = 0;
    switch (number) {
    case SYS_open: return c->a[1];
    case SYS_openat: return c->a[2];
    case SYS_openat2: return machine_read(c->vm->native, c->a[2], &flags, sizeof flags, NULL) == EBB_OK ? flags : 0;
    default: return O_CREAT | O_TRUNC;
    }
}

static void before_copy(const about *c, ebb_journal *j, int fd, uint64_t place_at)
{
    off_t at;
    if (place_at && machine_read(c->vm->native, place_at, &at, sizeof at, NULL) == EBB_OK)
        ebb_journal_before_write_at(j, fd, at, c->a[4]);
    else
        ebb_journal_before_write(j, fd, c->a[4]);
}

static void before_fd(const about *c, const change *what, ebb_journal *j)
{
    char link[64], target[PATH_BYTES];
    int fd = (int)c->a[what->path];
    switch (what->kind) {
    case CUTS_FD: ebb_journal_before_truncate(j, fd, (off_t)c->a[1]); return;
    case FILLS_FD: ebb_journal_before_write_at(j, fd, (off_t)c->a[2], c->a[3]); return;
    case SENDS_TO_FD: ebb_journal_before_write(j, fd, c->a[3]); return;
    case COPIES_TO_FD: before_copy(c, j, fd, c->a[what->path + 1]); return;
    default: break;
    }
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)c->pid, fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    if (n > 0)
        ebb_journal_before_attributes(j, target);
}

static void before_rename(const about *c, const change *what, const char *from, ebb_journal *j)
{
    bool has_folders = what->folder != NO_FOLDER, exchanges = what->number == SYS_renameat2 && c->a[4] & RENAME_EXCHANGE;
    char *to = path_of(c, has_folders ? 2 : NO_FOLDER, has_folders ? 3 : 1);
    if (to && exchanges)
        ebb_journal_lose(j, to);
    else if (to)
        ebb_journal_before_rename(j, from, to);
    free(to);
}

static void before_path(const about *c, const change *what, const char *path, ebb_journal *j)
{
    uint64_t flags;
    switch (what->kind) {
    case OPENS_PATH:
        flags = open_flags(c, what->number);
        ebb_journal_before_open(j, path, flags & O_CREAT, flags & O_TRUNC);
        return;
    case CUTS_PATH: ebb_journal_before_open(j, path, false, true); return;
    case CREATES_PATH: ebb_journal_before_create(j, path); return;
    case REMOVES_PATH: ebb_journal_before_remove(j, path); return;
    case RENAMES_PATH: before_rename(c, what, path, j); return;
    case SETS_PATH: ebb_journal_before_attributes(j, path); return;
    default: ebb_journal_lose(j, path); return;
    }
}

static bool is_about_fd(change_kind kind)
{
    return kind == CUTS_FD || kind == FILLS_FD || kind == COPIES_TO_FD || kind == SENDS_TO_FD || kind == SETS_FD;
}

static void tell_journal(const about *c, const change *what, ebb_journal *j)
{
    if (is_about_fd(what->kind)) {
        before_fd(c, what, j);
        return;
    }
    char *path = path_of(c, what->folder, what->path);
    if (path)
        before_path(c, what, path, j);
    free(path);
}

static const change *find(long number)
{
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (changes[i].number == number)
            return &changes[i];
    return NULL;
}

static uint64_t now(void *self)
{
    return ((x86_vm *)self)->time;
}

ebb_status vm_files_before(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    struct user_regs_struct *r;
    EBB_TRY(vm_regs(vm, tid, &r, err));
    const change *what = find((long)r->rax);
    ebb_recorder *rec = what && vm->recording.scribe ? x86_scribe_lend(vm->recording.scribe, vm->time) : NULL;
    if (!rec)
        return EBB_OK;
    about c = {vm, x86_of(vm->native)->pid, {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9}};
    ebb_journal *j = ebb_journal_new(rec, (ebb_journal_program){.self = vm, .now = now, .pid = c.pid});
    struct stat st;
    for (int fd = 0; fd < X86_RING_STREAMS; fd++)
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            ebb_journal_share(j, &st);
    tell_journal(&c, what, j);
    ebb_journal_free(j);
    x86_scribe_take_back(vm->recording.scribe);
    return EBB_OK;
}
