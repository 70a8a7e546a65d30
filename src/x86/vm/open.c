/* open.c - a recording is opened: a process is made as the program was when it began, and replays.
 *
 * Nothing is taken from where the program ran: its memory, with the code of its libraries and the kernel's own, comes out of the file, to
 * the addresses that it had (stub.h).  Then the runtime is put there, and the process is a copy that replays like any other (copies.c). */
#include "time/recording_about.h"
#include "x86/body.h"
#include "x86/recorded_files.h"
#include "x86/inside/runtime.h"
#include "x86/modules.h"
#include "x86/recorded.h"
#include "x86/regs.h"
#include "x86/vm/begun.h"
#include "x86/vm/feed.h"
#include "x86/vm/history.h"

#include <cpuid.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* ---- memory ----------------------------------------------------------------------------------- */

static bool is_free(const vm_begun *b, uint64_t at)
{
    for (size_t i = 0; i < b->memory.n; i++)
        if (b->memory.items[i].lo < at + X86_STUB_DOOR_BYTES && b->memory.items[i].hi > at)
            return false;
    return true;
}

/* Where the runtime lived in the recorded program, so that nothing of its own was there. */
static uint64_t find_door(const vm_begun *b)
{
    uint64_t at = X86_HOME_INSIDE;
    while (!is_free(b, at))
        at -= X86_STUB_DOOR_BYTES;
    return at;
}

static ebb_status put_piece(void *self, uint64_t at, const uint8_t *bytes, size_t nbytes, ebb_error *err)
{
    return machine_write(self, at, bytes, nbytes, err);
}

static ebb_status fill(x86_process *p, uint64_t door, const vm_begun *b, ebb_recording *r, ebb_error *err)
{
    for (size_t i = 0; i < b->memory.n; i++)
        EBB_TRY(x86_stub_map(p, door, &b->memory.items[i], err));
    return vm_begun_each_piece(b, r, put_piece, &p->base, err);
}

/* So that a stack which grew too large does so again.  If that may not be, it may grow as far as ebb's. */
static void limit_stack(x86_process *p, const vm_begun *b)
{
    struct rlimit limit;
    if (prlimit(p->pid, RLIMIT_STACK, NULL, &limit) != 0)
        return;
    limit.rlim_cur = b->stack_limit < limit.rlim_max ? b->stack_limit : limit.rlim_max;
    prlimit(p->pid, RLIMIT_STACK, &limit, NULL);
}

/* ---- threads ---------------------------------------------------------------------------------- */

/* What this CPU does not have is not there. */
static void keep_own_components(uint8_t *xstate)
{
    enum { PRESENT_AT = 512 };
    unsigned lo = 0, b, c, hi = 0;
    uint64_t present;
    __get_cpuid_count(0xd, 0, &lo, &b, &c, &hi);
    memcpy(&present, xstate + PRESENT_AT, sizeof present);
    present &= (uint64_t)hi << 32 | lo;
    memcpy(xstate + PRESENT_AT, &present, sizeof present);
}

static void add_task(x86_process *p, const vm_begun_thread *from, pid_t host)
{
    x86_task *t = EBB_NEW(x86_task);
    *t = (x86_task){.tid = from->tid, .host = host, .state = X86_STOPPED, .regs = from->regs, .regs_valid = true, .regs_dirty = true};
    t->xstate = ebb_zalloc(X86_XSTATE_MAX);
    memcpy(t->xstate, from->vectors, from->n_vectors);
    keep_own_components(t->xstate);
    t->xstate_valid = t->xstate_dirty = true;
    ebb_vec_push(&p->tasks, t);
}

static void take_threads(x86_process *p, const vm_begun *b)
{
    x86_tasks_keep_only(p, NULL);
    for (size_t i = 0; i < b->threads.n; i++)
        add_task(p, &b->threads.items[i], i == 0 ? p->pid : 0);
}

/* ---- the machine ------------------------------------------------------------------------------ */

static ebb_status tell(x86_process *p, const char *path, const vm_begun *b, ebb_recording *r, ebb_error *err)
{
    ebb_about about;
    ebb_status status = ebb_about_read(r, &about, err);
    if (status == EBB_OK) {
        p->told = (x86_told){.program = ebb_strdup(b->program), .directory = ebb_strdup(about.directory), .n_auxv = b->n_auxv};
        p->told.auxv = ebb_alloc(b->n_auxv + 1);
        memcpy(p->told.auxv, b->auxv, b->n_auxv);
        status = x86_recorded_files_open(path, &p->told.files, err);
    }
    ebb_about_fini(&about);
    return status;
}

static ebb_status make_process(const char *path, const vm_begun *b, uint64_t door, ebb_recording *r, x86_process **out, ebb_error *err)
{
    EBB_TRY(x86_stub_new(door, out, err));
    ebb_status status = fill(*out, door, b, r, err);
    if (status == EBB_OK)
        status = tell(*out, path, b, r, err);
    if (status == EBB_OK) {
        limit_stack(*out, b);
        take_threads(*out, b);
        status = x86_modules_begin(*out, err);
    }
    if (status != EBB_OK)
        x86_process_free(*out);
    return status;
}

static ebb_status install(x86_vm *vm, uint64_t door, const vm_begun *b, ebb_error *err)
{
    uint64_t ignored;
    machine_tid first = b->threads.items[0].tid;
    vm_refresh_threads(vm);
    EBB_TRY(vm_install_runtime(vm, first, err));
    EBB_TRY(x86_body_syscall(vm_task_aboard(vm), vm->exports.syscall_insn, SYS_munmap, (uint64_t[6]){door, X86_STUB_DOOR_BYTES}, &ignored, err));
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, feed.brk), b->brk, err);
}

static ebb_status begin_replay(x86_vm *vm, uint64_t door, const vm_begun *b, ebb_error *err)
{
    vm->time = b->time;
    EBB_TRY(install(vm, door, b, err));
    vm->replaying = true;
    return vm_feed_begin(vm, b->number, err);
}

static ebb_status open_with(const char *path, const vm_begun *b, ebb_recording *r, machine **m, ebb_error *err)
{
    x86_process *p;
    uint64_t door = find_door(b);
    EBB_TRY(make_process(path, b, door, r, &p, err));
    *m = x86_vm_new(&p->base);
    ebb_status status = vm_history_open(vm_of(*m), path, err);
    if (status == EBB_OK)
        status = begin_replay(vm_of(*m), door, b, err);
    if (status != EBB_OK)
        (*m)->ops->free(*m);
    return status;
}

ebb_status x86_vm_open(const char *path, machine **m, ebb_error *err)
{
    ebb_recording *r;
    vm_begun b;
    EBB_TRY(ebb_recording_open(path, &r, err));
    ebb_status status = vm_begun_read(r, &b, err);
    if (status == EBB_OK)
        status = open_with(path, &b, r, m, err);
    vm_begun_fini(&b);
    ebb_recording_free(r);
    return status;
}
