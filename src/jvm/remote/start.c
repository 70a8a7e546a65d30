/* start.c - the launcher as a child with a socket to its Java machine. */
#include "jvm/remote/talk.h"

#include "base/log.h"
#include "jvm/remote/machine_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child_ends {
    int socket;  /* becomes EBB_JVM_FD */
    int failure; /* closed by a successful exec; brings back the errno of one that failed */
} child_ends;

extern char **environ;

/* The given environment, EBB_JVM_FD, and what is to be recorded or replayed. */
static char **environment_with(const jvm_remote_launch *how, int fd, const char *recording)
{
    char *const *given = how->environment != NULL ? how->environment : environ;
    size_t n = 0;
    while (given[n] != NULL)
        n++;
    char **all = ebb_alloc((n + 3) * sizeof *all);
    memcpy(all, given, n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = ebb_strdup(all[i]);
    all[n++] = ebb_asprintf("EBB_JVM_FD=%d", fd);
    if (how->replay != NULL)
        all[n++] = ebb_asprintf("EBB_REPLAY=%s", how->replay);
    else if (recording != NULL)
        all[n++] = ebb_asprintf("EBB_RECORD=%s", recording);
    all[n] = NULL;
    return all;
}

_Noreturn static void fail_inside(int failure)
{
    int why = errno;
    while (write(failure, &why, sizeof why) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* MA5: by the parent's death if ebb dies before the machine is up, by the end of the socket afterwards. */
_Noreturn static void become_launcher(const jvm_remote_launch *how, char **environment, const child_ends *ends, pid_t parent)
{
    machine_child_begin();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (how->directory != NULL && chdir(how->directory) != 0)
        fail_inside(ends->failure);
    fcntl(ends->socket, F_SETFD, 0);
    execvpe(how->args[0], how->args, environment);
    fail_inside(ends->failure);
}

static jvm_remote *remote_new(pid_t pid, int fd, const char *program)
{
    jvm_remote *r = EBB_NEW(jvm_remote);
    r->base.ops = &jvm_remote_ops;
    r->pid = pid;
    r->fd = r->live_fd = fd;
    r->filter_library = true;
    r->recording_fd = -1;
    r->program = ebb_strdup(program);
    r->answers = ebb_map_new();
    r->classes = ebb_map_new();
    r->codes = ebb_map_new();
    return r;
}

/* Where the machine stands before the first bytecode; a launcher that ended is told by the first resume. */
static ebb_status first_stop(jvm_remote *r, ebb_error *err)
{
    jvm_wire_message m = {0};
    machine_stop stop;
    ebb_error why;
    ebb_status status = jvm_wire_receive(r->fd, &m, NULL, &why);
    if (status == EBB_OK)
        status = jvm_remote_read_stop(r, &m, &stop, &why);
    ebb_buf_fini(&m.payload);
    if (status == EBB_GONE)
        jvm_remote_bury(r);
    else if (status != EBB_OK)
        return ebb_fail(err, status, "%s", why.text);
    return EBB_OK;
}

static char *nameless_recording(void)
{
    static unsigned count;
    const char *dir = getenv("TMPDIR");
    return ebb_asprintf("%s/ebb-recording-%d-%u", dir == NULL || *dir == '\0' ? "/tmp" : dir, (int)getpid(), ++count);
}

/* The way to the recording, for who wants to read it beside the machine. */
static void keep_recording(jvm_remote *r, const jvm_remote_launch *how, const char *nameless)
{
    const char *named = how->replay != NULL ? how->replay : how->records ? how->recording : NULL;
    if (nameless == NULL) {
        r->recording = named != NULL ? ebb_strdup(named) : NULL;
        return;
    }
    r->recording_fd = open(nameless, O_RDONLY | O_CLOEXEC);
    if (r->recording_fd >= 0)
        r->recording = ebb_asprintf("/proc/%d/fd/%d", (int)getpid(), r->recording_fd);
    unlink(nameless); /* it is open, and goes with who has it open */
}

/* The first snapshot is of the beginning, so that all of it can be reached. */
static ebb_status begin_history(jvm_remote *r, const jvm_remote_launch *how, ebb_error *err)
{
    machine_snapshot_id id;
    r->opened = how->replay != NULL;
    r->records = how->records || r->opened;
    jvm_wire_nothing q = {0};
    jvm_wire_number end = {0};
    ebb_status status = r->opened ? jvm_remote_ask_recording_end(r, &r->for_now, &q, &end, err) : EBB_OK;
    if (status != EBB_OK)
        return status;
    r->end_time = end.value;
    return r->records ? jvm_remote_snapshot_take(&r->base, &id, err) : EBB_OK;
}

static ebb_status exec_failure(int failure, const char *program, ebb_error *err)
{
    int why = 0;
    ssize_t n;
    while ((n = read(failure, &why, sizeof why)) < 0 && errno == EINTR)
        ;
    if (n != sizeof why)
        return EBB_OK;
    errno = why;
    return ebb_fail_errno(err, "can't start %s", program);
}

static ebb_status start(const jvm_remote_launch *how, int sockets[2], int failure[2], machine **m, ebb_error *err)
{
    char *nameless = how->records && how->recording == NULL ? nameless_recording() : NULL;
    char **environment = environment_with(how, sockets[1], nameless != NULL ? nameless : how->records ? how->recording : NULL);
    child_ends ends = {sockets[1], failure[1]};
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_launcher(how, environment, &ends, parent);
    for (size_t i = 0; environment[i] != NULL; i++)
        free(environment[i]);
    free(environment);
    close(sockets[1]);
    close(failure[1]);
    sockets[1] = failure[1] = -1;
    if (pid < 0) {
        free(nameless);
        return ebb_fail_errno(err, "can't start %s", how->args[0]);
    }
    setpgid(pid, pid); /* both sides do it: whoever is first */
    ebb_status status = exec_failure(failure[0], how->args[0], err);
    if (status != EBB_OK) {
        waitpid(pid, NULL, 0);
        free(nameless);
        return status;
    }
    jvm_remote *r = remote_new(pid, sockets[0], how->args[0]);
    sockets[0] = -1;
    machine_terminal_init(&r->terminal, pid, true);
    machine_terminal_give(&r->terminal);
    status = first_stop(r, err);
    machine_terminal_take(&r->terminal);
    keep_recording(r, how, nameless);
    free(nameless);
    if (status == EBB_OK && !r->gone)
        status = begin_history(r, how, err);
    if (status == EBB_OK)
        *m = &r->base;
    else
        r->base.ops->free(&r->base);
    return status;
}

ebb_status jvm_remote_start(const jvm_remote_launch *how, machine **m, ebb_error *err)
{
    int sockets[2] = {-1, -1}, failure[2] = {-1, -1};
    ebb_status status = EBB_OK;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* a copy that goes on live, whose maker is gone, is ours to wait for */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(failure, O_CLOEXEC) != 0)
        status = ebb_fail_errno(err, "can't start %s", how->args[0]);
    if (status == EBB_OK)
        status = start(how, sockets, failure, m, err);
    int fds[] = {sockets[0], sockets[1], failure[0], failure[1]};
    for (size_t i = 0; i < 4; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return status;
}
