/* worn.c - exchanges the process that VM mode executes, with all that is known of it. */
#include "x86/vm/worn.h"
#include "x86/modules.h"
#include "x86/watch.h"
#include "x86/vm/record.h"
#include "x86/vm/undo.h"

#include <string.h>

#define EXCHANGE(field)                                                                            \
    do {                                                                                           \
        __typeof__(worn->field) was_;                                                              \
        _Static_assert(sizeof was_ == sizeof vm->field, "the same on both sides");                 \
        memcpy(&was_, &worn->field, sizeof was_);                                                  \
        memcpy(&worn->field, &vm->field, sizeof was_);                                             \
        memcpy(&vm->field, &was_, sizeof was_);                                                    \
    } while (0)

void vm_wear(x86_vm *vm, vm_worn *worn)
{
    x86_process *p = x86_of(vm->native);
    vm_ignores_collect(vm);
    vm->ignores_are_told = false;
    x86_body_exchange(p, &worn->body);
    EXCHANGE(threads);
    EXCHANGE(spare_regions);
    EXCHANGE(sites);
    EXCHANGE(sites_copy);
    EXCHANGE(conditions_copy);
    EXCHANGE(watches_copy);
    EXCHANGE(watched_bytes);
    EXCHANGE(notes_copy);
    EXCHANGE(watching);
    EXCHANGE(watching_reads);
    EXCHANGE(watching_stores);
    EXCHANGE(flush);
    EXCHANGE(is_given);
    EXCHANGE(tuning_told);
    EXCHANGE(pending);
    EXCHANGE(home_used);
    EXCHANGE(time);
    EXCHANGE(last);
    EXCHANGE(n_numbers);
    EXCHANGE(installed);
    EXCHANGE(replaying);
    EXCHANGE(undo);
    vm->pid = p->pid;
    if (p->gone)
        return;
    x86_modules_look_again(p);
    x86_watch_look(p);
}

#define COPY_LIST(to, from)                                                                        \
    for (size_t i_ = 0; i_ < (from)->n; i_++)                                                      \
    ebb_vec_push(to, (from)->items[i_])

/* What the runtime was told, and what native mode has to do for a thread, is the same in a copy; what comes from the kernel is not. */
static void copy_thread(vm_worn *out, const vm_thread *t)
{
    vm_thread copy = {.tid = t->tid, .number = t->number, .tcb = t->tcb, .filter = t->filter, .filter_told = t->filter_told, .open_at = t->open_at, .has_left = t->has_left,
                      .leaves = t->leaves, .newborn = t->newborn, .shown_inside = t->shown_inside};
    memcpy(copy.name, t->name, sizeof copy.name);
    ebb_vec_push(&out->threads, copy);
}

static x86_task *find_forker(x86_vm *vm)
{
    x86_process *p = x86_of(vm->native);
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i]->host && p->tasks.items[i]->state == X86_STOPPED && !p->tasks.items[i]->exits && !p->tasks.items[i]->in_syscall)
            return p->tasks.items[i];
    return NULL;
}

static ebb_status stand_before_calls(x86_vm *vm, x86_body *copy, ebb_error *err)
{
    for (size_t i = 0; i < copy->tasks.n && !vm->replaying; i++) {
        x86_task *task = copy->tasks.items[i];
        EBB_TRY(vm_record_before_call(vm, vm_thread_find(vm, task->tid), &task->regs, err));
    }
    return EBB_OK;
}

ebb_status vm_worn_fork(x86_vm *vm, vm_worn *out, ebb_error *err)
{
    x86_task *by = find_forker(vm);
    *out = (vm_worn){.body.mem = -1};
    if (!by)
        return ebb_fail(err, EBB_UNAVAILABLE, "every thread is inside a system call, so no copy can be made here");
    EBB_TRY(x86_body_fork(x86_of(vm->native), by, vm->exports.syscall_insn, &out->body, err));
    ebb_status status = stand_before_calls(vm, &out->body, err);
    if (status != EBB_OK) {
        x86_body_end(&out->body);
        return status;
    }
    for (size_t i = 0; i < vm->threads.n; i++)
        copy_thread(out, &vm->threads.items[i]);
    COPY_LIST(&out->spare_regions, &vm->spare_regions);
    COPY_LIST(&out->sites.items, &vm->sites.items);
    COPY_LIST(&out->sites.conditions, &vm->sites.conditions);
    out->sites_copy = vm->sites_copy;
    out->conditions_copy = vm->conditions_copy;
    out->watches_copy = vm->watches_copy;
    out->watched_bytes = vm->watched_bytes;
    out->notes_copy = vm->notes_copy;
    out->watching = vm->watching;
    out->watching_reads = vm->watching_reads;
    out->watching_stores = vm->watching_stores;
    out->flush = vm->flush;
    out->tuning_told = vm->tuning_told;
    out->home_used = vm->home_used;
    out->time = vm->time;
    out->last = vm->last;
    out->n_numbers = vm->n_numbers;
    out->installed = vm->installed;
    out->replaying = vm->replaying;
    out->undo = (vm_undo){.ring = vm->undo.ring, .room = vm->undo.room, .is_on = vm->undo.is_on}; /* UV3 */
    return EBB_OK;
}

void vm_worn_end(vm_worn *worn)
{
    x86_body_end(&worn->body);
    ebb_vec_fini(&worn->threads);
    ebb_vec_fini(&worn->spare_regions);
    ebb_vec_fini(&worn->sites.items);
    ebb_vec_fini(&worn->sites.conditions);
    ebb_vec_fini(&worn->pending);
    vm_undo_fini(&worn->undo);
}
