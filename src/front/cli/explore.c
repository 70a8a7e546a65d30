/* explore.c - the words of `ebb explore`; the work is session/explore/explore.h. */
#include "front/cli/explore.h"

#include "base/file.h"
#include "base/text.h"
#include "session/explore/explore.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FOUND = 1, EXIT_USAGE = 2, SECONDS_IF_NOT_SAID = 60, LIMIT_IF_NOT_SAID = 50000 };

/* ---- options ---- */

static ebb_status read_number(const char *option, const char *text, uint64_t *out, ebb_error *err)
{
    if (text && !ebb_text_to_u64(text, out))
        return ebb_fail(err, EBB_BAD_INPUT, "--%s takes a number, not \"%.40s\".", option, text);
    return EBB_OK;
}

/* The same, from 1 on. */
static ebb_status read_count(const char *option, const char *text, uint64_t *out, ebb_error *err)
{
    EBB_TRY(read_number(option, text, out, err));
    if (text && *out == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "--%s takes a number from 1 on.", option);
    return EBB_OK;
}

static ebb_status read_strategy(const char *text, uint32_t *out, ebb_error *err)
{
    *out = SES_STRATEGY_MIXED;
    for (uint32_t i = JVM_STRATEGY_RANDOM; text && i < JVM_NSTRATEGIES; i++)
        if (strcmp(text, jvm_strategy_word(i)) == 0)
            *out = i;
    if (text && *out == SES_STRATEGY_MIXED)
        return ebb_fail(err, EBB_BAD_INPUT, "--strategy knows random, pct, pos, surw and bounded, not \"%.40s\".", text);
    return EBB_OK;
}

static ebb_status read_options(const cli_options *options, ses_exploration *how, ebb_error *err)
{
    uint64_t seconds = options->runs ? 0 : SECONDS_IF_NOT_SAID, depth = 0;
    how->limit = LIMIT_IF_NOT_SAID;
    EBB_TRY(read_count("runs", options->runs, &how->runs, err));
    EBB_TRY(read_count("seconds", options->seconds, &seconds, err));
    EBB_TRY(read_number("seed", options->seed, &how->seed, err));
    EBB_TRY(read_count("depth", options->depth, &depth, err));
    EBB_TRY(read_count("limit", options->limit, &how->limit, err));
    how->seconds = (double)seconds;
    how->depth = (uint32_t)depth;
    how->args = options->rest;
    how->inside = options->inside;
    how->same_output = options->same_output;
    how->check = options->check;
    how->from = options->from;
    return read_strategy(options->strategy, &how->strategy, err);
}

/* ---- while it runs ---- */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal) { is_interrupted = 1; }

static bool keeps_on(void *self) { return !is_interrupted; }

/* " (N a second)", where so much time has passed that it says something. */
static const char *rate(const ses_explored *e, char *text, size_t size)
{
    static const double says_something = 0.1;
    snprintf(text, size, e->seconds < says_something ? "" : " (%.0f a second)", (double)e->nruns / e->seconds);
    return text;
}

static void show_progress(void *self, const ses_explored *e)
{
    char text[40];
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%llu runs%s, %llu distinct schedules, %llu of %llu switch points switched at  ", (unsigned long long)e->nruns,
                rate(e, text, sizeof text), (unsigned long long)e->ndistinct, (unsigned long long)e->ncovered, (unsigned long long)e->nsites);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- afterwards ---- */

static void tell_runs(const ses_explored *e)
{
    char text[40];
    printf("%llu run%s in %.1f seconds%s, %llu distinct schedule%s, %llu of %llu switch points switched at.\n", (unsigned long long)e->nruns,
           e->nruns == 1 ? "" : "s", e->seconds, rate(e, text, sizeof text), (unsigned long long)e->ndistinct, e->ndistinct == 1 ? "" : "s",
           (unsigned long long)e->ncovered, (unsigned long long)e->nsites);
}

/* A thread that an exception ended has left its frames. */
static const char *way_to_failure(enum jvm_outcome outcome)
{
    return outcome == JVM_OUTCOME_UNCAUGHT ? "`goto end`, `catch throw` and `reverse-continue` lead to where it fails" : "`goto end` is where it fails";
}

static void tell_failure(const ses_explored *e, const ses_exploration *how)
{
    printf("Run %llu failed (%s, seed %llu): %s: %s.\n", (unsigned long long)e->found_at, e->strategy, (unsigned long long)e->seed,
           jvm_outcome_word(e->outcome), e->text);
    printf("Of %zu decision%s %zu matter%s: %u switch%s, %u of them where the thread could have gone on (%llu runs to find that out).\n", e->nturns_first,
           e->nturns_first == 1 ? "" : "s", e->nturns, e->nturns == 1 ? "s" : "", e->nswitches, e->nswitches == 1 ? "" : "es", e->npreemptions,
           (unsigned long long)e->nruns_minimising);
    if (e->is_recorded)
        printf("The recording is in %s: `ebb replay %s`, and %s.\n", how->recording, how->recording, way_to_failure(e->outcome));
    else
        printf("It could not be recorded: it does not fail in the same way from the start of the program.\n");
    if (e->is_captured)
        printf("The schedule is in %s.\n", how->schedule);
}

static void tell(const ses_explored *e, const ses_exploration *how)
{
    if (e->is_found)
        tell_failure(e, how);
    else
        printf("Nothing failed%s.\n", is_interrupted ? " before it was interrupted" : e->is_complete ? ", and there is no other schedule within the bound" : "");
    tell_runs(e);
}

/* FILE.ebb is FILE.schedule then; caller frees. */
static char *schedule_beside(const char *recording)
{
    size_t n = strlen(recording);
    if (n > 4 && strcmp(recording + n - 4, ".ebb") == 0)
        n -= 4;
    return ebb_asprintf("%.*s.schedule", (int)n, recording);
}

/* Nothing is left there by that. */
static ebb_status check_can_write(const char *path, ebb_error *err)
{
    bool is_there = access(path, F_OK) == 0;
    EBB_TRY(ebb_file_check_can_write(path, err));
    if (!is_there)
        unlink(path);
    return EBB_OK;
}

/* A search may be long: where its results go is looked at before. */
static ebb_status search(const ses_exploration *how, ses_explored *found, ebb_error *err)
{
    *found = (ses_explored){0};
    EBB_TRY(check_can_write(how->recording, err));
    EBB_TRY(check_can_write(how->schedule, err));
    return ses_explore(how, found, err);
}

int cli_explore(const cli_options *options)
{
    ebb_error err;
    ses_explored found;
    ses_exploration how = {.keeps_on = keeps_on, .tell = show_progress, .recording = options->output ? options->output : "explored.ebb"};
    if (read_options(options, &how, &err) != EBB_OK) {
        fprintf(stderr, "ebb: %s\n", err.text);
        return EXIT_USAGE;
    }
    char *schedule = options->schedule ? ebb_strdup(options->schedule) : schedule_beside(how.recording);
    how.schedule = schedule;
    signal(SIGINT, interrupt);
    ebb_status status = search(&how, &found, &err);
    clear_progress();
    if (status == EBB_OK || found.is_found)
        tell(&found, &how);
    if (status != EBB_OK)
        fprintf(stderr, "ebb: %s\n", err.text);
    int told = found.is_found ? EXIT_FOUND : status != EBB_OK ? EXIT_USAGE : 0;
    ses_explored_fini(&found);
    free(schedule);
    return fflush(stdout) != 0 ? EXIT_USAGE : told;
}
