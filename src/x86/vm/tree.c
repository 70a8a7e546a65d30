/* tree.c - one recording after the other, and one ebb beside the other. */
#include "x86/vm/tree.h"
#include "base/log.h"
#include "x86/events.h"
#include "x86/hand_over.h"
#include "x86/vm/births.h"
#include "x86/vm/record.h"
#include "x86/vm/vm.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

void x86_vm_record_tree(machine *m, const char *folder, uint64_t bound)
{
    x86_vm *vm = vm_of(m);
    vm->tree.folder = ebb_strdup(folder);
    vm->tree.bound = bound;
    vm->tree.image = 1;
    x86_native_set_follow_fork(vm->native, X86_FOLLOW_BOTH);
}

/* ---- children --------------------------------------------------------------------------------- */

/* Two ebbs come back from the first call, and one of them goes on elsewhere (vm_tree_wake). */
ebb_status vm_tree_forked(void *layer, ebb_error *err)
{
    (void)err;
    x86_vm *vm = layer;
    x86_process *p = x86_of(vm->native);
    if (!vm->tree.is_moving) {
        x86_fork_release(p);
        return EBB_OK;
    }
    if (x86_hand_over(p, vm->exports.await))
        siglongjmp(vm->tree.home, 1);
    (void)vm_birth_take(vm, p->fork.child);
    return EBB_OK;
}

/* What the move was at, of the parent's threads. */
static void forget_move(x86_vm *vm)
{
    x86_process *p = x86_of(vm->native);
    p->holds_exiting = p->parts_itself = p->steps_are_not_the_programs = false;
    p->alone = 0;
    p->patience_ms = 0;
    vm->counting = vm->quiet = false;
    vm->limit = UINT64_MAX;
    vm->alone_until = 0;
    vm->pending.n = 0;
}

ebb_status vm_tree_wake(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    x86_fork fork = p->fork;
    forget_move(vm);
    vm_record_abandon(vm); /* OT1 */
    vm->tree.parent = vm->pid;
    vm->tree.image = 0;
    vm->tree.is_moving = false;
    vm->tree.is_due = true;
    vm->tree.news.n = 0; /* the parent's to tell */
    EBB_TRY(x86_hand_over_take(p, err));
    *stop = (machine_stop){.kind = MACHINE_STOP_FORKED, .thread = p->pid, .child = p->pid, .vfork = fork.vfork};
    ebb_status status = vm_follow(vm, stop, err);
    x86_hand_over_done();
    return status;
}

/* ---- recordings ------------------------------------------------------------------------------- */

static void keep_news(x86_vm *vm)
{
    ebb_error news;
    while (vm->recording.scribe && vm_record_news(vm, &news))
        ebb_vec_push(&vm->tree.news, ebb_asprintf("%s: %s", vm->recording.path, news.text));
}

void vm_tree_executed(x86_vm *vm)
{
    if (!vm->tree.folder)
        return;
    vm_record_sync(vm);
    keep_news(vm);
    vm_record_fini(vm);
    vm->tree.is_due = true;
}

static char *file_of(const x86_vm *vm)
{
    if (vm->tree.image == 1)
        return ebb_asprintf("%s/%d.ebb", vm->tree.folder, (int)vm->pid);
    return ebb_asprintf("%s/%d.%u.ebb", vm->tree.folder, (int)vm->pid, vm->tree.image);
}

static ebb_status begin(x86_vm *vm, ebb_error *err)
{
    if (mkdir(vm->tree.folder, 0777) != 0 && errno != EEXIST)
        return ebb_fail_errno(err, "cannot make the folder %s", vm->tree.folder);
    EBB_TRY(vm_record_forget_calls(vm, err));
    char *path = file_of(vm);
    ebb_status status = x86_vm_record(&vm->base, path, err);
    free(path);
    if (status == EBB_OK)
        x86_vm_record_bound(&vm->base, vm->tree.bound);
    return status;
}

void vm_tree_go_on(x86_vm *vm)
{
    ebb_error why;
    if (!vm->tree.is_due || vm->native_until_exec)
        return;
    vm->tree.is_due = false;
    vm->tree.image++;
    if (begin(vm, &why) != EBB_OK) /* OT2 */
        ebb_vec_push(&vm->tree.news, ebb_asprintf("Process %d is not recorded: %s", (int)vm->pid, why.text));
}

bool vm_tree_news(x86_vm *vm, ebb_error *news)
{
    if (!vm->tree.news.n)
        return false;
    ebb_fail(news, EBB_UNAVAILABLE, "%s", vm->tree.news.items[0]);
    free(vm->tree.news.items[0]);
    ebb_vec_remove(&vm->tree.news, 0);
    return true;
}

void vm_tree_fini(x86_vm *vm)
{
    for (size_t i = 0; i < vm->tree.news.n; i++)
        free(vm->tree.news.items[i]);
    ebb_vec_fini(&vm->tree.news);
    free(vm->tree.folder);
}
