/* verify.c - when the state of a native program may be hashed, and whether it is the same again. */
#include "x86/vm/verify.h"
#include "base/log.h"
#include "x86/calls.h"
#include "x86/interrupted.h"
#include "x86/vm/history.h"
#include "x86/vm/record.h"
#include "x86/vm/scribe.h"

static ebb_status hash_state(void *self, uint64_t *hash, ebb_error *err)
{
    return vm_state_hash(self, hash, err);
}

void x86_vm_set_verify(machine *m)
{
    vm_of(m)->verifies = true;
}

void vm_verify_begin(x86_vm *vm)
{
    if (!vm->verifies)
        return;
    ebb_verify_init(&vm->verify, "sparingly", hash_state, &vm->base);
    vm->recording.ring->tells_end = 1;
}

bool vm_verify_is_due(const x86_vm *vm)
{
    return vm->verifies && vm_is_recorded(vm) && ebb_verify_is_due(&vm->verify);
}

/* ---- settled (VY2) ---------------------------------------------------------------------------- */

/* What is not put aside (inside/aside.h). */
static bool writes_before_its_end(const struct user_regs_struct *r)
{
    const uint64_t arguments[] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};
    const x86_pointer *early = x86_call_word(x86_call_row_of(r->orig_rax), X86_EARLY);
    return early && arguments[early->argument - 1];
}

/* Of a thread that had no turn since its call: it is still in there, and nothing of it has been seen. */
static bool waits_unseen(x86_vm *vm, const struct user_regs_struct *r)
{
    return !vm_is_syscall_at(vm, r->rip - 2) || (x86_will_restart(r->rax) && !writes_before_its_end(r));
}

static bool is_settled_thread(x86_vm *vm, const vm_thread *t)
{
    struct user_regs_struct *r;
    if (t->has_left || t->entered || !t->tcb || vm_regs(vm, t->tid, &r, NULL) != EBB_OK)
        return false;
    return t->tid == vm->last ? !vm_is_syscall_at(vm, r->rip - 2) : waits_unseen(vm, r);
}

/* One that is ending has told so, but the kernel may not have cleared its word yet. */
static bool somebody_ends(const x86_process *p)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i]->exits)
            return true;
    return false;
}

bool vm_verify_awaits_end(const x86_vm *vm)
{
    const x86_process *p = x86_of(vm->native);
    for (size_t i = 0; i < p->tasks.n; i++) {
        const x86_task *t = p->tasks.items[i];
        char state = t->exits ? x86_proc_state(t->tid) : 'Z';
        if (state && state != 'Z' && state != 'X')
            return true;
    }
    return false;
}

static bool is_settled(x86_vm *vm)
{
    if (vm->pending.n || !vm_thread_find(vm, vm->last) || somebody_ends(x86_of(vm->native)))
        return false;
    for (size_t i = 0; i < vm->threads.n; i++)
        if (!is_settled_thread(vm, &vm->threads.items[i]))
            return false;
    return true;
}

/* ---- recording, replay ------------------------------------------------------------------------ */

bool vm_verify_record(x86_vm *vm)
{
    ebb_error err;
    if (!vm->verifies || !vm_is_recorded(vm))
        return true;
    if (!is_settled(vm))
        return false;
    ebb_position here = {vm->time, vm_last_place(vm)};
    ebb_recorder *rec = x86_scribe_lend(vm->recording.scribe, vm->time);
    if (!rec)
        return true;
    if (ebb_verify_record(&vm->verify, rec, here, &err) != EBB_OK)
        ebb_log("no hash at %lu: %s", (unsigned long)here.timestamp, err.text);
    x86_scribe_take_back(vm->recording.scribe);
    return true;
}

/* A state is counted once, however often replay comes by. */
ebb_status vm_verify_check(x86_vm *vm, const ebb_event *taken, ebb_error *err)
{
    ebb_error why;
    ebb_verify here = {.hash = hash_state, .self = &vm->base};
    ebb_status status = ebb_verify_check(&here, taken, &why);
    if (status != EBB_OK)
        return ebb_fail(err, status, "Replay diverged from what was recorded, at timestamp %lu: %s.", (unsigned long)vm->time, why.text);
    if (taken->number >= vm->verified_to)
        vm->verify.n_compared++;
    vm->verified_to = taken->number >= vm->verified_to ? taken->number + 1 : vm->verified_to;
    return EBB_OK;
}
