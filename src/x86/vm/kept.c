/* kept.c - follows, by the notes of a recording, what the kernel keeps of the program. */
#include "x86/vm/kept.h"
#include "x86/calls.h"
#include "x86/page.h"
#include "x86/recorded.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A note. */
typedef struct done {
    uint64_t number, thread;
    int64_t result;
    uint64_t a[X86_N_ARGUMENTS]; /* of which four were noted */
    const uint8_t *bytes;
    size_t nbytes;
} done;

static bool take_done(ebb_values v, done *d)
{
    *d = (done){0};
    d->number = ebb_values_u64(&v);
    d->thread = ebb_values_u64(&v);
    d->result = ebb_values_i64(&v);
    for (unsigned i = 0; i < 4; i++)
        d->a[i] = ebb_values_u64(&v);
    d->bytes = ebb_values_bytes(&v, &d->nbytes);
    return ebb_values_done(&v);
}

static bool take_bytes(const done *d, void *to, size_t nbytes)
{
    if (d->nbytes != nbytes)
        return false;
    memcpy(to, d->bytes, nbytes);
    return true;
}

/* ---- descriptors ------------------------------------------------------------------------------ */

static vm_kept_fd *find(vm_kept *k, int fd)
{
    for (size_t i = 0; i < k->fds.n; i++)
        if (k->fds.items[i].fd == fd)
            return &k->fds.items[i];
    return NULL;
}

static void forget(vm_kept *k, int fd)
{
    vm_kept_fd *f = find(k, fd);
    if (!f)
        return;
    k->files.items[f->file].n_fds--;
    *f = k->fds.items[--k->fds.n];
}

static vm_kept_file *file_of(vm_kept *k, uint64_t fd)
{
    vm_kept_fd *f = find(k, (int)fd);
    return f ? &k->files.items[f->file] : NULL;
}

static vm_kept_file *find_pipe(vm_kept *k, const char *text, uint64_t end)
{
    for (size_t i = 0; i < k->files.n; i++)
        if (k->files.items[i].is_own_pipe && k->files.items[i].n_fds && (k->files.items[i].flags & O_ACCMODE) == end && strcmp(k->files.items[i].text, text) == 0)
            return &k->files.items[i];
    return NULL;
}

/* Its ends are told one after the other: that for reading first. */
static void make_pipe_end(vm_kept *k, vm_kept_file *f)
{
    f->is_own_pipe = true;
    f->flags = find_pipe(k, f->text, O_RDONLY) ? O_WRONLY : O_RDONLY;
}

/* Where they were in memory, or nothing is said of them, it is taken for all that can be done. */
static uint64_t flags_of(const done *d)
{
    uint64_t flags;
    const x86_call_row *row = x86_call_row_of(d->number);
    if (!x86_call_flags(d->number, d->a, NULL, NULL, &flags))
        return O_RDWR;
    return row->files == X86_FILES_CREATES ? flags : flags & O_CLOEXEC;
}

static void open_one(vm_kept *k, const done *d)
{
    int fd = (int)d->result;
    uint64_t flags = flags_of(d);
    vm_kept_file file = {.text = ebb_strndup((const char *)d->bytes, d->nbytes), .flags = flags & ~(uint64_t)(O_CREAT | O_TRUNC | O_EXCL | O_CLOEXEC), .n_fds = 1};
    forget(k, fd);
    if (d->number == SYS_pipe || d->number == SYS_pipe2)
        make_pipe_end(k, &file);
    ebb_vec_push(&k->files, file);
    ebb_vec_push(&k->fds, ((vm_kept_fd){fd, (flags & O_CLOEXEC) != 0, k->files.n - 1}));
}

static void copy_one(vm_kept *k, uint64_t from, int64_t to, bool closes)
{
    vm_kept_fd *f = find(k, (int)from);
    if (!f || f->fd == (int)to)
        return;
    size_t file = f->file;
    k->files.items[file].n_fds++;
    forget(k, (int)to);
    ebb_vec_push(&k->fds, ((vm_kept_fd){(int)to, closes, file}));
}

static void close_some(vm_kept *k, uint64_t first, uint64_t last, uint64_t flags)
{
    enum { ONLY_MARKS = 4 }; /* CLOSE_RANGE_CLOEXEC */
    for (size_t i = k->fds.n; i-- > 0;) {
        vm_kept_fd *f = &k->fds.items[i];
        if ((uint64_t)f->fd < first || (uint64_t)f->fd > (uint32_t)last)
            continue;
        if (flags & ONLY_MARKS)
            f->closes = true;
        else
            forget(k, f->fd);
    }
}

static void control_fd(vm_kept *k, const done *d)
{
    enum { CHANGES = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK };
    vm_kept_fd *f = find(k, (int)d->a[0]);
    switch (d->a[1]) {
    case F_DUPFD: copy_one(k, d->a[0], d->result, false); return;
    case F_DUPFD_CLOEXEC: copy_one(k, d->a[0], d->result, true); return;
    case F_SETFD:
        if (f)
            f->closes = d->a[2] & FD_CLOEXEC;
        return;
    case F_SETFL:
        if (f)
            k->files.items[f->file].flags = (k->files.items[f->file].flags & ~(uint64_t)CHANGES) | (d->a[2] & CHANGES);
        return;
    default: return;
    }
}

static void move(vm_kept *k, uint64_t fd, int64_t by)
{
    vm_kept_file *file = file_of(k, fd);
    if (file && file->is_own_pipe) {
        by = (file->flags & O_ACCMODE) == O_RDONLY ? -by : by;
        file = find_pipe(k, file->text, O_RDONLY);
    }
    if (file && file->position >= 0)
        file->position += by;
}

static void lose_position(vm_kept *k, uint64_t fd)
{
    vm_kept_file *file = file_of(k, fd);
    if (file)
        file->position = -1;
}

/* ---- the rest --------------------------------------------------------------------------------- */

static vm_kept_thread *thread_of(vm_kept *k, uint64_t tid)
{
    for (size_t i = 0; i < k->threads.n; i++)
        if (k->threads.items[i].tid == (machine_tid)tid)
            return &k->threads.items[i];
    ebb_vec_push(&k->threads, ((vm_kept_thread){.tid = (machine_tid)tid}));
    return &k->threads.items[k->threads.n - 1];
}

static void set_mask(vm_kept_thread *t, const done *d)
{
    uint64_t set;
    if (!take_bytes(d, &set, sizeof set))
        return;
    bool is_call = d->number == SYS_rt_sigprocmask;
    t->mask = is_call && d->a[0] == SIG_BLOCK ? t->mask | set : is_call && d->a[0] == SIG_UNBLOCK ? t->mask & ~set : set;
    t->has_mask = true;
}

static void send_signal(vm_kept *k, const vm_kept_thread *t, uint64_t signal)
{
    uint64_t bit = signal >= 1 && signal <= VM_KEPT_SIGNALS ? (uint64_t)1 << (signal - 1) : 0;
    k->pending |= t->mask & bit;
}

static void take_signal(vm_kept *k, uint64_t signal)
{
    if (signal >= 1 && signal <= VM_KEPT_SIGNALS)
        k->pending &= ~((uint64_t)1 << (signal - 1));
}

static void set_timer(vm_kept *k, unsigned which, const struct itimerval *value)
{
    k->has_timer[which] = value->it_value.tv_sec || value->it_value.tv_usec;
    k->timers[which] = *value;
}

static void share(vm_kept *k, const done *d)
{
    if (d->a[2] & PROT_WRITE)
        ebb_vec_push(&k->shared, ((x86_range){(uint64_t)d->result, (uint64_t)d->result + d->a[1]}));
}

static void unshare_range(vm_kept *k, uint64_t lo, uint64_t nbytes)
{
    for (size_t i = k->shared.n; i-- > 0;)
        if (k->shared.items[i].lo >= lo && k->shared.items[i].hi <= lo + x86_page_up(nbytes))
            k->shared.items[i] = k->shared.items[--k->shared.n];
}

/* A thread begins with its maker's mask, and without another stack. */
static void make_thread(vm_kept *k, const done *d, uint64_t flags, uint64_t cleared)
{
    const vm_kept_thread maker = *thread_of(k, d->thread);
    vm_kept_thread *t = thread_of(k, (uint64_t)d->result);
    *t = (vm_kept_thread){.tid = (machine_tid)d->result, .mask = maker.mask, .has_mask = maker.has_mask, .tid_address = cleared, .has_tid_address = (flags & CLONE_CHILD_CLEARTID) != 0};
}

static void make_thread_or_child(vm_kept *k, const done *d)
{
    struct clone_args args = {.flags = d->number == SYS_clone ? d->a[0] : 0, .child_tid = d->a[3]};
    if (d->result <= 0)
        return;
    if (d->number == SYS_clone3 && d->nbytes == CLONE_ARGS_SIZE_VER0)
        memcpy(&args, d->bytes, d->nbytes);
    if (args.flags & CLONE_THREAD)
        make_thread(k, d, args.flags, args.child_tid);
    else
        k->n_children++;
}

/* It read or wrote where its descriptor stood, which has moved on. */
static bool goes_along(const done *d)
{
    uint64_t at;
    const x86_call_row *row = x86_call_row_of(d->number);
    return row && row->fds == X86_FDS_OFFSET && (x86_call_takes(row) || x86_call_source(row)) && !x86_call_is_placed(row, d->a, &at);
}

static void apply(vm_kept *k, const done *d)
{
    struct itimerval timer = {0};
    vm_kept_thread *t = thread_of(k, d->thread);
    switch (d->number) {
    case SYS_rt_sigaction:
        if (d->a[0] <= VM_KEPT_SIGNALS && take_bytes(d, &k->actions[d->a[0]], sizeof k->actions[0]))
            k->has_action[d->a[0]] = true;
        return;
    case SYS_rt_sigprocmask:
    case SYS_rt_sigreturn: set_mask(t, d); return;
    case SYS_sigaltstack: t->has_stack |= take_bytes(d, t->stack, sizeof t->stack); return;
    case SYS_setitimer:
        if (d->a[0] < VM_KEPT_TIMERS && take_bytes(d, &timer, sizeof timer))
            set_timer(k, (unsigned)d->a[0], &timer);
        return;
    case SYS_alarm:
        timer.it_value.tv_sec = (time_t)d->a[0];
        set_timer(k, ITIMER_REAL, &timer);
        return;
    case SYS_timer_create: k->n_other_timers++; return;
    case SYS_kill:
    case SYS_tkill: send_signal(k, t, d->a[1]); return;
    case SYS_tgkill: send_signal(k, t, d->a[2]); return;
    case SYS_rt_sigtimedwait: take_signal(k, (uint64_t)d->result); return;
    case SYS_umask:
        k->umask = d->a[0];
        k->has_umask = true;
        return;
    case SYS_chdir:
    case SYS_fchdir:
        free(k->folder);
        k->folder = ebb_strndup((const char *)d->bytes, d->nbytes);
        return;
    case SYS_set_robust_list:
        t->robust[0] = d->a[0], t->robust[1] = d->a[1];
        t->has_robust = true;
        return;
    case SYS_set_tid_address:
        t->tid_address = d->a[0];
        t->has_tid_address = true;
        return;
    case SYS_mmap: share(k, d); return;
    case SYS_shmat: ebb_vec_push(&k->shared, ((x86_range){(uint64_t)d->result, (uint64_t)d->result + 1})); return;
    case SYS_munmap: unshare_range(k, d->a[0], d->a[1]); return;
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_clone3: make_thread_or_child(k, d); return;
    case SYS_close: forget(k, (int)d->a[0]); return;
    case SYS_close_range: close_some(k, d->a[0], d->a[1], d->a[2]); return;
    case SYS_dup: copy_one(k, d->a[0], d->result, false); return;
    case SYS_dup2: copy_one(k, d->a[0], d->result, false); return;
    case SYS_dup3: copy_one(k, d->a[0], d->result, (d->a[2] & O_CLOEXEC) != 0); return;
    case SYS_fcntl: control_fd(k, d); return;
    case SYS_lseek:
        if (file_of(k, d->a[0]))
            file_of(k, d->a[0])->position = d->result;
        return;
    case SYS_getdents:
    case SYS_getdents64:
    case SYS_sendfile:
        lose_position(k, d->a[0]);
        lose_position(k, d->a[1]);
        return;
    case SYS_splice:
    case SYS_copy_file_range:
        lose_position(k, d->a[0]);
        lose_position(k, d->a[2]);
        return;
    case SYS_recvmsg: return; /* it may have brought descriptors, which nobody has told of */
    default:
        if (goes_along(d))
            move(k, d->a[0], d->result);
        else if (d->nbytes)
            open_one(k, d);
        return;
    }
}

/* Whose bytes are put back. */
static bool is_files(vm_kept *k, uint64_t fd)
{
    char link[64], target[4096];
    const vm_kept_file *file = file_of(k, fd);
    if (!file || file->text[0] != '/' || strncmp(file->text, "/dev/", 5) == 0)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", (int)fd);
    ssize_t n = fd < X86_RING_STREAMS ? readlink(link, target, sizeof target - 1) : 0;
    target[n > 0 ? n : 0] = '\0';
    return strcmp(target, file->text) != 0; /* ebb's own stream is what it wrote itself, too */
}

/* What was sent and received after the moment: it can't be taken back.  `later` has the descriptors of then. */
static void count(vm_kept *k, vm_kept *later, const done *d)
{
    if (d->result <= 0 || is_files(later, d->a[0]))
        return;
    if (x86_call_source(x86_call_row_of(d->number)))
        *(d->a[0] < 3 ? &k->sent[d->a[0]] : &k->sent_elsewhere) += (uint64_t)d->result;
    if (x86_call_takes(x86_call_row_of(d->number)) && d->a[0] < 3)
        k->received[d->a[0]] += (uint64_t)d->result;
}

/* ---- which have happened ---------------------------------------------------------------------- */

static bool is_remark(unsigned kind)
{
    return kind == X86_RECORDED_KEPT || kind == X86_RECORDED_DOUBT || kind == X86_RECORDED_MODULE || kind == EBB_EVENT_OUTPUT || kind == EBB_EVENT_MARK;
}

/* KE1, KE2.  Memory belongs to what comes after it. */
static ebb_status find_happened(ebb_recording *in, uint64_t next, vm_kept *k, ebb_error *err)
{
    ebb_event e;
    ebb_status status = ebb_recording_seek(in, 0, err);
    while (status == EBB_OK && (status = ebb_recording_next(in, &e, err)) == EBB_OK && e.number < next)
        if (!ebb_kind_is_note(&x86_recorded_kinds, e.kind) && e.kind != X86_RECORDED_MEMORY && e.kind != X86_RECORDED_FRESH)
            k->happened = e.number + 1;
    k->cut = k->happened;
    return status == EBB_NO_HISTORY ? EBB_OK : status;
}

static bool follows(const vm_kept *k, const ebb_event *e, uint64_t now)
{
    ebb_values v = e->values;
    bool is_return = e->kind == X86_RECORDED_KEPT && ebb_values_u64(&v) == SYS_rt_sigreturn;
    return e->number == k->cut && is_remark(e->kind) && e->timestamp <= now && (e->timestamp < now || !is_return);
}

ebb_status vm_kept_read(ebb_recording *in, uint64_t next, uint64_t now, vm_kept *k, ebb_error *err)
{
    ebb_event e;
    done d;
    vm_kept later = {0};
    *k = (vm_kept){0};
    EBB_TRY(find_happened(in, next, k, err));
    ebb_status status = ebb_recording_seek(in, 0, err);
    while (status == EBB_OK && (status = ebb_recording_next(in, &e, err)) == EBB_OK) {
        if (follows(k, &e, now))
            k->cut = e.number + 1;
        if (e.number < k->cut && e.kind == X86_RECORDED_SIGNAL)
            take_signal(k, ebb_values_u64(&(ebb_values){e.values.at, e.values.end}));
        bool is_note = e.kind == X86_RECORDED_KEPT && take_done(e.values, &d);
        if (is_note && e.number < k->cut)
            apply(k, &d);
        else if (is_note)
            count(k, &later, &d);
        if (is_note)
            apply(&later, &d);
    }
    vm_kept_fini(&later);
    return status == EBB_NO_HISTORY ? EBB_OK : status;
}

void vm_kept_fini(vm_kept *k)
{
    for (size_t i = 0; i < k->files.n; i++)
        free(k->files.items[i].text);
    ebb_vec_fini(&k->files);
    ebb_vec_fini(&k->fds);
    ebb_vec_fini(&k->shared);
    ebb_vec_fini(&k->threads);
    free(k->folder);
    *k = (vm_kept){0};
}

const vm_kept_thread *vm_kept_thread_of(const vm_kept *k, machine_tid tid)
{
    for (size_t i = 0; i < k->threads.n; i++)
        if (k->threads.items[i].tid == tid)
            return &k->threads.items[i];
    return NULL;
}
