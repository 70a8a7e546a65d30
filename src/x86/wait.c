/* wait.c - collecting stops.
 *
 * SIGCHLD is blocked while we wait, so it stays pending and no wake-up is lost: we look with WNOHANG
 * first, and sleep in sigtimedwait only if there was nothing.  machine_ops.interrupt wakes us by
 * sending that same signal to our own thread. */
#include "x86/tasks.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

typedef struct stray {
    pid_t tid;
    int status;
} stray;

/* All processes of ebb share it, as they share waitpid(-1). */
static EBB_VEC(stray) strays;

void x86_stray_keep(pid_t tid, int status)
{
    ebb_vec_push(&strays, ((stray){tid, status}));
}

bool x86_stray_take(pid_t tid, int *status)
{
    for (size_t i = 0; i < strays.n; i++) {
        if (strays.items[i].tid != tid)
            continue;
        *status = strays.items[i].status;
        ebb_vec_remove(&strays, i);
        if (strays.n == 0)
            ebb_vec_fini(&strays);
        return true;
    }
    return false;
}

void x86_wait_begin(sigset_t *saved)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, saved);
}

void x86_wait_end(const sigset_t *saved)
{
    pthread_sigmask(SIG_SETMASK, saved, NULL);
}

/* False if the time is over. */
static bool sleep_until_news(int milliseconds)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    struct timespec limit = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    return sigtimedwait(&child, NULL, milliseconds < 0 ? NULL : &limit) >= 0 || errno != EAGAIN;
}

ebb_status x86_wait(x86_process *p, int milliseconds, pid_t *tid, int *status, ebb_error *err)
{
    for (;;) {
        *tid = waitpid(-1, status, __WALL | WNOHANG);
        if (*tid > 0)
            break;
        if (*tid < 0 && errno != EINTR)
            return ebb_fail_errno(err, "can't wait for process %d", (int)p->pid);
        if (p->interrupt_wanted || !sleep_until_news(milliseconds))
            return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    }
    ebb_log("%d: status %#x", (int)*tid, (unsigned)*status);
    return EBB_OK;
}

bool x86_wait_for_birth(pid_t tid)
{
    int status;
    if (x86_stray_take(tid, &status))
        return WIFSTOPPED(status);
    while (waitpid(tid, &status, __WALL) < 0)
        if (errno != EINTR)
            return false;
    return WIFSTOPPED(status);
}
