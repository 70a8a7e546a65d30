/* serve.c - a Java program, begun or opened, for one debugger of Java's own. */
#include "front/jdwp/serve.h"

#include "front/cli/signals.h"
#include "front/jdwp/jdwp.h"
#include "front/serve/listen.h"
#include "session/settings.h"
#include "session/time.h"

#include <string.h>

static ebb_status begin_program(session *s, const cli_options *options, ses_stop *stop, ebb_error *err)
{
    if (options->recording)
        return ses_replay(s, options->recording, stop, err);
    if (options->pid)
        return ebb_fail(err, EBB_UNSUPPORTED, "A Java program that runs already can't be attached to: start it with `ebb serve --jdwp`.");
    if (options->no_record)
        ses_set_recording(s, false, NULL);
    EBB_TRY(ses_set_program(s, options->rest, err));
    if (strcmp(ses_get_language(s), "Java") != 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "jdb debugs programs of Java; this one is native: `ebb serve --gdb`.");
    return ses_starti(s, stop, err);
}

static ebb_status check_java(session *s, ebb_error *err)
{
    return strcmp(ses_get_language(s), "Java") == 0 ? EBB_OK : ebb_fail(err, EBB_UNSUPPORTED, "jdb debugs programs of Java; this recording is of a native one: `ebb serve --gdb`.");
}

/* As a JVM does: the program runs on when its debugger is gone. */
static void run_on(session *s)
{
    ses_java_hits none = {0};
    ses_stop stop = {0};
    ses_history_info info;
    ses_java_requests_clear(s, 0);
    bool is_past = ses_history_info_get(s, &info, NULL) == EBB_OK && info.is_kept && strcmp(info.state, "live") != 0;
    cli_signals_busy(true);
    if (!is_past && ses_get_state(s) == SES_STOPPED && ses_java_requests_run(s, 0, &none, &stop, NULL) != EBB_OK)
        fprintf(stderr, "ebb: the program can't go on.\n");
    cli_signals_busy(false);
    ebb_vec_fini(&none);
}

typedef struct serving {
    cli *c;
    bool is_recording;
} serving;

static int converse(int connection, void *self)
{
    const serving *to = self;
    cli *c = to->c;
    jd d;
    jd_init(&d, c->session, connection);
    d.is_recording = to->is_recording;
    jd_converse(&d);
    jd_fini(&d);
    if (ses_get_state(c->session) == SES_STOPPED && !cli_signal_ending())
        run_on(c->session);
    return 0;
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
    int status = 1;
    front_listening how = {.where = options->jdwp, .what = "jdb", .any_address = options->any_address, .once = true, .wait = cli_signal_wait};
    cli_init(&c);
    c.sink = &(cli_sink){.write = on_words};
    c.in_is_terminal = c.out_is_terminal = false;
    ebb_status begun = begin_program(c.session, options, &stop, &err);
    if (begun == EBB_OK)
        begun = check_java(c.session, &err);
    if (begun == EBB_OK)
        begun = front_listen(&how, converse, &(serving){&c, options->recording != NULL}, &status, &err);
    if (begun != EBB_OK)
        fprintf(stderr, "ebb: %s\n", err.text);
    cli_fini(&c);
    return begun == EBB_OK ? status : 1;
}
