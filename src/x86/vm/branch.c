/* branch.c - makes the copy that replays the live program. */
#include "x86/vm/branch.h"
#include "time/branch.h"
#include "x86/body.h"
#include "x86/inside/runtime.h"
#include "x86/page.h"
#include "x86/vm/descriptors.h"
#include "x86/vm/feed.h"
#include "x86/vm/history_private.h"
#include "x86/vm/record.h"
#include "x86/vm/replay.h"
#include "x86/vm/scribe.h"
#include "x86/vm/undo.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum { PAGE = 4096 };

/* ---- whether it can be (BX1) ------------------------------------------------------------------ */

static size_t n_threads(const x86_vm *vm)
{
    size_t n = 0;
    for (size_t i = 0; i < vm->threads.n; i++)
        n += !vm->threads.items[i].has_left;
    return n;
}

static ebb_status check(x86_vm *vm, const vm_kept *kept, ebb_error *err)
{
    const char *ended = vm->recording.scribe ? x86_scribe_ended(vm->recording.scribe) : "nothing is recorded";
    if (ended)
        return ebb_fail(err, EBB_UNSUPPORTED, "The program can't run on from here: %s.", ended);
    if (!vm->history->live.body.launched)
        return ebb_fail(err, EBB_UNSUPPORTED, "The program was not started by ebb: it can't be ended and run on from its past as another process.");
    if (n_threads(vm) > X86_MAX_NUMBERS)
        return ebb_fail(err, EBB_UNSUPPORTED, "The program has %zu threads here, and can run on from its past with no more than %d.", n_threads(vm), X86_MAX_NUMBERS);
    if (!vm->threads.n || vm->threads.items[0].has_left)
        return ebb_fail(err, EBB_UNSUPPORTED, "The program can't run on from here: its first thread has ended.");
    if (kept->shared.n)
        return ebb_fail(err, EBB_UNSUPPORTED, "The program can't run on from here: it shares memory with others (at 0x%lx), which can't be put back.",
                        (unsigned long)kept->shared.items[0].lo);
    return EBB_OK;
}

/* ---- the recording ---------------------------------------------------------------------------- */

static void name_lost(const vm_kept *kept, ebb_buf *lost)
{
    static const char *const names[] = {"standard input", "standard output", "standard error"};
    for (unsigned i = 0; i < 3; i++) {
        if (kept->received[i])
            ebb_buf_addf(lost, "%lu bytes read from %s\n", (unsigned long)kept->received[i], names[i]);
        if (kept->sent[i])
            ebb_buf_addf(lost, "%lu bytes written to %s\n", (unsigned long)kept->sent[i], names[i]);
    }
    if (kept->sent_elsewhere)
        ebb_buf_addf(lost, "%lu bytes written to pipes and connections\n", (unsigned long)kept->sent_elsewhere);
    if (kept->n_children)
        ebb_buf_adds(lost, "processes that the program had made: it has no children now\n");
    if (kept->n_other_timers)
        ebb_buf_adds(lost, "timers of timer_create\n");
}

/* A snapshot of a copy that replayed has events in its feed, some of which never happened now. */
static ebb_status forget_fed(x86_vm *vm, vm_frozen *frozen, uint64_t cut, ebb_error *err)
{
    x86_feed f;
    uint64_t now = vm->time;
    if (frozen->number > cut)
        frozen->number = cut;
    if (!frozen->worn.replaying || !x86_body_is_alive(&frozen->worn.body))
        return EBB_OK;
    vm_wear(vm, &frozen->worn);
    ebb_status status = vm_feed_get(vm, &f, err);
    ebb_cursor was = f.cursor;
    f.cursor = ebb_cursor_before(was.number < cut ? was.number : cut);
    f.cursor.timestamp = was.timestamp < now ? was.timestamp : now;
    f.is_last = 0;
    if (status == EBB_OK)
        status = vm_feed_put(vm, &f, err);
    vm_wear(vm, &frozen->worn);
    return status;
}

static ebb_status forget_future(x86_vm *vm, uint64_t cut, ebb_error *err)
{
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(vm->history->copies, &n);
    for (size_t i = 0; i < n; i++)
        EBB_TRY(forget_fed(vm, all[i].copy, cut, err));
    return EBB_OK;
}

/* The same file goes on from its cut, with another ring. */
static ebb_status cut_recording(x86_vm *vm, const vm_kept *kept, ebb_recorder **rec, ebb_error *err)
{
    *rec = x86_scribe_leave(vm->recording.scribe);
    vm->recording.scribe = NULL;
    ebb_recording_free(vm->history->recording);
    vm->history->recording = NULL;
    ebb_status status = ebb_recorder_cut(*rec, kept->cut, vm->time, err);
    if (status != EBB_OK)
        ebb_recorder_free(*rec);
    return status;
}

static ebb_status record_on(x86_vm *vm, machine_tid tid, ebb_recorder *rec, ebb_error *err)
{
    vm_recording *r = &vm->recording;
    vm_ring_unmap(vm);
    ebb_status status = vm_ring_map(vm, tid, err);
    if (status != EBB_OK) {
        ebb_recorder_free(rec);
        return status;
    }
    r->ring->timestamp = vm->time;
    r->has_exited = r->told_end = false;
    EBB_TRY(x86_scribe_begin(r->ring, rec, &r->scribe, err));
    x86_scribe_embed(r->scribe, &r->embedded, false);
    vm_kept_begin(vm);
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, ring), r->address, err);
}

/* ---- what the kernel has ---------------------------------------------------------------------- */

static ebb_status call_with(const vm_receiver *r, long number, const uint64_t args[6], const void *bytes, size_t nbytes, ebb_error *err)
{
    int64_t ignored;
    EBB_TRY(machine_write(r->vm->native, r->scratch, bytes, nbytes, err));
    return vm_receiver_call(r, number, args, &ignored, err);
}

static ebb_status give_signals(const vm_receiver *r, const vm_kept *k, ebb_error *err)
{
    for (uint64_t s = 1; s <= VM_KEPT_SIGNALS; s++)
        if (k->has_action[s])
            EBB_TRY(call_with(r, SYS_rt_sigaction, (uint64_t[6]){s, r->scratch, 0, 8}, &k->actions[s], sizeof k->actions[s], err));
    return EBB_OK;
}

/* What each thread has for itself; r->copy is that thread. */
static ebb_status give_thread(const vm_receiver *r, const vm_kept_thread *k, ebb_error *err)
{
    int64_t result;
    if (k->has_stack)
        EBB_TRY(call_with(r, SYS_sigaltstack, (uint64_t[6]){r->scratch, 0}, k->stack, sizeof k->stack, err));
    if (k->has_robust)
        EBB_TRY(vm_receiver_call(r, SYS_set_robust_list, (uint64_t[6]){k->robust[0], k->robust[1]}, &result, err));
    if (k->has_tid_address)
        EBB_TRY(vm_receiver_call(r, SYS_set_tid_address, (uint64_t[6]){k->tid_address}, &result, err));
    if (k->has_mask && ptrace(PTRACE_SETSIGMASK, r->copy->host, sizeof k->mask, &k->mask) != 0)
        return x86_ptrace_fail(err, "change the signal mask");
    return EBB_OK;
}

static ebb_status give_threads(const vm_receiver *r, const vm_kept *kept, ebb_error *err)
{
    for (size_t i = 0; i < r->vm->threads.n; i++) {
        vm_receiver one = *r;
        const vm_kept_thread *k = vm_kept_thread_of(kept, r->vm->threads.items[i].tid);
        one.copy = vm_task(r->vm, r->vm->threads.items[i].tid);
        if (k)
            EBB_TRY(give_thread(&one, k, err));
    }
    return EBB_OK;
}

static ebb_status give_rest(const vm_receiver *r, const vm_kept *k, ebb_buf *lost, ebb_error *err)
{
    int64_t result = 0;
    if (k->folder && strlen(k->folder) < PAGE)
        EBB_TRY(machine_write(r->vm->native, r->scratch, k->folder, strlen(k->folder) + 1, err));
    if (k->folder)
        EBB_TRY(vm_receiver_call(r, SYS_chdir, (uint64_t[6]){r->scratch}, &result, err));
    if (result < 0)
        ebb_buf_addf(lost, "the program's folder, %s\n", k->folder);
    if (k->has_umask)
        EBB_TRY(vm_receiver_call(r, SYS_umask, (uint64_t[6]){k->umask}, &result, err));
    return EBB_OK;
}

/* How much of a timer was over is not known: it begins anew. */
static ebb_status give_timers(const vm_receiver *r, const vm_kept *k, ebb_error *err)
{
    for (uint64_t i = 0; i < VM_KEPT_TIMERS; i++)
        if (k->has_timer[i])
            EBB_TRY(call_with(r, SYS_setitimer, (uint64_t[6]){i, r->scratch, 0}, &k->timers[i], sizeof k->timers[i], err));
    return EBB_OK;
}

/* They stay pending: they are in the mask that it has. */
static ebb_status give_pending(const vm_receiver *r, const vm_kept *k, ebb_error *err)
{
    int64_t ignored;
    for (uint64_t s = 1; s <= VM_KEPT_SIGNALS; s++)
        if (k->pending >> (s - 1) & 1)
            EBB_TRY(vm_receiver_call(r, SYS_kill, (uint64_t[6]){(uint64_t)x86_of(r->vm->native)->pid, s}, &ignored, err));
    return EBB_OK;
}

/* ---- the heap --------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

static ebb_status write_pages(x86_vm *vm, uint64_t at, const uint8_t *bytes, size_t nbytes, ebb_error *err)
{
    for (size_t i = 0; i < nbytes; i += PAGE)
        if (!is_zero(bytes + i))
            EBB_TRY(machine_write(vm->native, at + i, bytes + i, PAGE, err));
    return EBB_OK;
}

/* A copy that replayed has what was added to the heap as memory of its own: the kernel gets it as the heap's. */
static ebb_status grow_heap(const vm_receiver *r, uint64_t from, uint64_t end, ebb_error *err)
{
    int64_t result;
    uint64_t lo = x86_page_up(from), hi = x86_page_up(end);
    size_t nbytes = hi > lo ? hi - lo : 0;
    uint8_t *bytes = ebb_alloc(nbytes + 1);
    ebb_status status = nbytes ? machine_read(r->vm->native, lo, bytes, nbytes, err) : EBB_OK;
    if (status == EBB_OK && nbytes)
        status = vm_receiver_call(r, SYS_munmap, (uint64_t[6]){lo, nbytes}, &result, err);
    if (status == EBB_OK)
        status = vm_receiver_call(r, SYS_brk, (uint64_t[6]){end}, &result, err);
    if (status == EBB_OK && (uint64_t)result != end)
        status = ebb_fail(err, EBB_SYSTEM, "the program's heap can't be had again");
    if (status == EBB_OK && nbytes)
        status = write_pages(r->vm, lo, bytes, nbytes, err);
    free(bytes);
    return status;
}

static ebb_status give_heap(const vm_receiver *r, uint64_t end, ebb_error *err)
{
    int64_t now;
    if (!end)
        return EBB_OK;
    EBB_TRY(vm_receiver_call(r, SYS_brk, (uint64_t[6]){0}, &now, err));
    return (uint64_t)now == end ? EBB_OK : grow_heap(r, (uint64_t)now, end, err);
}

/* ---- from replaying to live ------------------------------------------------------------------- */

/* Threads that have ended are no more. */
static void forget_ended(x86_vm *vm)
{
    for (size_t i = vm->threads.n; i-- > 0;) {
        if (!vm->threads.items[i].has_left)
            continue;
        x86_task *task = vm_task(vm, vm->threads.items[i].tid);
        if (task)
            x86_task_remove(x86_of(vm->native), task);
        ebb_vec_remove(&vm->threads, i);
    }
}

/* Contexts that the copy's one thread of the kernel's has executed in turn are threads again. */
static ebb_status make_threads(const vm_receiver *r, ebb_error *err)
{
    for (size_t i = 0; i < r->vm->threads.n; i++) {
        x86_task *t = vm_task(r->vm, r->vm->threads.items[i].tid);
        if (!t->host)
            EBB_TRY(x86_body_thread(r->copy, r->insn, t, err));
    }
    return EBB_OK;
}

static ebb_status tell_numbers(x86_vm *vm, ebb_error *err)
{
    x86_number numbers[X86_MAX_NUMBERS] = {0};
    uint64_t at = vm->runtime + offsetof(x86_runtime, numbers);
    for (size_t i = 0; i < vm->threads.n; i++)
        numbers[i] = (x86_number){(uint64_t)vm->threads.items[i].tid, (uint64_t)vm_host_of(vm, vm->threads.items[i].tid)};
    EBB_TRY(machine_write(vm->native, at, numbers, sizeof numbers, err));
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, n_numbers), vm->threads.n, err);
}

static ebb_status leave_feed(x86_vm *vm, ebb_error *err)
{
    x86_feed f;
    EBB_TRY(vm_feed_get(vm, &f, err));
    f.is_on = f.brk = 0;
    f.cursor = ebb_cursor_before(f.cursor.number);
    EBB_TRY(vm_feed_put(vm, &f, err));
    EBB_TRY(tell_numbers(vm, err));
    vm->replaying = x86_of(vm->native)->is_copy = false;
    return vm_record_forget_calls(vm, err);
}

static void end_old(vm_history *h)
{
    vm_worn_end(&h->live);
    h->live = (vm_worn){.body.mem = -1};
}

static ebb_status give_all(const vm_receiver *r, const vm_kept *kept, vm_fd_list *closed, ebb_buf *lost, ebb_error *err)
{
    x86_feed f;
    EBB_TRY(vm_feed_get(r->vm, &f, err));
    EBB_TRY(vm_descriptors_give(r, kept, closed, lost, err));
    EBB_TRY(give_signals(r, kept, err));
    EBB_TRY(give_rest(r, kept, lost, err));
    return give_heap(r, f.brk, err);
}

/* The way of one program from its past. */
typedef struct going_live {
    x86_vm *vm;
    vm_kept kept;
    ebb_recorder *rec; /* since the cut */
} going_live;

static ebb_status prepare(void *self, ebb_branch_from *from, ebb_error *err)
{
    going_live *g = self;
    x86_vm *vm = g->vm;
    EBB_TRY(check(vm, &g->kept, err));
    forget_ended(vm);
    *from = (ebb_branch_from){x86_scribe_get_fd(vm->recording.scribe), g->kept.happened, g->kept.happened};
    return vm_replay_board(vm, vm->threads.items[0].tid, err);
}

static ebb_status cut(void *self, ebb_error *err)
{
    going_live *g = self;
    EBB_TRY(forget_future(g->vm, g->kept.cut, err));
    return cut_recording(g->vm, &g->kept, &g->rec, err);
}

static ebb_status take_up(void *self, ebb_buf *lost, ebb_error *err)
{
    going_live *g = self;
    x86_vm *vm = g->vm;
    int64_t page;
    vm_history *h = vm->history;
    vm_fd_list closed = {0};
    machine_tid tid = vm->threads.items[0].tid;
    vm_receiver r = {.vm = vm, .copy = vm_task(vm, tid), .insn = vm->exports.syscall_insn, .live = h->live.body.gone ? 0 : h->live.body.pid};
    uint64_t mmap_args[6] = {0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0};
    name_lost(&g->kept, lost);
    EBB_TRY(vm_receiver_call(&r, SYS_mmap, mmap_args, &page, err));
    r.scratch = (uint64_t)page;
    EBB_TRY(give_all(&r, &g->kept, &closed, lost, err));
    end_old(h);
    vm_undo_cut(vm, "the program went live there");
    EBB_TRY(make_threads(&r, err));
    EBB_TRY(leave_feed(vm, err));
    EBB_TRY(record_on(vm, tid, g->rec, err));
    for (size_t i = 0; i < closed.n; i++)
        vm_kept_note_closed(vm, closed.items[i]);
    ebb_vec_fini(&closed);
    EBB_TRY(give_timers(&r, &g->kept, err));
    EBB_TRY(give_threads(&r, &g->kept, err));
    EBB_TRY(vm_receiver_call(&r, SYS_munmap, (uint64_t[6]){r.scratch, PAGE}, &page, err));
    return give_pending(&r, &g->kept, err);
}

ebb_status vm_branch(void *self, ebb_buf *undone, ebb_error *err)
{
    static const ebb_branch_hooks hooks = {prepare, cut, take_up};
    going_live g = {.vm = self};
    ebb_branch branch = {.hooks = &hooks, .self = &g};
    ebb_recording *in;
    uint64_t next;
    EBB_TRY(vm_history_recording(g.vm, &in, err));
    EBB_TRY(vm_feed_number(g.vm, &next, err));
    ebb_status status = vm_kept_read(in, next, g.vm->time, &g.kept, err);
    branch.journal = ebb_journal_new(NULL, (ebb_journal_program){0});
    if (status == EBB_OK)
        status = ebb_branch_go_live(&branch, undone, err);
    ebb_journal_free(branch.journal);
    vm_kept_fini(&g.kept);
    return status;
}

/* It is a child of ebb's already (body.h, BY2). */
ebb_status vm_adopt(void *self, ebb_error *err)
{
    return EBB_OK;
}
