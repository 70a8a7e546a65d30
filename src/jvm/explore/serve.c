/* serve.c - copies of the machine that run the program, one a request, and what they tell of it. */
#include "jvm/explore/internal.h"

#include "base/buf.h"
#include "jvm/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 60 }; /* of a run that its limit doesn't end: it waits for something outside */

/* ---- in a run ---- */

/* A file in memory, which is hashed at the end. */
static void print_to_file(void)
{
    explore.output = memfd_create("output", MFD_CLOEXEC);
    fcntl(explore.output, F_SETFL, O_APPEND);
    dup2(explore.output, STDOUT_FILENO);
    dup2(explore.output, STDERR_FILENO);
}

void explore_catch_output(void)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    fflush(NULL);
    print_to_file();
}

/* Each run has its own, which begins as it was when the run was made. */
static void separate_output(void)
{
    int was = explore.output;
    char bytes[4096];
    ssize_t n;
    print_to_file();
    for (off_t at = 0; (n = pread(was, bytes, sizeof bytes, at)) > 0; at += n)
        if (write(explore.output, bytes, (size_t)n) != n)
            break;
    close(was);
}

static uint64_t hash_output(void)
{
    uint8_t bytes[4096];
    uint64_t hash = 1;
    ssize_t n;
    off_t at = 0;
    while (explore.output >= 0 && (n = pread(explore.output, bytes, sizeof bytes, at)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            hash = explore_hash(hash, bytes[i]);
        at += n;
    }
    return hash;
}

/* Up to n items, as many as fit (XW2). */
static uint32_t add_items(ebb_buf *out, const void *items, size_t n, size_t size, jvm_explore_answer *a)
{
    size_t room = (JVM_EXPLORE_ANSWER - out->n) / size, kept = n < room ? n : room;
    ebb_buf_add(out, items, kept * size);
    a->nlost += (uint32_t)(n - kept);
    return (uint32_t)kept;
}

static void send_answer(const ebb_buf *out)
{
    while (send(explore.explorer, out->data, out->n, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

_Noreturn void explore_report(enum jvm_outcome outcome, int status, uint32_t thread, uint64_t signature, const char *text)
{
    if (explore_is_scout())
        explore_scout_ends();
    jvm_explore_answer a = {.number = explore.how.number, .outcome = outcome, .exit_status = status, .thread = thread, .schedule = explore.schedule,
                            .output = hash_output(), .signature = signature, .ndecisions = explore.policy.ndecisions,
                            .nswitches = explore.nswitches, .npreemptions = explore.npreemptions};
    memcpy(a.todo, explore.todo, sizeof a.todo);
    memcpy(a.kinds, explore.kinds, sizeof a.kinds);
    jvm_record_flush();
    ebb_buf out = {0};
    ebb_buf_add(&out, &a, sizeof a);
    a.ntext = (uint32_t)strlen(text);
    a.nturns = add_items(&out, explore.taken.items, explore.taken.n, sizeof(jvm_turn), &a);
    a.nsites = add_items(&out, explore.sites.items, explore.sites.n, sizeof(uint32_t), &a);
    a.ntrace = add_items(&out, explore.trace.items, explore.trace.n, sizeof(uint32_t), &a);
    ebb_buf_add(&out, text, a.ntext);
    memcpy(out.data, &a, sizeof a);
    send_answer(&out);
    _exit(0);
}

static void become_run(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = MOST_SECONDS}, NULL);
    signal(SIGALRM, SIG_DFL);
    separate_output();
}

static void begin_scout(uint64_t limit)
{
    become_run();
    explore.how = (jvm_explore_request){.strategy = JVM_STRATEGY_KEEP, .limit = limit};
    explore.reports = true;
    explore.waits_for_request = false;
    explore_set_policy();
}

static void begin_run(const uint8_t *packet, size_t nbytes)
{
    memcpy(&explore.how, packet, sizeof explore.how);
    const uint8_t *turns = packet + sizeof explore.how;
    size_t room = (nbytes - sizeof explore.how) / sizeof(jvm_turn);
    for (size_t i = 0; i < explore.how.nturns && i < room; i++) {
        jvm_turn turn;
        memcpy(&turn, turns + i * sizeof turn, sizeof turn);
        ebb_vec_push(&explore.turns, turn);
    }
    explore.reports = true;
    explore.waits_for_request = false;
    explore_set_policy();
}

/* ---- in the machine that is copied ---- */

typedef struct running {
    pid_t pid;
    uint32_t number;
} running;
static EBB_VEC(running) runs;

static void tell_death(uint32_t number, int status)
{
    char text[80];
    jvm_explore_answer a = {.number = number, .outcome = JVM_OUTCOME_DIED, .exit_status = status};
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(text, sizeof text, "it did not end within %d seconds", MOST_SECONDS);
    else
        snprintf(text, sizeof text, "the machine ended: %s %d", WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    ebb_buf out = {0};
    a.ntext = (uint32_t)strlen(text);
    a.signature = (uint64_t)status + 1;
    ebb_buf_add(&out, &a, sizeof a);
    ebb_buf_add(&out, text, a.ntext);
    send_answer(&out);
    ebb_buf_fini(&out);
}

static void reap(void)
{
    for (size_t i = 0; i < runs.n;) {
        int status = 0;
        if (waitpid(runs.items[i].pid, &status, WNOHANG) == 0) {
            i++;
            continue;
        }
        if (status != 0)
            tell_death(runs.items[i].number, status);
        ebb_vec_remove(&runs, i);
    }
}

/* The next request; dead runs are told of meanwhile.  -1: the explorer is gone. */
static ssize_t receive(uint8_t *packet, size_t most)
{
    enum { LOOK_MS = 20 };
    struct pollfd p = {.fd = explore.explorer, .events = POLLIN};
    while (poll(&p, 1, LOOK_MS) <= 0)
        reap();
    reap();
    return recv(explore.explorer, packet, most, 0);
}

void explore_serve(void)
{
    enum { MOST = 1 << 20 };
    static uint8_t packet[MOST];
    bool is_warm = false;
    fflush(NULL);
    for (;;) {
        ssize_t n = receive(packet, sizeof packet);
        if (n < (ssize_t)sizeof(jvm_explore_request))
            _exit(0);
        jvm_explore_request how;
        memcpy(&how, packet, sizeof how);
        if (!is_warm && !(how.wants & JVM_EXPLORE_ONCE) && explore_warm()) {
            begin_scout(how.limit);
            return;
        }
        is_warm = true;
        pid_t pid = how.wants & JVM_EXPLORE_ONCE ? 0 : fork();
        if (pid == 0) {
            if (!(how.wants & JVM_EXPLORE_ONCE))
                become_run();
            begin_run(packet, (size_t)n);
            return;
        }
        ebb_vec_push(&runs, ((running){pid, how.number}));
    }
}
