/* open.c - a recording is opened: a process is made as the program was when it began, and replays.
 *
 * Nothing is taken from where the program ran: its memory, with the code of its libraries and the kernel's own, comes out of the file, to
 * the addresses that it had (stub.h).  Then the runtime is put there, and the process is a copy that replays like any other (copies.c). */
#include "base/text.h"
#include "time/recording_about.h"
#include "x86/body.h"
#include "x86/cpu_features.h"
#include "x86/recorded_files.h"
#include "x86/inside/runtime.h"
#include "x86/modules.h"
#include "x86/recorded.h"
#include "x86/regs.h"
#include "x86/vm/begun.h"
#include "x86/vm/feed.h"
#include "x86/vm/history_private.h"

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
static ebb_status find_door(const vm_begun *b, uint64_t *door, ebb_error *err)
{
    enum { MOST_TRIES = 1000 };
    for (uint64_t i = 0; i < MOST_TRIES; i++) {
        *door = X86_HOME_INSIDE - i * X86_STUB_DOOR_BYTES;
        if (is_free(b, *door))
            return EBB_OK;
    }
    return ebb_fail(err, EBB_BAD_FILE, "the recorded program has memory where there must be room for VM mode");
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

/* A recording as it is opened. */
typedef struct opening {
    const char *path;
    ebb_recording *recording;
    ebb_about about;
    vm_begun begun;
    uint64_t door;
} opening;

static ebb_status tell(x86_process *p, const opening *o, ebb_error *err)
{
    const vm_begun *b = &o->begun;
    p->told = (x86_told){.program = ebb_strdup(b->program), .directory = ebb_strdup(o->about.directory), .n_auxv = b->n_auxv};
    p->told.auxv = ebb_alloc(b->n_auxv + 1);
    memcpy(p->told.auxv, b->auxv, b->n_auxv);
    return x86_recorded_files_open(o->path, &p->told.files, err);
}

static ebb_status make_process(const opening *o, x86_process **out, ebb_error *err)
{
    EBB_TRY(x86_stub_new(o->door, ebb_path_base(o->begun.program), out, err));
    ebb_status status = fill(*out, o->door, &o->begun, o->recording, err);
    if (status == EBB_OK)
        status = tell(*out, o, err);
    if (status == EBB_OK) {
        limit_stack(*out, &o->begun);
        take_threads(*out, &o->begun);
        status = x86_modules_begin(*out, err);
    }
    if (status != EBB_OK)
        x86_process_free(*out);
    return status;
}

static void compare_cpu(x86_vm *vm, const ebb_about *about)
{
    ebb_buf missing = {0};
    const char *cpu = ebb_about_fact(about, "cpu"), *tick = ebb_about_fact(about, "tick");
    x86_features_missing(cpu ? cpu : "", &missing);
    vm->has_wide_vectors = !tick || strcmp(tick, "vector") != 0;
    vm->recording.lacks = missing.n ? ebb_buf_take(&missing) : NULL;
    ebb_buf_fini(&missing);
}

static void name_threads(x86_vm *vm, const vm_begun *b)
{
    for (size_t i = 0; i < b->threads.n; i++) {
        vm_thread *t = vm_thread_find(vm, b->threads.items[i].tid);
        t->number = b->threads.items[i].number;
        memcpy(t->name, b->threads.items[i].name, sizeof t->name);
    }
    vm->n_numbers = b->n_numbers;
}

static ebb_status install(x86_vm *vm, uint64_t door, const vm_begun *b, ebb_error *err)
{
    uint64_t ignored;
    machine_tid first = b->threads.items[0].tid;
    vm_refresh_threads(vm);
    name_threads(vm, b);
    EBB_TRY(vm_install_runtime(vm, first, err));
    EBB_TRY(x86_body_syscall(vm_task_aboard(vm), vm->exports.syscall_insn, SYS_munmap, (uint64_t[6]){door, X86_STUB_DOOR_BYTES}, &ignored, err));
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, feed.brk), b->brk, err);
}

static ebb_status begin_replay(x86_vm *vm, uint64_t door, const vm_begun *b, ebb_error *err)
{
    vm->time = b->time;
    vm->last = b->last == b->threads.items[0].tid ? b->last : 0;
    EBB_TRY(install(vm, door, b, err));
    vm->replaying = true;
    return vm_feed_begin(vm, b->number, err);
}

/* Of one that was cut off at once, the beginning is all that there is. */
static void note_lone_beginning(x86_vm *vm, const vm_begun *b)
{
    ebb_newest newest = ebb_copies_newest(vm->history->copies);
    if (!newest.has_ended && newest.at.timestamp <= b->time)
        ebb_copies_note_newest(vm->history->copies, (ebb_position){.timestamp = b->time, .place = b->threads.items[0].regs.rip});
}

static ebb_status make_machine(const opening *o, machine **m, ebb_error *err)
{
    x86_process *p;
    EBB_TRY(make_process(o, &p, err));
    *m = x86_vm_new(&p->base);
    ebb_status status = vm_history_open(vm_of(*m), o->path, err);
    if (status == EBB_OK) {
        compare_cpu(vm_of(*m), &o->about);
        note_lone_beginning(vm_of(*m), &o->begun);
        status = begin_replay(vm_of(*m), o->door, &o->begun, err);
    }
    if (status != EBB_OK)
        (*m)->ops->free(*m);
    return status;
}

ebb_status x86_vm_open(const char *path, machine **m, ebb_error *err)
{
    opening o = {.path = path};
    EBB_TRY(ebb_recording_open(path, &o.recording, err));
    ebb_status status = ebb_about_read(o.recording, &o.about, err);
    if (status == EBB_OK)
        status = vm_begun_read(o.recording, &o.begun, err);
    if (status == EBB_OK)
        status = find_door(&o.begun, &o.door, err);
    if (status == EBB_OK)
        status = make_machine(&o, m, err);
    vm_begun_fini(&o.begun);
    ebb_about_fini(&o.about);
    ebb_recording_free(o.recording);
    return status;
}
