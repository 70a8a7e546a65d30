/* jdwp.c - packets of the Java Debug Wire Protocol. */
#include "jvm/stock/jdwp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { EVENT_SET_NUMBER = 64, MOST_BYTES = 256 << 20 };

/* ---- bytes ---- */

static ebb_status is_gone(ebb_error *err)
{
    return ebb_fail(err, EBB_GONE, "The program is not running.");
}

static ebb_status send_all(int fd, const void *bytes, size_t n, ebb_error *err)
{
    for (const char *at = bytes; n > 0;) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return is_gone(err);
        at += sent;
        n -= (size_t)sent;
    }
    return EBB_OK;
}

static ebb_status receive_all(int fd, void *bytes, size_t n, ebb_error *err)
{
    for (char *at = bytes; n > 0;) {
        ssize_t got = recv(fd, at, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return is_gone(err);
        at += got;
        n -= (size_t)got;
    }
    return EBB_OK;
}

/* ---- packets ---- */

static ebb_status receive_header(const jdwp *j, jdwp_header *h, ebb_error *err)
{
    uint8_t bytes[JDWP_HEADER];
    EBB_TRY(receive_all(j->fd, bytes, sizeof bytes, err));
    *h = jdwp_read_header(bytes);
    if (h->nbytes < JDWP_HEADER || h->nbytes > MOST_BYTES)
        return ebb_fail(err, EBB_BAD_FILE, "The JVM sent a packet that makes no sense.");
    h->nbytes -= JDWP_HEADER;
    return EBB_OK;
}

static ebb_status fail_with(unsigned code, ebb_error *err)
{
    switch (code) {
#define JDWP_ERROR(number, name, status, text) case number: return ebb_fail(err, status, "The JVM says: %s.", text);
#include "jvm/jdwp/jdwp.def"
    default: return ebb_fail(err, EBB_UNSUPPORTED, "The JVM says: error %u of its debug protocol.", code);
    }
}

ebb_status jdwp_send(jdwp *j, jdwp_command command, ebb_buf *args, uint32_t *id, ebb_error *err)
{
    ebb_buf out = {0};
    *id = ++j->last_id;
    jdwp_put_header(&out, args->n, *id, 0, (uint16_t)command);
    ebb_buf_add(&out, args->data, args->n);
    ebb_status status = send_all(j->fd, out.data, out.n, err);
    ebb_buf_fini(&out);
    ebb_buf_fini(args);
    return status;
}

static ebb_status keep_event(jdwp *j, const jdwp_header *p, ebb_error *err)
{
    char *bytes = ebb_alloc(p->nbytes + 1);
    ebb_status status = receive_all(j->fd, bytes, p->nbytes, err);
    if (status == EBB_OK && p->code >> 8 == EVENT_SET_NUMBER) {
        ebb_buf event = {0};
        ebb_buf_add(&event, bytes, p->nbytes);
        ebb_vec_push(&j->events, event);
    }
    free(bytes);
    return status;
}

ebb_status jdwp_receive(jdwp *j, uint32_t id, ebb_arena *arena, bool *is_reply, jdwp_in *reply, ebb_error *err)
{
    jdwp_header p = {0};
    *is_reply = false;
    EBB_TRY(receive_header(j, &p, err));
    if (!(p.flags & JDWP_IS_REPLY))
        return keep_event(j, &p, err);
    uint8_t *bytes = ebb_arena_alloc(arena, p.nbytes + 1);
    EBB_TRY(receive_all(j->fd, bytes, p.nbytes, err));
    *is_reply = p.id == id;
    *reply = (jdwp_in){&j->sizes, bytes, bytes + p.nbytes, false};
    return *is_reply && p.code != 0 ? fail_with(p.code, err) : EBB_OK;
}

ebb_status jdwp_ask(jdwp *j, jdwp_command command, ebb_buf *args, ebb_arena *arena, jdwp_in *reply, ebb_error *err)
{
    uint32_t id;
    bool is_reply = false;
    EBB_TRY(jdwp_send(j, command, args, &id, err));
    while (!is_reply)
        EBB_TRY(jdwp_receive(j, id, arena, &is_reply, reply, err));
    return EBB_OK;
}

/* ---- beginning ---- */

static ebb_status shake_hands(const jdwp *j, ebb_error *err)
{
    static const char words[] = JDWP_HANDSHAKE;
    char answer[sizeof words - 1];
    EBB_TRY(send_all(j->fd, words, sizeof answer, err));
    EBB_TRY(receive_all(j->fd, answer, sizeof answer, err));
    if (memcmp(words, answer, sizeof answer) != 0)
        return ebb_fail(err, EBB_BAD_FILE, "What connected is no JVM that lets itself be debugged.");
    return EBB_OK;
}

ebb_status jdwp_begin(jdwp *j, int fd, ebb_error *err)
{
    ebb_arena arena = {0};
    ebb_buf none = {0};
    jdwp_in in;
    *j = (jdwp){.fd = fd};
    EBB_TRY(shake_hands(j, err));
    ebb_status status = jdwp_ask(j, JDWP_VM_ID_SIZES, &none, &arena, &in, err);
    if (status == EBB_OK) {
        unsigned *const sizes[] = {&j->sizes.n_field, &j->sizes.n_method, &j->sizes.n_object, &j->sizes.n_type, &j->sizes.n_frame};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            *sizes[i] = jdwp_u32(&in);
            in.bad = in.bad || *sizes[i] == 0 || *sizes[i] > 8;
        }
        if (in.bad)
            status = ebb_fail(err, EBB_BAD_FILE, "The JVM's ids have sizes that make no sense.");
    }
    ebb_arena_fini(&arena);
    return status;
}
