/* main.c - the program ebb: from its arguments to a conversation, and to an exit status.
 *
 * Status: 0 all is well, 1 something failed, 2 the command line made no sense; a signal that ended ebb
 * ends it as that signal; `quit EXPR` says its own. */
#include "base/text.h"
#include "front/cli/cc.h"
#include "front/cli/cli.h"
#include "front/cli/explore.h"
#include "front/cli/far.h"
#include "front/cli/help.h"
#include "front/cli/typed.h"
#include "front/cli/options.h"
#include "front/cli/output.h"
#include "front/cli/prompt.h"
#include "front/cli/record.h"
#include "front/cli/recordings.h"
#include "front/cli/reference.h"
#include "front/cli/signals.h"
#include "front/cli/view.h"
#include "front/cli/schedule.h"
#include "front/cli/weave.h"
#include "front/dap/serve.h"
#include "front/mcp/mcp.h"
#include "front/jdwp/beside.h"
#include "front/jdwp/serve.h"
#include "front/rsp/serve.h"
#include "session/java/scripts.h"
#include "session/recordings.h"
#include "session/settings.h"
#include "session/time.h"

#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

/* Descriptors 0 to 2 that are closed would be given to the next file that is opened. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

static int complain(const ebb_error *err, int status)
{
    fprintf(stderr, "ebb: %s\n", err->text);
    return status;
}

/* ---- help and version ------------------------------------------------------------------------- */

static int print_text(const ebb_buf *text)
{
    return cli_write_all(STDOUT_FILENO, ebb_buf_text(text), text->n) ? 0 : 1;
}

static int show_help(const cli_options *options)
{
    ebb_buf topic = {0};
    cli_text text = {0};
    ebb_error err;
    cli_verb verb;
    int status = 0;
    for (char **word = options->rest; *word; word++)
        ebb_buf_addf(&topic, "%s%s", topic.n ? " " : "", *word);
    if (options->markdown)
        cli_reference_markdown(&text.bytes);
    else if (options->man)
        cli_reference_man(&text.bytes);
    else if (topic.n == 0 || options->wants_help)
        cli_usage(stdout);
    else if (cli_verb_find(ebb_buf_text(&topic), &verb))
        cli_usage_verb(stdout, verb);
    else if (cli_help(NULL, ebb_buf_text(&topic), &text, &err) != EBB_OK)
        status = complain(&err, EXIT_USAGE);
    if (topic.n == 0) {
        fputs("\n", stdout);
        if (cli_help(NULL, "", &text, &err) != EBB_OK)
            status = complain(&err, 1);
    }
    fflush(stdout);
    if (status == 0)
        status = print_text(&text.bytes);
    ebb_buf_fini(&topic);
    cli_text_fini(&text);
    return status;
}

/* ---- a conversation --------------------------------------------------------------------------- */

static ebb_status apply_setting(cli *c, const char *name, const char *value, ebb_error *err)
{
    return value ? ses_setting_set(c->session, name, value, err) : EBB_OK;
}

/* Options that only history gives a meaning to are kept as settings all the same. */
static void tell_what_has_no_effect(cli *c, const cli_options *options)
{
    bool runs_without = options->verb == CLI_VERB_RUN && !ses_will_keep_history(c->session);
    if (options->unit && runs_without)
        cli_emit_warning(c, "note: --unit has no effect on a program that keeps no history.");
    if (options->undo && runs_without)
        cli_emit_warning(c, "note: --undo has no effect on a program that keeps no history.");
}

static ebb_status attach(cli *c, const char *pid, ebb_error *err)
{
    char *line = ebb_asprintf("attach %s", pid);
    ebb_status status = cli_execute(c, line, err);
    free(line);
    return status;
}

static ebb_status open_core(cli *c, const char *path, ebb_error *err)
{
    char *line = ebb_asprintf("core-file %s", path);
    ebb_status status = cli_execute(c, line, err);
    free(line);
    return status;
}

static int record(cli *c, const cli_options *options)
{
    ebb_error err;
    int exit_status;
    return cli_record(c, options, &exit_status, &err) == EBB_OK ? exit_status : complain(&err, 1);
}

static ebb_status verify(cli *c, ebb_error *err)
{
    uint64_t n;
    EBB_TRY(ses_verify(c->session, &n, err));
    if (n)
        cli_emit_notice(c, "verified", "The recording was replayed to its end: %llu states compared, all the same.", (unsigned long long)n);
    else
        cli_emit_notice(c, "verified", "The recording was replayed to its end; it has no states to compare (record with --verify).");
    return EBB_OK;
}

static ebb_status replay(cli *c, const cli_options *options, ebb_error *err)
{
    ses_stop stop = {0};
    char *path = NULL;
    if (options->pid)
        EBB_TRY(ses_tree_find(options->rest[0], options->pid, &path, err));
    ebb_status status = ses_replay(c->session, path ? path : options->rest[0], &stop, err);
    free(path);
    if (status == EBB_OK && options->verify)
        status = verify(c, err);
    if (status == EBB_OK) {
        cli_reply reply = {0};
        cli_view_stop(c, &reply, &stop);
        cli_emit_reply(c, "replay", &reply);
        cli_reply_fini(&reply);
    }
    return status;
}

static void read_init_file(cli *c)
{
    ebb_error err;
    char *path = cli_home_file("XDG_CONFIG_HOME", ".config", "init");
    if (path && access(path, F_OK) == 0 && cli_execute_file(c, path, &err) != EBB_OK)
        cli_emit_error(c, NULL, &err);
    free(path);
}

/* The step at *at, and whether it worked.  Neighbouring -e are the lines of one script, so that a body may follow its `define`;
 * what goes on after failures takes them one by one, as the status is the last one's. */
static bool run_step(cli *c, const cli_options *options, size_t *at)
{
    const cli_step *step = &options->steps.items[*at];
    ebb_buf lines = {0};
    if (step->is_file || options->keep_going) {
        ebb_buf_addf(&lines, "%s%s\n", step->is_file ? "source " : "", step->text);
        ++*at;
    } else {
        for (; *at < options->steps.n && !options->steps.items[*at].is_file; ++*at)
            ebb_buf_addf(&lines, "%s\n", options->steps.items[*at].text);
    }
    cli_lines_input input;
    cli_lines_input_init(&input, NULL, ebb_buf_text(&lines));
    bool worked = cli_drive(c, &input.input, true);
    ebb_buf_fini(&lines);
    return worked;
}

static bool run_steps(cli *c, const cli_options *options)
{
    bool worked = true;
    for (size_t i = 0; i < options->steps.n && (worked || options->keep_going) && !c->wants_quit;)
        worked = run_step(c, options, &i);
    return worked;
}

/* With a person, or with what stands in files and options. */
static int talk(cli *c, const cli_options *options)
{
    bool all_worked = run_steps(c, options);
    if (c->wants_quit)
        return c->exit_status;
    if (options->batch)
        return all_worked ? 0 : 1;
    cli_drive(c, cli_prompt_input(c), false);
    return c->exit_status;
}

/* And with a debugger that connects. */
static int with_client(cli *c, const cli_options *options)
{
    ebb_error err;
    jd_beside *beside;
    bool is_recording = options->verb == CLI_VERB_REPLAY;
    if (!ses_has_trait(c->session, SES_SPEAKS_JDWP)) {
        fprintf(stderr, "ebb: --jdwp is for programs of Java; this one is native: `ebb serve --gdb`.\n");
        return 1;
    }
    if (!is_recording && cli_execute(c, "starti", &err) != EBB_OK)
        return complain(&err, 1);
    if (jd_beside_new(c, options->jdwp, options->any_address, is_recording, &beside, &err) != EBB_OK)
        return complain(&err, 1);
    int status = talk(c, options);
    jd_beside_free(beside);
    return status;
}

static int converse(cli *c, const cli_options *options)
{
    ebb_error err;
    ebb_status status = apply_setting(c, "undo", options->undo, &err);
    if (status == EBB_OK)
        status = apply_setting(c, "flow", options->flow, &err);
    if (status == EBB_OK)
        status = apply_setting(c, "chaos", options->chaos, &err);
    if (status == EBB_OK)
        status = apply_setting(c, "scheduling", options->scheduling, &err);
    if (status == EBB_OK)
        status = apply_setting(c, "unit", options->unit, &err);
    if (status == EBB_OK)
        status = apply_setting(c, "jvm", options->jvm, &err);
    if (status == EBB_OK)
        status = apply_setting(c, "optimize", options->optimize, &err);
    if (status != EBB_OK)
        return complain(&err, EXIT_USAGE);
    if (options->verb == CLI_VERB_RUN && !options->native)
        ses_set_mode(c->session, SES_MODE_VM);
    if (options->no_record)
        ses_set_recording(c->session, false, NULL);
    ses_set_verify(c->session, options->verify);
    if (options->connect)
        status = cli_connect(c->session, options, &err);
    else if (options->verb == CLI_VERB_RUN && options->rest[0])
        status = ses_set_program(c->session, options->rest, &err);
    if (status == EBB_OK && options->verb == CLI_VERB_RUN && options->verify)
        status = ses_can_verify(c->session, &err);
    if (status != EBB_OK)
        return complain(&err, 1);
    tell_what_has_no_effect(c, options);
    if (!options->batch) /* a person wants to look before everything is unwound */
        status = ses_setting_set(c->session, "stop-on-uncaught", "on", &err);
    if (!options->no_init && !options->batch)
        read_init_file(c);
    if (options->verb == CLI_VERB_REPLAY && (status = replay(c, options, &err)) != EBB_OK)
        return complain(&err, 1);
    if (options->verb == CLI_VERB_ATTACH && (status = attach(c, options->rest[0], &err)) != EBB_OK)
        return complain(&err, 1);
    if (options->core && (status = open_core(c, options->core, &err)) != EBB_OK)
        return complain(&err, 1);
    return options->jdwp ? with_client(c, options) : talk(c, options);
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    setlocale(LC_CTYPE, "");
    cli_options options;
    ebb_error err;
    if (cli_options_parse(&options, argc, argv, &err) != EBB_OK) {
        cli_options_fini(&options);
        return complain(&err, EXIT_USAGE);
    }
    int status = 0;
    if (options.verb == CLI_VERB_VERSION) {
        status = puts("ebb " EBB_VERSION) < 0 || fflush(stdout) != 0;
    } else if (options.verb == CLI_VERB_HELP) {
        status = show_help(&options);
    } else if (options.wants_help) {
        cli_usage_verb(stdout, options.verb);
    } else if (cli_verb_lacking(options.verb)) {
        fprintf(stderr, "ebb: `ebb %s`: %s.\n", cli_verb_word(options.verb),
                cli_verb_lacking(options.verb));
        status = EXIT_USAGE;
    } else if (options.verb == CLI_VERB_CC || options.verb == CLI_VERB_CXX) {
        status = cli_cc(&options);
    } else if (options.verb == CLI_VERB_PS) {
        status = cli_ps(&options);
    } else if (options.verb == CLI_VERB_JDK) {
        status = cli_jdk(&options);
    } else if (options.verb == CLI_VERB_RECORD && ses_is_script(options.rest[0])) {
        status = cli_record_script(&options);
    } else if (options.verb == CLI_VERB_WEAVE) {
        status = cli_weave(&options);
    } else if (options.verb == CLI_VERB_SCHEDULE) {
        status = cli_schedule(&options);
    } else if (options.verb == CLI_VERB_EXPLORE) {
        status = cli_explore(&options);
    } else if (options.verb == CLI_VERB_DAP) {
        status = dap_serve(&options);
    } else if (options.verb == CLI_VERB_MCP) {
        status = mcp_serve(&options);
    } else if (options.verb == CLI_VERB_SERVE) {
        status = options.jdwp ? jdwp_serve(&options) : rsp_serve(&options);
    } else if (options.listen) {
        status = cli_listen(&options);
    } else {
        cli c;
        cli_init(&c);
        c.is_json = options.json;
        c.is_batch = options.batch;
        status = options.verb == CLI_VERB_RECORD ? record(&c, &options) : converse(&c, &options);
        cli_fini(&c);
    }
    cli_options_fini(&options);
    if (cli_signal_ending())
        cli_signal_die(cli_signal_ending());
    return status;
}
