/* jdwp.c - packets in, replies and events out; the program runs in between. */
#include "front/jdwp/jdwp.h"

#include "front/cli/signals.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct {
    jdwp_command command;
    jd_handler *handler;
} rows[] = {
#define JD_ROW(command, function) {JDWP_##command, jd_do_##function},
#include "front/jdwp/served.def"
#undef JD_ROW
};

void jd_init(jd *d, session *s, int fd)
{
    *d = (jd){.session = s, .fd = fd};
}

void jd_fini(jd *d)
{
    if (d->watch)
        front_watch_free(d->watch);
    ebb_buf_fini(&d->in);
    ebb_buf_fini(&d->held);
    ebb_vec_fini(&d->counts);
    ebb_vec_fini(&d->policies);
}

/* ---- bytes ---- */

void jd_send(jd *d, const void *bytes, size_t n)
{
    for (const char *at = bytes; n && d->fd >= 0;) {
        ssize_t sent = send(d->fd, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            d->ends = true;
            return;
        }
        at += sent;
        n -= (size_t)sent;
    }
}

void jd_add_bytes(jd *d, const void *bytes, size_t n)
{
    if (d->at == d->in.n)
        d->at = d->in.n = 0;
    ebb_buf_add(&d->in, bytes, n);
}

/* The client is gone: `ends`. */
void jd_hear(jd *d)
{
    char bytes[4096];
    ssize_t n = recv(d->fd, bytes, sizeof bytes, 0);
    if (n > 0)
        jd_add_bytes(d, bytes, (size_t)n);
    else if (n == 0 || errno != EINTR || cli_signal_ending())
        d->ends = true;
}

static bool has_spoken(const jd *d)
{
    struct pollfd p = {.fd = d->fd, .events = POLLIN};
    return d->at < d->in.n || poll(&p, 1, 0) > 0;
}

/* ---- packets ---- */

static void refuse(jd *d, const char *why)
{
    fprintf(stderr, "ebb: the debugger's client %s; the connection is closed.\n", why);
    d->ends = true;
}

static jd_handler *handler_of(uint16_t command)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].command == command)
            return rows[i].handler;
    return NULL;
}

/* JW1 */
static void answer(jd *d, const jdwp_header *h, const uint8_t *contents)
{
    ebb_buf reply = {0}, packet = {0};
    jdwp_in in = {&jd_sizes, contents, contents + h->nbytes - JDWP_HEADER, false};
    jd_handler *handler = handler_of(h->code);
    jdwp_error error = handler ? handler(d, &in, &reply) : JDWP_NOT_IMPLEMENTED;
    if (in.bad && error == JDWP_FINE)
        error = JDWP_ILLEGAL_ARGUMENT;
    if (error != JDWP_FINE)
        ebb_buf_truncate(&reply, 0);
    jdwp_put_header(&packet, reply.n, h->id, JDWP_IS_REPLY, (uint16_t)error);
    ebb_buf_add(&packet, ebb_buf_text(&reply), reply.n);
    jd_send(d, packet.data, packet.n);
    ebb_buf_fini(&reply);
    ebb_buf_fini(&packet);
}

static bool shake_hands(jd *d)
{
    enum { N = sizeof JDWP_HANDSHAKE - 1 };
    if (d->in.n - d->at < N)
        return false;
    if (memcmp(d->in.data + d->at, JDWP_HANDSHAKE, N) != 0) {
        refuse(d, "does not speak the Java Debug Wire Protocol");
        return false;
    }
    d->at += N;
    d->has_shaken_hands = true;
    jd_send(d, JDWP_HANDSHAKE, N);
    if (!d->runs)
        jd_tell_start(d);
    return true;
}

bool jd_answer_next(jd *d)
{
    if (d->ends)
        return false;
    if (!d->has_shaken_hands)
        return shake_hands(d);
    size_t n = d->in.n - d->at;
    if (n < JDWP_HEADER)
        return false;
    const uint8_t *bytes = (const uint8_t *)d->in.data + d->at;
    jdwp_header h = jdwp_read_header(bytes);
    if (h.nbytes < JDWP_HEADER || h.nbytes > JD_MAX_PACKET) {
        refuse(d, "sent a packet of a length that makes no sense");
        return false;
    }
    if (n < h.nbytes)
        return false;
    d->at += h.nbytes;
    if (!(h.flags & JDWP_IS_REPLY)) /* nobody asked anything */
        answer(d, &h, bytes + JDWP_HEADER);
    return true;
}

/* ---- running ---- */

static bool is_end(const jd *d, const ses_stop *stop)
{
    return stop->kind == SES_STOP_EXITED || stop->kind == SES_STOP_KILLED || (stop->kind == SES_STOP_HISTORY_END && d->is_recording);
}

static void has_stopped(jd *d, const ses_java_hits *hits, const ses_stop *stop)
{
    if (is_end(d, stop)) {
        if (d->has_shaken_hands)
            jd_tell_end(d);
        d->ends = d->has_ended = true;
    } else if (hits->n) {
        jd_tell_hits(d, hits);
    } else if (stop->kind != SES_STOP_INTERRUPTED || !has_spoken(d)) {
        jd_tell_stop(d, stop->thread);
    }
}

/* Until something stops it, or the client says something. */
static void go(jd *d, machine_tid only)
{
    ses_java_hits hits = {0};
    ses_stop stop = {0};
    ebb_error err;
    jd_end_changes(d);
    d->n_stops++;
    cli_signals_busy(true);
    front_watch_begin(d->watch, d->at < d->in.n);
    ebb_status status = ses_java_requests_run(d->session, only, &hits, &stop, &err);
    front_watch_end(d->watch);
    cli_signals_busy(false);
    if (status == EBB_OK) {
        has_stopped(d, &hits, &stop);
    } else {
        fprintf(stderr, "ebb: %s\n", err.text);
        if (jd_machine(d))
            jd_tell_stop(d, ses_thread_selected(d->session));
        else
            d->ends = true;
    }
    ebb_vec_fini(&hits);
}

void jd_serve(jd *d)
{
    machine_tid only;
    while (!d->ends && !cli_signal_ending()) {
        if (jd_answer_next(d))
            continue;
        if (!d->watch)
            d->watch = front_watch_new(d->fd);
        if (d->ends || !d->watch || !(d->has_shaken_hands || d->runs) || d->at < d->in.n || !jd_may_run(d, &only))
            return;
        if (d->has_moved) {
            d->has_moved = false; /* clients look anew only after they let it run */
            jd_tell_stop(d, ses_thread_selected(d->session));
            continue;
        }
        go(d, only);
        if (!d->ends && has_spoken(d))
            jd_hear(d);
    }
}

void jd_converse(jd *d)
{
    while (!d->ends && !cli_signal_ending()) {
        jd_serve(d);
        if (!d->ends)
            jd_hear(d);
    }
    jd_end_changes(d);
}
