/* undo.c - keeps checkpoints of a copy that replays, and takes it back to one. */
#include "x86/vm/undo.h"
#include "base/log.h"
#include "base/sizes.h"
#include "x86/inside/runtime.h"
#include "x86/modules.h"
#include "x86/page.h"
#include "x86/regs.h"
#include "x86/vm/feed.h"
#include "x86/vm/replay.h"
#include "x86/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

enum {
    MOST = 256, /* checkpoints: more would be nearer to each other than anybody can tell */
    MOST_BYTES = 32 << 20, /* of what is noted of threads */
};

typedef struct saved_thread {
    vm_thread known;
    x86_tcb tcb;
    struct user_regs_struct regs;
    uint8_t *xstate; /* owned; x86_xstate_nbytes */
} saved_thread;

/* `own` of an entry of the list. */
typedef struct vm_checkpoint {
    ebb_position at;
    machine_tid last;
    x86_feed feed;
    uint64_t n_fed;
    size_t n;
    saved_thread threads[];
} vm_checkpoint;

/* ---- the ring --------------------------------------------------------------------------------- */

static ebb_status read_undo(x86_vm *vm, x86_undo *u, ebb_error *err)
{
    return machine_read(vm->native, vm->runtime + offsetof(x86_runtime, undo), u, sizeof *u, err);
}

static ebb_status write_undo(x86_vm *vm, const x86_undo *u, ebb_error *err)
{
    return machine_write(vm->native, vm->runtime + offsetof(x86_runtime, undo), u, sizeof *u, err);
}

static ebb_status drop_ring(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    uint64_t result, args[6] = {vm->undo.ring, vm->undo.room};
    if (!vm->undo.room)
        return EBB_OK;
    EBB_TRY(vm_remote_syscall(vm, tid, SYS_munmap, args, &result, err));
    vm->undo.ring = vm->undo.room = 0;
    return EBB_OK;
}

/* UV3: the kernel does not even copy it. */
static ebb_status make_ring(x86_vm *vm, ebb_error *err)
{
    x86_undo u;
    uint64_t result, room = vm->undo_wanted;
    const x86_task *aboard = vm_task_aboard(vm);
    if (vm->undo.room == room)
        return EBB_OK;
    if (!aboard)
        return ebb_fail(err, EBB_GONE, "no thread can make it");
    machine_tid tid = aboard->tid;
    EBB_TRY(drop_ring(vm, tid, err));
    EBB_TRY(vm_map_pages(vm, tid, room, PROT_READ | PROT_WRITE, &vm->undo.ring, err));
    uint64_t wipe[6] = {vm->undo.ring, room, MADV_WIPEONFORK};
    EBB_TRY(vm_remote_syscall(vm, tid, SYS_madvise, wipe, &result, err));
    EBB_TRY(read_undo(vm, &u, err));
    ebb_undo_ring_init(&u.ring, (void *)vm->undo.ring, room);
    EBB_TRY(write_undo(vm, &u, err));
    vm->undo.room = room;
    return EBB_OK;
}

/* ---- what is kept from outside ---------------------------------------------------------------- */

static bool keeps(const x86_vm *vm)
{
    return vm->undo.is_on && vm->undo.checkpoints.n > 0;
}

static ebb_status write_record(x86_vm *vm, const x86_undo *u, const ebb_undo_claim *room, const ebb_undo_unit *record, ebb_error *err)
{
    if (room->filling)
        EBB_TRY(machine_write(vm->native, (uint64_t)room->filling, &room->fills, sizeof room->fills, err));
    EBB_TRY(machine_write(vm->native, (uint64_t)room->at, record, room->n * sizeof *record, err));
    return write_undo(vm, u, err);
}

static ebb_status keep(x86_vm *vm, uint64_t address, uint64_t nbytes, ebb_error *err)
{
    x86_undo u;
    ebb_undo_claim room;
    EBB_TRY(read_undo(vm, &u, err));
    if (!ebb_undo_claim_room(&u.ring, x86_undo_where(X86_SAVED_BYTES, address), nbytes, &room))
        return ebb_fail(err, EBB_UNAVAILABLE, "too much for the log");
    ebb_undo_unit *record = ebb_zalloc(room.n * sizeof *record);
    record[room.n - 1] = room.last;
    ebb_status status = EBB_OK;
    if (machine_read(vm->native, address, record, nbytes, NULL) == EBB_OK) /* what can't be read can't be overwritten */
        status = write_record(vm, &u, &room, record, err);
    free(record);
    return status;
}

void vm_undo_keep(x86_vm *vm, uint64_t address, uint64_t nbytes)
{
    if (keeps(vm) && nbytes && x86_undo_can_name(address) && keep(vm, address, nbytes, NULL) != EBB_OK)
        vm_undo_cut(vm, "something was written that the log has no room for");
}

void vm_undo_keep_ahead(x86_vm *vm, machine_tid tid, bool all_repetitions)
{
    x86_touch touches[X86_MAX_TOUCHES];
    x86_task *task = vm_task(vm, tid);
    if (!keeps(vm) || !task)
        return;
    size_t n = x86_watch_ahead(x86_of(vm->native), task, all_repetitions, touches);
    for (size_t i = 0; i < n; i++)
        if (touches[i].writes)
            vm_undo_keep(vm, touches[i].addr, touches[i].nbytes);
}

/* ---- checkpoints ------------------------------------------------------------------------------ */

static void free_checkpoint(void *own)
{
    vm_checkpoint *c = own;
    for (size_t i = 0; i < c->n; i++)
        free(c->threads[i].xstate);
    free(c);
}

/* A copy of a process begins without one (UV3). */
static void make_list(ebb_checkpoints *list)
{
    if (list->items)
        return;
    ebb_checkpoints_init(list, ebb_alloc(MOST * sizeof *list->items), MOST, X86_UNDO_INTERVAL);
    list->drop = free_checkpoint;
    list->due = 0;
}

void vm_undo_fini(vm_undo *undo)
{
    ebb_checkpoints_cut(&undo->checkpoints, NULL, 0);
    free(undo->checkpoints.items);
}

void vm_undo_cut(x86_vm *vm, const char *why)
{
    ebb_checkpoints_cut(&vm->undo.checkpoints, why, vm->time);
}

/* What is said for unit line, for this one. */
static uint64_t by_unit(const x86_vm *vm, uint64_t of_line)
{
    switch (vm->tuning.unit) {
    case X86_UNIT_PROC: return of_line * 4;
    case X86_UNIT_LINE: return of_line;
    default: return of_line / 4;
    }
}

/* How long the copy has executed; 0: nobody knows. */
static uint64_t time_of_copy(const x86_vm *vm)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(vm->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* In a short loop as many timestamps as make an interval elsewhere pass in no time. */
static uint64_t interval(x86_vm *vm)
{
    enum { MOST_SPREAD = 64 };
    vm_undo *undo = &vm->undo;
    uint64_t now = time_of_copy(vm), took = now - undo->taken_us, pace = by_unit(vm, X86_UNDO_PACE_US);
    if (undo->spread == 0 || undo->checkpoints.n == 0)
        undo->spread = 1;
    else if (took < pace / 2 && undo->spread < MOST_SPREAD)
        undo->spread *= 2;
    else if (took > pace && undo->spread > 1)
        undo->spread /= 2;
    undo->taken_us = now;
    return by_unit(vm, X86_UNDO_INTERVAL) * undo->spread;
}

static ebb_status save_thread(x86_vm *vm, const vm_thread *t, saved_thread *out, ebb_error *err)
{
    x86_task *task = vm_task(vm, t->tid);
    out->known = *t;
    if (!task)
        return ebb_fail(err, EBB_GONE, "a thread is gone");
    EBB_TRY(x86_regs_fetch_all(task, err));
    out->regs = task->regs;
    out->xstate = ebb_alloc(x86_xstate_nbytes());
    memcpy(out->xstate, task->xstate, x86_xstate_nbytes());
    return t->tcb ? vm_read_tcb(vm, t, &out->tcb, err) : EBB_OK;
}

static ebb_status save(x86_vm *vm, vm_checkpoint *c, ebb_error *err)
{
    EBB_TRY(vm_feed_get(vm, &c->feed, err));
    c->n_fed = vm->undo.n_fed;
    c->last = vm->last;
    c->at = (ebb_position){vm->time, vm_last_place(vm)};
    for (; c->n < vm->threads.n; c->n++)
        EBB_TRY(save_thread(vm, &vm->threads.items[c->n], &c->threads[c->n], err));
    return EBB_OK;
}

/* Those that the log does not reach any more; all of them, if there was a cut.  *now: the position in the log. */
static ebb_status forget_lost(x86_vm *vm, uint64_t *now, ebb_error *err)
{
    x86_undo u;
    vm_undo *undo = &vm->undo;
    EBB_TRY(read_undo(vm, &u, err));
    *now = ebb_undo_ring_position(&u.ring);
    if (undo->checkpoints.n && undo->n_cuts != u.n_cuts)
        vm_undo_cut(vm, "the program changed its mappings");
    undo->n_cuts = u.n_cuts;
    ebb_checkpoints_lose(&undo->checkpoints, u.ring.tail);
    return EBB_OK;
}

static void make_room(ebb_checkpoints *list, size_t nbytes)
{
    while (list->n && (list->n + 1) * nbytes > MOST_BYTES)
        ebb_checkpoints_forget_oldest(list);
}

/* UE2 */
static ebb_status begin_anew(x86_vm *vm, ebb_error *err)
{
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, undo.begins), 1, err);
}

static ebb_status take(x86_vm *vm, ebb_error *err)
{
    uint64_t now;
    ebb_checkpoints *list = &vm->undo.checkpoints;
    EBB_TRY(forget_lost(vm, &now, err));
    vm_checkpoint *c = ebb_zalloc(sizeof *c + vm->threads.n * sizeof *c->threads);
    ebb_status status = save(vm, c, err);
    if (status != EBB_OK) {
        c->n += c->n < vm->threads.n; /* the one that failed */
        free_checkpoint(c);
        return status;
    }
    make_room(list, sizeof *c + c->n * (sizeof *c->threads + x86_xstate_nbytes()));
    list->interval = interval(vm);
    EBB_TRY(begin_anew(vm, err));
    ebb_checkpoints_add(list, (ebb_checkpoint){.position = now, .end = now, .time = vm->time, .own = c});
    return EBB_OK;
}

static ebb_position at_of(const ebb_checkpoint *c) { return ((const vm_checkpoint *)c->own)->at; }

ebb_status vm_undo_look(x86_vm *vm, ebb_error *err)
{
    if (!vm->undo.is_on || vm->scratch || vm->time < vm->undo.checkpoints.due || !vm->last)
        return EBB_OK;
    const ebb_checkpoint *newest = ebb_checkpoints_newest(&vm->undo.checkpoints);
    ebb_position now = {vm->time, vm_last_place(vm)};
    if (newest && ebb_position_compare(at_of(newest), now) >= 0)
        return EBB_OK;
    return take(vm, err);
}

/* Nothing but a checkpoint would make the copy look at its ticks: it is taken by the clock, wherever the copy is then. */
static bool goes_by_clock(const x86_vm *vm)
{
    return vm->undo.is_on && !vm->scratch && vm->limit == UINT64_MAX && X86_UNDO_PACE_US > 0;
}

uint64_t vm_undo_limit(const x86_vm *vm)
{
    const ebb_checkpoints *list = &vm->undo.checkpoints;
    bool waits = vm->undo.is_on && !vm->scratch && list->n && list->due > vm->time && list->due < vm->limit;
    return waits && !goes_by_clock(vm) ? list->due : vm->limit;
}

int vm_undo_patience_ms(const x86_vm *vm)
{
    int ms = (int)(by_unit(vm, X86_UNDO_PACE_US) / 1000);
    return !goes_by_clock(vm) ? 0 : ms ? ms : 1;
}

bool vm_undo_is_late(x86_vm *vm)
{
    return goes_by_clock(vm) && time_of_copy(vm) - vm->undo.taken_us >= by_unit(vm, X86_UNDO_PACE_US);
}

bool vm_undo_waits(x86_vm *vm)
{
    if (vm->time >= vm->limit)
        return false;
    if (vm->time < vm->undo.checkpoints.due)
        vm->undo.checkpoints.due = vm->time;
    return true;
}

/* ---- on and off ------------------------------------------------------------------------------- */

static ebb_status switch_log(x86_vm *vm, bool on, ebb_error *err)
{
    uint64_t option = vm->runtime + offsetof(x86_runtime, options) + offsetof(x86_options, undoing);
    if (on == vm->undo.is_on)
        return EBB_OK;
    vm_undo_cut(vm, NULL); /* UV1 */
    vm->undo.is_on = on;
    vm->flush = true;
    return machine_write(vm->native, option, &on, sizeof on, err);
}

ebb_status vm_undo_tell(x86_vm *vm, ebb_error *err)
{
    if (vm->scratch) /* nobody goes back there */
        return EBB_OK;
    bool wanted = vm->replaying && vm->undo_wanted && vm->time < vm->forgets_from;
    if (wanted)
        make_list(&vm->undo.checkpoints);
    if (wanted && vm->undo.room != vm->undo_wanted)
        vm_undo_cut(vm, NULL);
    ebb_error why;
    if (wanted && make_ring(vm, &why) != EBB_OK) { /* it does without, for now */
        ebb_log("no undo log: %s", why.text);
        wanted = false;
    }
    return switch_log(vm, wanted, err);
}

ebb_status vm_undo_set(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err)
{
    uint64_t room = ebb_undo_ring_room(x86_page_up(replay_nbytes));
    if (replay_nbytes && !room)
        return ebb_fail(err, EBB_SYSTEM, "There is no room for an undo log of %llu bytes.", (unsigned long long)replay_nbytes);
    vm_of(m)->undo_wanted = room;
    vm_of(m)->snapshots_at_any_cost = live_nbytes != 0;
    return EBB_OK;
}

/* ---- going back ------------------------------------------------------------------------------- */

uint64_t vm_undo_oldest(void *self)
{
    x86_vm *vm = self;
    uint64_t now;
    if (!vm->replaying || !keeps(vm) || forget_lost(vm, &now, NULL) != EBB_OK)
        return UINT64_MAX;
    return ebb_checkpoints_oldest(&vm->undo.checkpoints);
}

uint64_t vm_undo_nbytes(x86_vm *vm)
{
    uint64_t now;
    if (vm_undo_oldest(vm) == UINT64_MAX || forget_lost(vm, &now, NULL) != EBB_OK)
        return 0;
    return (now - ebb_checkpoints_at(&vm->undo.checkpoints, 0)->position) * sizeof(ebb_undo_unit);
}

static ebb_status restore_thread(x86_vm *vm, const saved_thread *s, ebb_error *err)
{
    vm_thread *t = vm_thread_find(vm, s->known.tid);
    x86_task *task = vm_task(vm, s->known.tid);
    if (!t || !task || t->tcb != s->known.tcb)
        return ebb_fail(err, EBB_GONE, "a thread is gone");
    *t = s->known;
    t->told_at = 0;
    task->regs = s->regs;
    memcpy(task->xstate, s->xstate, x86_xstate_nbytes());
    task->regs_valid = task->xstate_valid = true;
    task->regs_dirty = task->xstate_dirty = task->host != 0;
    task->signal = task->deliver = 0;
    task->has_event = task->in_syscall = task->skip = task->skip_after_handler = false;
    return t->tcb ? machine_write(vm->native, t->tcb, &s->tcb, sizeof s->tcb, err) : EBB_OK;
}

static ebb_status restore_feed(x86_vm *vm, const vm_checkpoint *c, ebb_error *err)
{
    bool any;
    x86_feed f = c->feed;
    if (c->n_fed == vm->undo.n_fed)
        return vm_feed_put(vm, &f, err);
    f.cursor.at = f.cursor.end = 0;
    EBB_TRY(vm_feed_put(vm, &f, err));
    return vm_feed_more(vm, &any, err);
}

/* By the thread of the kernel's, on the stack that the runtime has for whoever it executes.  The user's watchpoints don't see it: the CPU would
 * stop for every write that is put back. */
static ebb_status restore_memory(x86_vm *vm, uint64_t position, ebb_error *err)
{
    x86_tcb tcb;
    uint64_t ignored;
    const x86_task *aboard = vm_task_aboard(vm);
    const vm_thread *t = aboard ? vm_thread_find(vm, aboard->tid) : NULL;
    if (!t || !t->tcb)
        return ebb_fail(err, EBB_GONE, "no thread can put it back");
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    vm_watch_by_code(vm, true);
    vm_call undo_back = {.function = vm->exports.undo_back, .stack = tcb.stack, .args = {vm->runtime, position}};
    ebb_status status = vm_remote_call(vm, t->tid, &undo_back, &ignored, err);
    vm_watch_by_code(vm, false);
    return status;
}

static ebb_status restore(x86_vm *vm, const ebb_checkpoint *to, ebb_error *err)
{
    const vm_checkpoint *c = to->own;
    if (c->n != vm->threads.n)
        return ebb_fail(err, EBB_GONE, "the threads are others");
    EBB_TRY(restore_memory(vm, to->position, err));
    for (size_t i = 0; i < c->n; i++)
        EBB_TRY(restore_thread(vm, &c->threads[i], err));
    EBB_TRY(restore_feed(vm, c, err));
    vm->time = c->at.timestamp;
    vm->last = c->last;
    vm->pending.n = 0;
    EBB_TRY(vm_replay_board(vm, c->last, err));
    x86_modules_look_again(x86_of(vm->native));
    x86_watch_look(x86_of(vm->native));
    return EBB_OK;
}

static uint64_t place_of(const ebb_checkpoint *c, void *self) { return at_of(c).place; }

ebb_status vm_undo_rewind(void *self, ebb_position to, bool *reached, ebb_error *err)
{
    size_t i;
    x86_vm *vm = self;
    ebb_checkpoints *list = &vm->undo.checkpoints;
    *reached = vm_undo_oldest(vm) != UINT64_MAX && ebb_checkpoints_find(list, to, place_of, NULL, &i);
    if (!*reached)
        return EBB_OK;
    list->interval = interval(vm);
    ebb_checkpoints_went_back(list, i);
    const ebb_checkpoint *c = ebb_checkpoints_at(list, i);
    ebb_log("undone from %llu to %llu", (unsigned long long)vm->time, (unsigned long long)c->time);
    ebb_error why;
    ebb_status status = restore(vm, c, &why);
    if (status != EBB_OK)
        ebb_log("not undone: %s", why.text);
    return status == EBB_OK ? EBB_OK : ebb_fail(err, status, "%s", why.text);
}
