/* terminal.c - the foreground of ebb's terminal changes hands at each start and stop of the debuggee, so
 * that Ctrl-C and input reach the one who is active, and each has its own modes (echo, line editing). */
#include "x86/terminal.h"

#include <signal.h>
#include <unistd.h>

/* A background group that changes the terminal would be stopped by SIGTTOU. */
static void without_sigttou(void (*action)(x86_process *p), x86_process *p)
{
    sigset_t out, saved;
    sigemptyset(&out);
    sigaddset(&out, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &out, &saved);
    action(p);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void x86_terminal_init(x86_process *p, bool wanted)
{
    x86_terminal *term = &p->terminal;
    term->shared = wanted && isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
    term->debuggee_group = p->pid;
}

static void give(x86_process *p)
{
    x86_terminal *term = &p->terminal;
    tcgetattr(STDIN_FILENO, &term->ours);
    if (tcsetpgrp(STDIN_FILENO, term->debuggee_group) != 0)
        return; /* that group is gone: the debuggee does without */
    if (term->has_debuggee_modes)
        tcsetattr(STDIN_FILENO, TCSANOW, &term->debuggees);
    term->debuggee_has_it = true;
}

static void take(x86_process *p)
{
    x86_terminal *term = &p->terminal;
    pid_t group = tcgetpgrp(STDIN_FILENO);
    if (group > 0 && group != getpgrp())
        term->debuggee_group = group; /* it may have made another one since */
    term->has_debuggee_modes = tcgetattr(STDIN_FILENO, &term->debuggees) == 0;
    tcsetpgrp(STDIN_FILENO, getpgrp());
    tcsetattr(STDIN_FILENO, TCSANOW, &term->ours);
    term->debuggee_has_it = false;
}

void x86_terminal_give(x86_process *p)
{
    if (p->terminal.shared && !p->terminal.debuggee_has_it)
        without_sigttou(give, p);
}

void x86_terminal_take(x86_process *p)
{
    if (p->terminal.debuggee_has_it)
        without_sigttou(take, p);
}
