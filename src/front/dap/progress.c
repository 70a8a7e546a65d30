/* progress.c - long work through the past, told to clients that want to know. */
#include "front/dap/dap.h"

#include <time.h>

enum { PATIENCE_MS = 500, STEP_MS = 100 };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static json_t *numbered(const dap *d)
{
    char id[24];
    snprintf(id, sizeof id, "ebb-%u", d->n_progress);
    return json_pack("{s:s}", "progressId", id);
}

static void show(dap *d)
{
    d->n_progress = ++d->last_progress;
    json_t *body = numbered(d);
    json_object_set_new(body, "title", json_string("Going through the past"));
    json_object_set_new(body, "cancellable", json_true());
    json_object_set_new(body, "percentage", json_integer(0));
    dap_say_event(d, "progressStart", body);
}

void dap_progress(void *self, uint64_t done, uint64_t total)
{
    dap *d = self;
    int64_t now = now_ms();
    if (!d->wants_progress || total == 0 || now - d->busy_since_ms < PATIENCE_MS || now - d->progress_at_ms < STEP_MS)
        return;
    d->progress_at_ms = now;
    if (!d->n_progress)
        show(d);
    json_t *body = numbered(d);
    json_object_set_new(body, "percentage", json_integer((json_int_t)(100.0 * (double)done / (double)total)));
    dap_say_event(d, "progressUpdate", body);
}

void dap_progress_begin(dap *d)
{
    d->busy_since_ms = now_ms();
    d->progress_at_ms = 0;
}

void dap_progress_end(dap *d)
{
    if (d->n_progress)
        dap_say_event(d, "progressEnd", numbered(d));
    d->n_progress = 0;
}
