/* pump.c - one thread, one buffer. */
#include "front/mcp/pump.h"

#include "base/mem.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_MS = 30 };

struct mcp_pump {
    int fds[2], wake[2];
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    ebb_buf kept;
};

static void keep(mcp_pump *p, const char *bytes, size_t n)
{
    pthread_mutex_lock(&p->lock);
    ebb_buf_add(&p->kept, bytes, n);
    if (p->kept.n > 2 * MCP_MAX_OUTPUT)
        ebb_buf_drop(&p->kept, p->kept.n - MCP_MAX_OUTPUT);
    pthread_mutex_unlock(&p->lock);
}

static void *read_both(void *self)
{
    mcp_pump *p = self;
    char bytes[8192];
    for (;;) {
        struct pollfd waited[] = {{.fd = p->wake[0], .events = POLLIN}, {.fd = p->fds[0], .events = POLLIN}, {.fd = p->fds[1], .events = POLLIN}};
        poll(waited, 3, -1);
        if (waited[0].revents)
            return NULL;
        for (size_t i = 0; i < 2; i++) {
            ssize_t n = waited[i + 1].revents ? read(p->fds[i], bytes, sizeof bytes) : 0;
            if (n > 0)
                keep(p, bytes, (size_t)n);
            else if (waited[i + 1].revents)
                p->fds[i] = -1;
        }
    }
}

void mcp_pump_take(mcp_pump *pump, ebb_buf *out)
{
    struct timespec quiet = {0, QUIET_MS * 1000000L};
    nanosleep(&quiet, NULL); /* a terminal hands on late what was written to it */
    pthread_mutex_lock(&pump->lock);
    size_t n = pump->kept.n < MCP_MAX_OUTPUT ? pump->kept.n : MCP_MAX_OUTPUT;
    ebb_buf_add(out, ebb_buf_text(&pump->kept) + pump->kept.n - n, n);
    ebb_buf_truncate(&pump->kept, 0);
    pthread_mutex_unlock(&pump->lock);
}

mcp_pump *mcp_pump_new(int stdout_, int stderr_)
{
    mcp_pump *p = EBB_NEW(mcp_pump);
    sigset_t all, before;
    *p = (mcp_pump){.fds = {stdout_, stderr_}, .lock = PTHREAD_MUTEX_INITIALIZER};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool begins = pipe(p->wake) == 0 && pthread_create(&p->thread, NULL, read_both, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!begins) {
        free(p);
        return NULL;
    }
    return p;
}

void mcp_pump_free(mcp_pump *pump)
{
    ssize_t n = write(pump->wake[1], "", 1);
    (void)n;
    pthread_join(pump->thread, NULL);
    close(pump->wake[0]);
    close(pump->wake[1]);
    ebb_buf_fini(&pump->kept);
    free(pump);
}
