/* listen.c - an ebb that others connect to (remote.h, jvm_listen).
 *
 * Each connection is a process, which first wants a proof (handshake.h) and then, if no other has it, the lock that makes it the one that
 * is served (relay.h).  The lock is the system's, so it goes with its process, however that ends.
 *
 * LI1  who proves nothing costs a process for HANDSHAKE_SECONDS at most, and MAX_STRANGERS of those at a time;
 * LI2  when the listening process ends, so do the others: they hold the reading end of a pipe that it holds the writing end of. */
#include "jvm/remote/handshake.h"
#include "jvm/remote/relay.h"
#include "base/mem.h"
#include "base/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HANDSHAKE_SECONDS = 10, MAX_STRANGERS = 16, REFUSAL_MS = 1000, LOCK_TRIES = 20, LOCK_MS = 100 };

typedef struct listener {
    int fd, lock;
    int lifeline[2]; /* LI2 */
    const char *token;
    const jvm_remote_launch *how;
    unsigned n_processes;
} listener;

static void pause_ms(int ms)
{
    poll(NULL, 0, ms);
}

/* One that was served a moment ago may still be clearing up. */
static bool become_the_one(int lock)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (fcntl(lock, F_SETLK, &all) == 0)
            return true;
        pause_ms(LOCK_MS);
    }
    return false;
}

static void serve(const listener *l, int connection)
{
    jvm_handshake h;
    alarm(HANDSHAKE_SECONDS);
    if (!jvm_handshake_far(connection, l->token, &h)) {
        pause_ms(REFUSAL_MS);
        jvm_handshake_answer(connection, &h, JVM_VERDICT_NO);
        return;
    }
    bool is_the_one = become_the_one(l->lock);
    alarm(0);
    if (jvm_handshake_answer(connection, &h, is_the_one ? JVM_VERDICT_YES : JVM_VERDICT_BUSY) && is_the_one)
        jvm_relay_serve(connection, l->lifeline[0], l->how);
    close(l->lock); /* before the connection: who sees that end may come again at once */
}

static void begin_serving(listener *l, int connection)
{
    pid_t pid = l->n_processes < MAX_STRANGERS ? fork() : -1;
    if (pid == 0) {
        setsid(); /* neither Ctrl-C at this terminal nor the terminal itself is the program's */
        close(l->fd);
        close(l->lifeline[1]);
        ebb_tcp_prepare(connection);
        serve(l, connection);
        _exit(0);
    }
    close(connection);
    l->n_processes += pid > 0;
}

static void sweep(listener *l)
{
    while (l->n_processes > 0 && waitpid(-1, NULL, WNOHANG) > 0)
        l->n_processes--;
}

static ebb_status accept_all(listener *l, ebb_error *err)
{
    for (;;) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        int n = poll(&p, 1, l->n_processes > 0 ? 1000 : -1);
        sweep(l);
        if (n == 0 || (n < 0 && errno == EINTR))
            continue;
        int connection = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
        if (connection >= 0)
            begin_serving(l, connection);
        else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK)
            return ebb_fail_errno(err, "can't listen any more");
        else if (errno != EINTR && errno != ECONNABORTED)
            pause_ms(LOCK_MS); /* too many files, no memory: it passes */
    }
}

ebb_status jvm_listen(const char *where, const char *token, const jvm_remote_launch *how,
                      void (*ready)(void *self, const char *address, bool is_loopback), void *self, ebb_error *err)
{
    listener l = {.fd = -1, .lock = -1, .lifeline = {-1, -1}, .token = token, .how = how};
    char *address;
    bool is_loopback;
    if (strlen(token) < JVM_TOKEN_MIN)
        return ebb_fail(err, EBB_BAD_INPUT, "A token of fewer than %d characters can be guessed.", JVM_TOKEN_MIN);
    EBB_TRY(ebb_tcp_listen(where, &l.fd, &address, &is_loopback, err));
    l.lock = memfd_create("ebb-listen", MFD_CLOEXEC);
    if (l.lock < 0 || pipe2(l.lifeline, O_CLOEXEC) != 0)
        return ebb_fail_errno(err, "can't listen");
    ready(self, address, is_loopback);
    free(address);
    return accept_all(&l, err);
}
