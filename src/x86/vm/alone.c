/* alone.c - a program that makes a process which traces it goes on without ebb: one process has one tracer.
 *
 * LeakSanitizer does so when it looks for leaks, usually as the last thing of all.  Until then everything was seen, and can be gone back to. */
#include "base/log.h"
#include "x86/tasks.h"
#include "x86/vm/private.h"

#include <signal.h>
#include <sys/wait.h>

/* Nothing but its end is heard of.  Who wants it to stop ends it. */
static ebb_status wait_for_end(x86_process *p, int *status, ebb_error *err)
{
    pid_t tid = 0;
    for (;;) {
        ebb_error why;
        ebb_status waited = x86_wait(p, -1, &tid, status, &why);
        if (waited == EBB_INTERRUPTED) {
            p->interrupt_wanted = 0;
            kill(p->pid, SIGINT);
            continue;
        }
        if (waited != EBB_OK)
            return ebb_fail(err, waited, "%s", why.text);
        if (tid == p->pid && (WIFEXITED(*status) || WIFSIGNALED(*status)))
            return EBB_OK;
        if (tid != p->pid)
            x86_stray_keep(tid, *status);
    }
}

static void note_end(x86_process *p, int status)
{
    p->gone = true;
    p->ending = (machine_stop){.kind = WIFEXITED(status) ? MACHINE_STOP_EXITED : MACHINE_STOP_KILLED, .thread = p->pid, .was_alone = true};
    if (WIFEXITED(status))
        p->ending.exit_status = WEXITSTATUS(status);
    else
        p->ending.signal = WTERMSIG(status);
    x86_tasks_keep_only(p, NULL);
}

ebb_status vm_goes_alone(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    sigset_t saved;
    int status = 0;
    if (!p->launched)
        return ebb_fail(err, EBB_UNSUPPORTED, "The program makes a process that traces it, which it can't while ebb does: \"detach\" lets it go on.");
    EBB_TRY(vm_leave(vm, err));
    x86_wait_begin(&saved);
    x86_tasks_detach(p);
    ebb_status waited = wait_for_end(p, &status, err);
    x86_wait_end(&saved);
    EBB_TRY(waited);
    note_end(p, status);
    *stop = p->ending;
    vm_forget_runtime(vm);
    return EBB_OK;
}
