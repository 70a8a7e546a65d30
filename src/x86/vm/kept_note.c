/* kept_note.c - ebb's own notes of what the kernel keeps of the program (kept.h). */
#include "x86/vm/kept.h"
#include "x86/ring.h"
#include "x86/vm/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a thread (0: of the process). */
typedef struct remark {
    uint64_t time, number;
    machine_tid thread;
    int64_t result;
    uint64_t a[4];
} remark;

static void put(x86_vm *vm, const remark *m, const void *bytes, size_t nbytes)
{
    ebb_event_writer w;
    if (!vm_is_recorded(vm) || !vm->recording.ring->keeps ||
        !x86_ring_begin(vm->recording.ring, EBB_EVENT_PAIR_MAX_BYTES + 6 * EBB_VARINT_MAX_BYTES + nbytes, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_KEPT, m->time);
    ebb_event_u64(&w, m->number);
    ebb_event_u64(&w, (uint64_t)m->thread);
    ebb_event_i64(&w, m->result);
    for (unsigned i = 0; i < 4; i++)
        ebb_event_u64(&w, m->a[i]);
    ebb_event_bytes(&w, bytes, nbytes);
    ebb_event_end(&w);
    x86_ring_end(vm->recording.ring, &w);
}

void vm_kept_note_mask(x86_vm *vm, machine_tid tid, uint64_t time)
{
    uint64_t mask;
    if (ptrace(PTRACE_GETSIGMASK, vm_host_of(vm, tid), sizeof mask, &mask) == 0)
        put(vm, &(remark){time, SYS_rt_sigprocmask, tid, 0, {SIG_SETMASK}}, &mask, sizeof mask);
}

void vm_kept_note_closed(x86_vm *vm, int fd)
{
    put(vm, &(remark){vm->time, SYS_close, 0, 0, {(uint64_t)fd}}, NULL, 0);
}

/* ---- descriptors that it has from the beginning ------------------------------------------------ */

static void note_open(x86_vm *vm, pid_t pid, int fd)
{
    char path[64], text[4096];
    long long position = 0;
    unsigned flags = 0;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    ssize_t n = readlink(path, text, sizeof text);
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)pid, fd);
    FILE *info = fopen(path, "re");
    if (info && fscanf(info, "pos: %lld flags: %o", &position, &flags) == 2 && n > 0) {
        put(vm, &(remark){vm->time, SYS_openat, 0, fd, {0, 0, flags}}, text, (size_t)n);
        put(vm, &(remark){vm->time, SYS_lseek, 0, position, {(uint64_t)fd}}, NULL, 0);
    }
    if (info)
        fclose(info);
}

/* Another name of a descriptor that was noted already, which shares its position. */
static bool note_copy(x86_vm *vm, pid_t pid, int fd)
{
    for (int first = 0; first < fd && first < X86_RING_STREAMS; first++)
        if (syscall(SYS_kcmp, pid, pid, KCMP_FILE, first, fd) == 0) {
            put(vm, &(remark){vm->time, SYS_dup2, 0, fd, {(uint64_t)first, (uint64_t)fd}}, NULL, 0);
            return true;
        }
    return false;
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void note_descriptors(x86_vm *vm, pid_t pid)
{
    char path[64];
    struct dirent *entry;
    EBB_VEC(int) fds = {0};
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *all = opendir(path);
    while (all && (entry = readdir(all)))
        if (entry->d_name[0] != '.')
            ebb_vec_push(&fds, atoi(entry->d_name));
    if (all)
        closedir(all);
    if (fds.n)
        qsort(fds.items, fds.n, sizeof fds.items[0], by_number);
    for (size_t i = 0; i < fds.n; i++)
        if (!note_copy(vm, pid, fds.items[i]))
            note_open(vm, pid, fds.items[i]);
    ebb_vec_fini(&fds);
}

void vm_kept_begin(x86_vm *vm)
{
    x86_ring *ring = vm->recording.ring;
    struct stat st;
    ring->keeps = 1;
    for (int fd = 0; fd < X86_RING_STREAMS; fd++)
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            ring->streams[fd] = (x86_stream){st.st_dev, st.st_ino};
}

void vm_kept_note_all(x86_vm *vm)
{
    note_descriptors(vm, x86_of(vm->native)->pid);
    for (size_t i = 0; i < vm->threads.n; i++)
        vm_kept_note_mask(vm, vm->threads.items[i].tid, vm->time);
}
