/* serve.c - the process between ebb and a stock JVM: its beginning, its loop, its end. */
#include "jvm/stock/stock.h"

#include "base/log.h"
#include "jvm/stock/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- asking ---- */

static void put_all(const stock *k, ebb_buf *out, const char *what, va_list args)
{
    for (; *what; what++)
        switch (*what) {
        case 's': jdwp_put_text(out, va_arg(args, const char *)); break;
        case 'o': jdwp_put(out, va_arg(args, uint64_t), k->j.sizes.n_object); break;
        case 't': jdwp_put(out, va_arg(args, uint64_t), k->j.sizes.n_type); break;
        case 'm': jdwp_put(out, va_arg(args, uint64_t), k->j.sizes.n_method); break;
        case 'f': jdwp_put(out, va_arg(args, uint64_t), k->j.sizes.n_field); break;
        case 'F': jdwp_put(out, va_arg(args, uint64_t), k->j.sizes.n_frame); break;
        case 'l': jdwp_put(out, va_arg(args, uint64_t), 8); break;
        case 'i': jdwp_put(out, va_arg(args, uint64_t), 4); break;
        default: jdwp_put(out, va_arg(args, uint64_t), 1); break;
        }
}

void stock_put(const stock *k, ebb_buf *out, const char *what, ...)
{
    va_list args;
    va_start(args, what);
    put_all(k, out, what, args);
    va_end(args);
}

ebb_status stock_ask(stock *k, ebb_arena *arena, jdwp_in *in, ebb_error *err, jdwp_command command, const char *what, ...)
{
    ebb_buf out = {0};
    va_list args;
    va_start(args, what);
    put_all(k, &out, what, args);
    va_end(args);
    return jdwp_ask(&k->j, command, &out, arena, in, err);
}

ebb_status stock_nonsense(ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_FILE, "The JVM gave an answer that makes no sense.");
}

_Noreturn void stock_leave(void)
{
    _exit(0);
}

/* ---- answering ---- */

static ebb_status serve_one(stock *k, const jvm_wire_message *m, ebb_arena *arena, ebb_buf *out, ebb_error *err)
{
    jvm_wire_reader r = {.at = (const uint8_t *)m->payload.data, .arena = arena};
    r.end = r.at + m->payload.n;
    switch (m->code) {
#define STOCK_SERVES(name, request, reply)                                                         \
    case JVM_WIRE_CODE_##name: {                                                                   \
        jvm_wire_##request q;                                                                      \
        jvm_wire_##reply a = {0};                                                                  \
        if (!jvm_wire_get_##request(&r, &q))                                                       \
            return ebb_fail(err, EBB_BAD_INPUT, "A broken request: " #name ".");                   \
        EBB_TRY(stock_serve_##name(k, &q, &a, arena, err));                                        \
        jvm_wire_put_##reply(out, &a);                                                             \
        return EBB_OK;                                                                             \
    }
#include "jvm/stock/served.def"
    case JVM_WIRE_CODE_resume: {
        jvm_wire_request q;
        jvm_wire_stop stop = {0};
        if (!jvm_wire_get_request(&r, &q))
            return ebb_fail(err, EBB_BAD_INPUT, "A broken request: resume.");
        EBB_TRY(stock_run(k, &q, &stop, arena, err));
        jvm_wire_put_stop(out, &stop);
        return EBB_OK;
    }
    default:
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM can't do that.");
    }
}

static void answer(stock *k, uint16_t code, ebb_status status, ebb_buf *out, const ebb_error *err)
{
    if (status == EBB_GONE)
        stock_leave();
    if (status != EBB_OK) {
        ebb_buf_truncate(out, 0);
        ebb_buf_adds(out, err->text);
    }
    if (jvm_wire_send(k->wire, code, (uint16_t)status, out, -1, NULL) != EBB_OK)
        stock_leave();
}

_Noreturn static void serve(stock *k)
{
    jvm_wire_message m = {0};
    for (;;) {
        ebb_arena arena = {0};
        ebb_buf out = {0};
        ebb_error err = {0};
        if (jvm_wire_receive(k->wire, &m, NULL, NULL) != EBB_OK)
            stock_leave();
        if (m.code != JVM_WIRE_CODE_interrupt) { /* one that crossed the stop on its way */
            ebb_status status = serve_one(k, &m, &arena, &out, &err);
            answer(k, m.code, status, &out, &err);
        }
        ebb_buf_fini(&out);
        ebb_arena_fini(&arena);
    }
}

/* ---- beginning ---- */

ebb_status jvm_stock_listen(int *listener, char **option, ebb_error *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*listener < 0 || bind(*listener, (const struct sockaddr *)&at, sizeof at) != 0 || listen(*listener, 1) != 0 ||
        getsockname(*listener, (struct sockaddr *)&at, &n) != 0)
        return ebb_fail_errno(err, "can't listen for the JVM");
    *option = ebb_asprintf("-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:%u", ntohs(at.sin_port));
    return EBB_OK;
}

/* The JVM's call; -1: it ended before, or ebb did. */
static int accept_jvm(int listener, int wire, pid_t java)
{
    int process = (int)syscall(SYS_pidfd_open, java, 0), fd = -1;
    struct pollfd waits[] = {{listener, POLLIN, 0}, {process, POLLIN, 0}, {wire, POLLRDHUP, 0}};
    while (poll(waits, 3, -1) < 0 && errno == EINTR)
        ;
    if (waits[0].revents != 0)
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    close(process);
    close(listener);
    int on = 1;
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void stock_init(stock *k, int wire)
{
    *k = (stock){.wire = wire, .filter_library = true};
    k->by_type = ebb_map_new();
    k->by_serial = ebb_map_new();
    k->ref_of = ebb_map_new();
}

/* Ctrl-C at the terminal that the program has: ebb is told, which interrupts what runs. */
static void on_interrupt(int signo, siginfo_t *info, void *context)
{
    if (info->si_code == SI_KERNEL)
        kill(getppid(), signo);
}

/* What else a terminal sends is for the program; who ends ebb ends this, by the wire. */
static void take_signals(void)
{
    struct sigaction action = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO | SA_RESTART};
    static const int signals[] = {SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    sigaction(SIGINT, &action, NULL);
}

_Noreturn static void be_agent(int wire, int listener, pid_t java)
{
    stock k;
    ebb_error err = {0};
    jvm_wire_stop stop = {0};
    ebb_buf out = {0};
    take_signals();
    setpgid(0, java); /* where Ctrl-C goes */
    stock_init(&k, wire);
    int fd = accept_jvm(listener, wire, java);
    if (fd < 0)
        stock_leave();
    ebb_status status = jdwp_begin(&k.j, fd, &err);
    if (status == EBB_OK)
        status = stock_first_stop(&k, &stop, &err);
    if (status == EBB_OK)
        jvm_wire_put_stop(&out, &stop);
    answer(&k, JVM_WIRE_CODE_resume, status, &out, &err);
    ebb_buf_fini(&out);
    serve(&k);
}

/* Keeps no descriptor of ebb's open but the two. */
static void close_others(int wire, int listener)
{
    int low = wire < listener ? wire : listener, high = wire < listener ? listener : wire;
    if (low > 3)
        syscall(SYS_close_range, 3u, (unsigned)low - 1, 0u);
    if (high > low + 1)
        syscall(SYS_close_range, (unsigned)low + 1, (unsigned)high - 1, 0u);
    syscall(SYS_close_range, (unsigned)high + 1, ~0u, 0u);
}

ebb_status jvm_stock_begin(int wire, int listener, pid_t java, pid_t *agent, ebb_error *err)
{
    *agent = fork();
    if (*agent == 0) {
        prctl(PR_SET_NAME, "ebb-jdwp");
        close_others(wire, listener);
        be_agent(wire, listener, java);
    }
    close(wire);
    close(listener);
    return *agent < 0 ? ebb_fail_errno(err, "can't begin the agent of the JVM") : EBB_OK;
}
