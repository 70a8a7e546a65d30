/* ptrace.c - a program that traces its own children. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW(call) do { errno = 0; long result_ = (long)(call); printf("%s: %ld %d\n", #call, result_, errno); } while (0)
static volatile long word = 1234;

static int wait_for(pid_t child)
{
    int status = -1;
    waitpid(child, &status, __WALL);
    return status;
}

static char state_of(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    fscanf(file, "%*d %*s %c", &state);
    fclose(file);
    return state;
}

static void asks_to_be_traced(void)
{
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
            _exit(99);
        raise(SIGSTOP);
        _exit(word == 5678 ? 3 : 4);
    }
    SHOW(wait_for(child));
    SHOW(ptrace(PTRACE_PEEKDATA, child, &word, 0));
    SHOW(ptrace(PTRACE_POKEDATA, child, &word, 5678));
    int n_steps = 0;
    for (; n_steps < 50; n_steps++)
        if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0 || wait_for(child) != 0x57f)
            break;
    SHOW(n_steps);
    SHOW(ptrace(PTRACE_CONT, child, 0, 0));
    SHOW(wait_for(child));
    SHOW(word);
}

static void is_attached_to(void)
{
    int wake[2];
    pipe(wake);
    pid_t child = fork();
    if (child == 0) {
        char c;
        read(wake[0], &c, 1);
        _exit(6);
    }
    struct user_regs_struct r;
    while (state_of(child) != 'S')
        usleep(1000);
    SHOW(ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACESYSGOOD));
    SHOW(ptrace(PTRACE_INTERRUPT, child, 0, 0));
    SHOW(wait_for(child));
    SHOW(ptrace(PTRACE_GETREGS, child, 0, &r));
    SHOW(r.orig_rax == SYS_read);
    SHOW(ptrace(PTRACE_SYSCALL, child, 0, 0));
    SHOW(wait_for(child)); /* the call is made again */
    SHOW(ptrace(PTRACE_DETACH, child, 0, 0));
    write(wake[1], "x", 1);
    SHOW(wait_for(child));
}

static void executes(void)
{
    pid_t child = vfork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execl("/bin/sh", "sh", "-c", "exit 7", NULL);
        _exit(1);
    }
    SHOW(wait_for(child));
    SHOW(ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL));
    SHOW(ptrace(PTRACE_CONT, child, 0, 0));
    SHOW(wait_for(child));
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    asks_to_be_traced();
    is_attached_to();
    executes();
    SHOW(ptrace(PTRACE_ATTACH, getpid(), 0, 0)); /* nobody can trace himself */
    SHOW(ptrace(PTRACE_PEEKDATA, getppid(), 0, 0));
    return 0;
}
