/* signals.c - handlers set flags, and write a byte into a pipe that ends whatever wait is going on (SG1). */
#include "front/cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static session *volatile interrupted_session;
static volatile sig_atomic_t is_busy, is_editing, got_int, got_int_busy, got_end, got_resize,
    got_suspend;
static int wake_read = -1, wake_write = -1; /* a pipe: a byte in it ends a wait (SG1) */

static void wake(void)
{
    int kept = errno;
    ssize_t n = write(wake_write, "", 1); /* a full pipe wakes just as well */
    (void)n;
    errno = kept;
}

static void on_int(int signal)
{
    if (is_busy && interrupted_session) {
        got_int_busy = 1;
        ses_interrupt(interrupted_session);
    } else {
        got_int = 1;
    }
    wake();
}

static void on_end(int signal)
{
    got_end = signal;
    if (interrupted_session)
        ses_end_soon(interrupted_session);
    wake();
}

static void on_resize(int signal)
{
    got_resize = 1;
    wake();
}

/* At the prompt the line editor puts the terminal back before ebb stops; elsewhere it stops at once. */
static void on_suspend(int signal)
{
    got_suspend = is_editing;
    if (is_editing)
        wake();
    else
        raise(SIGSTOP);
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

static bool is_ignored(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void cli_signals_install(session *s)
{
    interrupted_session = s;
    int ends[2];
    if (wake_read < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        wake_read = ends[0];
        wake_write = ends[1];
    }
    catch_signal(SIGINT, on_int);
    catch_signal(SIGTERM, on_end);
    if (!is_ignored(SIGHUP)) /* nohup */
        catch_signal(SIGHUP, on_end);
    catch_signal(SIGPIPE, on_pipe);
    catch_signal(SIGWINCH, on_resize);
    if (!is_ignored(SIGTSTP))
        catch_signal(SIGTSTP, on_suspend);
}

static void empty_pipe(void)
{
    char bytes[64];
    while (read(wake_read, bytes, sizeof bytes) > 0)
        ;
}

static cli_beside *beside; /* NULL: nobody */

void cli_signals_beside(cli_beside *who)
{
    beside = who;
}

static bool wait_to_read(int fd)
{
    for (;;) {
        struct pollfd waited[] = {{.fd = fd, .events = POLLIN},
                                  {.fd = wake_read, .events = POLLIN},
                                  {.fd = beside ? beside->fd : -1, .events = POLLIN}};
        empty_pipe(); /* before the flags are looked at: what comes later ends the poll */
        if (cli_signal_pending() || got_suspend)
            return false;
        int n = poll(waited, 3, -1);
        if (n > 0 && waited[1].revents)
            continue;
        if (n > 0 && waited[2].revents && !waited[0].revents) {
            beside->serve(beside->self);
            continue;
        }
        if (n > 0 || errno != EINTR)
            return true; /* readable, ended, or broken: the read will tell */
    }
}

bool cli_signal_wait(int fd)
{
    if (beside)
        beside->waits(beside->self);
    bool can_read = wait_to_read(fd);
    if (beside)
        beside->leaves(beside->self);
    return can_read;
}

bool cli_signal_wait_to_write(int fd)
{
    for (;;) {
        struct pollfd waited[] = {{.fd = fd, .events = POLLOUT}, {.fd = wake_read, .events = POLLIN}};
        empty_pipe(); /* as above */
        bool is_ending = cli_signal_ending() != 0;
        int n = poll(waited, 2, is_ending ? 0 : -1);
        if (waited[0].revents || (n < 0 && errno != EINTR))
            return true;
        if (is_ending)
            return false;
    }
}

bool cli_signal_take_suspend(void)
{
    bool got = got_suspend;
    got_suspend = 0;
    return got;
}

bool cli_signal_take_resize(void)
{
    bool got = got_resize;
    got_resize = 0;
    return got;
}

void cli_signals_forget(void)
{
    interrupted_session = NULL;
}

void cli_signals_editing(bool editing)
{
    is_editing = editing;
}

bool cli_signals_busy(bool busy)
{
    if (busy && interrupted_session)
        ses_forget_interrupts(interrupted_session); /* first: what comes from now on is meant for this work */
    is_busy = busy;                                 /* before the flag is read: what comes later is not in it */
    bool came = got_int_busy;
    got_int_busy = 0;
    return came;
}

bool cli_signal_interrupted(void)
{
    return got_int_busy || got_end;
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
