/* listen.c - one process for each client, begun before it has any threads. */
#include "front/serve/listen.h"

#include "base/tcp.h"
#include "front/serve/door.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* *address is the caller's, like *fd: where it listens, in numbers. */
static ebb_status open_port(const front_listening *how, int *fd, char **address, ebb_error *err)
{
    bool is_loopback;
    EBB_TRY(ebb_tcp_listen(how->where, fd, address, &is_loopback, err));
    if (!is_loopback && !how->any_address) {
        close(*fd);
        ebb_status status = ebb_fail(err, EBB_BAD_INPUT,
                                     "%.100s can be reached from other computers, and who reaches it can do all that you can; 127.0.0.1 and `ssh -L` are "
                                     "safe, --insecure-any-address insists.", *address);
        free(*address);
        return status;
    }
    fprintf(stderr, "Listening for %s on %s\n", how->what, *address);
    if (!is_loopback)
        fprintf(stderr, "warning: whoever reaches this port can do all that you can.\n");
    return EBB_OK;
}

ebb_status front_listen_open(const front_listening *how, int *fd, ebb_error *err)
{
    char *address;
    EBB_TRY(open_port(how, fd, &address, err));
    free(address);
    return EBB_OK;
}

/* FL2; true in the new process. */
static bool becomes_server(pid_t parent)
{
    pid_t pid = fork();
    if (pid != 0)
        return false;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    return true;
}

/* Nobody asks how a client's process ended; what it starts itself asks for that, so in that process it is as it was. */
static void leave_ended_to_kernel(bool do_so)
{
    struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = do_so ? SA_NOCLDWAIT : 0};
    sigaction(SIGCHLD, &action, NULL);
}

static bool can_read(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, -1) > 0 || errno == EINTR;
}

/* FL3, FL4 */
static ebb_status await_client(const front_listening *how, front_door *door, void *self, int *connection, ebb_error *err)
{
    for (*connection = -1; *connection == -1; *connection = front_door_next(door))
        if (how->wait ? !how->wait(front_door_fd(door), self) : !can_read(front_door_fd(door)))
            return ebb_fail(err, EBB_INTERRUPTED, "interrupted before a client connected");
    return *connection >= 0 ? EBB_OK : ebb_fail_errno(err, "no client can connect any more");
}

static ebb_status await_one(const front_listening *how, int fd, void *self, int *connection, ebb_error *err)
{
    front_door *door = front_door_new(fd, how->n_first_bytes);
    if (!door)
        return ebb_fail_errno(err, "nobody can be waited for");
    ebb_status status = await_client(how, door, self, connection, err);
    front_door_free(door);
    return status;
}

ebb_status front_listen_in_turn(const front_listening *how, bool (*serve)(int connection, void *self), void *self, ebb_error *err)
{
    front_listening here = *how;
    char *address = NULL;
    bool goes_on = true;
    while (goes_on) {
        int fd, connection;
        char *before = address; /* the same port again */
        here.where = before ? before : how->where;
        ebb_status status = open_port(&here, &fd, &address, err);
        free(before);
        EBB_TRY(status);
        status = await_one(how, fd, self, &connection, err);
        close(fd);
        if (status != EBB_OK) {
            free(address);
            return status;
        }
        goes_on = serve(connection, self);
    }
    free(address);
    return EBB_OK;
}

ebb_status front_listen(const front_listening *how, int (*serve)(int connection, void *self), void *self, int *status, ebb_error *err)
{
    int fd, connection;
    pid_t parent = getpid();
    EBB_TRY(front_listen_open(how, &fd, err));
    front_door *door = front_door_new(fd, how->n_first_bytes);
    ebb_status waited = door ? EBB_OK : ebb_fail_errno(err, "nobody can be waited for");
    leave_ended_to_kernel(true);
    bool is_server = false;
    while (!is_server && waited == EBB_OK && (waited = await_client(how, door, self, &connection, err)) == EBB_OK) {
        is_server = becomes_server(parent);
        if (!is_server)
            close(connection);
    }
    if (door)
        front_door_free(door);
    close(fd);
    if (is_server) {
        leave_ended_to_kernel(false);
        *status = serve(connection, self);
    }
    return waited;
}
