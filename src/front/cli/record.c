/* record.c - recording runs until one is worth keeping. */
#include "front/cli/record.h"
#include "base/file.h"
#include "base/text.h"
#include "front/cli/signals.h"
#include "session/data.h"
#include "session/recordings.h"
#include "session/settings.h"
#include "session/time.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A program that didn't come so far as to be recorded leaves nothing. */
static void tell_recording(const char *path)
{
    struct stat st;
    size_t n = ses_tree_count(path);
    if (stat(path, &st) == 0 && st.st_size > 0) {
        fprintf(stderr, "ebb: the recording is in %s\n", path);
        if (n)
            fprintf(stderr, "ebb: of what it started and executed there %s %zu more: ebb ps %s\n", n == 1 ? "is" : "are", n, path);
    } else {
        unlink(path);
        fprintf(stderr, "ebb: nothing was recorded\n");
    }
}

static ebb_status prepare(cli *c, const cli_options *options, const char *path, ebb_error *err)
{
    c->tells_warnings_only = true;
    char *folder = ses_tree_folder(path);
    ses_set_recording(c->session, true, path);
    ses_set_recording_folder(c->session, folder);
    free(folder);
    ses_set_verify(c->session, options->verify);
    EBB_TRY(ses_handle(c->session, "SIGINT nostop noprint pass", err));
    EBB_TRY(ses_setting_set(c->session, "snapshots", "off", err)); /* nobody goes back here; a replay begins at the beginning */
    EBB_TRY(ses_set_program(c->session, options->rest, err));
    if (options->scheduling)
        EBB_TRY(ses_setting_set(c->session, "scheduling", options->scheduling, err));
    if (options->chaos)
        EBB_TRY(ses_setting_set(c->session, "chaos", options->chaos, err));
    EBB_TRY(ses_set_recording_bound(c->session, options->max_size, err));
    if (options->verify)
        EBB_TRY(ses_can_verify(c->session, err));
    return ebb_file_check_can_write(path, err);
}

/* ---- one run ---------------------------------------------------------------------------------- */

/* Ctrl-C is the program's, whoever the terminal gave it to. */
static ebb_status go_on(cli *c, ses_stop *stop, ebb_error *err)
{
    if (stop->kind == SES_STOP_INTERRUPTED)
        kill(ses_get_pid(c->session), SIGINT);
    return ses_continue(c->session, 0, stop, err);
}

/* What an earlier run left is none of this one's. */
static ebb_status run_to_end(cli *c, const char *path, ses_stop *stop, ebb_error *err)
{
    ses_tree_clear(path);
    cli_signals_busy(true);
    ebb_status status = ses_run(c->session, stop, err);
    while (status == EBB_OK && ses_get_state(c->session) == SES_STOPPED && !cli_signal_ending())
        status = go_on(c, stop, err);
    cli_signals_busy(false);
    return status;
}

static bool is_crash(int signal)
{
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS: return true;
    default: return false;
    }
}

static int exit_code_of(cli *c, const ses_stop *stop)
{
    return ses_let_go() ? stop->machine.exit_status : ses_get_exit_code(c->session);
}

/* By --save-on; without it every run is. */
static bool is_worth_keeping(cli *c, const cli_options *options, const ses_stop *stop)
{
    int signal = stop->kind == SES_STOP_KILLED ? stop->machine.signal : 0;
    if (options->save_on & CLI_SAVE_ON_CRASH && is_crash(signal))
        return true;
    if (options->save_on & CLI_SAVE_ON_SIGNAL && signal)
        return true;
    return !options->save_on || (options->save_on & CLI_SAVE_ON_EXIT && !signal && exit_code_of(c, stop) != 0);
}

static ebb_status save_schedule(cli *c, const char *path, ebb_error *err)
{
    EBB_TRY(ses_save_schedule(c->session, path, err));
    fprintf(stderr, "ebb: the schedule is in %s\n", path);
    return EBB_OK;
}

/* ---- until one is worth keeping --------------------------------------------------------------- */

static int64_t now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static void tell_nothing_kept(const char *path, unsigned n_runs)
{
    ses_tree_clear(path);
    unlink(path);
    fprintf(stderr, "ebb: nothing to keep in %u run%s: there is no recording\n", n_runs, n_runs == 1 ? "" : "s");
}

static bool is_to_end(void)
{
    return cli_signal_ending() != 0;
}

/* Somebody who is told to end may leave others who still write. */
static void end_recording(cli *c, const char *path)
{
    ebb_error err;
    if (!is_to_end() && ses_keep_sources(c->session, path, &err) != EBB_OK)
        fprintf(stderr, "ebb: the texts of sources are not in the recording: %s\n", err.text);
    tell_recording(path);
}

/* The first process goes on without ebb: how it ends is all that is still to be seen of it. */
static bool see_it_end(ses_stop *stop)
{
    int status;
    pid_t pid = ses_let_go(), got = 0;
    while (pid && (got = waitpid(pid, &status, 0)) < 0 && errno == EINTR && !cli_signal_ending())
        ;
    if (!pid || got != pid)
        return false;
    *stop = (ses_stop){.kind = WIFEXITED(status) ? SES_STOP_EXITED : SES_STOP_KILLED};
    stop->machine.exit_status = WEXITSTATUS(status);
    stop->machine.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return true;
}

/* One run of all its processes.  *is_heir: this is the ebb of another process than the first one, and all that it had to do is done. */
static ebb_status run_tree(cli *c, const char *path, ses_stop *stop, bool *is_heir, ebb_error *err)
{
    pid_t first = getpid();
    ebb_status status = run_to_end(c, path, stop, err);
    *is_heir = getpid() != first;
    if (status == EBB_UNSUPPORTED && !*is_heir && see_it_end(stop)) {
        fprintf(stderr, "ebb: %s\n", err->text);
        status = EBB_OK;
    }
    ses_wait_for_heirs(is_to_end);
    return *is_heir && status == EBB_GONE ? EBB_OK : status;
}

static ebb_status record(cli *c, const cli_options *options, const char *path, int *exit_status, ebb_error *err)
{
    int64_t until = now_s() + (int64_t)options->retry_for;
    unsigned n_runs = 0;
    ses_stop stop = {0};
    bool keeps, is_heir;
    *exit_status = 0;
    EBB_TRY(prepare(c, options, path, err));
    do {
        EBB_TRY(run_tree(c, path, &stop, &is_heir, err));
        if (is_heir)
            return EBB_OK;
        keeps = is_worth_keeping(c, options, &stop);
        n_runs++;
    } while (!keeps && now_s() < until && !cli_signal_ending());
    *exit_status = stop.kind == SES_STOP_KILLED ? 128 + stop.machine.signal : exit_code_of(c, &stop);
    if (keeps)
        end_recording(c, path);
    else
        tell_nothing_kept(path, n_runs);
    return keeps && options->schedule ? save_schedule(c, options->schedule, err) : EBB_OK;
}

ebb_status cli_record(cli *c, const cli_options *options, int *exit_status, ebb_error *err)
{
    char *path = options->output ? ebb_strdup(options->output) : ebb_asprintf("%s.ebb", ebb_path_base(options->rest[0]));
    ebb_status status = record(c, options, path, exit_status, err);
    free(path);
    return status;
}
