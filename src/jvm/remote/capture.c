/* capture.c - starts a machine that replays and writes, and waits for it. */
#include "jvm/remote/capture.h"

#include "base/mem.h"
#include "machine/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn static void become_machine(const jvm_capture_request *how, int complaints, pid_t parent)
{
    char until[64];
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    machine_child_begin();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(complaints, STDERR_FILENO);
    setenv("EBB_REPLAY", how->recording, 1);
    setenv("EBB_CAPTURE", how->out, 1);
    snprintf(until, sizeof until, "%llu:%llu", (unsigned long long)how->until.timestamp, (unsigned long long)how->until.place);
    setenv("EBB_CAPTURE_UNTIL", until, 1);
    execlp(how->launcher, how->launcher, how->option, "Replay", (char *)NULL);
    dprintf(STDERR_FILENO, "can't start %s: %s\n", how->launcher, strerror(errno));
    _exit(127);
}

/* The last line of what it said. */
static ebb_status told(int complaints, int status, ebb_error *err)
{
    char text[1024];
    off_t size = lseek(complaints, 0, SEEK_END), from = size < (off_t)sizeof text ? 0 : size - (off_t)sizeof text + 1;
    ssize_t n = pread(complaints, text, sizeof text - 1, from);
    text[n > 0 ? n : 0] = '\0';
    while (n > 0 && text[n - 1] == '\n')
        text[--n] = '\0';
    const char *last = strrchr(text, '\n');
    if (n <= 0)
        return ebb_fail(err, EBB_SYSTEM, "The schedule could not be taken from the recording: the Java machine ended with status %d.", status);
    return ebb_fail(err, EBB_SYSTEM, "The schedule could not be taken from the recording: %s", last != NULL ? last + 1 : text);
}

ebb_status jvm_capture(const jvm_capture_request *how, ebb_error *err)
{
    int complaints = memfd_create("complaints", MFD_CLOEXEC), status = 0;
    pid_t parent = getpid(), pid = complaints < 0 ? -1 : fork();
    if (pid == 0)
        become_machine(how, complaints, parent);
    if (pid < 0)
        return ebb_fail_errno(err, "can't start %s", how->launcher);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    ebb_status result = status == 0 ? EBB_OK : told(complaints, status, err);
    close(complaints);
    return result;
}
