/* Makes a child in the way that its argument names; each does counted work, and how it ended is what the program goes by. */
#define _GNU_SOURCE
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int sum, bad;
static char stack[65536];

static int step(int n)
{
    return n * 3 % 7;
}

static int work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += step(i);
    return s;
}

static int in_clone(void *n)
{
    _exit(work(40) + (n != NULL) ? 3 : 4);
}

static int child(const char *how, char *self)
{
    pid_t pid = 0;
    if (strcmp(how, "fork") == 0 && (pid = fork()) == 0) {
        exit(work(40) ? 3 : 4);
    } else if (strcmp(how, "vfork") == 0 && (pid = vfork()) == 0) {
        _exit(work(40) ? 3 : 4);
    } else if (strcmp(how, "raw") == 0 && (pid = (pid_t)syscall(SYS_fork)) == 0) {
        _exit(work(40) ? 3 : 4);
    } else if (strcmp(how, "clone") == 0) {
        pid = clone(in_clone, stack + sizeof stack, SIGCHLD, NULL);
    } else if (strcmp(how, "spawn") == 0) {
        char *args[] = {self, "leaf", NULL};
        posix_spawn(&pid, self, NULL, NULL, args, environ);
    } else if (strcmp(how, "leaf") == 0) {
        exit(work(40) ? 3 : 4);
    }
    return (int)pid;
}

static int shell(const char *how, const char *self)
{
    char line[4096];
    snprintf(line, sizeof line, "%s leaf", self);
    return strcmp(how, "popen") == 0 ? pclose(popen(line, "r")) : system(line);
}

int main(int argc, char **argv)
{
    int status = 0;
    const char *how = argc > 1 ? argv[1] : "fork";
    pid_t pid = child(how, argv[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    else
        status = shell(how, argv[0]);
    bad = status != 3 << 8;
    sum = work(50);
    return bad; /* line 72 */
}
