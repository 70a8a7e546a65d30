/* terminal.c - the foreground process group is changed with SIGTTOU blocked: ebb may not be in the foreground itself. */
#include "machine/terminal.h"

#include <signal.h>
#include <unistd.h>

/* A background group that changes the terminal would be stopped by SIGTTOU. */
static void without_sigttou(void (*action)(machine_terminal *term), machine_terminal *term)
{
    sigset_t out, saved;
    sigemptyset(&out);
    sigaddset(&out, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &out, &saved);
    action(term);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void machine_terminal_init(machine_terminal *term, pid_t debuggee, bool wanted)
{
    term->shared = wanted && isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) > 0;
    term->debuggee_group = debuggee;
}

/* In the background ebb has no terminal to give. */
static void give(machine_terminal *term)
{
    if (tcgetpgrp(STDIN_FILENO) != getpgrp())
        return;
    tcgetattr(STDIN_FILENO, &term->ours);
    if (tcsetpgrp(STDIN_FILENO, term->debuggee_group) != 0)
        return; /* that group is gone: the debuggee does without */
    if (term->has_debuggee_modes)
        tcsetattr(STDIN_FILENO, TCSANOW, &term->debuggees);
    term->debuggee_has_it = true;
}

static void take(machine_terminal *term)
{
    pid_t group = tcgetpgrp(STDIN_FILENO);
    if (group > 0 && group != getpgrp())
        term->debuggee_group = group; /* it may have made another one since */
    term->has_debuggee_modes = tcgetattr(STDIN_FILENO, &term->debuggees) == 0;
    tcsetpgrp(STDIN_FILENO, getpgrp());
    tcsetattr(STDIN_FILENO, TCSANOW, &term->ours);
    term->debuggee_has_it = false;
}

void machine_terminal_give(machine_terminal *term)
{
    if (term->shared && !term->debuggee_has_it)
        without_sigttou(give, term);
}

void machine_terminal_take(machine_terminal *term)
{
    if (term->debuggee_has_it)
        without_sigttou(take, term);
}

/* ---- the child ---- */

/* What ebb itself does with signals is not the program's business. */
static void reset_signals(void)
{
    static const int ours[] = {SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGWINCH, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        struct sigaction now;
        bool by_nohup = ours[i] == SIGHUP && sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
        if (!by_nohup)
            signal(ours[i], SIG_DFL);
    }
}

void machine_child_begin(void)
{
    setpgid(0, 0);
    reset_signals();
}
