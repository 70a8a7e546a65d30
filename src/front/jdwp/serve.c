/* serve.c - a Java program, begun or opened, for debuggers of Java's own, one after the other.
 *
 * As a JVM does: a program runs on when its debugger is gone, and may be met by the next one on its way.  A recording stays where it was left. */
#include "front/jdwp/serve.h"

#include "front/cli/signals.h"
#include "front/jdwp/jdwp.h"
#include "front/serve/listen.h"
#include "session/settings.h"
#include "session/time.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

static ebb_status begin_program(session *s, const cli_options *options, ses_stop *stop, ebb_error *err)
{
    if (options->recording)
        return ses_replay(s, options->recording, stop, err);
    if (options->pid)
        return ebb_fail(err, EBB_UNSUPPORTED, "A Java program that runs already can't be attached to: start it with `ebb serve --jdwp`.");
    if (options->no_record)
        ses_set_recording(s, false, NULL);
    EBB_TRY(ses_set_program(s, options->rest, err));
    if (!ses_has_trait(s, SES_SPEAKS_JDWP))
        return ebb_fail(err, EBB_UNSUPPORTED, "jdb debugs programs of Java; this one is native: `ebb serve --gdb`.");
    return ses_starti(s, stop, err);
}

static ebb_status check_java(session *s, ebb_error *err)
{
    return ses_has_trait(s, SES_SPEAKS_JDWP) ? EBB_OK : ebb_fail(err, EBB_UNSUPPORTED, "jdb debugs programs of Java; this recording is of a native one: `ebb serve --gdb`.");
}

typedef struct serving {
    session *session;
    bool is_recording, runs, is_over;
} serving;

static bool is_there(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

/* The program runs until a client comes, which is what true says. */
static bool run_on(serving *to, int fd)
{
    ses_java_hits none = {0};
    ses_stop stop = {0};
    ebb_error err;
    front_watch *watch = front_watch_new(fd);
    cli_signals_busy(true);
    if (watch)
        front_watch_begin(watch, false);
    ebb_status status = ses_java_requests_run(to->session, 0, &none, &stop, &err);
    if (watch) {
        front_watch_end(watch);
        front_watch_free(watch);
    }
    cli_signals_busy(false);
    ebb_vec_fini(&none);
    if (status != EBB_OK)
        fprintf(stderr, "ebb: %s\n", err.text);
    to->is_over = status != EBB_OK || stop.kind != SES_STOP_INTERRUPTED || !is_there(fd);
    return !to->is_over;
}

static bool await(int fd, void *self)
{
    serving *to = self;
    return to->runs ? run_on(to, fd) : cli_signal_wait(fd);
}

/* Whether another one may follow. */
static bool converse(int connection, void *self)
{
    serving *to = self;
    jd d;
    jd_init(&d, to->session, connection);
    d.is_recording = to->is_recording;
    d.runs = to->runs;
    jd_converse(&d);
    jd_fini(&d);
    close(connection);
    if (ses_get_state(to->session) != SES_STOPPED || cli_signal_ending())
        return false;
    ses_java_requests_clear(to->session, 0);
    to->runs = !to->is_recording;
    return !d.has_ended;
}

static ebb_status serve_all(serving *to, const front_listening *how, ebb_error *err)
{
    ebb_status status = front_listen_in_turn(how, converse, to, err);
    return to->is_over ? EBB_OK : status;
}

/* What is said of threads and the like is the client's business. */
static void on_words(void *self, bool is_complaint, const char *bytes, size_t nbytes)
{
    (void)self;
    if (is_complaint)
        fwrite(bytes, 1, nbytes, stderr);
}

int jdwp_serve(const cli_options *options)
{
    cli c;
    ebb_error err = {0};
    ses_stop stop = {0};
    front_listening how = {.where = options->jdwp, .what = "jdb", .any_address = options->any_address, .n_first_bytes = sizeof JDWP_HANDSHAKE - 1, .wait = await};
    cli_init(&c);
    c.sink = &(cli_sink){.write = on_words};
    c.in_is_terminal = c.out_is_terminal = false;
    ebb_status begun = begin_program(c.session, options, &stop, &err);
    if (begun == EBB_OK)
        begun = check_java(c.session, &err);
    if (begun == EBB_OK)
        begun = serve_all(&(serving){.session = c.session, .is_recording = options->recording != NULL}, &how, &err);
    if (begun != EBB_OK)
        fprintf(stderr, "ebb: %s\n", err.text);
    cli_fini(&c);
    return begun == EBB_OK ? 0 : 1;
}
