/* terminal.c - modes are set with SIGTTOU held back: from the background it would stop ebb. */
#include "front/cli/terminal.h"

#include <signal.h>
#include <unistd.h>

/* Setting modes from the background would stop ebb with SIGTTOU, so that is held back meanwhile. */
static void set_modes(const struct termios *modes)
{
    sigset_t ttou, before;
    sigemptyset(&ttou);
    sigaddset(&ttou, SIGTTOU);
    sigprocmask(SIG_BLOCK, &ttou, &before);
    tcsetattr(STDIN_FILENO, TCSADRAIN, modes);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void cli_terminal_lend(cli_terminal *t)
{
    t->has_ours = tcgetattr(STDIN_FILENO, &t->ours) == 0;
    if (t->has_ours && t->has_theirs)
        set_modes(&t->theirs);
}

void cli_terminal_take_back(cli_terminal *t)
{
    t->has_theirs = t->has_ours && tcgetattr(STDIN_FILENO, &t->theirs) == 0;
    if (t->has_ours)
        set_modes(&t->ours);
}
