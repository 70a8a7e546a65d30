/* natives/resolver.c - host names and addresses (java.net.Inet4AddressImpl, Inet6AddressImpl).
 *
 * The C library's resolver blocks for as long as name servers take, and there is no descriptor to wait for.  So it
 * runs in an operating system thread made for the one question, which touches nothing of the machine; the green thread
 * that asked waits for its event descriptor like for any other.  Answers are put in order as the JDK does. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/natives/blocking.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"
#include "jvm/undo/undo.h"

typedef struct host_address {
    int32_t family, nbytes, scope;
    uint8_t bytes[16];
} host_address;

typedef struct question {
    char *host;                      /* a name to look up, or NULL: the name of `address` is asked for */
    struct sockaddr_storage address;
    socklen_t address_size;
    int family;
    int done;                        /* eventfd */
    int error, system_error;         /* EAI_*; errno for EAI_SYSTEM */
    EBB_VEC(host_address) addresses; /* each once */
    char name[NI_MAXHOST];
} question;

/* ---- asking ---- */

static host_address flat(const struct addrinfo *a)
{
    host_address h = {.family = a->ai_family};
    if (a->ai_family == AF_INET) {
        h.nbytes = 4;
        memcpy(h.bytes, &((const struct sockaddr_in *)a->ai_addr)->sin_addr, 4);
    } else {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a->ai_addr;
        h.nbytes = 16;
        h.scope = (int32_t)six->sin6_scope_id;
        memcpy(h.bytes, &six->sin6_addr, 16);
    }
    return h;
}

/* The resolver gives an address once per kind of socket. */
static bool was_seen(const question *q, const host_address *h)
{
    for (size_t i = 0; i < q->addresses.n; i++)
        if (memcmp(&q->addresses.items[i], h, sizeof *h) == 0)
            return true;
    return false;
}

static void take_addresses(question *q, struct addrinfo *first)
{
    for (const struct addrinfo *a = first; a != NULL; a = a->ai_next) {
        if (a->ai_family != AF_INET && a->ai_family != AF_INET6)
            continue;
        host_address h = flat(a);
        if (!was_seen(q, &h))
            ebb_vec_push(&q->addresses, h);
    }
    if (first != NULL)
        freeaddrinfo(first);
}

static void *answer(void *arg)
{
    question *q = arg;
    struct addrinfo hints = {.ai_flags = AI_CANONNAME, .ai_family = q->family}, *found = NULL;
    if (q->host != NULL)
        q->error = getaddrinfo(q->host, NULL, &hints, &found);
    else
        q->error = getnameinfo((struct sockaddr *)&q->address, q->address_size, q->name, sizeof q->name, NULL, 0, NI_NAMEREQD);
    q->system_error = errno;
    take_addresses(q, found);
    if (q->done >= 0)
        eventfd_write(q->done, 1);
    return NULL;
}

/* Signals belong to the machine's own thread. */
static bool start_thread(question *q, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(thread, NULL, answer, q) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* The descriptor that tells when the answer is there; -1: it is, for no thread was to be had and everybody waited. */
static int begin(question *q, pthread_t *thread)
{
    q->done = eventfd(0, EFD_CLOEXEC);
    if (q->done >= 0 && start_thread(q, thread))
        return q->done;
    if (q->done >= 0)
        close(q->done);
    q->done = -1;
    answer(q);
    return -1;
}

static int is_answered(int done)
{
    struct pollfd p = {.fd = done, .events = POLLIN};
    return poll(&p, 1, 0);
}

/* The answer as bytes for the recording, and back. */
static void log_answer(const question *q)
{
    ebb_buf out = {0};
    ebb_buf_add(&out, &q->error, sizeof q->error);
    ebb_buf_add(&out, &q->system_error, sizeof q->system_error);
    ebb_buf_add(&out, q->name, sizeof q->name);
    ebb_buf_add(&out, q->addresses.items, q->addresses.n * sizeof *q->addresses.items);
    jvm_outside_note_bytes(JVM_OUTSIDE_HOST, out.data, (int64_t)out.n);
    ebb_buf_fini(&out);
}

static void take_answer(question *q)
{
    size_t n, head = sizeof q->error + sizeof q->system_error + sizeof q->name;
    char *bytes = jvm_outside_take_copy(JVM_OUTSIDE_HOST, &n), *at = bytes;
    if (bytes == NULL || n < head)
        jvm_diverged("the recording is damaged: an answer about a host is cut short");
    memcpy(&q->error, at, sizeof q->error);
    memcpy(&q->system_error, at += sizeof q->error, sizeof q->system_error);
    memcpy(q->name, at += sizeof q->system_error, sizeof q->name);
    q->name[sizeof q->name - 1] = '\0';
    for (at += sizeof q->name; at + sizeof(host_address) <= bytes + n; at += sizeof(host_address)) {
        host_address h;
        memcpy(&h, at, sizeof h);
        h.nbytes = h.nbytes == 16 ? 16 : 4;
        ebb_vec_push(&q->addresses, h);
    }
    free(bytes);
}

/* A GC point; q is answered when it returns. */
static void ask(jvm_thread *t, question *q)
{
    pthread_t thread;
    int done = (int)JVM_OUTSIDE(FD_NEW, begin(q, &thread));
    uint64_t before = jvm_undo_enter_context(t); /* who asked owns memory that it frees */
    while (done >= 0 && JVM_OUTSIDE(FD_READY, is_answered(done)) == 0)
        (void)jvm_wait_fd(t, done, POLLIN, -1);
    jvm_undo_leave_context(t, before);
    if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_BYTES)) {
        take_answer(q);
        return;
    }
    if (done >= 0) {
        pthread_join(thread, NULL);
        close(done);
    }
    log_answer(q);
}

static void throw_unknown(jvm_thread *t, const question *q)
{
    const char *why = q->error == EAI_SYSTEM ? strerror(q->system_error) : gai_strerror(q->error);
    if (q->host != NULL)
        jvm_throw(t, "java/net/UnknownHostException", "%s: %s", q->host, why);
    else
        jvm_throw(t, "java/net/UnknownHostException", NULL);
}

/* ---- addresses as objects ---- */

/* InetAddress.getByAddress(host, bytes), with the scope of a link-local one. */
static jvm_obj *make_address(jvm_thread *t, jvm_class *inet, jvm_obj *host, const host_address *a)
{
    jvm_obj *bytes = jvm_new_prim_array(t, 'B', a->nbytes);
    if (bytes == NULL)
        return NULL;
    memcpy(jvm_array_data(bytes), a->bytes, (size_t)a->nbytes);
    if (a->scope == 0)
        return jvm_callv(t, jvm_class_find_method_text(inet, "getByAddress", "(Ljava/lang/String;[B)Ljava/net/InetAddress;"), host, bytes).a;
    jvm_class *six = jvm_load_boot(t, "java/net/Inet6Address");
    if (six == NULL || !jvm_ensure_init(t, six))
        return NULL;
    return jvm_callv(t, jvm_class_find_method_text(six, "getByAddress", "(Ljava/lang/String;[BI)Ljava/net/Inet6Address;"), host, bytes, a->scope).a;
}

enum { PREFER_IPV4 = 0, PREFER_IPV6 = 1, PREFER_SYSTEM = 2 }; /* InetAddress.preferIPv6Address */

static int preference(const jvm_class *inet)
{
    const jvm_field *f = jvm_class_own_field(inet, jvm_sym_get("preferIPv6Address"), NULL);
    return f == NULL ? PREFER_IPV4 : jvm_get_i32(inet->mirror, f->offset);
}

/* An array of addresses on its way. */
typedef struct address_array {
    jvm_class *inet;
    jvm_obj *host, *array;
    int32_t n; /* of it are filled */
} address_array;

/* Adds the addresses of one family (0: of any). */
static bool put_family(jvm_thread *t, address_array *to, const question *q, int family)
{
    for (size_t i = 0; i < q->addresses.n; i++) {
        const host_address *a = &q->addresses.items[i];
        if (family != 0 && a->family != family)
            continue;
        jvm_obj *made = make_address(t, to->inet, to->host, a);
        if (made == NULL)
            return false;
        jvm_elem_put_ref(to->array, to->n++, made);
    }
    return true;
}

static jvm_obj *put_in_order(jvm_thread *t, jvm_class *inet, jvm_obj *host, const question *q)
{
    address_array to = {.inet = inet, .host = host, .array = jvm_new_ref_array(t, inet, (int32_t)q->addresses.n)};
    if (to.array == NULL)
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, to.array);
    int prefer = preference(inet);
    bool ok = prefer == PREFER_SYSTEM ? put_family(t, &to, q, 0)
                                      : put_family(t, &to, q, prefer == PREFER_IPV6 ? AF_INET6 : AF_INET) &&
                                            put_family(t, &to, q, prefer == PREFER_IPV6 ? AF_INET : AF_INET6);
    jvm_handles_release(t, mark);
    return ok ? to.array : NULL;
}

/* ---- natives ---- */

static jvm_slot lookup(jvm_thread *t, jvm_slot *args, int family)
{
    jvm_obj *host = args[1].a;
    if (host == NULL) {
        jvm_throw(t, JVM_NPE, "host argument is null");
        return jvm_nothing();
    }
    jvm_class *inet = jvm_load_boot(t, "java/net/InetAddress");
    question q = {.host = jvm_string_utf8(host), .family = family};
    ask(t, &q);
    jvm_obj *array = NULL;
    if (q.error != 0)
        throw_unknown(t, &q);
    else
        array = put_in_order(t, inet, host, &q);
    ebb_vec_fini(&q.addresses);
    free(q.host);
    return jvm_ref(array);
}

static jvm_slot lookup_four(jvm_thread *t, jvm_method *m, jvm_slot *args) { return lookup(t, args, AF_INET); }
static jvm_slot lookup_any(jvm_thread *t, jvm_method *m, jvm_slot *args) { return lookup(t, args, AF_UNSPEC); }

/* getHostByAddr(byte[]) */
static jvm_slot name_of(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_obj *bytes = args[1].a;
    question q = {0};
    if (bytes->length == 4) {
        struct sockaddr_in four = {.sin_family = AF_INET};
        memcpy(&four.sin_addr, jvm_array_data((jvm_obj *)bytes), 4);
        memcpy(&q.address, &four, q.address_size = sizeof four);
    } else {
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        memcpy(&six.sin6_addr, jvm_array_data((jvm_obj *)bytes), 16);
        memcpy(&q.address, &six, q.address_size = sizeof six);
    }
    ask(t, &q);
    if (q.error != 0) {
        throw_unknown(t, &q);
        return jvm_nothing();
    }
    return jvm_ref(jvm_string_new(t, q.name));
}

const jvm_inner_native jvm_natives_resolver[] = {
    { "java/net/Inet4AddressImpl", "lookupAllHostAddr", NULL, lookup_four, JVM_NATIVE_BLOCKS },
    { "java/net/Inet6AddressImpl", "lookupAllHostAddr", NULL, lookup_any, JVM_NATIVE_BLOCKS },
    { "java/net/Inet4AddressImpl", "getHostByAddr", NULL, name_of, JVM_NATIVE_BLOCKS },
    { "java/net/Inet6AddressImpl", "getHostByAddr", NULL, name_of, JVM_NATIVE_BLOCKS },
    { NULL },
};
