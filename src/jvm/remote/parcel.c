/* parcel.c - sends and receives parcels: a head of fixed size, then bytes. */
#include "jvm/remote/parcel.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

static uint32_t limit_of(uint32_t kind)
{
    switch (kind) {
#define JVM_PARCEL(name, limit)                                                                    \
    case JVM_PARCEL_##name:                                                                        \
        return limit;
#include "jvm/remote/parcels.def"
    default:
        return 0;
    }
}

/* ---- numbers ---- */

static void put(uint8_t *at, uint64_t value, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, size_t nbytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < nbytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void put_header(uint8_t *at, size_t nbytes, jvm_parcel_kind kind, uint32_t channel)
{
    put(at, nbytes, 4);
    put(at + 4, kind, 4);
    put(at + 8, channel, 4);
}

static void put_message_head(uint8_t *at, uint32_t opens, uint16_t code, uint16_t status)
{
    put(at, opens, 4);
    put(at + 4, code, 2);
    put(at + 6, status, 2);
}

/* ---- sending ---- */

static bool send_all(int fd, const void *bytes, size_t n)
{
    for (const char *at = bytes; n > 0;) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

static ebb_status is_gone(ebb_error *err)
{
    return ebb_fail(err, EBB_GONE, "The other side is gone.");
}

/* A head and a body, which nothing comes between. */
static ebb_status send_parts(int fd, const uint8_t *head, size_t n_head, const void *body, size_t n_body, ebb_error *err)
{
    sigset_t all, was;
    ebb_buf whole = {0};
    ebb_buf_add(&whole, head, n_head);
    ebb_buf_add(&whole, body, n_body);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &was);
    bool sent = send_all(fd, whole.data, whole.n);
    sigprocmask(SIG_SETMASK, &was, NULL);
    ebb_buf_fini(&whole);
    return sent ? EBB_OK : is_gone(err);
}

ebb_status jvm_parcel_send(int fd, jvm_parcel_kind kind, uint32_t channel, const void *bytes, size_t n, ebb_error *err)
{
    uint8_t head[JVM_PARCEL_HEADER];
    put_header(head, n, kind, channel);
    return send_parts(fd, head, sizeof head, bytes, n, err);
}

ebb_status jvm_parcel_send_number(int fd, jvm_parcel_kind kind, uint32_t channel, uint64_t number, ebb_error *err)
{
    uint8_t bytes[8];
    put(bytes, number, sizeof bytes);
    return jvm_parcel_send(fd, kind, channel, bytes, sizeof bytes, err);
}

ebb_status jvm_parcel_send_message(int fd, uint32_t channel, uint32_t opens, const jvm_wire_message *m, ebb_error *err)
{
    uint8_t head[JVM_PARCEL_HEADER + JVM_PARCEL_MESSAGE_HEAD];
    put_header(head, JVM_PARCEL_MESSAGE_HEAD + m->payload.n, JVM_PARCEL_message, channel);
    put_message_head(head + JVM_PARCEL_HEADER, opens, m->code, m->status);
    return send_parts(fd, head, sizeof head, m->payload.data, m->payload.n, err);
}

void jvm_parcel_interrupt(uint32_t channel, uint8_t bytes[JVM_PARCEL_INTERRUPT_SIZE])
{
    put_header(bytes, JVM_PARCEL_MESSAGE_HEAD, JVM_PARCEL_message, channel);
    put_message_head(bytes + JVM_PARCEL_HEADER, 0, JVM_WIRE_CODE_interrupt, 0);
}

/* ---- receiving ---- */

bool jvm_parcel_read(int fd, void *bytes, size_t n)
{
    for (char *at = bytes; n > 0;) {
        ssize_t got = recv(fd, at, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

ebb_status jvm_parcel_receive(int fd, jvm_parcel *p, ebb_error *err)
{
    uint8_t head[JVM_PARCEL_HEADER];
    ebb_buf_truncate(&p->payload, 0);
    if (!jvm_parcel_read(fd, head, sizeof head))
        return is_gone(err);
    uint32_t n = (uint32_t)get(head, 4), kind = (uint32_t)get(head + 4, 4);
    if (kind == JVM_PARCEL_NONE || kind >= JVM_PARCEL_NKINDS || n > limit_of(kind)) /* PA2 */
        return ebb_fail(err, EBB_BAD_FILE, "The other side sent something that makes no sense.");
    p->kind = (jvm_parcel_kind)kind;
    p->channel = (uint32_t)get(head + 8, 4);
    char *room = ebb_alloc((size_t)n + 1);
    bool complete = jvm_parcel_read(fd, room, n);
    if (complete)
        ebb_buf_add(&p->payload, room, n);
    free(room);
    return complete ? EBB_OK : is_gone(err);
}

bool jvm_parcel_number(const jvm_parcel *p, uint64_t *number)
{
    if (p->payload.n != 8)
        return false;
    *number = get((const uint8_t *)p->payload.data, 8);
    return true;
}

bool jvm_parcel_message(const jvm_parcel *p, uint32_t *opens, jvm_wire_message *m)
{
    const uint8_t *at = (const uint8_t *)p->payload.data;
    if (p->payload.n < JVM_PARCEL_MESSAGE_HEAD)
        return false;
    *opens = (uint32_t)get(at, 4);
    m->code = (uint16_t)get(at + 4, 2);
    m->status = (uint16_t)get(at + 6, 2);
    ebb_buf_add(&m->payload, at + JVM_PARCEL_MESSAGE_HEAD, p->payload.n - JVM_PARCEL_MESSAGE_HEAD);
    return true;
}
