/* weave.c - the words of `ebb weave`; the work is weave/files.h. */
#include "front/cli/weave.h"

#include "weave/files.h"

static void tell(void *context, const char *text)
{
    fprintf(stderr, "ebb: %s\n", text);
}

static ebb_status weave_all(weave_job *job, char **paths, ebb_error *err)
{
    for (; *paths; paths++)
        EBB_TRY(weave_path(job, *paths, err));
    return weave_finish(job, err);
}

static void summarize(const weave_job *job)
{
    const weave_counts *c = &job->counts;
    double growth = c->nbytes_before ? (double)c->nbytes_after / (double)c->nbytes_before : 1;
    printf("%u classes, %u methods, %u ticks; class files are %.2f times as large\n", c->nclasses, c->nmethods, c->nticks, growth);
    printf("Written to %s, with the counters (" WEAVE_RUNTIME_CLASS ").\n", job->out);
}

int cli_weave(cli_options *options)
{
    ebb_vec_push(&options->only, NULL);
    ebb_vec_push(&options->except, NULL);
    weave_job job = {.out = options->output ? options->output : "woven",
                     .choice = {options->only.items, options->except.items, options->in_memory},
                     .tell = tell};
    ebb_error err;
    if (weave_all(&job, options->rest, &err) != EBB_OK) {
        fprintf(stderr, "ebb: %s\n", err.text);
        return 1;
    }
    summarize(&job);
    return fflush(stdout) != 0;
}
