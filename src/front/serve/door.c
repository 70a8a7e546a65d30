/* door.c - an epoll descriptor over the listening socket and all who wait. */
#include "front/serve/door.h"

#include "base/mem.h"
#include "base/tcp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 16 };

struct front_door {
    int listener, epoll, n_first_bytes;
    int waiting[MOST]; /* the oldest first */
    size_t n;
};

static bool looks_at(front_door *door, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(door->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

front_door *front_door_new(int listener, int n_first_bytes)
{
    front_door *door = EBB_NEW(front_door);
    *door = (front_door){.listener = listener, .epoll = epoll_create1(EPOLL_CLOEXEC), .n_first_bytes = n_first_bytes};
    if (door->epoll >= 0 && looks_at(door, listener))
        return door;
    front_door_free(door);
    return NULL;
}

void front_door_free(front_door *door)
{
    for (size_t i = 0; i < door->n; i++)
        close(door->waiting[i]);
    if (door->epoll >= 0)
        close(door->epoll);
    free(door);
}

int front_door_fd(const front_door *door)
{
    return door->epoll;
}

static void forget(front_door *door, int fd)
{
    size_t i = 0;
    while (i < door->n && door->waiting[i] != fd)
        i++;
    if (i == door->n)
        return;
    memmove(&door->waiting[i], &door->waiting[i + 1], (door->n - i - 1) * sizeof *door->waiting);
    door->n--;
    epoll_ctl(door->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* The kernel says that it can be read when so much is there. */
static void wait_for(int connection, int nbytes)
{
    setsockopt(connection, SOL_SOCKET, SO_RCVLOWAT, &nbytes, sizeof nbytes);
}

/* DO2 */
static void add(front_door *door, int connection)
{
    if (door->n == MOST) {
        int oldest = door->waiting[0];
        forget(door, oldest);
        close(oldest);
    }
    ebb_tcp_prepare(connection);
    wait_for(connection, door->n_first_bytes);
    if (looks_at(door, connection))
        door->waiting[door->n++] = connection;
    else
        close(connection);
}

/* False: the port is of no use any more. */
static bool accept_one(front_door *door)
{
    int connection = accept4(door->listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0)
        add(door, connection);
    return connection >= 0 || errno == EINTR || errno == ECONNABORTED || errno == EMFILE || errno == EAGAIN;
}

int front_door_next(front_door *door)
{
    struct epoll_event events[MOST + 1];
    int n = epoll_wait(door->epoll, events, MOST + 1, 0);
    bool knocks = false;
    for (int i = 0; i < n; i++) {
        int fd = events[i].data.fd;
        if (fd != door->listener) { /* DO1 */
            forget(door, fd);
            wait_for(fd, 1);
            return fd;
        }
        knocks = true;
    }
    return knocks && !accept_one(door) ? -2 : -1;
}
