/* poller.c - asks a sensor for measurements over a socket, and tells how it is doing whenever it gets SIGUSR1.
 *
 * It has a bug.  One of the measurements is filed under a wrong name.
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_SENSORS = 4 };

struct measurement {
    char name[24];
    int value;
};

static struct measurement measurements[N_SENSORS];
static volatile sig_atomic_t n_done;

/* "sensor 3"; good until the next call. */
static const char *name_of(const char *kind, int number)
{
    static char name[24];
    snprintf(name, sizeof name, "%s %d", kind, number);
    return name;
}

static void tell_status(int signal)
{
    const char *text = name_of("status", n_done);
    write(STDERR_FILENO, text, strlen(text));
    write(STDERR_FILENO, "\n", 1);
}

static int ask(int fd, int number)
{
    int value = -1;
    write(fd, &number, sizeof number);
    read(fd, &value, sizeof value);
    return value;
}

static void poll_sensor(int fd, int number)
{
    struct measurement *m = &measurements[number];
    const char *name = name_of("sensor", number);
    m->value = ask(fd, number);
    strcpy(m->name, name);
    n_done++;
}

/* Somebody who measures.  At the third question it wants to know first how the asker is doing. */
static void measure(int fd)
{
    int number;
    while (read(fd, &number, sizeof number) == sizeof number) {
        if (number == 2)
            kill(getppid(), SIGUSR1);
        int value = 20 + number * number;
        write(fd, &value, sizeof value);
    }
    _exit(0);
}

int main(void)
{
    int fds[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    struct sigaction action = {.sa_handler = tell_status, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    if (fork() == 0) {
        close(fds[0]);
        measure(fds[1]);
    }
    close(fds[1]);
    for (int i = 0; i < N_SENSORS; i++)
        poll_sensor(fds[0], i);
    close(fds[0]);
    wait(NULL);
    for (int i = 0; i < N_SENSORS; i++)
        printf("%s: %d\n", measurements[i].name, measurements[i].value);
    assert(strcmp(measurements[2].name, "sensor 2") == 0);
    return 0;
}
