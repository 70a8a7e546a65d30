/* spawn.c - makes the socket pair, forks, and lets the child become the launcher. */
#include "jvm/remote/spawn.h"
#include "jvm/wire/door.h"
#include "time/recording.h"

#include "machine/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child_ends {
    int socket;  /* becomes EBB_JVM_FD; -1: of a script */
    int failure; /* closed by a successful exec; brings back the errno of one that failed */
} child_ends;

extern char **environ;

/* For a launcher: EBB_JVM_FD, and what is to be recorded or replayed. */
static void add_for_launcher(char **all, size_t n, const jvm_remote_launch *how, int fd, const char *recording)
{
    if (!how->is_stock)
        all[n++] = ebb_asprintf("EBB_JVM_FD=%d", fd);
    if (how->replay != NULL)
        all[n++] = ebb_asprintf("EBB_REPLAY=%s", how->replay);
    else if (recording != NULL)
        all[n++] = ebb_asprintf("EBB_RECORD=%s", recording);
    if (how->verifies)
        all[n++] = ebb_strdup("EBB_VERIFY=sparingly");
    if (how->scheduling != NULL && *how->scheduling != '\0')
        all[n++] = ebb_asprintf("EBB_SCHEDULING=%s", how->scheduling);
}

/* For a script: what the Java programs that it starts hand on to those that they start. */
static void add_for_script(char **all, size_t n, const jvm_remote_launch *how, const char *door)
{
    static const char options[] = "JDK_JAVA_OPTIONS=";
    size_t given = 0;
    while (given < n && strncmp(all[given], options, sizeof options - 1) != 0)
        given++;
    char *was = given < n ? all[given] : NULL;
    all[given] = ebb_asprintf("%s%s %s", options, how->script_option, was != NULL ? was + sizeof options - 1 : "");
    free(was);
    n += given == n;
    all[n++] = ebb_asprintf("%s=%s", JVM_DOOR_VARIABLE, door);
    if (how->verifies)
        all[n++] = ebb_strdup("EBB_RECORD_VERIFY=sparingly");
}

/* The given environment and what is added; caller frees all. */
static char **environment_with(const jvm_remote_launch *how, int fd, const char *recording, const char *door)
{
    enum { ADDED = 5 };
    char *const *given = how->environment != NULL ? how->environment : environ;
    size_t n = 0;
    while (given[n] != NULL)
        n++;
    char **all = ebb_alloc((n + ADDED) * sizeof *all);
    memset(all, 0, (n + ADDED) * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = ebb_strdup(given[i]);
    if (door != NULL)
        add_for_script(all, n, how, door);
    else
        add_for_launcher(all, n, how, fd, recording);
    return all;
}

_Noreturn static void fail_inside(int failure)
{
    int why = errno;
    while (write(failure, &why, sizeof why) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* The user's own, as far as it understands the line below. */
static const char *shell_of(char *const *environment)
{
    static const char *const known[] = {"sh", "bash", "dash", "zsh", "ksh"};
    for (; *environment != NULL; environment++) {
        const char *path = *environment + strlen("SHELL="), *name = strrchr(*environment, '/');
        for (size_t i = 0; name != NULL && strncmp(*environment, "SHELL=/", 7) == 0 && i < sizeof known / sizeof *known; i++)
            if (strcmp(name + 1, known[i]) == 0 && access(path, X_OK) == 0)
                return path;
    }
    return "/bin/sh";
}

/* The shell becomes the launcher. */
static void exec_by_shell(const jvm_remote_launch *how, char **environment)
{
    size_t n = 0;
    while (how->args[n] != NULL)
        n++;
    char **words = ebb_zalloc((n + 4) * sizeof *words);
    words[0] = (char *)shell_of(environment);
    words[1] = "-c";
    words[2] = ebb_asprintf("exec \"$0\" \"$@\" %s", how->shell_words);
    memcpy(words + 3, how->args, n * sizeof *words);
    execve(words[0], words, environment);
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
    if (how->is_stock)
        signal(SIGINT, SIG_IGN); /* its agent hears it (stock/serve.c); a JVM that finds it ignored leaves it so */
    else if (ends->socket >= 0)
        fcntl(ends->socket, F_SETFD, 0);
    if (how->shell_words != NULL)
        exec_by_shell(how, environment);
    else
        execvpe(how->args[0], how->args, environment);
    fail_inside(ends->failure);
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

static ebb_status start(const jvm_remote_launch *how, const char *door, int sockets[2], int failure[2], jvm_spawned *out, ebb_error *err)
{
    const char *recording = out->nameless != NULL ? out->nameless : how->records ? how->recording : NULL;
    char **environment = environment_with(how, sockets[1], recording, door);
    child_ends ends = {door != NULL ? -1 : sockets[1], failure[1]};
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_launcher(how, environment, &ends, parent);
    for (size_t i = 0; environment[i] != NULL; i++)
        free(environment[i]);
    free(environment);
    close(failure[1]);
    failure[1] = -1;
    if (pid < 0)
        return ebb_fail_errno(err, "can't start %s", how->args[0]);
    setpgid(pid, pid); /* both sides do it: whoever is first */
    ebb_status status = exec_failure(failure[0], how->args[0], err);
    if (status != EBB_OK) {
        waitpid(pid, NULL, 0);
        return status;
    }
    out->pid = pid;
    out->fd = door != NULL ? -1 : sockets[0];
    sockets[0] = door != NULL ? sockets[0] : -1;
    if (how->is_stock) {
        out->agent_fd = sockets[1];
        sockets[1] = -1;
    }
    return EBB_OK;
}

ebb_status jvm_spawn(const jvm_remote_launch *how, const char *door, jvm_spawned *out, ebb_error *err)
{
    int sockets[2] = {-1, -1}, failure[2] = {-1, -1};
    ebb_status status = EBB_OK;
    *out = (jvm_spawned){.fd = -1, .agent_fd = -1, .nameless = how->records && how->recording == NULL ? ebb_recording_temporary_path() : NULL};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(failure, O_CLOEXEC) != 0)
        status = ebb_fail_errno(err, "can't start %s", how->args[0]);
    if (status == EBB_OK)
        status = start(how, door, sockets, failure, out, err);
    int fds[] = {sockets[0], sockets[1], failure[0], failure[1]};
    for (size_t i = 0; i < 4; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (status != EBB_OK)
        free(out->nameless);
    return status;
}

int jvm_spawn_keep_recording(jvm_spawned *spawned)
{
    if (spawned->nameless == NULL)
        return -1;
    int fd = open(spawned->nameless, O_RDONLY | O_CLOEXEC);
    unlink(spawned->nameless); /* it is open, and goes with who has it open */
    free(spawned->nameless);
    spawned->nameless = NULL;
    return fd;
}
