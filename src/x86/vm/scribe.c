/* scribe.c - the thread that takes events out of the ring, and what may be asked of it. */
#include "x86/vm/scribe.h"
#include "base/mem.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY_MS = 50 };

struct x86_scribe {
    x86_ring *ring;
    ebb_recorder *rec;
    pthread_t thread;
    pthread_mutex_t lock; /* for all below, and for taking */
    uint64_t taken;       /* bytes of the ring */
    uint64_t timestamp;   /* of the last event */
    bool is_over;         /* the thread is to end */
    bool has_ended;       /* SC3 */
    vm_embedded *embedded; /* NULL: nobody wants to know of files */
    bool embeds_at_once;
    uint64_t bound;        /* bytes; 0: none */
    uint64_t began;        /* bytes of `rec` before its first event */
    ebb_recorder *second;  /* SC4; NULL: none */
    uint64_t second_began;
    char *beside, *path;   /* owned; where its file is, and where it will be */
    ebb_error why;
};

/* ---- taking ----------------------------------------------------------------------------------- */

static void end_recording(x86_scribe *s, const char *why)
{
    if (!s->has_ended)
        snprintf(s->why.text, sizeof s->why.text, "%s", why);
    s->has_ended = true;
    __atomic_store_n(&s->ring->ended, 1, __ATOMIC_SEQ_CST);
    s->ring->room_wanted = 1;
    x86_ring_taken(s->ring, s->taken);
}

static void note_module(x86_scribe *s, ebb_values v)
{
    size_t n;
    (void)ebb_values_u64(&v);
    (void)ebb_values_u64(&v);
    const uint8_t *path = ebb_values_bytes(&v, &n);
    if (path && s->embedded)
        vm_embedded_note(s->embedded, (const char *)path, n);
}

/* As many whole events as there are, none longer than any that is written. */
static bool look_through(x86_scribe *s, ebb_event_batch *batch)
{
    ebb_values v = {.at = batch->bytes, .end = batch->bytes + batch->nbytes};
    ebb_event e = {.timestamp = batch->base};
    for (; v.at < v.end; batch->n_events++) {
        if (!ebb_event_parse(&v, e.timestamp, &e))
            return false;
        if (e.kind == X86_RECORDED_MODULE)
            note_module(s, e.values);
    }
    batch->timestamp = e.timestamp;
    return true;
}

/* ---- a bound ---------------------------------------------------------------------------------- */

/* How much may come after the beginning: at least as much as that itself, or it would begin anew all the time. */
static uint64_t room_after_beginning(const x86_scribe *s)
{
    return s->bound > 2 * s->began ? s->bound - s->began : s->began;
}

static bool is_filled(const x86_scribe *s, unsigned parts)
{
    return s->bound && ebb_recorder_get_nbytes(s->rec) - s->began > room_after_beginning(s) / parts;
}

static void drop_second(x86_scribe *s)
{
    if (!s->second)
        return;
    ebb_recorder_free(s->second);
    unlink(s->beside);
    s->second = NULL;
}

/* The file is renamed first: whoever looks finds the one or the other. */
static void change_recordings(x86_scribe *s)
{
    ebb_error err;
    if (ebb_recorder_flush(s->second, &err) != EBB_OK || rename(s->beside, s->path) != 0) {
        drop_second(s);
        return; /* the one that is too long goes on */
    }
    ebb_recorder_free(s->rec);
    s->rec = s->second;
    s->began = s->second_began;
    s->second = NULL;
}

static void take_for_second(x86_scribe *s, const ebb_event_batch *batch)
{
    ebb_error err;
    if (s->second && ebb_recorder_add(s->second, batch, &err) != EBB_OK)
        drop_second(s);
    if (s->second && is_filled(s, 1))
        change_recordings(s);
}

/* ---- from the ring to the file ---------------------------------------------------------------- */

static void embed(x86_scribe *s)
{
    ebb_error err;
    size_t first = s->embedded ? s->embedded->n_written : 0;
    if (!s->embeds_at_once || s->has_ended)
        return;
    if (vm_embedded_write(s->embedded, s->rec, &err) != EBB_OK)
        end_recording(s, err.text);
    else if (s->second && vm_embedded_write_from(s->embedded, first, s->second, &err) != EBB_OK)
        drop_second(s);
}

static void take_batch(x86_scribe *s, uint64_t nbytes)
{
    ebb_error err;
    ebb_event_batch batch = {.bytes = x86_ring_at(s->ring, s->taken), .nbytes = nbytes, .base = s->timestamp};
    if (!look_through(s, &batch)) {
        end_recording(s, "the program wrote over what was to be recorded");
    } else if (ebb_recorder_add(s->rec, &batch, &err) != EBB_OK) {
        end_recording(s, err.text);
    } else {
        s->timestamp = batch.timestamp;
        take_for_second(s, &batch);
        x86_ring_taken(s->ring, s->taken += nbytes); /* the program may write over the batch from here on */
        embed(s);
    }
}

static void take_all(x86_scribe *s)
{
    uint64_t nbytes = __atomic_load_n(&s->ring->written, __ATOMIC_SEQ_CST) - s->taken;
    if (s->has_ended || nbytes == 0)
        return;
    if (nbytes > X86_RING_BYTES)
        end_recording(s, "the program wrote over what was to be recorded");
    else
        take_batch(s, nbytes);
}

static void check(x86_scribe *s, ebb_status status, const ebb_error *err)
{
    if (status != EBB_OK)
        end_recording(s, err->text);
}

/* ---- the thread ------------------------------------------------------------------------------- */

static void wait_for_news(x86_ring *ring)
{
    struct timespec timeout = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
    uint32_t seen = __atomic_load_n(&ring->news, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ring->news_wanted, 1, __ATOMIC_SEQ_CST);
    x86_ring_futex(&ring->news, FUTEX_WAIT, seen, &timeout);
}

static bool look(x86_scribe *s)
{
    ebb_error err;
    pthread_mutex_lock(&s->lock);
    take_all(s);
    if (!s->has_ended)
        check(s, ebb_recorder_flush_if_due(s->rec, &err), &err);
    bool is_over = s->is_over;
    pthread_mutex_unlock(&s->lock);
    return !is_over;
}

static void *write_down(void *argument)
{
    x86_scribe *s = argument;
    while (look(s))
        wait_for_news(s->ring);
    return NULL;
}

/* Signals are for the thread that waits for the debuggee. */
static int start_thread(x86_scribe *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&s->thread, NULL, write_down, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

/* ---- from outside ----------------------------------------------------------------------------- */

ebb_status x86_scribe_begin(x86_ring *ring, ebb_recorder *rec, x86_scribe **out, ebb_error *err)
{
    x86_scribe *s = EBB_NEW(x86_scribe);
    s->ring = ring;
    s->rec = rec;
    s->timestamp = ring->timestamp;
    pthread_mutex_init(&s->lock, NULL);
    if (start_thread(s) != 0) {
        pthread_mutex_destroy(&s->lock);
        ebb_recorder_free(rec);
        free(s);
        return ebb_fail(err, EBB_SYSTEM, "can't record: no thread can be had");
    }
    *out = s;
    return EBB_OK;
}

void x86_scribe_bound(x86_scribe *s, uint64_t nbytes)
{
    pthread_mutex_lock(&s->lock);
    s->bound = nbytes;
    s->began = ebb_recorder_get_nbytes(s->rec);
    pthread_mutex_unlock(&s->lock);
}

bool x86_scribe_wants_second(x86_scribe *s)
{
    pthread_mutex_lock(&s->lock);
    bool wants = !s->second && !s->has_ended && is_filled(s, 2);
    pthread_mutex_unlock(&s->lock);
    return wants;
}

void x86_scribe_give_second(x86_scribe *s, ebb_recorder *second, const char *beside, const char *path)
{
    pthread_mutex_lock(&s->lock);
    free(s->beside);
    free(s->path);
    s->second = second;
    s->second_began = ebb_recorder_get_nbytes(second);
    s->beside = ebb_strdup(beside);
    s->path = ebb_strdup(path);
    pthread_mutex_unlock(&s->lock);
}

void x86_scribe_embed(x86_scribe *s, vm_embedded *embedded, bool at_once)
{
    pthread_mutex_lock(&s->lock);
    s->embedded = embedded;
    s->embeds_at_once = at_once;
    pthread_mutex_unlock(&s->lock);
}

ebb_status x86_scribe_complete(x86_scribe *s, ebb_recorder *copy, ebb_error *err)
{
    pthread_mutex_lock(&s->lock);
    ebb_status status = s->embedded ? vm_embedded_write_from(s->embedded, s->embedded->n_written, copy, err) : EBB_OK;
    pthread_mutex_unlock(&s->lock);
    return status;
}

void x86_scribe_sync(x86_scribe *s, uint64_t time)
{
    ebb_error err;
    pthread_mutex_lock(&s->lock);
    take_all(s);
    if (!s->has_ended && time > s->timestamp) {
        check(s, ebb_recorder_mark(s->rec, (ebb_position){.timestamp = time}, &err), &err);
        s->timestamp = s->ring->timestamp = time; /* RN1 */
    }
    if (!s->has_ended)
        check(s, ebb_recorder_flush(s->rec, &err), &err);
    pthread_mutex_unlock(&s->lock);
}

void x86_scribe_stop(x86_scribe *s, const char *why)
{
    ebb_error err;
    pthread_mutex_lock(&s->lock);
    take_all(s);
    if (!s->has_ended)
        check(s, ebb_recorder_flush(s->rec, &err), &err);
    end_recording(s, why);
    pthread_mutex_unlock(&s->lock);
}

const char *x86_scribe_ended(x86_scribe *s)
{
    pthread_mutex_lock(&s->lock);
    const char *why = s->has_ended ? s->why.text : NULL;
    pthread_mutex_unlock(&s->lock);
    return why;
}

int x86_scribe_get_fd(x86_scribe *s)
{
    return ebb_recorder_get_fd(s->rec);
}

uint64_t x86_scribe_get_timestamp(x86_scribe *s)
{
    pthread_mutex_lock(&s->lock);
    take_all(s);
    uint64_t timestamp = s->timestamp;
    pthread_mutex_unlock(&s->lock);
    return timestamp;
}

uint64_t x86_scribe_get_nbytes(x86_scribe *s)
{
    pthread_mutex_lock(&s->lock);
    uint64_t nbytes = ebb_recorder_get_nbytes(s->rec);
    pthread_mutex_unlock(&s->lock);
    return nbytes;
}

ebb_recorder *x86_scribe_lend(x86_scribe *s, uint64_t time)
{
    pthread_mutex_lock(&s->lock);
    take_all(s);
    if (s->has_ended) {
        pthread_mutex_unlock(&s->lock);
        return NULL;
    }
    s->timestamp = s->ring->timestamp = time > s->timestamp ? time : s->timestamp; /* RN1 */
    return s->rec;
}

void x86_scribe_take_back(x86_scribe *s)
{
    pthread_mutex_unlock(&s->lock);
}

ebb_recorder *x86_scribe_leave(x86_scribe *s)
{
    pthread_mutex_lock(&s->lock);
    s->is_over = true;
    pthread_mutex_unlock(&s->lock);
    __atomic_add_fetch(&s->ring->news, 1, __ATOMIC_SEQ_CST);
    x86_ring_futex(&s->ring->news, FUTEX_WAKE, 1, NULL);
    pthread_join(s->thread, NULL);
    take_all(s);
    ebb_recorder *rec = s->rec;
    drop_second(s);
    free(s->beside);
    free(s->path);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return rec;
}

void x86_scribe_end(x86_scribe *s)
{
    if (s && ebb_recorder_close(x86_scribe_leave(s), NULL) != EBB_OK)
        return; /* too late to tell anybody */
}
