/* serve.c - a program, begun or attached to or opened, for one gdb. */
#include "front/rsp/serve.h"

#include "base/text.h"
#include "front/cli/signals.h"
#include "front/rsp/rsp.h"
#include "front/serve/listen.h"
#include "session/settings.h"
#include "session/time.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void on_words(void *self, bool is_complaint, const char *bytes, size_t nbytes)
{
    rsp *r = self;
    if (r->said)
        ebb_buf_add(r->said, bytes, nbytes);
    else if (is_complaint)
        fwrite(bytes, 1, nbytes, stderr);
}

/* ---- the program --------------------------------------------------------------------------------- */

static ebb_status begin_program(rsp *r, const cli_options *options, ebb_error *err)
{
    session *s = r->session;
    uint64_t pid;
    if (options->recording)
        return ses_replay(s, options->recording, &r->last, err);
    if (options->pid)
        return ebb_text_to_u64(options->pid, &pid) ? ses_attach(s, (pid_t)pid, &r->last, err)
                                                   : ebb_fail(err, EBB_BAD_INPUT, "%.40s is no process.", options->pid);
    if (!options->native)
        ses_set_mode(s, SES_MODE_VM);
    EBB_TRY(ses_setting_set(s, "record-native", options->no_record || options->native ? "off" : "on", err));
    EBB_TRY(ses_set_program(s, options->rest, err));
    return ses_starti(s, &r->last, err);
}

static ebb_status check_native(rsp *r, ebb_error *err)
{
    machine *m = ses_get_machine(r->session);
    return m && m->native ? EBB_OK : ebb_fail(err, EBB_UNSUPPORTED, "gdb debugs native programs; this one is Java's, which has neither registers nor addresses.");
}

/* ---- the conversation ---------------------------------------------------------------------------- */

static void converse(rsp *r)
{
    r->watch = front_watch_new(r->in);
    if (!r->watch)
        return;
    r->libraries = rsp_libraries_signature(r);
    ebb_buf_truncate(&r->last_reply, 0);
    rsp_stop_reply(r, &r->last, &r->last_reply);
    rsp_converse(r);
    rsp_forget_client(r);
    front_watch_free(r->watch);
}

static bool await(int fd, void *self)
{
    (void)self;
    return cli_signal_wait(fd);
}

/* As under gdbserver, a gdb that went without a word may come back: to the same stop. */
static bool serve_one(int connection, void *self)
{
    rsp *r = self;
    r->in = r->out = connection;
    converse(r);
    close(connection);
    return !r->ends && !cli_signal_ending();
}

/* The protocol moves to other descriptors: the program reads nothing, and prints where ebb complains. */
static void take_streams(rsp *r)
{
    int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    r->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    r->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(none, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close(none);
}

static int serve(rsp *r, const cli_options *options, ebb_error *err)
{
    bool is_pipe = strcmp(options->gdb, "-") == 0;
    front_listening how = {.where = options->gdb, .what = "gdb", .any_address = options->any_address, .n_first_bytes = 1, .wait = await};
    r->is_recording = options->recording != NULL;
    if (is_pipe)
        take_streams(r);
    if (begin_program(r, options, err) != EBB_OK || check_native(r, err) != EBB_OK)
        return 1;
    err->text[0] = '\0';
    if (!is_pipe)
        return front_listen_in_turn(&how, serve_one, r, err) == EBB_OK ? 0 : 1;
    converse(r);
    return 0;
}

int rsp_serve(const cli_options *options)
{
    rsp r = {.acks = true, .sink = {.self = &r, .write = on_words}};
    ebb_error err = {0};
    cli_init(&r.cli);
    r.cli.sink = &r.sink;
    r.cli.in_is_terminal = r.cli.out_is_terminal = false;
    r.session = r.cli.session;
    int status = serve(&r, options, &err);
    if (status && err.text[0])
        fprintf(stderr, "ebb: %s\n", err.text);
    cli_fini(&r.cli);
    ebb_buf_fini(&r.last_reply);
    return status;
}
