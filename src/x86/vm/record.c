/* record.c - what ebb does while a debuggee is recorded. */
#include "x86/vm/record.h"
#include "base/sizes.h"
#include "x86/inside/runtime.h"
#include "x86/inside/writes.h"
#include "x86/interrupted.h"
#include "x86/vm/history.h"
#include "x86/vm/kept.h"
#include "x86/vm/scribe.h"
#include "x86/vm/tree.h"
#include "x86/vm/verify.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the ring --------------------------------------------------------------------------------- */

/* In the debuggee; the descriptor is there only until it is mapped. */
static ebb_status map_there(x86_vm *vm, machine_tid tid, uint64_t fd, ebb_error *err)
{
    uint64_t at = vm->recording.address, result = 0;
    struct { uint64_t at, nbytes, offset; } parts[] = {
        {at, X86_RING_HEAD_BYTES + X86_RING_BYTES, 0},
        {at + X86_RING_HEAD_BYTES + X86_RING_BYTES, X86_RING_BYTES, X86_RING_HEAD_BYTES},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        uint64_t args[6] = {parts[i].at, parts[i].nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, parts[i].offset};
        EBB_TRY(vm_remote_syscall(vm, tid, SYS_mmap, args, &result, err));
        if (result != parts[i].at)
            return ebb_fail(err, EBB_SYSTEM, "can't record: the program has no room for it");
    }
    uint64_t no_forks[6] = {at, X86_RING_MAPPED_BYTES, MADV_DONTFORK}; /* RO3 */
    EBB_TRY(vm_remote_syscall(vm, tid, SYS_madvise, no_forks, &result, err));
    uint64_t no_dump[6] = {at, X86_RING_MAPPED_BYTES, MADV_DONTDUMP};
    return vm_remote_syscall(vm, tid, SYS_madvise, no_dump, &result, err);
}

static ebb_status map_here(x86_vm *vm, int fd, ebb_error *err)
{
    uint8_t *at = mmap(NULL, X86_RING_MAPPED_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return ebb_fail_errno(err, "can't record");
    vm->recording.ring = (x86_ring *)at;
    uint8_t *again = at + X86_RING_HEAD_BYTES + X86_RING_BYTES;
    int flags = MAP_SHARED | MAP_FIXED, protection = PROT_READ | PROT_WRITE;
    if (ftruncate(fd, X86_RING_HEAD_BYTES + X86_RING_BYTES) != 0 ||
        mmap(at, X86_RING_HEAD_BYTES + X86_RING_BYTES, protection, flags, fd, 0) == MAP_FAILED ||
        mmap(again, X86_RING_BYTES, protection, flags, fd, X86_RING_HEAD_BYTES) == MAP_FAILED)
        return ebb_fail_errno(err, "can't record");
    return EBB_OK;
}

/* The debuggee makes it, so that nothing of ebb's is open there. */
static ebb_status make_file(x86_vm *vm, machine_tid tid, uint64_t *fd, ebb_error *err)
{
    static const char name[] = "ebb-ring";
    uint64_t args[6] = {vm->recording.address, MFD_CLOEXEC};
    EBB_TRY(machine_write(vm->native, vm->recording.address, name, sizeof name, err));
    EBB_TRY(vm_remote_syscall(vm, tid, SYS_memfd_create, args, fd, err));
    return *fd < (uint64_t)-4095 ? EBB_OK : ebb_fail(err, EBB_SYSTEM, "can't record: the program can't share memory with ebb");
}

static ebb_status map_both(x86_vm *vm, machine_tid tid, uint64_t remote_fd, ebb_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)x86_of(vm->native)->pid, (int)remote_fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return ebb_fail_errno(err, "can't record: %s", path);
    ebb_status status = map_here(vm, fd, err);
    close(fd);
    return status == EBB_OK ? map_there(vm, tid, remote_fd, err) : status;
}

/* Where the parent's was, in the child of a fork, which has nothing there (MADV_DONTFORK). */
static ebb_status find_room(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    uint64_t at = vm->recording.address, result;
    if (!at)
        return vm_map_pages(vm, tid, X86_RING_MAPPED_BYTES, PROT_READ | PROT_WRITE, &vm->recording.address, err);
    uint64_t args[6] = {at, X86_RING_MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, (uint64_t)-1, 0};
    EBB_TRY(vm_remote_syscall(vm, tid, SYS_mmap, args, &result, err));
    return result == at ? EBB_OK : ebb_fail(err, EBB_SYSTEM, "can't record: the program has no room for it");
}

ebb_status vm_ring_map(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    uint64_t fd, ignored;
    EBB_TRY(find_room(vm, tid, err));
    EBB_TRY(make_file(vm, tid, &fd, err));
    ebb_status status = map_both(vm, tid, fd, err);
    EBB_TRY(vm_remote_syscall(vm, tid, SYS_close, (uint64_t[6]){fd}, &ignored, err));
    return status;
}

void vm_ring_unmap(x86_vm *vm)
{
    if (vm->recording.ring)
        munmap(vm->recording.ring, X86_RING_MAPPED_BYTES);
    vm->recording.ring = NULL;
}

/* ---- beginning -------------------------------------------------------------------------------- */

/* A file without a whole beginning can't be opened: it would be listed among those of other processes, which may be good. */
static void give_up(ebb_recorder *rec, const char *path)
{
    ebb_recorder_free(rec);
    if (path)
        unlink(path);
}

static ebb_status create(x86_vm *vm, const char *path, ebb_recorder **rec, ebb_error *err)
{
    char *temporary = path ? NULL : ebb_recording_temporary_path();
    ebb_status status = ebb_recorder_create(path ? path : temporary, rec, err);
    if (status == EBB_OK && temporary) {
        unlink(temporary);
        ebb_recorder_pack_after(*rec, X86_RECORD_PLAIN_BYTES);
    }
    if (status == EBB_OK)
        vm->recording.path = path ? ebb_strdup(path) : ebb_asprintf("/proc/%d/fd/%d", (int)getpid(), ebb_recorder_get_fd(*rec));
    free(temporary);
    return status;
}

static ebb_status begin(x86_vm *vm, machine_tid tid, ebb_recorder *rec, ebb_error *err)
{
    EBB_TRY(vm_record_about(vm, rec, err));
    EBB_TRY(vm_ring_map(vm, tid, err));
    EBB_TRY(vm_record_beginning(vm, rec, err));
    vm->recording.ring->timestamp = vm->time;
    return ebb_recorder_flush(rec, err);
}

ebb_status x86_vm_record(machine *m, const char *path, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    ebb_recorder *rec;
    if (vm->recording.scribe)
        return ebb_fail(err, EBB_BAD_INPUT, "It is being recorded already.");
    vm_refresh_threads(vm);
    machine_tid tid = vm->threads.n ? vm->threads.items[0].tid : 0;
    if (!tid)
        return ebb_fail(err, EBB_GONE, "The program is not running.");
    if (!vm->installed)
        EBB_TRY(vm_install(vm, tid, err));
    EBB_TRY(create(vm, path, &rec, err));
    ebb_status status = begin(vm, tid, rec, err);
    if (status == EBB_OK && path)
        status = vm_embedded_write(&vm->recording.embedded, rec, err);
    if (status == EBB_OK)
        status = x86_scribe_begin(vm->recording.ring, rec, &vm->recording.scribe, err);
    else
        give_up(rec, path);
    if (status == EBB_OK)
        x86_scribe_embed(vm->recording.scribe, &vm->recording.embedded, path != NULL);
    if (status == EBB_OK)
        status = vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, ring), vm->recording.address, err);
    if (status == EBB_OK)
        vm_verify_begin(vm);
    else
        vm_record_fini(vm);
    return status;
}

/* ---- with a bound ------------------------------------------------------------------------------ */

void x86_vm_record_bound(machine *m, uint64_t nbytes)
{
    vm_recording *r = &vm_of(m)->recording;
    r->is_bounded = r->scribe && nbytes;
    if (r->is_bounded)
        x86_scribe_bound(r->scribe, nbytes);
}

bool vm_record_wants_anew(x86_vm *vm)
{
    return vm->recording.is_bounded && vm->installed && x86_scribe_wants_second(vm->recording.scribe);
}

static ebb_status begin_second(x86_vm *vm, ebb_recorder *rec, ebb_error *err)
{
    EBB_TRY(vm_record_about(vm, rec, err));
    EBB_TRY(vm_record_beginning(vm, rec, err));
    EBB_TRY(vm_embedded_write_from(&vm->recording.embedded, 0, rec, err));
    return ebb_recorder_flush(rec, err);
}

/* One that fails is tried again. */
void vm_record_anew(x86_vm *vm)
{
    ebb_error err;
    ebb_recorder *rec;
    char *beside = ebb_asprintf("%s.next", vm->recording.path);
    vm_record_sync(vm);
    if (ebb_recorder_create(beside, &rec, &err) == EBB_OK) {
        if (begin_second(vm, rec, &err) == EBB_OK) {
            x86_scribe_give_second(vm->recording.scribe, rec, beside, vm->recording.path);
        } else {
            ebb_recorder_free(rec);
            unlink(beside);
        }
    }
    free(beside);
}

/* ---- while it runs ---------------------------------------------------------------------------- */

bool vm_is_recorded(const x86_vm *vm)
{
    return vm->recording.scribe && vm->installed && !vm->replaying && !vm->recording.ring->ended;
}

void vm_record_switch(x86_vm *vm, uint64_t place, machine_tid to)
{
    if (vm_is_recorded(vm))
        x86_ring_switch(vm->recording.ring, vm->time, place, (uint32_t)to);
}

/* Stands after a call whose result it has: not in one that is still to be made, or to be made again. */
static ebb_status is_after_call(x86_vm *vm, const vm_thread *t, bool *has, ebb_error *err)
{
    x86_tcb tcb;
    struct user_regs_struct *r;
    *has = false;
    if (!t || !t->tcb || t->entered)
        return EBB_OK;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    EBB_TRY(vm_regs(vm, t->tid, &r, err));
    *has = tcb.called && r->rip == tcb.called_end;
    return EBB_OK;
}

static ebb_status has_result(x86_vm *vm, const vm_thread *t, bool *has, ebb_error *err)
{
    *has = false;
    return vm_is_recorded(vm) ? is_after_call(vm, t, has, err) : EBB_OK;
}

ebb_status vm_record_before_call(x86_vm *vm, const vm_thread *t, struct user_regs_struct *regs, ebb_error *err)
{
    bool has;
    x86_tcb tcb;
    EBB_TRY(has_result(vm, t, &has, err));
    if (!has || x86_will_restart(regs->rax))
        return EBB_OK;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    regs->rax = ((const x86_called *)tcb.call)->number;
    regs->rip -= 2;
    regs->orig_rax = (uint64_t)-1;
    return EBB_OK;
}

ebb_status vm_record_forget_calls(x86_vm *vm, ebb_error *err)
{
    for (size_t i = 0; i < vm->threads.n; i++)
        if (vm->threads.items[i].tcb)
            EBB_TRY(vm_poke_u32(vm, vm->threads.items[i].tcb + offsetof(x86_tcb, called), 0, err));
    return EBB_OK;
}

/* The runtime records it, for it knows what a call writes. */
static ebb_status record_parked(x86_vm *vm, vm_thread *t, uint64_t time, uint64_t rax, ebb_error *err)
{
    machine_tid tid;
    uint64_t ignored;
    EBB_TRY(vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, counter), time, err));
    EBB_TRY(vm_free_thread(vm, t->tid, &tid, err));
    vm_call call = {.function = vm->exports.record_parked, .stack = t->tcb + vm->exports.region_nbytes, .args = {t->tcb, rax}};
    return vm_remote_call(vm, tid, &call, &ignored, err);
}

static ebb_status end_call(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint64_t rax;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(rax), &rax, err));
    return x86_will_restart(rax) ? EBB_OK : record_parked(vm, t, vm->time, rax, err);
}

ebb_status vm_record_parked(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    bool has;
    EBB_TRY(has_result(vm, t, &has, err));
    return has ? end_call(vm, t, err) : EBB_OK;
}

ebb_status vm_record_leaves(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    bool has;
    EBB_TRY(is_after_call(vm, t, &has, err));
    return has && !vm->replaying ? end_call(vm, t, err) : EBB_OK;
}

/* ---- answers of the CPU ----------------------------------------------------------------------- */

static uint64_t register_of(const struct user_regs_struct *r, unsigned number)
{
    uint64_t value;
    memcpy(&value, (const char *)r + vm_gprs[number], sizeof value);
    return value;
}

/* As asks.h has them. */
static void answer_words(const x86_ask *ask, const struct user_regs_struct *r, uint64_t words[4])
{
    enum { CARRY = 1 };
    bool is_cpuid = ask->kind == X86_ASK_CPUID, is_random = ask->kind == X86_ASK_RDRAND || ask->kind == X86_ASK_RDSEED;
    if (is_random || ask->kind == X86_ASK_RDPID) {
        words[0] = register_of(r, ask->reg);
        words[1] = r->eflags & CARRY;
        return;
    }
    words[0] = r->rax;
    words[1] = is_cpuid ? r->rbx : r->rdx;
    words[2] = r->rcx;
    words[3] = is_cpuid ? r->rdx : 0;
}

ebb_status vm_record_stepped_ask(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    x86_tcb tcb;
    struct user_regs_struct *r;
    const vm_thread *t = vm_thread_find(vm, tid);
    if (!vm_is_recorded(vm) || !t || !t->tcb)
        return EBB_OK;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    EBB_TRY(vm_regs(vm, tid, &r, err));
    uint64_t words[4] = {0};
    answer_words(&tcb.ask, r, words);
    x86_ring_ask(vm->recording.ring, vm->time, tcb.ask.kind, words);
    return EBB_OK;
}

/* ---- signals ---------------------------------------------------------------------------------- */

ebb_status vm_record_interrupted(x86_vm *vm, vm_thread *t, int signal, vm_interruption *at, ebb_error *err)
{
    bool in_call;
    struct user_regs_struct *r;
    EBB_TRY(has_result(vm, t, &in_call, err));
    EBB_TRY(vm_regs(vm, t->tid, &r, err));
    *at = (vm_interruption){signal, vm->time, r->rip, r->rsp, in_call, r->rax};
    return EBB_OK;
}

static bool put_signal(x86_vm *vm, machine_tid tid, const vm_interruption *at, const struct user_regs_struct *regs, size_t frame_nbytes)
{
    ebb_event_writer w;
    x86_ring *ring = vm->recording.ring;
    uint8_t *frame = ebb_alloc(frame_nbytes);
    bool done = machine_read(vm->native, regs->rsp, frame, frame_nbytes, NULL) == EBB_OK &&
                x86_ring_begin(ring, EBB_EVENT_PAIR_MAX_BYTES + 4 * EBB_VARINT_MAX_BYTES + sizeof *regs + frame_nbytes, &w);
    if (done) {
        ebb_event_begin(&w, X86_RECORDED_SIGNAL, at->time);
        ebb_event_u64(&w, (uint64_t)at->signal);
        ebb_event_u64(&w, (uint64_t)tid);
        ebb_event_u64(&w, at->place);
        ebb_event_bytes(&w, regs, sizeof *regs);
        ebb_event_u64(&w, regs->rsp);
        ebb_event_bytes(&w, frame, frame_nbytes);
        ebb_event_end(&w);
        x86_ring_end(ring, &w);
    }
    free(frame);
    return done;
}

/* The kernel keeps out of the red zone, and begins with the vector registers: below where the stack pointer was, or at the top of the
 * other stack, which rt_sigframe names. */
static uint64_t frame_end(x86_vm *vm, uint64_t rsp, uint64_t rsp_before)
{
    enum { MAX_FRAME = 32 << 10, CONTEXT_AT = 8, STACK_AT = CONTEXT_AT + 16, PAGE = 4096 };
    struct { uint64_t sp, flags, nbytes; } other = {0};
    if (rsp < rsp_before && rsp_before - rsp <= MAX_FRAME)
        return rsp_before;
    if (machine_read(vm->native, rsp + STACK_AT, &other, sizeof other, NULL) == EBB_OK && rsp >= other.sp && rsp < other.sp + other.nbytes)
        return other.sp + other.nbytes - rsp <= MAX_FRAME ? other.sp + other.nbytes : rsp + MAX_FRAME;
    return (rsp | (PAGE - 1)) + 1;
}

ebb_status vm_record_signal(x86_vm *vm, machine_tid tid, const vm_interruption *at, ebb_error *err)
{
    struct user_regs_struct *regs;
    if (!vm_is_recorded(vm))
        return EBB_OK;
    if (at->in_call)
        EBB_TRY(record_parked(vm, vm_thread_find(vm, tid), at->time, at->result, err));
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    if (!put_signal(vm, tid, at, regs, frame_end(vm, regs->rsp, at->rsp) - regs->rsp))
        vm_record_stop(vm, "the frame of a signal handler can't be read");
    vm_kept_note_mask(vm, tid, at->time);
    return EBB_OK;
}

void vm_record_deadly(x86_vm *vm, machine_tid tid, const vm_interruption *at, const siginfo_t *info)
{
    vm->recording.death = (vm_death){.signal = vm_is_recorded(vm) ? at->signal : 0, .thread = tid, .time = at->time, .place = at->place, .info = *info};
}

void vm_record_survived(x86_vm *vm)
{
    vm->recording.death.signal = 0;
}

static void record_death(x86_vm *vm, const machine_stop *stop)
{
    ebb_event_writer w;
    x86_ring *ring = vm->recording.ring;
    const vm_death *d = &vm->recording.death;
    bool is_it = d->signal && stop->kind == MACHINE_STOP_KILLED && stop->signal == d->signal && d->time >= ring->timestamp;
    if (!is_it || !x86_ring_begin(ring, EBB_EVENT_PAIR_MAX_BYTES + 4 * EBB_VARINT_MAX_BYTES + sizeof d->info, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_DEATH, d->time);
    ebb_event_u64(&w, (uint64_t)d->signal);
    ebb_event_u64(&w, (uint64_t)d->thread);
    ebb_event_u64(&w, d->place);
    ebb_event_bytes(&w, &d->info, sizeof d->info);
    ebb_event_end(&w);
    x86_ring_end(ring, &w);
}

/* ---- at a stop -------------------------------------------------------------------------------- */

void vm_record_sync(x86_vm *vm)
{
    if (vm->recording.scribe)
        x86_scribe_sync(vm->recording.scribe, vm->time);
}

void vm_record_stop(x86_vm *vm, const char *why)
{
    if (!vm->replaying)
        vm_history_cut(vm);
    if (vm->recording.scribe)
        x86_scribe_stop(vm->recording.scribe, why);
}

/* When it ended only the last event tells: its memory is gone. */
void vm_record_exit(x86_vm *vm, const machine_stop *stop)
{
    ebb_event_writer w;
    x86_ring *ring = vm->recording.ring;
    if (!vm->recording.scribe || vm->recording.has_exited)
        return;
    record_death(vm, stop);
    if (!x86_ring_begin(ring, EBB_EVENT_PAIR_MAX_BYTES, &w))
        return;
    vm->recording.has_exited = true;
    ebb_event_begin(&w, EBB_EVENT_EXIT, vm->time > ring->timestamp ? vm->time : ring->timestamp);
    ebb_event_i64(&w, stop->kind == MACHINE_STOP_EXITED ? stop->exit_status : -stop->signal);
    ebb_event_end(&w);
    x86_ring_end(ring, &w);
    vm_record_sync(vm);
}

const char *x86_vm_recording(machine *m)
{
    x86_vm *vm = vm_of(m);
    vm_record_sync(vm);
    return vm->recording.path;
}

const char *x86_vm_recording_ended(machine *m)
{
    x86_vm *vm = vm_of(m);
    return vm->recording.scribe ? x86_scribe_ended(vm->recording.scribe) : NULL;
}

void vm_record_doubt(x86_vm *vm, ebb_values values)
{
    uint64_t unknown_call = ebb_values_u64(&values);
    if (unknown_call)
        vm->recording.doubts.unknown_call = (uint32_t)unknown_call;
    else
        vm->recording.doubts.shares = true;
}

vm_doubts vm_record_doubts(const x86_vm *vm)
{
    const vm_recording *r = &vm->recording;
    vm_doubts all = r->doubts;
    if (r->ring && r->ring->shares)
        all.shares = true;
    if (r->ring && r->ring->unknown_call)
        all.unknown_call = r->ring->unknown_call;
    return all;
}

bool vm_record_news(x86_vm *vm, ebb_error *news)
{
    vm_recording *r = &vm->recording;
    vm_doubts doubts = vm_record_doubts(vm);
    const char *why = r->told_end ? NULL : x86_vm_recording_ended(&vm->base);
    uint32_t unknown = r->told_unknown ? 0 : doubts.unknown_call;
    bool shares = doubts.shares && !r->told_shares;
    if (r->lacks) {
        ebb_fail(news, EBB_UNAVAILABLE, "The program was recorded on a CPU that has what this one lacks (%.200s): replay is wrong from where it uses that.", r->lacks);
        free(r->lacks);
        r->lacks = NULL;
        return true;
    }
    if (why) {
        r->told_end = true;
        ebb_fail(news, EBB_UNAVAILABLE, "The recording ended early: %s.", why);
        return true;
    }
    if (shares) {
        r->told_shares = true;
        ebb_fail(news, EBB_UNAVAILABLE, "The program has shared memory: the recording is wrong if another process wrote to it, or the program itself by another mapping of it.");
        return true;
    }
    if (!unknown)
        return false;
    r->told_unknown = true;
    const char *name = x86_syscall_name((long)unknown - 1);
    ebb_fail(news, EBB_UNAVAILABLE, "The recording may be wrong: what the system call %s (%u) wrote is not known.", name ? name : "?", unknown - 1);
    return true;
}

bool x86_vm_recording_news(machine *m, ebb_error *news)
{
    return vm_tree_news(vm_of(m), news) || vm_record_news(vm_of(m), news);
}

/* Its scribe has no thread here, and may have been in the middle of anything: nobody looks at it again. */
void vm_record_abandon(x86_vm *vm)
{
    uint64_t address = vm->recording.address;
    vm_ring_unmap(vm);
    vm->recording = (vm_recording){.address = address};
}

void vm_record_fini(x86_vm *vm)
{
    x86_scribe_end(vm->recording.scribe);
    vm_ring_unmap(vm);
    vm_embedded_fini(&vm->recording.embedded);
    free(vm->recording.path);
    free(vm->recording.lacks);
    vm->recording = (vm_recording){0};
}
