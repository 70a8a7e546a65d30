/* wire.c - encoding and decoding are made from the rows of wire.def; messages travel with their length first. */
#include "jvm/wire/wire.h"

#include "machine/code.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- numbers, text, bytes ---- */

static void put_number(ebb_buf *out, uint64_t value, size_t nbytes)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    ebb_buf_add(out, bytes, nbytes);
}

static uint64_t get_number(jvm_wire_reader *r, size_t nbytes)
{
    uint64_t value = 0;
    if (r->bad || (size_t)(r->end - r->at) < nbytes) {
        r->bad = true;
        return 0;
    }
    for (size_t i = 0; i < nbytes; i++)
        value |= (uint64_t)r->at[i] << 8 * i;
    r->at += nbytes;
    return value;
}

#define NUMBER(kind, nbytes)                                                                       \
    static void put_##kind(ebb_buf *out, jvm_wire_##kind v) { put_number(out, v, nbytes); }        \
    static jvm_wire_##kind get_##kind(jvm_wire_reader *r) { return (jvm_wire_##kind)get_number(r, nbytes); }
NUMBER(u8, 1)
NUMBER(u16, 2)
NUMBER(u32, 4)
NUMBER(u64, 8)

static void put_bytes(ebb_buf *out, jvm_wire_bytes v)
{
    put_u32(out, v.n);
    ebb_buf_add(out, v.data, v.n);
}

/* A copy with a NUL after it. */
static uint8_t *get_copy(jvm_wire_reader *r, uint32_t n)
{
    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = true;
        return NULL;
    }
    uint8_t *copy = ebb_arena_alloc(r->arena, (size_t)n + 1);
    if (n > 0)
        memcpy(copy, r->at, n);
    r->at += n;
    return copy;
}

static jvm_wire_bytes get_bytes(jvm_wire_reader *r)
{
    jvm_wire_bytes v = {.n = get_u32(r)};
    v.data = get_copy(r, v.n);
    return r->bad ? (jvm_wire_bytes){NULL, 0} : v;
}

/* Length + 1, so that 0 is NULL. */
static void put_text(ebb_buf *out, const char *v)
{
    size_t n = v == NULL ? 0 : strlen(v);
    put_u32(out, v == NULL ? 0 : (uint32_t)n + 1);
    ebb_buf_add(out, v, n);
}

static const char *get_text(jvm_wire_reader *r)
{
    uint32_t n = get_u32(r);
    return n == 0 ? NULL : (const char *)get_copy(r, n - 1);
}

/* Every item takes at least one byte. */
static size_t get_count(jvm_wire_reader *r)
{
    uint32_t n = get_u32(r);
    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = true;
        return 0;
    }
    return n;
}

/* ---- structs ---- */

#define JVM_WIRE_STRUCT(name)                                                                      \
    void jvm_wire_put_##name(ebb_buf *out, const jvm_wire_##name *in)                              \
    {                                                                                              \
        (void)in;
#define JVM_WIRE_FIELD(kind, name) put_##kind(out, in->name);
#define JVM_WIRE_LIST(type, name)                                                                  \
    put_u32(out, (uint32_t)in->name.n);                                                            \
    for (size_t i = 0; i < in->name.n; i++)                                                        \
        jvm_wire_put_##type(out, &in->name.items[i]);
#define JVM_WIRE_END(name) }
#include "jvm/wire/wire.def"

#define JVM_WIRE_STRUCT(name)                                                                      \
    bool jvm_wire_get_##name(jvm_wire_reader *r, jvm_wire_##name *out)                             \
    {                                                                                              \
        memset(out, 0, sizeof *out);
#define JVM_WIRE_FIELD(kind, name) out->name = get_##kind(r);
#define JVM_WIRE_LIST(type, name)                                                                  \
    out->name.n = get_count(r);                                                                    \
    out->name.items = ebb_arena_alloc(r->arena, out->name.n * sizeof *out->name.items + 1);        \
    for (size_t i = 0; i < out->name.n && !r->bad; i++)                                            \
        jvm_wire_get_##type(r, &out->name.items[i]);
#define JVM_WIRE_END(name)                                                                         \
        return !r->bad;                                                                            \
    }
#include "jvm/wire/wire.def"

uint64_t jvm_wire_fingerprint(void)
{
#define JVM_WIRE_STRUCT(name) #name "{"
#define JVM_WIRE_FIELD(kind, name) #kind " " #name ";"
#define JVM_WIRE_LIST(type, name) #type "[] " #name ";"
#define JVM_WIRE_END(name) "}"
#define JVM_WIRE_ASK(name, request, reply) #name "?" #request ">" #reply ";"
#define JVM_WIRE_DO(name, request, reply) #name "!" #request ">" #reply ";"
#define X(name, takes, leaves) #name ","
    static const char all[] =
#include "jvm/wire/wire.def"
        MACHINE_CODE_OPS(X) MACHINE_CODE_JAVA_OPS(X);
#undef X
    uint64_t hash = 1469598103934665603u;
    for (const char *at = all; *at != '\0'; at++)
        hash = (hash ^ (uint8_t)*at) * 1099511628211u;
    return hash;
}

/* ---- travel ---- */

enum { HEADER = 8 };

/* All of it, the descriptor (if any) with the first byte. */
static bool send_all(int fd, const char *bytes, size_t n, int fd_along)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    while (n > 0) {
        struct iovec part = {(void *)bytes, n};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (fd_along >= 0) {
            message.msg_control = &control;
            message.msg_controllen = sizeof control;
            control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
            memcpy(CMSG_DATA(&control.header), &fd_along, sizeof fd_along);
        }
        ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        fd_along = -1;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

ebb_status jvm_wire_send(int fd, uint16_t code, uint16_t status, const ebb_buf *payload, int fd_along, ebb_error *err)
{
    ebb_buf out = {0};
    put_u32(&out, (uint32_t)payload->n);
    put_u16(&out, code);
    put_u16(&out, status);
    ebb_buf_add(&out, payload->data, payload->n);
    bool sent = send_all(fd, out.data, out.n, fd_along);
    ebb_buf_fini(&out);
    return sent ? EBB_OK : ebb_fail(err, EBB_GONE, "The Java machine is gone.");
}

static void take_descriptor(struct msghdr *message, int *fd_out)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        int got;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof got))
            continue;
        memcpy(&got, CMSG_DATA(c), sizeof got);
        if (fd_out != NULL && *fd_out < 0)
            *fd_out = got;
        else
            close(got);
    }
}

static bool receive_all(int fd, char *bytes, size_t n, int *fd_out)
{
    while (n > 0) {
        union {
            struct cmsghdr header;
            char room[CMSG_SPACE(sizeof(int))];
        } control;
        struct iovec part = {bytes, n};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        take_descriptor(&message, fd_out);
        bytes += got;
        n -= (size_t)got;
    }
    return true;
}

ebb_status jvm_wire_receive(int fd, jvm_wire_message *m, int *fd_out, ebb_error *err)
{
    uint8_t header[HEADER];
    if (fd_out != NULL)
        *fd_out = -1;
    if (!receive_all(fd, (char *)header, sizeof header, fd_out))
        return ebb_fail(err, EBB_GONE, "The Java machine is gone.");
    jvm_wire_reader r = {.at = header, .end = header + sizeof header};
    uint32_t n = get_u32(&r);
    m->code = get_u16(&r);
    m->status = get_u16(&r);
    if (n > JVM_WIRE_MAX_PAYLOAD)
        return ebb_fail(err, EBB_BAD_FILE, "The Java machine sent a message of %u bytes.", n);
    ebb_buf_truncate(&m->payload, 0);
    char *room = ebb_alloc((size_t)n + 1);
    bool complete = receive_all(fd, room, n, fd_out);
    if (complete)
        ebb_buf_add(&m->payload, room, n);
    free(room);
    return complete ? EBB_OK : ebb_fail(err, EBB_GONE, "The Java machine is gone.");
}
