/* orphans.c - kills and waits until no child is left. */
#include "jvm/remote/orphans.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void kill_children(void)
{
    char path[64];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re");
    while (f != NULL && fscanf(f, "%d", &pid) == 1)
        kill(pid, SIGKILL);
    if (f != NULL)
        fclose(f);
}

void jvm_orphans_kill(void)
{
    do /* who died left its own children to us before it could be waited for */
        kill_children();
    while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR);
}
