/* copy.c - copies of the process.
 *
 * A copy is a fork with a socket of its own to ebb, that the program can't see: its end raises no SIGCHLD, and only who
 * waits for just that process finds it.
 *
 * No copy holds on to what is outside, or a pipe would not end when the program closes it: standard streams, pipes and
 * sockets become /dev/null, files are reopened for reading, so that their position is the copy's own.
 *
 * A scratch copy is for trying things out, so it must not touch what is outside either: the system refuses it everything
 * that would make or change a file, connect, signal, or start another process. */
#include "jvm/agent/internal.h"

#include "base/mem.h"
#include "jvm/border/native.h"
#include "jvm/heap/heap.h"
#include "jvm/record/record.h"
#include "jvm/undo/undo.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The C library keeps the thread's number in what pthread_self points to, and fork corrects it there; a bare clone has to do so
 * itself, or pthread functions that ask the system about the thread fail in the copy. */
static void correct_thread_number(pid_t was)
{
    enum { NBYTES = 2048 }; /* of struct pthread, which is larger */
    pid_t *words = (pid_t *)pthread_self();
    for (size_t i = 0; i < NBYTES / sizeof *words; i++)
        if (words[i] == was) {
            words[i] = (pid_t)syscall(SYS_gettid);
            return;
        }
}

pid_t agent_copy(int *fd, ebb_error *err)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        ebb_fail_errno(err, "can't copy the program");
        return -1;
    }
    pid_t self = (pid_t)syscall(SYS_gettid), pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL); /* no signal at its end */
    if (pid == 0) {
        correct_thread_number(self);
        close(sockets[0]);
        close(agent.fd);
        agent.fd = sockets[1];
        return 0;
    }
    close(sockets[1]);
    *fd = sockets[0];
    if (pid < 0) {
        ebb_fail_errno(err, "can't copy the program");
        close(sockets[0]);
    }
    return pid;
}

/* ---- what a scratch copy may do ---- */

/* A file gets a position of its own and can't be written; anything else becomes nothing. */
static void detach_descriptor(int fd, int nothing)
{
    struct stat st;
    char path[64];
    off_t at = lseek(fd, 0, SEEK_CUR);
    bool file = fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (own >= 0 && at > 0)
        lseek(own, at, SEEK_SET);
    dup3(own >= 0 ? own : nothing, fd, O_CLOEXEC);
    if (own >= 0)
        close(own);
}

void agent_detach_descriptors(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    DIR *dir = opendir("/proc/self/fd");
    if (nothing < 0 || dir == NULL)
        _exit(1);
    EBB_VEC(int) fds = {0};
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        int fd = e->d_name[0] == '.' ? -1 : atoi(e->d_name);
        if (fd >= 0 && fd != agent.fd && fd != nothing && fd != dirfd(dir) && !jvm_branch_keeps(fd))
            ebb_vec_push(&fds, fd);
    }
    closedir(dir);
    for (size_t i = 0; i < fds.n; i++)
        detach_descriptor(fds.items[i], nothing);
    ebb_vec_fini(&fds);
    close(nothing);
}

static const int refused[] = {
    SYS_creat, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_link,
    SYS_linkat, SYS_symlink, SYS_symlinkat, SYS_mknod, SYS_mknodat, SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_chown, SYS_fchown,
    SYS_lchown, SYS_fchownat, SYS_truncate, SYS_utimensat, SYS_setxattr, SYS_connect, SYS_bind, SYS_listen, SYS_sendto, SYS_kill,
    SYS_tgkill, SYS_tkill, SYS_fork, SYS_vfork, SYS_execve, SYS_execveat,
};

enum { NREFUSED = sizeof refused / sizeof *refused, WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };

#define LOAD(field) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
/* Skips the next `n` if the value isn't k, or has none of the bits. */
#define UNLESS_IS(k, n) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, n)
#define UNLESS_HAS(k, n) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, k, 0, n)

static void refuse_changes(void)
{
    struct sock_filter code[2 * NREFUSED + 16];
    unsigned short n = 0;
    code[n++] = LOAD(nr);
    for (int i = 0; i < NREFUSED; i++) {
        code[n++] = UNLESS_IS((uint32_t)refused[i], 1);
        code[n++] = REFUSE;
    }
    code[n++] = UNLESS_IS(SYS_open, 3);
    code[n++] = LOAD(args[1]);
    code[n++] = UNLESS_HAS(WRITING, 5);
    code[n++] = REFUSE;
    code[n++] = UNLESS_IS(SYS_openat, 3);
    code[n++] = LOAD(args[2]);
    code[n++] = UNLESS_HAS(WRITING, 1);
    code[n++] = REFUSE;
    code[n++] = RETURN(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program); /* where it isn't allowed, the descriptors have to do */
}

/* ---- requests ---- */

/* In an opened recording nobody has told the JDK's library how file names are encoded: that native was recorded, not executed.  What is called now may
 * load a class, from a file. */
static void tell_encoding(void)
{
    void (*initialize)(JNIEnv *env, const char *name) = (void (*)(JNIEnv *, const char *))dlsym(jvm_boot_library("java"), "InitializeEncoding");
    if (initialize != NULL && jvm_self != NULL)
        initialize((JNIEnv *)jvm_self, "UTF-8");
}

static void become_scratch(void)
{
    agent.is_scratch = true;
    agent.newest_time = UINT64_MAX; /* what is called goes on where the recording ends */
    agent_block_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    jvm_history = JVM_UNRECORDED;
    jvm_write_hook = NULL;
    jvm_alloc_hook = NULL;
    (void)jvm_undo_set(0);
    agent_detach_descriptors();
    refuse_changes();
    if (agent.is_opened)
        tell_encoding();
}

void agent_run_apart(void)
{
    become_scratch();
    agent.is_replay = false;
    agent_choose_trace();
}

ebb_status agent_serve_scratch(const jvm_wire_nothing *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    int fd = -1;
    pid_t pid = agent_copy(&fd, err);
    if (pid < 0)
        return EBB_SYSTEM;
    if (pid == 0) {
        become_scratch();
        agent.no_answer = true; /* the original gives it */
        return EBB_OK;
    }
    agent.fd_along = fd;
    a->value = (uint64_t)pid;
    ebb_vec_push(&agent.copies, pid);
    return EBB_OK;
}

bool jvm_agent_is_copy(int64_t pid)
{
    for (size_t i = 0; i < agent.copies.n; i++)
        if (agent.copies.items[i] == pid)
            return true;
    return false;
}

void agent_copy_end(pid_t pid)
{
    for (size_t i = 0; i < agent.copies.n; i++) {
        if (agent.copies.items[i] != pid)
            continue;
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
            ;
        ebb_vec_remove(&agent.copies, i);
        return;
    }
}

ebb_status agent_serve_reap(const jvm_wire_number *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    agent_copy_end((pid_t)q->value);
    return EBB_OK;
}
