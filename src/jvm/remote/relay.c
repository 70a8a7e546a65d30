/* relay.c - carries messages between the connection and the sockets of the Java machine, until all its processes are gone. */
#include "jvm/remote/relay.h"
#include "base/sizes.h"

#include "jvm/remote/line.h"
#include "jvm/remote/orphans.h"
#include "jvm/remote/parcel.h"
#include "jvm/remote/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEND_SECONDS = 10, ENDING_MS = 10 };

typedef struct relay_channel {
    uint32_t number;
    int fd;
    pid_t pid;
} relay_channel;

typedef struct relay {
    const jvm_remote_launch *how;
    int near;                 /* the connection */
    bool is_over;             /* nobody is there any more */
    int outputs[2];           /* our ends of the program's standard output and error */
    int input;                /* and of its standard input; -1: that has ended */
    ebb_buf pending;          /* input that is not written yet (RL3) */
    bool has_input;           /* of which the near side waits to hear */
    EBB_VEC(relay_channel) channels;
    uint32_t last_channel;
    pid_t live;               /* 0: none, or its end was told */
    bool live_is_ending;      /* its socket ended: it is about to */
    jvm_spawned spawned;
    bool is_up;               /* the machine said something, or is gone */
    int recording;            /* -1: none */
} relay;

/* What can't be sent has nobody to go to. */
static void check_sent(relay *r, ebb_status status)
{
    r->is_over = r->is_over || status != EBB_OK;
}

/* ---- streams ---- */

static bool make_pipe(int own_end, int standard, int *ours)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *ours = ends[own_end];
    fcntl(*ours, F_SETFL, O_NONBLOCK);
    bool done = dup2(ends[!own_end], standard) == standard;
    close(ends[!own_end]);
    return done;
}

static bool make_streams(relay *r)
{
    return make_pipe(1, STDIN_FILENO, &r->input) && make_pipe(0, STDOUT_FILENO, &r->outputs[0]) &&
           make_pipe(0, STDERR_FILENO, &r->outputs[1]);
}

/* What a pipe holds, and not more: who writes all the time does not keep us here. */
static void pass_output(relay *r)
{
    char bytes[JVM_RELAY_CHUNK_BYTES];
    for (uint32_t i = 0; i < 2; i++) {
        ssize_t n, all = 0;
        while (all < JVM_RELAY_CHUNK_BYTES && (n = read(r->outputs[i], bytes, sizeof bytes)) > 0 && !r->is_over) {
            check_sent(r, jvm_parcel_send(r->near, JVM_PARCEL_output, i + 1, bytes, (size_t)n, NULL));
            all += n;
        }
    }
}

/* Output that nobody reads yet can wait in its pipe; we are needed for other things. */
static bool near_takes_more(const relay *r, int lifeline)
{
    struct pollfd p[] = {{.fd = r->near, .events = POLLIN | POLLOUT}, {.fd = lifeline, .events = POLLIN}};
    return poll(p, 2, -1) > 0 && (p[0].revents & POLLOUT) != 0;
}

static void pass_input(relay *r)
{
    ssize_t n = r->pending.n > 0 ? write(r->input, r->pending.data, r->pending.n) : 0;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    ebb_buf_drop(&r->pending, n < 0 ? r->pending.n : (size_t)n); /* nobody reads it any more: it is gone */
    if (r->pending.n > 0)
        return;
    r->has_input = false;
    check_sent(r, jvm_parcel_send(r->near, JVM_PARCEL_taken, 0, NULL, 0, NULL));
}

static void take_input(relay *r, const jvm_parcel *p)
{
    if (p->payload.n == 0 && r->input >= 0) {
        close(r->input);
        r->input = -1;
    }
    if (r->input < 0 || r->has_input) /* RL3: who doesn't wait loses it */
        return;
    ebb_buf_add(&r->pending, p->payload.data, p->payload.n);
    r->has_input = true;
}

/* ---- channels ---- */

static relay_channel *channel_of(relay *r, uint32_t number)
{
    for (size_t i = 0; i < r->channels.n; i++)
        if (r->channels.items[i].number == number)
            return &r->channels.items[i];
    return NULL;
}

static uint32_t add_channel(relay *r, int fd, pid_t pid)
{
    struct timeval limit = {.tv_sec = SEND_SECONDS};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    ebb_vec_push(&r->channels, ((relay_channel){++r->last_channel, fd, pid}));
    return r->last_channel;
}

static void remove_channel(relay *r, relay_channel *c)
{
    close(c->fd);
    ebb_vec_remove(&r->channels, (size_t)(c - r->channels.items));
}

static void keep_recording(relay *r)
{
    if (r->is_up)
        return;
    r->is_up = true;
    r->recording = jvm_spawn_keep_recording(&r->spawned);
    if (r->recording < 0 && r->how->records && r->how->recording != NULL)
        r->recording = open(r->how->recording, O_RDONLY | O_CLOEXEC);
}

/* The process at the other end of a socket that comes along is the first thing that such a message says (wire/wire.def). */
static pid_t process_in(const jvm_wire_message *m)
{
    jvm_wire_number pid;
    jvm_wire_reader reader = {.at = (const uint8_t *)m->payload.data};
    reader.end = reader.at + m->payload.n;
    return jvm_wire_get_number(&reader, &pid) && pid.value <= INT32_MAX ? (pid_t)pid.value : 0;
}

static void channel_ended(relay *r, relay_channel *c)
{
    uint32_t number = c->number;
    r->live_is_ending = r->live_is_ending || c->pid == r->live;
    remove_channel(r, c);
    check_sent(r, jvm_parcel_send(r->near, JVM_PARCEL_close, number, NULL, 0, NULL));
}

/* A whole message of a process: who began to send one sends all of it, or dies. */
static void pass_message(relay *r, uint32_t number)
{
    relay_channel *c = channel_of(r, number);
    jvm_wire_message m = {0};
    int along = -1;
    if (c == NULL)
        return;
    ebb_status status = jvm_wire_receive(c->fd, &m, &along, NULL);
    keep_recording(r);
    pass_output(r); /* RL1 */
    if (status == EBB_OK) {
        uint32_t opens = along >= 0 ? add_channel(r, along, process_in(&m)) : 0;
        check_sent(r, jvm_parcel_send_message(r->near, number, opens, &m, NULL));
    } else {
        if (along >= 0)
            close(along);
        channel_ended(r, c);
    }
    ebb_buf_fini(&m.payload);
}

/* ---- the live debuggee ---- */

static void look_for_end(relay *r)
{
    int status = 0;
    if (r->live == 0 || !r->live_is_ending)
        return;
    pid_t got = waitpid(r->live, &status, WNOHANG | __WALL);
    if (got == 0 || (got < 0 && errno == ECHILD && kill(r->live, 0) == 0))
        return; /* not yet; or its maker, which ends, still has it */
    r->live = 0;
    r->live_is_ending = false;
    pass_output(r);
    check_sent(r, jvm_parcel_send_number(r->near, JVM_PARCEL_ended, 0, (uint32_t)status, NULL));
}

static void start(relay *r, const jvm_parcel *p)
{
    uint64_t wishes;
    ebb_error err;
    jvm_remote_launch how = *r->how;
    if (r->last_channel != 0 || !jvm_parcel_number(p, &wishes))
        return;
    how.records = how.records && (wishes & JVM_PARCEL_RECORDS) != 0;
    how.verifies = how.records && (how.verifies || (wishes & JVM_PARCEL_VERIFIES) != 0);
    if (jvm_spawn(&how, NULL, &r->spawned, &err) != EBB_OK) {
        check_sent(r, jvm_parcel_send(r->near, JVM_PARCEL_failed, 0, err.text, strlen(err.text), NULL));
        return;
    }
    r->live = r->spawned.pid;
    add_channel(r, r->spawned.fd, r->live);
    check_sent(r, jvm_parcel_send_number(r->near, JVM_PARCEL_started, how.records, (uint64_t)r->live, NULL));
}

static void kill_live(relay *r)
{
    if (r->live != 0)
        kill(r->live, SIGKILL);
    r->live_is_ending = true;
}

static void adopt(relay *r, uint32_t number)
{
    relay_channel *c = channel_of(r, number);
    if (c == NULL)
        return;
    r->live = c->pid;
    r->live_is_ending = false;
}

/* ---- what the near ebb says ---- */

static void take_message(relay *r, const jvm_parcel *p)
{
    relay_channel *c = channel_of(r, p->channel);
    jvm_wire_message m = {0};
    uint32_t opens;
    if (c != NULL && jvm_parcel_message(p, &opens, &m) && jvm_wire_send(c->fd, m.code, 0, &m.payload, -1, NULL) != EBB_OK)
        channel_ended(r, c);
    ebb_buf_fini(&m.payload);
}

static void take_close(relay *r, uint32_t number)
{
    relay_channel *c = channel_of(r, number);
    if (c == NULL)
        return;
    if (c->pid == r->live)
        r->live_is_ending = true; /* as its socket does */
    else if (c->pid > 0)
        kill(c->pid, SIGKILL);
    remove_channel(r, c);
}

static void answer_memory(relay *r, uint32_t number)
{
    relay_channel *c = channel_of(r, number);
    uint64_t nbytes = c != NULL ? jvm_process_own_memory(c->pid) : 0;
    check_sent(r, jvm_parcel_send_number(r->near, JVM_PARCEL_memory, number, nbytes, NULL));
}

static void answer_fetch(relay *r, const jvm_parcel *p)
{
    char bytes[JVM_RELAY_CHUNK_BYTES];
    uint64_t at;
    ssize_t n = -1;
    if (r->recording >= 0 && jvm_parcel_number(p, &at) && at <= INT64_MAX)
        n = pread(r->recording, bytes, sizeof bytes, (off_t)at);
    check_sent(r, jvm_parcel_send(r->near, JVM_PARCEL_fetch, 0, bytes, n > 0 ? (size_t)n : 0, NULL));
}

static void take_parcel(relay *r)
{
    jvm_parcel p = {0};
    ebb_status status = jvm_parcel_receive(r->near, &p, NULL);
    switch (status == EBB_OK ? p.kind : JVM_PARCEL_NONE) {
    case JVM_PARCEL_message: take_message(r, &p); break;
    case JVM_PARCEL_close: take_close(r, p.channel); break;
    case JVM_PARCEL_start: start(r, &p); break;
    case JVM_PARCEL_input: take_input(r, &p); break;
    case JVM_PARCEL_kill: kill_live(r); break;
    case JVM_PARCEL_adopt: adopt(r, p.channel); break;
    case JVM_PARCEL_memory: answer_memory(r, p.channel); break;
    case JVM_PARCEL_fetch: answer_fetch(r, &p); break;
    default: check_sent(r, EBB_BAD_FILE); /* PA2 */
    }
    ebb_buf_fini(&p.payload);
}

/* ---- all of it ---- */

static void welcome(relay *r)
{
    ebb_buf out = {0};
    EBB_VEC(jvm_wire_name) names = {0};
    for (char *const *arg = r->how->args; *arg != NULL; arg++)
        if (strncmp(*arg, "-XXaltjvm=", 10) != 0) /* ours, not the user's */
            ebb_vec_push(&names, (jvm_wire_name){.text = *arg});
    jvm_wire_names all = {.list = {names.items, names.n, names.cap}};
    jvm_wire_put_names(&out, &all);
    check_sent(r, jvm_parcel_send(r->near, JVM_PARCEL_welcome, 0, out.data, out.n, NULL));
    ebb_vec_fini(&names);
    ebb_buf_fini(&out);
}

/* Waits for something, and passes it on; false: it is over. */
static bool pass_on(relay *r, int lifeline)
{
    enum { FIXED = 5 };
    EBB_VEC(uint32_t) numbers = {0};
    struct pollfd *p = ebb_zalloc((FIXED + r->channels.n) * sizeof *p);
    p[0] = (struct pollfd){.fd = lifeline, .events = POLLIN};
    p[1] = (struct pollfd){.fd = r->near, .events = POLLIN};
    p[2] = (struct pollfd){.fd = r->outputs[0], .events = POLLIN};
    p[3] = (struct pollfd){.fd = r->outputs[1], .events = POLLIN};
    p[4] = (struct pollfd){.fd = r->has_input ? r->input : -1, .events = POLLOUT};
    for (size_t i = 0; i < r->channels.n; i++) {
        p[FIXED + i] = (struct pollfd){.fd = r->channels.items[i].fd, .events = POLLIN};
        ebb_vec_push(&numbers, r->channels.items[i].number);
    }
    bool is_ending = r->live != 0 && r->live_is_ending;
    int n = poll(p, FIXED + numbers.n, is_ending ? ENDING_MS : -1);
    bool goes_on = (n >= 0 || errno == EINTR) && (n <= 0 || p[0].revents == 0);
    if (n > 0 && goes_on) {
        if ((p[2].revents != 0 || p[3].revents != 0) && near_takes_more(r, lifeline))
            pass_output(r);
        for (size_t i = 0; i < numbers.n; i++)
            if (p[FIXED + i].revents != 0)
                pass_message(r, numbers.items[i]);
        if (p[4].revents != 0)
            pass_input(r);
        if (p[1].revents != 0 && !r->is_over)
            take_parcel(r);
    }
    look_for_end(r);
    free(p);
    ebb_vec_fini(&numbers);
    return goes_on && !r->is_over;
}

void jvm_relay_serve(int connection, int lifeline, const jvm_remote_launch *how)
{
    relay r = {.how = how, .near = connection, .outputs = {-1, -1}, .input = -1, .recording = -1};
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* RL2: what the program leaves is ours */
    signal(SIGPIPE, SIG_IGN);
    if (make_streams(&r)) {
        welcome(&r);
        while (!r.is_over && pass_on(&r, lifeline))
            ;
    }
    keep_recording(&r); /* and so lose its name */
    while (r.channels.n > 0)
        remove_channel(&r, &r.channels.items[0]);
    jvm_orphans_kill();
}
