/* far.c - reads parcels while somebody waits for an answer, and sorts them by line. */
#include "jvm/remote/far.h"

#include "jvm/remote/handshake.h"
#include "jvm/remote/parcel.h"
#include "base/tcp.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HANDSHAKE_SECONDS = 15, GOODBYE_SECONDS = 5, MAX_KEPT = 2 * JVM_WIRE_MAX_PAYLOAD, PATIENT_INTERRUPTS = 3 };

typedef struct kept_message {
    jvm_wire_message message;
    int along;
} kept_message;

typedef struct far_channel {
    uint32_t number;
    bool is_over;
    EBB_VEC(kept_message) kept;
} far_channel;

struct jvm_far {
    int fd;                 /* -1: FA1 */
    char *where;
    ebb_error lost;         /* once it is */
    EBB_VEC(char *) args;   /* NULL at the end */
    EBB_VEC(far_channel) channels;
    size_t kept_nbytes;
    bool has_ended;
    int wait_status;
    jvm_parcel answer;      /* the last one that answers a question; NONE: it has not come */
    volatile int n_interrupts; /* since something came */
    bool forwards_input, input_ended, input_waits;
};

/* ---- the connection ---- */

static ebb_status lose(jvm_far *far, ebb_error *err)
{
    if (far->fd >= 0) {
        close(far->fd);
        far->fd = -1;
        ebb_fail(&far->lost, EBB_GONE, "The connection to %.100s broke: the program there was ended.", far->where);
    }
    return ebb_fail(err, EBB_GONE, "%s", far->lost.text);
}

bool jvm_far_is_lost(const jvm_far *far, ebb_error *err)
{
    if (far->fd < 0)
        ebb_fail(err, EBB_GONE, "%s", far->lost.text);
    return far->fd < 0;
}

static far_channel *channel_of(jvm_far *far, uint32_t number)
{
    for (size_t i = 0; i < far->channels.n; i++)
        if (far->channels.items[i].number == number)
            return &far->channels.items[i];
    return NULL;
}

static void free_channel(jvm_far *far, far_channel *c)
{
    for (size_t i = 0; i < c->kept.n; i++) {
        far->kept_nbytes -= c->kept.items[i].message.payload.n;
        ebb_buf_fini(&c->kept.items[i].message.payload);
    }
    ebb_vec_fini(&c->kept);
}

/* ---- what comes ---- */

static void pass_on(const jvm_parcel *p)
{
    int fd = p->channel == 2 ? STDERR_FILENO : STDOUT_FILENO;
    size_t done = 0;
    while (done < p->payload.n) {
        ssize_t n = write(fd, p->payload.data + done, p->payload.n - done);
        if (n < 0 && errno != EINTR)
            return; /* nobody wants it */
        done += n > 0 ? (size_t)n : 0;
    }
}

/* False: nonsense. */
static bool keep_message(jvm_far *far, const jvm_parcel *p)
{
    kept_message k = {.along = -1};
    uint32_t opens;
    if (!jvm_parcel_message(p, &opens, &k.message))
        return false;
    if (opens > INT32_MAX || (opens != 0 && channel_of(far, opens) != NULL) || far->kept_nbytes + k.message.payload.n > MAX_KEPT) {
        ebb_buf_fini(&k.message.payload);
        return false;
    }
    if (channel_of(far, p->channel) == NULL) { /* FA2; the process that it opens isn't needed */
        ebb_buf_fini(&k.message.payload);
        return opens == 0 || jvm_parcel_send(far->fd, JVM_PARCEL_close, opens, NULL, 0, NULL) == EBB_OK;
    }
    if (opens != 0) {
        ebb_vec_push(&far->channels, (far_channel){.number = opens});
        k.along = (int)opens;
    }
    far_channel *c = channel_of(far, p->channel);
    ebb_vec_push(&c->kept, k);
    far->kept_nbytes += k.message.payload.n;
    return true;
}

static bool take_welcome(jvm_far *far, const jvm_parcel *p)
{
    ebb_arena arena = {0};
    jvm_wire_reader r = {.at = (const uint8_t *)p->payload.data, .arena = &arena};
    r.end = r.at + p->payload.n;
    jvm_wire_names names;
    bool good = far->args.n == 0 && jvm_wire_get_names(&r, &names) && names.list.n > 0;
    for (size_t i = 0; good && i < names.list.n; i++)
        ebb_vec_push(&far->args, ebb_strdup(names.list.items[i].text != NULL ? names.list.items[i].text : ""));
    if (good)
        ebb_vec_push(&far->args, NULL);
    ebb_arena_fini(&arena);
    return good;
}

static void keep_answer(jvm_far *far, jvm_parcel *p)
{
    ebb_buf_fini(&far->answer.payload);
    far->answer = *p;
    *p = (jvm_parcel){0};
}

static bool dispatch(jvm_far *far, jvm_parcel *p)
{
    uint64_t number;
    far_channel *c;
    switch (p->kind) {
    case JVM_PARCEL_message:
        return keep_message(far, p);
    case JVM_PARCEL_close:
        if ((c = channel_of(far, p->channel)) != NULL)
            c->is_over = true;
        return true;
    case JVM_PARCEL_output:
        pass_on(p);
        return true;
    case JVM_PARCEL_taken:
        far->input_waits = false;
        return true;
    case JVM_PARCEL_ended:
        if (!jvm_parcel_number(p, &number))
            return false;
        far->has_ended = true;
        far->wait_status = (int)number;
        return true;
    case JVM_PARCEL_welcome:
        return take_welcome(far, p);
    case JVM_PARCEL_started:
    case JVM_PARCEL_failed:
    case JVM_PARCEL_memory:
    case JVM_PARCEL_fetch:
        keep_answer(far, p);
        return true;
    default:
        return false;
    }
}

/* One parcel, whatever it is. */
static ebb_status take_one(jvm_far *far, ebb_error *err)
{
    jvm_parcel p = {0};
    if (far->fd < 0)
        return lose(far, err);
    ebb_status status = jvm_parcel_receive(far->fd, &p, NULL);
    far->n_interrupts = 0;
    if (status == EBB_OK && !dispatch(far, &p))
        status = EBB_BAD_FILE;
    ebb_buf_fini(&p.payload);
    return status == EBB_OK ? EBB_OK : lose(far, err);
}

static ebb_status send_number(jvm_far *far, jvm_parcel_kind kind, uint32_t channel, uint64_t number, ebb_error *err)
{
    if (far->fd < 0 || jvm_parcel_send_number(far->fd, kind, channel, number, NULL) != EBB_OK)
        return lose(far, err);
    return EBB_OK;
}

static ebb_status send_bare(jvm_far *far, jvm_parcel_kind kind, uint32_t channel, ebb_error *err)
{
    if (far->fd < 0 || jvm_parcel_send(far->fd, kind, channel, NULL, 0, NULL) != EBB_OK)
        return lose(far, err);
    return EBB_OK;
}

/* A question to the far ebb itself: the answer is far->answer. */
static ebb_status ask(jvm_far *far, jvm_parcel_kind kind, uint32_t channel, uint64_t number, ebb_error *err)
{
    far->answer.kind = JVM_PARCEL_NONE;
    EBB_TRY(send_number(far, kind, channel, number, err));
    while (far->answer.kind == JVM_PARCEL_NONE)
        EBB_TRY(take_one(far, err));
    return EBB_OK;
}

/* ---- beginning and end ---- */

ebb_status jvm_far_connect(const char *where, const char *token, bool forwards_input, jvm_far **out, ebb_error *err)
{
    int fd;
    EBB_TRY(ebb_tcp_connect(where, &fd, err));
    ebb_tcp_patience(fd, HANDSHAKE_SECONDS);
    ebb_status status = jvm_handshake_near(fd, token, where, err);
    if (status != EBB_OK) {
        close(fd);
        return status;
    }
    jvm_far *far = EBB_NEW(jvm_far);
    far->fd = fd;
    far->where = ebb_strdup(where);
    far->forwards_input = forwards_input;
    while (status == EBB_OK && far->args.n == 0)
        status = take_one(far, err);
    if (status != EBB_OK) {
        jvm_far_free(far);
        return status;
    }
    ebb_tcp_patience(fd, 0);
    *out = far;
    return EBB_OK;
}

char *const *jvm_far_args(const jvm_far *far)
{
    return far->args.items;
}

/* The other side hangs up when all of it is ended: then it is free for the next. */
static void say_goodbye(int fd)
{
    char bytes[4096];
    shutdown(fd, SHUT_WR);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, GOODBYE_SECONDS * 1000) > 0 && recv(fd, bytes, sizeof bytes, 0) > 0)
        ;
    close(fd);
}

void jvm_far_free(jvm_far *far)
{
    if (far == NULL)
        return;
    if (far->fd >= 0)
        say_goodbye(far->fd);
    for (size_t i = 0; i < far->channels.n; i++)
        free_channel(far, &far->channels.items[i]);
    ebb_vec_fini(&far->channels);
    for (size_t i = 0; i < far->args.n; i++)
        free(far->args.items[i]);
    ebb_vec_fini(&far->args);
    ebb_buf_fini(&far->answer.payload);
    free(far->where);
    free(far);
}

ebb_status jvm_far_start(jvm_far *far, jvm_remote_launch *how, pid_t *pid, ebb_error *err)
{
    uint64_t number, wishes = (how->records ? JVM_PARCEL_RECORDS : 0) | (how->verifies ? JVM_PARCEL_VERIFIES : 0);
    ebb_vec_push(&far->channels, (far_channel){.number = JVM_PARCEL_FIRST_CHANNEL});
    EBB_TRY(ask(far, JVM_PARCEL_start, 0, wishes, err));
    if (far->answer.kind == JVM_PARCEL_failed)
        return ebb_fail(err, EBB_SYSTEM, "%.100s: %.300s", far->where, ebb_buf_text(&far->answer.payload));
    if (far->answer.kind != JVM_PARCEL_started || !jvm_parcel_number(&far->answer, &number))
        return lose(far, err);
    *pid = (pid_t)number;
    how->records = how->records && far->answer.channel == 1;
    return far->forwards_input ? EBB_OK : send_bare(far, JVM_PARCEL_input, 0, err); /* it need not wait for any */
}

/* ---- what is typed ---- */

static bool may_read_input(const jvm_far *far)
{
    bool is_ours = !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
    return far->forwards_input && !far->input_ended && !far->input_waits && is_ours;
}

static ebb_status forward_input(jvm_far *far, ebb_error *err)
{
    char bytes[4096];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR)
        return EBB_OK;
    far->input_ended = n <= 0; /* of a terminal too: there it is a pipe, which ends once */
    far->input_waits = true;
    if (jvm_parcel_send(far->fd, JVM_PARCEL_input, 0, bytes, n > 0 ? (size_t)n : 0, NULL) != EBB_OK)
        return lose(far, err);
    return EBB_OK;
}

/* Something comes from there; until then, what comes from here. */
static ebb_status await(jvm_far *far, ebb_error *err)
{
    while (far->fd >= 0 && may_read_input(far)) {
        struct pollfd p[] = {{.fd = far->fd, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            break;
        if (p[0].revents != 0)
            break;
        if (p[1].revents != 0)
            EBB_TRY(forward_input(far, err));
    }
    return EBB_OK;
}

/* ---- conversations ---- */

ebb_status jvm_far_send(jvm_far *far, int channel, uint16_t code, const ebb_buf *payload, ebb_error *err)
{
    jvm_wire_message m = {.code = code, .payload = *payload}; /* borrowed */
    if (far->fd < 0 || jvm_parcel_send_message(far->fd, (uint32_t)channel, 0, &m, NULL) != EBB_OK)
        return lose(far, err);
    return EBB_OK;
}

ebb_status jvm_far_receive(jvm_far *far, int channel, bool takes_input, jvm_wire_message *m, int *along, ebb_error *err)
{
    far_channel *c;
    while ((c = channel_of(far, (uint32_t)channel)) != NULL && c->kept.n == 0) {
        if (c->is_over)
            return ebb_fail(err, EBB_GONE, "The Java machine is gone.");
        if (takes_input)
            EBB_TRY(await(far, err));
        EBB_TRY(take_one(far, err));
    }
    if (c == NULL)
        return ebb_fail(err, EBB_GONE, "The Java machine is gone.");
    kept_message k = c->kept.items[0];
    ebb_vec_remove(&c->kept, 0);
    far->kept_nbytes -= k.message.payload.n;
    ebb_buf_fini(&m->payload);
    *m = k.message;
    if (along != NULL)
        *along = k.along;
    else if (k.along >= 0)
        jvm_far_close(far, k.along);
    return EBB_OK;
}

void jvm_far_close(jvm_far *far, int channel)
{
    far_channel *c = channel_of(far, (uint32_t)channel);
    if (c == NULL)
        return;
    free_channel(far, c);
    ebb_vec_remove(&far->channels, (size_t)(c - far->channels.items));
    if (far->fd >= 0)
        (void)!send_bare(far, JVM_PARCEL_close, (uint32_t)channel, NULL);
}

void jvm_far_interrupt(jvm_far *far, int channel)
{
    uint8_t bytes[JVM_PARCEL_INTERRUPT_SIZE];
    if (far->fd < 0)
        return;
    if (++far->n_interrupts >= PATIENT_INTERRUPTS)
        shutdown(far->fd, SHUT_RDWR); /* whoever reads finds that it is over */
    jvm_parcel_interrupt((uint32_t)channel, bytes);
    if (channel >= 0)
        send(far->fd, bytes, sizeof bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- processes ---- */

void jvm_far_kill(jvm_far *far)
{
    (void)!send_bare(far, JVM_PARCEL_kill, 0, NULL);
}

int jvm_far_wait(jvm_far *far)
{
    while (!far->has_ended && take_one(far, NULL) == EBB_OK)
        ;
    return far->has_ended ? far->wait_status : SIGKILL;
}

void jvm_far_adopt(jvm_far *far, int channel)
{
    far->has_ended = false;
    (void)!send_bare(far, JVM_PARCEL_adopt, (uint32_t)channel, NULL);
}

uint64_t jvm_far_memory(jvm_far *far, int channel)
{
    uint64_t nbytes = 0;
    if (ask(far, JVM_PARCEL_memory, (uint32_t)channel, 0, NULL) != EBB_OK || !jvm_parcel_number(&far->answer, &nbytes))
        return 0;
    return nbytes;
}

ebb_status jvm_far_fetch(jvm_far *far, int to, ebb_error *err)
{
    for (uint64_t at = 0;; at += far->answer.payload.n) {
        EBB_TRY(ask(far, JVM_PARCEL_fetch, 0, at, err));
        if (far->answer.kind != JVM_PARCEL_fetch)
            return lose(far, err);
        if (far->answer.payload.n == 0)
            return EBB_OK;
        for (size_t done = 0; done < far->answer.payload.n;) {
            ssize_t n = write(to, far->answer.payload.data + done, far->answer.payload.n - done);
            if (n < 0 && errno != EINTR)
                return ebb_fail_errno(err, "can't keep the recording of %.100s", far->where);
            done += n > 0 ? (size_t)n : 0;
        }
    }
}
