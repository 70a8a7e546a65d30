/* watch.c - a thread that sleeps unless there is work to be watched. */
#include "front/serve/watch.h"

#include "base/mem.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { AGAIN_MS = 100 };

struct front_watch {
    int fd, wake[2];
    pthread_t thread, main;
    pthread_mutex_t lock; /* of what follows */
    bool is_at_work, ends, heard;
};

typedef struct view {
    bool at_work, heard, ends;
} view;

/* What there is to do; SIGINT is sent if the client has spoken: FW2. */
static view look(front_watch *w, bool spoke)
{
    pthread_mutex_lock(&w->lock);
    w->heard |= w->is_at_work && spoke;
    view seen = {w->is_at_work, w->heard, w->ends};
    if (seen.at_work && seen.heard)
        pthread_kill(w->main, SIGINT);
    pthread_mutex_unlock(&w->lock);
    return seen;
}

static void *keep_watch(void *self)
{
    front_watch *w = self;
    bool spoke = false;
    for (view seen; !(seen = look(w, spoke)).ends;) {
        char bytes[16];
        bool listens = seen.at_work && !seen.heard;
        struct pollfd p[] = {{.fd = w->wake[0], .events = POLLIN}, {.fd = listens ? w->fd : -1, .events = POLLIN}};
        poll(p, 2, seen.at_work && seen.heard ? AGAIN_MS : -1);
        if (p[0].revents && read(w->wake[0], bytes, sizeof bytes) < 0)
            break;
        spoke = listens && p[1].revents;
    }
    return NULL;
}

static void tell(front_watch *w, bool at_work, bool heard, bool is_end)
{
    pthread_mutex_lock(&w->lock);
    w->is_at_work = at_work;
    w->heard = heard;
    w->ends = is_end;
    ssize_t n = write(w->wake[1], "", 1);
    (void)n;
    pthread_mutex_unlock(&w->lock);
}

void front_watch_begin(front_watch *watch, bool has_spoken)
{
    tell(watch, true, has_spoken, false);
}

void front_watch_end(front_watch *watch)
{
    tell(watch, false, false, false);
}

front_watch *front_watch_new(int fd)
{
    front_watch *w = EBB_NEW(front_watch);
    sigset_t all, before;
    *w = (front_watch){.fd = fd, .main = pthread_self(), .lock = PTHREAD_MUTEX_INITIALIZER};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool begins = pipe(w->wake) == 0 && pthread_create(&w->thread, NULL, keep_watch, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!begins) {
        free(w);
        return NULL;
    }
    return w;
}

void front_watch_free(front_watch *watch)
{
    tell(watch, false, false, true);
    pthread_join(watch->thread, NULL);
    close(watch->wake[0]);
    close(watch->wake[1]);
    free(watch);
}
