/* tcp.c - see tcp.h; every address that a name stands for is tried. */
#include "base/tcp.h"

#include "base/mem.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { CONNECT_SECONDS = 10, BACKLOG = 16 };

/* ---- addresses ---- */

static ebb_status split(const char *where, char **host, char **port, ebb_error *err)
{
    const char *colon = strrchr(where, ':'), *digits = colon != NULL ? colon + 1 : where;
    uint64_t number;
    if (*digits < '0' || *digits > '9' || !ebb_text_to_u64(digits, &number) || number > UINT16_MAX || colon == where)
        return ebb_fail(err, EBB_BAD_INPUT, "%.100s is no [HOST:]PORT.", where);
    size_t n = colon == NULL ? 0 : (size_t)(colon - where);
    bool bracketed = n > 2 && where[0] == '[' && where[n - 1] == ']';
    *host = n == 0 ? ebb_strdup("127.0.0.1") : ebb_strndup(where + bracketed, n - 2 * bracketed);
    *port = ebb_asprintf("%u", (unsigned)number);
    return EBB_OK;
}

static ebb_status look_up(const char *where, int flags, struct addrinfo **found, ebb_error *err)
{
    char *host = NULL, *port = NULL;
    EBB_TRY(split(where, &host, &port, err));
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    int why = getaddrinfo(host, port, &hints, found);
    ebb_status status = why == 0 ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "%.100s: %s.", host, gai_strerror(why));
    free(host);
    free(port);
    return status;
}

static bool is_loopback_address(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
    return a->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static char *address_text(const struct sockaddr *a, socklen_t n)
{
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (getnameinfo(a, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return ebb_strdup("?");
    return ebb_asprintf(a->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

/* ---- sockets ---- */

void ebb_tcp_patience(int fd, int seconds)
{
    struct timeval t = {.tv_sec = seconds};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

void ebb_tcp_prepare(int fd)
{
    static const struct {
        int level, option, value;
    } wanted[] = {{IPPROTO_TCP, TCP_NODELAY, 1}, {SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, 10},
                  {IPPROTO_TCP, TCP_KEEPINTVL, 5}, {IPPROTO_TCP, TCP_KEEPCNT, 3}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        setsockopt(fd, wanted[i].level, wanted[i].option, &wanted[i].value, sizeof wanted[i].value);
}

static bool begin_listening(int fd, const struct addrinfo *a)
{
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
}

static bool begin_talking(int fd, const struct addrinfo *a)
{
    struct timeval limit = {.tv_sec = CONNECT_SECONDS}, none = {0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0)
        return false;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
    ebb_tcp_prepare(fd);
    return true;
}

/* The first of the addresses that it works with; -1: none, errno is the last one's. */
static int open_one(const struct addrinfo *found, bool (*begin)(int fd, const struct addrinfo *a))
{
    for (const struct addrinfo *a = found; a != NULL; a = a->ai_next) {
        int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && begin(fd, a))
            return fd;
        int why = errno;
        if (fd >= 0)
            close(fd);
        errno = why == EINPROGRESS ? ETIMEDOUT : why;
    }
    return -1;
}

ebb_status ebb_tcp_listen(const char *where, int *fd, char **address, bool *is_loopback, ebb_error *err)
{
    struct addrinfo *found;
    EBB_TRY(look_up(where, AI_PASSIVE, &found, err));
    *fd = open_one(found, begin_listening);
    freeaddrinfo(found);
    if (*fd < 0)
        return ebb_fail_errno(err, "can't listen on %.100s", where);
    struct sockaddr_storage at = {0};
    socklen_t n = sizeof at;
    getsockname(*fd, (struct sockaddr *)&at, &n);
    *address = address_text((const struct sockaddr *)&at, n);
    *is_loopback = is_loopback_address((const struct sockaddr *)&at);
    return EBB_OK;
}

ebb_status ebb_tcp_connect(const char *where, int *fd, ebb_error *err)
{
    struct addrinfo *found;
    EBB_TRY(look_up(where, 0, &found, err));
    *fd = open_one(found, begin_talking);
    freeaddrinfo(found);
    return *fd >= 0 ? EBB_OK : ebb_fail_errno(err, "can't connect to %.100s", where);
}
