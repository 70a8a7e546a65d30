/* explore.c - starts a launcher to explore, sends requests and checks answers. */
#include "jvm/remote/explore.h"

#include "base/mem.h"
#include "machine/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct jvm_explorer {
    pid_t pid;
    int fd;
    uint8_t packet[JVM_EXPLORE_ANSWER + 4096];
};

static const char *const strategy_words[] = {
#define JVM_STRATEGY(name, word, text) word,
#include "jvm/wire/strategies.def"
#undef JVM_STRATEGY
};
const char *jvm_strategy_word(enum jvm_strategy s) { return strategy_words[s]; }

static const struct {
    const char *word;
    int fails;
} outcomes[] = {
#define JVM_OUTCOME(name, word, fails) {word, fails},
#include "jvm/wire/outcomes.def"
#undef JVM_OUTCOME
};
const char *jvm_outcome_word(enum jvm_outcome o) { return outcomes[o].word; }
int jvm_outcome_fails(enum jvm_outcome o) { return outcomes[o].fails; }

/* ---- beginning and end ---- */

_Noreturn static void become_launcher(const jvm_explorer_launch *how, int fd, pid_t parent)
{
    char number[16];
    machine_child_begin();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    fcntl(fd, F_SETFD, 0);
    snprintf(number, sizeof number, "%d", fd);
    setenv("EBB_EXPLORE", number, 1);
    if (how->recording != NULL)
        setenv("EBB_RECORD", how->recording, 1);
    if (how->inside)
        setenv("EBB_EXPLORE_INSIDE", "1", 1);
    if (how->from != NULL)
        setenv("EBB_EXPLORE_FROM", how->from, 1);
    if (how->check != NULL)
        setenv("EBB_EXPLORE_CHECK", how->check, 1);
    execvp(how->args[0], how->args);
    fprintf(stderr, "ebb: can't start %s: %s\n", how->args[0], strerror(errno));
    _exit(127);
}

ebb_status jvm_explorer_start(const jvm_explorer_launch *how, jvm_explorer **out, ebb_error *err)
{
    int sockets[2], large = 1 << 20;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return ebb_fail_errno(err, "can't start %s", how->args[0]);
    for (int i = 0; i < 2; i++)
        setsockopt(sockets[i], SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_launcher(how, sockets[1], parent);
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        return ebb_fail_errno(err, "can't start %s", how->args[0]);
    }
    *out = EBB_NEW(jvm_explorer);
    (*out)->pid = pid;
    (*out)->fd = sockets[0];
    return EBB_OK;
}

void jvm_explorer_free(jvm_explorer *x)
{
    if (x == NULL)
        return;
    close(x->fd);
    kill(x->pid, SIGKILL); /* its runs end with it */
    while (waitpid(x->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(x);
}

/* ---- requests and answers ---- */

ebb_status jvm_explorer_ask(jvm_explorer *x, const jvm_explore_request *how, const jvm_turn *turns, ebb_error *err)
{
    size_t extra = how->nturns * sizeof *turns, nbytes = sizeof *how + extra;
    uint8_t *packet = ebb_alloc(nbytes);
    memcpy(packet, how, sizeof *how);
    if (extra > 0)
        memcpy(packet + sizeof *how, turns, extra);
    ssize_t n;
    while ((n = send(x->fd, packet, nbytes, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    free(packet);
    return n == (ssize_t)nbytes ? EBB_OK : ebb_fail(err, EBB_GONE, "The Java machine is gone.");
}

void jvm_run_fini(jvm_run *run)
{
    free(run->turns);
    free(run->sites);
    free(run->trace);
    free(run->text);
    *run = (jvm_run){0};
}

/* The next `nbytes` of the packet in memory of their own, with a NUL after them; NULL: it has not so many. */
static void *take(const uint8_t **at, const uint8_t *end, size_t n, size_t size)
{
    if (n > (size_t)(end - *at) / size)
        return NULL;
    char *copy = ebb_alloc(n * size + 1);
    memcpy(copy, *at, n * size);
    copy[n * size] = '\0';
    *at += n * size;
    return copy;
}

static bool read_answer(const uint8_t *at, size_t nbytes, jvm_run *out)
{
    const uint8_t *end = at + nbytes;
    *out = (jvm_run){0};
    if (nbytes < sizeof out->head)
        return false;
    memcpy(&out->head, at, sizeof out->head);
    at += sizeof out->head;
    out->turns = take(&at, end, out->head.nturns, sizeof *out->turns);
    out->sites = take(&at, end, out->head.nsites, sizeof *out->sites);
    out->trace = take(&at, end, out->head.ntrace, sizeof *out->trace);
    out->text = take(&at, end, out->head.ntext, 1);
    bool good = out->turns != NULL && out->sites != NULL && out->trace != NULL && out->text != NULL && out->head.outcome < JVM_NOUTCOMES;
    if (!good)
        jvm_run_fini(out);
    return good;
}

ebb_status jvm_explorer_answer(jvm_explorer *x, int timeout_ms, jvm_run *out, ebb_error *err)
{
    struct pollfd p = {.fd = x->fd, .events = POLLIN};
    int ready = poll(&p, 1, timeout_ms);
    if (ready == 0 || (ready < 0 && errno == EINTR))
        return ebb_fail(err, EBB_UNAVAILABLE, "There is no answer yet.");
    ssize_t n = recv(x->fd, x->packet, sizeof x->packet, 0);
    if (n <= 0)
        return ebb_fail(err, EBB_GONE, "The program ended before main was called.");
    if (!read_answer(x->packet, (size_t)n, out))
        return ebb_fail(err, EBB_SYSTEM, "The Java machine's answer makes no sense.");
    return EBB_OK;
}
