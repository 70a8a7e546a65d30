/* start.c - the Java machine of a launcher, from its first word on. */
#include "jvm/remote/line.h"

#include "jvm/remote/door.h"
#include "jvm/remote/far.h"
#include "jvm/remote/machine_ops.h"
#include "jvm/remote/parcel.h"
#include "jvm/remote/spawn.h"
#include "jvm/stock/stock.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static jvm_remote *remote_new(pid_t pid, int fd, const char *program)
{
    jvm_remote *r = EBB_NEW(jvm_remote);
    r->base = (machine){.ops = &jvm_remote_ops, .history = &jvm_remote_history_ops};
    r->pid = pid;
    r->fd = r->live_fd = fd;
    r->filter_library = true;
    r->recording_fd = -1;
    r->program = ebb_strdup(program);
    r->copies = ebb_copies_new(&jvm_remote_copies_hooks, r);
    r->answers = ebb_map_new();
    r->classes = ebb_map_new();
    r->codes = ebb_map_new();
    return r;
}

/* Where the machine stands before the first bytecode; a launcher that ended is told by the first resume. */
static ebb_status first_stop(jvm_remote *r, ebb_error *err)
{
    jvm_wire_message m = {0};
    machine_stop stop;
    ebb_error why;
    ebb_status status = jvm_line_receive(r, r->fd, &m, NULL, &why);
    if (status == EBB_OK)
        status = jvm_remote_read_stop(r, &m, &stop, &why);
    ebb_buf_fini(&m.payload);
    if (status == EBB_GONE && !jvm_process_is_lost(r, NULL))
        jvm_remote_bury(r);
    else if (status != EBB_OK)
        return ebb_fail(err, status, "%s", why.text);
    return EBB_OK;
}

/* The way to the recording, for who wants to read it beside the machine. */
static void keep_recording(jvm_remote *r, const jvm_remote_launch *how, jvm_spawned *spawned)
{
    const char *named = how->replay != NULL ? how->replay : how->records ? how->recording : NULL;
    r->recording_fd = jvm_spawn_keep_recording(spawned);
    if (r->recording_fd >= 0)
        r->recording = ebb_asprintf("/proc/%d/fd/%d", (int)getpid(), r->recording_fd);
    else if (named != NULL)
        r->recording = ebb_strdup(named);
}

static ebb_status open_recording(jvm_remote *r, ebb_error *err)
{
    jvm_wire_nothing q = {0};
    jvm_wire_position end = {0};
    EBB_TRY(jvm_remote_ask_recording_end(r, &r->for_now, &q, &end, err));
    ebb_copies_open(r->copies, (ebb_position){end.time, end.place});
    return EBB_OK;
}

/* The first snapshot is of the beginning, so that all of it can be reached. */
static ebb_status begin_history(jvm_remote *r, const jvm_remote_launch *how, ebb_error *err)
{
    ebb_snapshot_id id;
    r->records = how->records || how->replay != NULL;
    if (how->replay != NULL)
        EBB_TRY(open_recording(r, err));
    return r->records ? ebb_copies_take(r->copies, &id, err) : EBB_OK;
}

typedef EBB_VEC(char *) words;

/* The launcher's words with another option at their beginning. */
static words with_option(char *const *args, char *option)
{
    words all = {0};
    ebb_vec_push(&all, args[0]);
    ebb_vec_push(&all, option);
    for (args++; *args != NULL; args++)
        ebb_vec_push(&all, *args);
    ebb_vec_push(&all, NULL);
    return all;
}

/* A JVM that is not ours: it calls at a port, and a process between us and it is its agent. */
static ebb_status spawn_stock(const jvm_remote_launch *how, jvm_spawned *spawned, pid_t *agent, ebb_error *err)
{
    int listener = -1;
    char *option = NULL;
    EBB_TRY(jvm_stock_listen(&listener, &option, err));
    words args = with_option(how->args, option);
    jvm_remote_launch own = *how;
    own.args = args.items;
    ebb_status status = jvm_spawn(&own, NULL, spawned, err);
    if (status == EBB_OK)
        status = jvm_stock_begin(spawned->agent_fd, listener, spawned->pid, agent, err);
    else
        close(listener);
    ebb_vec_fini(&args);
    free(option);
    return status;
}

/* Texts that follow each other, as a list with a NULL at its end. */
static char **list_of(const char *texts, size_t nbytes)
{
    words all = {0};
    for (const char *at = texts; at < texts + nbytes; at += strlen(at) + 1)
        ebb_vec_push(&all, ebb_strdup(at));
    ebb_vec_push(&all, NULL);
    return all.items;
}

static ebb_status no_java(const jvm_remote_launch *how, pid_t script, ebb_error *err)
{
    int status;
    while (waitpid(script, &status, __WALL) < 0 && errno == EINTR)
        ;
    return ebb_fail(err, EBB_NOT_FOUND, "%s ended, and started no Java program%s%s%s.", how->args[0], *how->follows ? " with \"" : "", how->follows,
                    *how->follows ? "\" in its command line (set follow-java)" : "");
}

/* A script's Java program, once it is there. */
static ebb_status follow(const jvm_remote_launch *how, jvm_door *door, jvm_spawned *spawned, jvm_remote **out, ebb_error *err)
{
    jvm_visitor v;
    machine_terminal terminal;
    const char *recording = spawned->nameless != NULL ? spawned->nameless : how->records && how->recording != NULL ? how->recording : "";
    machine_terminal_init(&terminal, spawned->pid, true);
    machine_terminal_give(&terminal);
    ebb_status status = jvm_door_wait(door, spawned->pid, how->follows, recording, &v, err);
    if (status == EBB_OK && v.fd < 0)
        status = no_java(how, spawned->pid, err);
    if (status == EBB_OK) {
        *out = remote_new(v.pid, v.fd, how->args[0]);
        (*out)->script = v.pid == spawned->pid ? 0 : spawned->pid;
        (*out)->script_words = list_of(v.words, v.nbytes);
    }
    machine_terminal_take(&terminal);
    free(v.words);
    return status;
}

static ebb_status start_script(const jvm_remote_launch *how, jvm_remote **out, ebb_error *err)
{
    jvm_spawned spawned = {.fd = -1};
    jvm_door door;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    EBB_TRY(jvm_door_open(&door, err));
    ebb_status status = jvm_spawn(how, door.path, &spawned, err);
    bool is_begun = status == EBB_OK;
    if (is_begun)
        status = follow(how, &door, &spawned, out, err);
    jvm_door_close(&door);
    if (*out == NULL) {
        int recording = is_begun ? jvm_spawn_keep_recording(&spawned) : -1;
        if (recording >= 0)
            close(recording);
        return status;
    }
    machine_terminal_init(&(*out)->terminal, spawned.pid, true);
    status = first_stop(*out, err);
    keep_recording(*out, how, &spawned);
    return status;
}

static ebb_status start_near(const jvm_remote_launch *how, jvm_remote **out, ebb_error *err)
{
    jvm_spawned spawned;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* a copy that goes on live, whose maker is gone, is ours to wait for */
    pid_t agent = 0;
    EBB_TRY(how->is_stock ? spawn_stock(how, &spawned, &agent, err) : jvm_spawn(how, NULL, &spawned, err));
    jvm_remote *r = *out = remote_new(spawned.pid, spawned.fd, how->args[0]);
    r->is_stock = how->is_stock;
    r->agent = agent;
    machine_terminal_init(&r->terminal, spawned.pid, true);
    machine_terminal_give(&r->terminal);
    ebb_status status = first_stop(r, err);
    machine_terminal_take(&r->terminal);
    keep_recording(r, how, &spawned);
    return status;
}

static ebb_status start_far(jvm_remote_launch *how, jvm_remote **out, ebb_error *err)
{
    pid_t pid;
    ebb_status status = jvm_far_start(how->far, how, &pid, err);
    if (status != EBB_OK) {
        jvm_far_free(how->far);
        return status;
    }
    jvm_remote *r = *out = remote_new(pid, JVM_PARCEL_FIRST_CHANNEL, jvm_far_args(how->far)[0]);
    r->far = how->far;
    return first_stop(r, err);
}

ebb_status jvm_remote_start(const jvm_remote_launch *how, machine **m, ebb_error *err)
{
    jvm_remote *r = NULL;
    jvm_remote_launch own = *how;
    ebb_status status = how->far != NULL             ? start_far(&own, &r, err)
                        : how->script_option != NULL ? start_script(&own, &r, err)
                                                     : start_near(&own, &r, err);
    if (status == EBB_OK && !r->gone)
        status = begin_history(r, &own, err);
    if (status == EBB_OK)
        *m = &r->base;
    else if (r != NULL)
        r->base.ops->free(&r->base);
    return status;
}

char *const *jvm_remote_script_words(machine *m) { return jvm_remote_of(m)->script_words; }
