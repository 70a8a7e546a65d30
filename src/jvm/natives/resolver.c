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

#include "jvm/invoke.h"
#include "jvm/jstring.h"
#include "jvm/natives/blocking.h"
#include "jvm/natives/natives.h"

typedef struct question {
    char *host;                      /* a name to look up, or NULL: the name of `address` is asked for */
    struct sockaddr_storage address;
    socklen_t address_size;
    int family;
    int done;                        /* eventfd */
    int error, system_error;         /* EAI_*; errno for EAI_SYSTEM */
    struct addrinfo *addresses;
    char name[NI_MAXHOST];
} question;

/* ---- asking ---- */

static void *answer(void *arg)
{
    question *q = arg;
    struct addrinfo hints = {.ai_flags = AI_CANONNAME, .ai_family = q->family};
    if (q->host != NULL)
        q->error = getaddrinfo(q->host, NULL, &hints, &q->addresses);
    else
        q->error = getnameinfo((struct sockaddr *)&q->address, q->address_size, q->name, sizeof q->name, NULL, 0, NI_NAMEREQD);
    q->system_error = errno;
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

/* A GC point; q is answered when it returns. */
static void ask(jvm_thread *t, question *q)
{
    pthread_t thread;
    q->done = eventfd(0, EFD_CLOEXEC);
    if (q->done < 0 || !start_thread(q, &thread)) {
        answer(q); /* no thread to be had: everybody waits */
    } else {
        struct pollfd p = {.fd = q->done, .events = POLLIN};
        while (poll(&p, 1, 0) == 0)
            (void)jvm_wait_fd(t, q->done, POLLIN, -1);
        pthread_join(thread, NULL);
    }
    if (q->done >= 0)
        close(q->done);
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

static const void *raw_address(const struct addrinfo *a, int32_t *nbytes, int32_t *scope)
{
    *scope = 0;
    if (a->ai_family == AF_INET) {
        *nbytes = 4;
        return &((const struct sockaddr_in *)a->ai_addr)->sin_addr;
    }
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a->ai_addr;
    *nbytes = 16;
    *scope = (int32_t)six->sin6_scope_id;
    return &six->sin6_addr;
}

/* The resolver gives an address once per kind of socket. */
static bool was_seen(const struct addrinfo *first, const struct addrinfo *a)
{
    int32_t n, scope, n2, scope2;
    const void *bytes = raw_address(a, &n, &scope);
    for (; first != a; first = first->ai_next)
        if (first->ai_family == a->ai_family && memcmp(raw_address(first, &n2, &scope2), bytes, (size_t)n) == 0 && scope == scope2)
            return true;
    return false;
}

static bool counts(const struct addrinfo *first, const struct addrinfo *a)
{
    return (a->ai_family == AF_INET || a->ai_family == AF_INET6) && !was_seen(first, a);
}

/* InetAddress.getByAddress(host, bytes), with the scope of a link-local one. */
static jvm_obj *make_address(jvm_thread *t, jvm_class *inet, jvm_obj *host, const struct addrinfo *a)
{
    int32_t nbytes, scope;
    const void *from = raw_address(a, &nbytes, &scope);
    jvm_obj *bytes = jvm_new_prim_array(t, 'B', nbytes);
    if (bytes == NULL)
        return NULL;
    memcpy(jvm_array_data(bytes), from, (size_t)nbytes);
    if (scope == 0)
        return jvm_callv(t, jvm_class_find_method_text(inet, "getByAddress", "(Ljava/lang/String;[B)Ljava/net/InetAddress;"), host, bytes).a;
    jvm_class *six = jvm_load_boot(t, "java/net/Inet6Address");
    if (six == NULL || !jvm_ensure_init(t, six))
        return NULL;
    return jvm_callv(t, jvm_class_find_method_text(six, "getByAddress", "(Ljava/lang/String;[BI)Ljava/net/Inet6Address;"), host, bytes, scope).a;
}

enum { PREFER_IPV4 = 0, PREFER_IPV6 = 1, PREFER_SYSTEM = 2 }; /* InetAddress.preferIPv6Address */

static int preference(const jvm_class *inet)
{
    const jvm_field *f = jvm_class_own_field(inet, jvm_sym_get("preferIPv6Address"), NULL);
    return f == NULL ? PREFER_IPV4 : jvm_get_i32(inet->mirror, f->offset);
}

/* Fills `array` from *at on with the addresses of one family (0: of any). */
static bool put_family(jvm_thread *t, jvm_class *inet, jvm_obj *array, int32_t *at, jvm_obj *host, const struct addrinfo *first, int family)
{
    for (const struct addrinfo *a = first; a != NULL; a = a->ai_next) {
        if (!counts(first, a) || (family != 0 && a->ai_family != family))
            continue;
        jvm_obj *made = make_address(t, inet, host, a);
        if (made == NULL)
            return false;
        jvm_elem_put_ref(array, (*at)++, made);
    }
    return true;
}

static jvm_obj *put_in_order(jvm_thread *t, jvm_class *inet, jvm_obj *host, const struct addrinfo *first)
{
    int32_t n = 0, at = 0;
    for (const struct addrinfo *a = first; a != NULL; a = a->ai_next)
        n += counts(first, a);
    jvm_obj *array = jvm_new_ref_array(t, inet, n);
    if (array == NULL)
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, array);
    int prefer = preference(inet);
    bool ok = prefer == PREFER_SYSTEM ? put_family(t, inet, array, &at, host, first, 0)
                                      : put_family(t, inet, array, &at, host, first, prefer == PREFER_IPV6 ? AF_INET6 : AF_INET) &&
                                            put_family(t, inet, array, &at, host, first, prefer == PREFER_IPV6 ? AF_INET : AF_INET6);
    jvm_handles_release(t, mark);
    return ok ? array : NULL;
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
        array = put_in_order(t, inet, host, q.addresses);
    if (q.addresses != NULL)
        freeaddrinfo(q.addresses);
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
