#include "front/cli/signals.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static session *volatile interrupted_session;
static volatile sig_atomic_t is_busy, got_int, got_end;

static void on_int(int signal)
{
    if (is_busy && interrupted_session)
        ses_interrupt(interrupted_session);
    else
        got_int = 1;
}

static void on_end(int signal)
{
    got_end = signal;
    if (interrupted_session)
        ses_interrupt(interrupted_session);
}

/* A write then fails with EPIPE, which is all that is wanted: SG2. */
static void on_pipe(int signal)
{
}

static void catch_signal(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}; /* without SA_RESTART: reads end */
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void cli_signals_install(session *s)
{
    interrupted_session = s;
    catch_signal(SIGINT, on_int);
    catch_signal(SIGTERM, on_end);
    catch_signal(SIGHUP, on_end);
    catch_signal(SIGPIPE, on_pipe);
}

void cli_signals_forget(void)
{
    interrupted_session = NULL;
}

void cli_signals_busy(bool busy)
{
    is_busy = busy;
}

bool cli_signal_pending(void)
{
    return got_int || got_end;
}

bool cli_signal_take_int(void)
{
    bool got = got_int;
    got_int = 0;
    return got;
}

int cli_signal_ending(void)
{
    return got_end;
}

void cli_signal_die(int signal)
{
    catch_signal(signal, SIG_DFL);
    raise(signal);
    _exit(128 + signal);
}
