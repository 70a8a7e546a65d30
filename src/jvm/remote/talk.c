/* talk.c - sends a request, waits for its answer, and keeps the answers that stay true until the debuggee moves. */
#include "jvm/remote/line.h"

#include <string.h>

/* ---- answers that are kept ---- */

typedef struct kept {
    ebb_buf request, reply; /* the request with its code in front */
} kept;

static uint64_t hash_of(const ebb_buf *b)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < b->n; i++)
        h = (h ^ (uint8_t)b->data[i]) * 1099511628211u;
    return h;
}

static void free_answers(ebb_map *answers)
{
    ebb_map_entry e;
    for (size_t at = 0; answers != NULL && ebb_map_next(answers, &at, &e);) {
        kept *k = e.value;
        ebb_buf_fini(&k->request);
        ebb_buf_fini(&k->reply);
        free(k);
    }
    ebb_map_free(answers);
}

void jvm_remote_forget_answers(jvm_remote *r)
{
    if (ebb_map_count(r->answers) == 0)
        return;
    free_answers(r->answers);
    r->answers = ebb_map_new();
}

void jvm_remote_forget(jvm_remote *r)
{
    jvm_remote_forget_answers(r);
    ebb_arena_fini(&r->for_now);
    r->thread_list = NULL;
}

static kept *find_kept(const jvm_remote *r, const ebb_buf *key)
{
    kept *k = ebb_map_get_u64(r->answers, hash_of(key));
    return k != NULL && k->request.n == key->n && memcmp(k->request.data, key->data, key->n) == 0 ? k : NULL;
}

static void keep_answer(jvm_remote *r, const ebb_buf *key, const ebb_buf *reply)
{
    uint64_t h = hash_of(key);
    if (ebb_map_get_u64(r->answers, h) != NULL)
        return; /* another request with that hash: this one is asked again */
    kept *k = EBB_NEW(kept);
    ebb_buf_add(&k->request, key->data, key->n);
    ebb_buf_add(&k->reply, reply->data, reply->n);
    ebb_map_set_u64(r->answers, h, k);
}

/* ---- the conversation ---- */

void jvm_remote_bury(jvm_remote *r)
{
    jvm_line_close(r, r->fd);
    r->fd = r->live_fd = -1;
    if (r->gone)
        return;
    r->wait_status = jvm_process_wait(r);
    jvm_process_wait_agent(r);
    r->gone = true;
}

ebb_status jvm_remote_nonsense(ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_FILE, "The Java machine gave an answer that makes no sense.");
}

static ebb_status failed_answer(const jvm_wire_message *m, ebb_error *err)
{
    ebb_status status = m->status <= EBB_SYSTEM ? (ebb_status)m->status : EBB_BAD_FILE;
    return ebb_fail(err, status, "%s", ebb_buf_text(&m->payload));
}

/* Who talks nonsense is not talked to any more (JR2). */
static ebb_status talk(jvm_remote *r, uint16_t code, const ebb_buf *request, jvm_wire_message *m, int *fd_out, ebb_error *err)
{
    if (jvm_process_is_lost(r, err))
        return EBB_GONE;
    if (r->fd < 0)
        return ebb_fail(err, EBB_GONE, "The program is not running.");
    ebb_status status = jvm_line_send(r, r->fd, code, request, err);
    if (status == EBB_OK)
        status = jvm_line_receive(r, r->fd, m, fd_out, err);
    if (status == EBB_OK && m->code == JVM_WIRE_CODE_lambda_called)
        status = jvm_remote_answer_lambdas(r, m, err);
    if (status == EBB_OK && m->code == JVM_WIRE_CODE_lambda_return && m->status != EBB_OK)
        return EBB_OK; /* the call was given up */
    if (status == EBB_OK && m->code != code)
        status = jvm_remote_nonsense(err);
    if (status == EBB_OK || status == EBB_GONE)
        return status;
    if (r->fd == r->live_fd)
        r->live_fd = -1;
    jvm_line_close(r, r->fd);
    r->fd = -1;
    return status;
}

ebb_status jvm_remote_exchange(jvm_remote *r, const jvm_remote_question *q, ebb_buf *reply, int *fd_out, ebb_error *err)
{
    static const ebb_buf none;
    const ebb_buf *request = q->request != NULL ? q->request : &none;
    ebb_buf key = {0};
    ebb_buf_add(&key, &q->code, sizeof q->code);
    ebb_buf_add(&key, request->data, request->n);
    const kept *k = q->keep ? find_kept(r, &key) : NULL;
    ebb_status status = EBB_OK;
    if (k != NULL) {
        ebb_buf_add(reply, k->reply.data, k->reply.n);
    } else {
        jvm_wire_message m = {0};
        status = talk(r, q->code, request, &m, fd_out, err);
        if (status == EBB_OK && m.status != EBB_OK)
            status = failed_answer(&m, err);
        if (status == EBB_OK)
            ebb_buf_add(reply, m.payload.data, m.payload.n);
        if (status == EBB_OK && q->keep)
            keep_answer(r, &key, reply);
        if (!q->keep)
            jvm_remote_forget_answers(r);
        ebb_buf_fini(&m.payload);
    }
    ebb_buf_fini(&key);
    return status;
}

ebb_status jvm_remote_ask_copy(jvm_remote *r, uint16_t code, pid_t *pid, int *fd, ebb_error *err)
{
    ebb_buf in = {0};
    jvm_wire_number a = {0};
    *fd = -1;
    ebb_status status = jvm_remote_exchange(r, &(jvm_remote_question){.code = code}, &in, fd, err);
    jvm_wire_reader reader = {.at = (const uint8_t *)in.data};
    reader.end = reader.at + in.n;
    if (status == EBB_OK && (*fd < 0 || !jvm_wire_get_number(&reader, &a)))
        status = jvm_remote_nonsense(err);
    if (status != EBB_OK)
        jvm_line_close(r, *fd);
    *pid = (pid_t)a.value;
    ebb_buf_fini(&in);
    return status;
}

#define EXCHANGE(name, request, reply, keep)                                                       \
    ebb_status jvm_remote_ask_##name(jvm_remote *r, ebb_arena *arena, const jvm_wire_##request *q, jvm_wire_##reply *a, \
                                     ebb_error *err)                                               \
    {                                                                                              \
        ebb_buf out = {0}, in = {0};                                                               \
        jvm_wire_put_##request(&out, q);                                                           \
        ebb_status status = jvm_remote_exchange(r, &(jvm_remote_question){JVM_WIRE_CODE_##name, &out, keep}, &in, NULL, err); \
        jvm_wire_reader reader = {.at = (const uint8_t *)in.data, .arena = arena};                 \
        reader.end = reader.at + in.n;                                                             \
        if (status == EBB_OK && !jvm_wire_get_##reply(&reader, a))                                 \
            status = jvm_remote_nonsense(err);                                                     \
        ebb_buf_fini(&out);                                                                        \
        ebb_buf_fini(&in);                                                                         \
        return status;                                                                             \
    }
#define JVM_WIRE_ASK(name, request, reply) EXCHANGE(name, request, reply, true)
#define JVM_WIRE_DO(name, request, reply) EXCHANGE(name, request, reply, false)
#include "jvm/wire/wire.def"
