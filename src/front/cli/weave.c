/* weave.c - the words of `ebb weave`; the work is weave/. */
#include "front/cli/weave.h"

#include "base/text.h"
#include "front/cli/schedule.h"
#include "weave/files.h"
#include "weave/replay.h"
#include "weave/timestamp.h"

#include <string.h>

static void tell(void *context, const char *text)
{
    fprintf(stderr, "ebb: %s\n", text);
}

static int complain(const ebb_error *err)
{
    fprintf(stderr, "ebb: %s\n", err->text);
    return 1;
}

static ebb_status weave_all(weave_job *job, char **paths, ebb_error *err)
{
    for (; *paths; paths++)
        EBB_TRY(weave_path(job, *paths, err));
    return job->out ? weave_finish(job, err) : EBB_OK;
}

/* ---- timestamps ---- */

typedef struct timestamps {
    weave_choice choice;
    weave_counts counts;
} timestamps;

static ebb_status put_ticks(void *work, const char *name, weave_span bytes, ebb_buf *out, ebb_error *err)
{
    timestamps *t = work;
    weave_counts before = t->counts;
    ebb_status status = weave_timestamp(bytes, &t->choice, out, &t->counts, err);
    if (status != EBB_OK)
        t->counts = before;
    if (t->counts.nleft > before.nleft)
        fprintf(stderr, "ebb: %s: %u of its methods would get too long and stay as they are\n", name, t->counts.nleft - before.nleft);
    return status;
}

static void summarize(const weave_job *job, const weave_counts *c)
{
    double growth = c->nbytes_before ? (double)c->nbytes_after / (double)c->nbytes_before : 1;
    printf("%u classes, %u methods, %u ticks; class files are %.2f times as large\n", c->nclasses, c->nmethods, c->nticks, growth);
    printf("Written to %s, with the counters (" WEAVE_RUNTIME_CLASS ").\n", job->out);
}

static int weave_timestamps(cli_options *options)
{
    ebb_vec_push(&options->only, NULL);
    ebb_vec_push(&options->except, NULL);
    timestamps work = {.choice = {options->only.items, options->except.items, options->in_memory}};
    weave_job job = {.out = options->output ? options->output : "woven", .transformer = {put_ticks, &work, weave_runtime}, .tell = tell};
    ebb_error err;
    if (weave_all(&job, options->rest, &err) != EBB_OK)
        return complain(&err);
    summarize(&job, &work.counts);
    return fflush(stdout) != 0;
}

/* ---- replay ---- */

typedef struct replaying {
    weave_replay replay;
    bool has_failed;      /* a class that the schedule needs can't be woven */
} replaying;

static ebb_status look(void *work, const char *name, weave_span bytes, ebb_buf *out, ebb_error *err)
{
    return weave_replay_look(&((replaying *)work)->replay, bytes, err);
}

static void tell_lines(const ebb_buf *left)
{
    char *copy = ebb_strndup(left->data ? left->data : "", left->n), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        tell(NULL, line);
    free(copy);
}

static ebb_status put_schedule(void *work, const char *name, weave_span bytes, ebb_buf *out, ebb_error *err)
{
    replaying *w = work;
    ebb_buf left = {0};
    ebb_status status = weave_replay_class(&w->replay, bytes, out, &left, err);
    tell_lines(&left);
    ebb_buf_fini(&left);
    w->has_failed = w->has_failed || (status != EBB_OK && status != EBB_BAD_FILE);
    return status;
}

static bool check_places(replaying *w)
{
    sched_complaints all = {0};
    ebb_status status = weave_replay_check(&w->replay, &all);
    return cli_schedule_told(w->replay.file, &all, status) == EBB_OK;
}

static int weave_in_two_passes(cli_options *options, replaying *w)
{
    weave_job first = {.transformer = {look, w, NULL}, .tell = tell};
    ebb_error err;
    if (weave_all(&first, options->rest, &err) != EBB_OK)
        return complain(&err);
    if (!check_places(w))
        return 1;
    weave_job second = {.out = options->output ? options->output : "woven",
                        .transformer = {put_schedule, w, weave_replay_runtime_of(&w->replay)}, .tell = tell};
    if (weave_all(&second, options->rest, &err) != EBB_OK)
        return complain(&err);
    const weave_replay_counts *c = &w->replay.counts;
    printf("%u of %u class%s changed: %u place%s of the schedule, %u call%s\n", c->nchanged, c->nclasses, c->nclasses == 1 ? "" : "es", c->nplaces,
           c->nplaces == 1 ? "" : "s", c->ncalls, c->ncalls == 1 ? "" : "s");
    printf("Written to %s, with the schedule and the replay engine (" WEAVE_ENGINE "Replay).\n", second.out);
    return fflush(stdout) != 0 || w->has_failed;
}

static int weave_schedule(cli_options *options)
{
    sched_schedule schedule = {0};
    char *files[] = {(char *)(uintptr_t)options->schedule, NULL};
    int status = 1;
    if (cli_schedule_read(files, &schedule)) {
        replaying w = {0};
        weave_replay_init(&w.replay, &schedule, options->schedule);
        status = weave_in_two_passes(options, &w);
        weave_replay_fini(&w.replay);
    }
    sched_fini(&schedule);
    return status;
}

/* ---- both ---- */

bool cli_weave_has(const char *kind)
{
    return kind && (strcmp(kind, "timestamp") == 0 || strcmp(kind, "replay") == 0);
}

int cli_weave(cli_options *options)
{
    return strcmp(options->kind, "replay") == 0 ? weave_schedule(options) : weave_timestamps(options);
}
