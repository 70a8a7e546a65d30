/* ear.c - one lock for the queue, one for the mouth, one for the debuggee's output. */
#include "front/dap/ear.h"

#include "base/buf.h"
#include "base/mem.h"
#include "front/cli/reply.h"
#include "front/cli/signals.h"
#include "front/dap/frame.h"
#include "front/dap/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { AGAIN_MS = 100, QUIET_MS = 30 };

typedef struct spring { /* a descriptor that the debuggee writes to */
    int fd;
    const char *category;
    char held[4]; /* the beginning of a character whose rest hasn't come */
    size_t n_held;
} spring;

enum { N_SPRINGS = 2 };

struct dap_ear {
    dap_ear_ends ends;
    pthread_t thread, main;
    int wake[2], news[2]; /* pipes: to its thread, and to the main one, which waits for signals, too */

    pthread_mutex_t lock; /* of what follows */
    EBB_VEC(json_t *) queue;
    bool is_gone, is_busy, may_enter;
    bool wants_end, wants_entry; /* and the main thread hasn't heard it yet */
    json_int_t current;          /* the number of the request that is being answered */

    pthread_mutex_t mouth;
    json_int_t last_seq;

    pthread_mutex_t pump;
    spring springs[N_SPRINGS];

    dap_frames frames; /* the thread's own */
};

/* ---- saying ------------------------------------------------------------------------------------ */

static void write_all(int fd, const char *bytes, size_t nbytes)
{
    while (nbytes) {
        ssize_t n = write(fd, bytes, nbytes);
        if (n < 0 && errno != EINTR)
            return; /* the reading end tells that the client is gone */
        bytes += n > 0 ? n : 0;
        nbytes -= n > 0 ? (size_t)n : 0;
    }
}

void dap_ear_say(dap_ear *ear, json_t *taken)
{
    pthread_mutex_lock(&ear->mouth);
    json_object_set_new(taken, "seq", json_integer(++ear->last_seq));
    char *body = json_dumps(taken, JSON_COMPACT);
    if (body) {
        ebb_buf message = {0};
        ebb_buf_addf(&message, "Content-Length: %zu\r\n\r\n", strlen(body));
        ebb_buf_adds(&message, body);
        write_all(ear->ends.out, message.data, message.n);
        ebb_buf_fini(&message);
    }
    free(body);
    pthread_mutex_unlock(&ear->mouth);
    json_decref(taken);
}

/* Text can't have a NUL in it: the sign for one stands instead. */
static json_t *string_of(const char *bytes, size_t nbytes)
{
    ebb_buf text = {0};
    for (size_t i = 0; i < nbytes; i++) {
        if (bytes[i])
            ebb_buf_addc(&text, bytes[i]);
        else
            ebb_buf_adds(&text, "\xe2\x90\x80");
    }
    json_t *string = cli_json_string(ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return string;
}

void dap_ear_say_output(dap_ear *ear, const char *category, const char *bytes, size_t nbytes)
{
    if (nbytes)
        dap_ear_say(ear, dap_event("output", json_pack("{s:s, s:o}", "category", category, "output", string_of(bytes, nbytes))));
}

/* ---- the debuggee's output ----------------------------------------------------------------------- */

/* How many bytes at the end are the beginning of a character that goes on. */
static size_t n_unfinished(const char *bytes, size_t nbytes)
{
    for (size_t n = 1; n <= 3 && n <= nbytes; n++) {
        unsigned char c = (unsigned char)bytes[nbytes - n];
        size_t wanted = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        if (c >= 0xc0 || c < 0x80)
            return wanted > n ? n : 0;
    }
    return 0;
}

static void say_spring(dap_ear *ear, spring *from, const char *bytes, size_t nbytes)
{
    ebb_buf all = {0};
    ebb_buf_add(&all, from->held, from->n_held);
    ebb_buf_add(&all, bytes, nbytes);
    from->n_held = n_unfinished(ebb_buf_text(&all), all.n);
    memcpy(from->held, ebb_buf_text(&all) + all.n - from->n_held, from->n_held);
    dap_ear_say_output(ear, from->category, ebb_buf_text(&all), all.n - from->n_held);
    ebb_buf_fini(&all);
}

/* False once nothing can come any more, or nothing is there. */
static bool pump(dap_ear *ear, spring *from)
{
    char bytes[8192];
    struct pollfd p = {.fd = from->fd, .events = POLLIN};
    if (from->fd < 0 || poll(&p, 1, 0) <= 0)
        return false;
    ssize_t n = read(from->fd, bytes, sizeof bytes);
    if (n > 0)
        say_spring(ear, from, bytes, (size_t)n);
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        from->fd = -1;
    return n > 0;
}

static void pump_all(dap_ear *ear)
{
    pthread_mutex_lock(&ear->pump);
    for (size_t i = 0; i < N_SPRINGS; i++)
        while (pump(ear, &ear->springs[i]))
            ;
    pthread_mutex_unlock(&ear->pump);
}

/* A terminal hands on late what was written to it: it is waited for until it is quiet. */
void dap_ear_drain(dap_ear *ear, bool all)
{
    struct pollfd p[N_SPRINGS];
    do {
        pump_all(ear);
        for (size_t i = 0; i < N_SPRINGS; i++)
            p[i] = (struct pollfd){.fd = ear->springs[i].fd, .events = POLLIN};
    } while (poll(p, N_SPRINGS, all ? QUIET_MS : 0) > 0);
    pthread_mutex_lock(&ear->pump);
    for (size_t i = 0; all && i < N_SPRINGS; i++) {
        dap_ear_say_output(ear, ear->springs[i].category, ear->springs[i].held, ear->springs[i].n_held);
        ear->springs[i].n_held = 0;
    }
    pthread_mutex_unlock(&ear->pump);
}

/* ---- waking the thread ---------------------------------------------------------------------------- */

enum { WAKE_TO_LOOK = '.', WAKE_TO_END = 'x' };

static void wake(dap_ear *ear, char why)
{
    write_all(ear->wake[1], &why, 1);
}

static bool woken_to_end(dap_ear *ear)
{
    char why;
    return read(ear->wake[0], &why, 1) == 1 && why == WAKE_TO_END;
}

/* ---- hearing the client -------------------------------------------------------------------------- */

/* With the lock held: SIGINT, if what was asked for concerns what is under way. */
static bool nudge(dap_ear *ear)
{
    bool wants = ear->is_busy && (ear->wants_end || (ear->wants_entry && ear->may_enter));
    if (wants)
        pthread_kill(ear->main, SIGINT);
    return wants;
}

static void answer_cancelled(dap_ear *ear, json_t *request)
{
    dap_ear_say(ear, dap_response(request, false, "cancelled", NULL));
}

/* With the lock held: `cancel` of a request that waits, or of the one under way. */
static void hear_cancel(dap_ear *ear, json_t *request)
{
    json_t *args = json_object_get(request, "arguments");
    json_t *id = json_object_get(args, "requestId");
    if (json_object_get(args, "progressId") || (json_is_integer(id) && json_integer_value(id) == ear->current))
        ear->wants_end = true;
    for (size_t i = 0; json_is_integer(id) && i < ear->queue.n; i++) {
        json_t *queued = ear->queue.items[i];
        if (json_integer_value(json_object_get(queued, "seq")) != json_integer_value(id))
            continue;
        ebb_vec_remove(&ear->queue, i);
        answer_cancelled(ear, queued);
        json_decref(queued);
        break;
    }
}

/* If there is no room, the main thread has enough to read. */
static void tell_news(dap_ear *ear)
{
    (void)!write(ear->news[1], "", 1);
}

static void hear(dap_ear *ear, json_t *taken)
{
    pthread_mutex_lock(&ear->lock);
    const char *command = json_string_value(json_object_get(taken, "command"));
    dap_heard heard = dap_request_heard(command);
    if (command && strcmp(command, "cancel") == 0)
        hear_cancel(ear, taken);
    ear->wants_end |= heard == DAP_HEARD_END;
    ear->wants_entry |= heard == DAP_HEARD_ENTER;
    ebb_vec_push(&ear->queue, taken);
    nudge(ear);
    tell_news(ear);
    pthread_mutex_unlock(&ear->lock);
}

static void lose_client(dap_ear *ear)
{
    pthread_mutex_lock(&ear->lock);
    ear->is_gone = ear->wants_end = true;
    nudge(ear);
    tell_news(ear);
    pthread_mutex_unlock(&ear->lock);
}

static void complain(dap_ear *ear, const char *why)
{
    char *line = ebb_asprintf("ebb: the client can't be understood: %s.\n", why);
    write_all(ear->ends.complaints, line, strlen(line));
    dap_ear_say_output(ear, "stderr", line, strlen(line));
    free(line);
}

static void hear_message(dap_ear *ear, const char *body, size_t nbytes)
{
    json_error_t why;
    json_t *message = json_loadb(body, nbytes, 0, &why);
    if (!message)
        complain(ear, why.text);
    else if (!json_is_object(message))
        complain(ear, "a message is no object");
    if (json_is_object(message))
        hear(ear, message);
    else
        json_decref(message);
}

/* False: nothing more will be understood. */
static bool hear_bytes(dap_ear *ear)
{
    char bytes[65536];
    ssize_t n = read(ear->ends.in, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0)
        return false;
    dap_frames_add(&ear->frames, bytes, (size_t)n);
    for (;;) {
        const char *body;
        size_t nbytes;
        ebb_error err;
        ebb_status status = dap_frames_next(&ear->frames, &body, &nbytes, &err);
        if (status == EBB_BAD_INPUT)
            complain(ear, err.text);
        if (status != EBB_OK)
            return status != EBB_BAD_INPUT;
        hear_message(ear, body, nbytes);
    }
}

static int wait_ms(dap_ear *ear)
{
    pthread_mutex_lock(&ear->lock);
    int ms = nudge(ear) ? AGAIN_MS : -1; /* EA3 */
    pthread_mutex_unlock(&ear->lock);
    return ms;
}

static void *listen_to_all(void *self)
{
    dap_ear *ear = self;
    bool hears = true;
    for (;;) {
        struct pollfd p[2 + N_SPRINGS] = {{.fd = ear->wake[0], .events = POLLIN}, {.fd = hears ? ear->ends.in : -1, .events = POLLIN}};
        for (size_t i = 0; i < N_SPRINGS; i++)
            p[2 + i] = (struct pollfd){.fd = ear->springs[i].fd, .events = POLLIN};
        int ms = wait_ms(ear);
        if (poll(p, 2 + N_SPRINGS, ms) <= 0)
            continue;
        if (p[0].revents && woken_to_end(ear))
            return NULL;
        if (p[1].revents && !hear_bytes(ear)) {
            hears = false;
            lose_client(ear);
        }
        pump_all(ear);
    }
}

/* ---- taking -------------------------------------------------------------------------------------- */

static json_t *take(dap_ear *ear, size_t i)
{
    json_t *request = ear->queue.items[i];
    ebb_vec_remove(&ear->queue, i);
    ear->current = json_integer_value(json_object_get(request, "seq"));
    return request;
}

/* An interrupt is of nothing that goes on; one that ends ebb is looked at by the caller. */
static void wait_for_news(dap_ear *ear)
{
    char bytes[64];
    pthread_mutex_unlock(&ear->lock);
    if (cli_signal_wait(ear->news[0]))
        (void)!read(ear->news[0], bytes, sizeof bytes);
    else
        cli_signal_take_int();
    pthread_mutex_lock(&ear->lock);
}

json_t *dap_ear_next(dap_ear *ear)
{
    pthread_mutex_lock(&ear->lock);
    ear->is_busy = ear->wants_end = ear->wants_entry = false;
    ear->current = 0;
    while (ear->queue.n == 0 && !ear->is_gone && !cli_signal_ending())
        wait_for_news(ear);
    json_t *request = ear->queue.n ? take(ear, 0) : NULL;
    ear->is_busy = true;
    ear->wants_end = ear->is_gone;
    for (size_t i = 0; i < ear->queue.n; i++) {
        dap_heard heard = dap_request_heard(json_string_value(json_object_get(ear->queue.items[i], "command")));
        ear->wants_end |= heard == DAP_HEARD_END;
        ear->wants_entry |= heard == DAP_HEARD_ENTER;
    }
    if (ear->wants_end)
        wake(ear, WAKE_TO_LOOK);
    pthread_mutex_unlock(&ear->lock);
    return request;
}

static bool enters(const json_t *request)
{
    return dap_request_heard(json_string_value(json_object_get(request, "command"))) == DAP_HEARD_ENTER;
}

json_t *dap_ear_next_to_enter(dap_ear *ear)
{
    pthread_mutex_lock(&ear->lock);
    json_t *request = !ear->wants_end && ear->queue.n && enters(ear->queue.items[0]) ? take(ear, 0) : NULL;
    ear->wants_entry = ear->queue.n && enters(ear->queue.items[0]);
    pthread_mutex_unlock(&ear->lock);
    return request;
}

void dap_ear_may_enter(dap_ear *ear, bool may)
{
    pthread_mutex_lock(&ear->lock);
    ear->may_enter = may;
    if (may && ear->wants_entry)
        wake(ear, WAKE_TO_LOOK);
    pthread_mutex_unlock(&ear->lock);
}

/* ---- lifetime ------------------------------------------------------------------------------------ */

dap_ear *dap_ear_new(const dap_ear_ends *ends)
{
    dap_ear *ear = EBB_NEW(dap_ear);
    sigset_t all, before;
    *ear = (dap_ear){.ends = *ends,
                     .main = pthread_self(),
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .mouth = PTHREAD_MUTEX_INITIALIZER,
                     .pump = PTHREAD_MUTEX_INITIALIZER,
                     .springs = {{.fd = ends->stdout_, .category = "stdout"}, {.fd = ends->stderr_, .category = "stderr"}}};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool begins = pipe2(ear->wake, O_CLOEXEC) == 0 && pipe2(ear->news, O_CLOEXEC | O_NONBLOCK) == 0 && pthread_create(&ear->thread, NULL, listen_to_all, ear) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!begins) {
        free(ear);
        return NULL;
    }
    return ear;
}

void dap_ear_free(dap_ear *ear)
{
    wake(ear, WAKE_TO_END);
    pthread_join(ear->thread, NULL);
    for (size_t i = 0; i < ear->queue.n; i++)
        json_decref(ear->queue.items[i]);
    ebb_vec_fini(&ear->queue);
    dap_frames_fini(&ear->frames);
    close(ear->wake[0]);
    close(ear->wake[1]);
    close(ear->news[0]);
    close(ear->news[1]);
    free(ear);
}
