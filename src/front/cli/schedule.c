/* schedule.c - the words of `ebb schedule`; the work is schedule/. */
#include "front/cli/schedule.h"

#include "base/file.h"
#include "schedule/convert.h"
#include "schedule/trace.h"

#include <string.h>

typedef struct work {
    cli_options *options;
    sched_schedule schedule; /* of all files, one after another */
    ebb_buf out;
} work;

static void tell(const char *path, const sched_complaints *all)
{
    for (size_t i = 0; i < all->list.n; i++) {
        const sched_complaint *one = &all->list.items[i];
        fprintf(stderr, "%s:%u: %s\n", one->file ? one->file : path, one->line, one->text);
    }
}

ebb_status cli_schedule_told(const char *path, sched_complaints *all, ebb_status status)
{
    tell(path, all);
    sched_complaints_fini(all);
    return status;
}

static int complain(const ebb_error *err)
{
    fprintf(stderr, "ebb: %s\n", err->text);
    return 1;
}

typedef ebb_status reader(sched_schedule *s, const char *text, size_t nbytes, sched_complaints *all);

enum { MOST_BYTES = 1 << 28 };

/* False: it has been told. */
static bool read_with(work *w, const char *path, reader *read)
{
    ebb_buf text = {0};
    ebb_error err;
    sched_complaints all = {0};
    if (ebb_file_read_up_to(path, MOST_BYTES, &text, &err) != EBB_OK) {
        complain(&err);
        return false;
    }
    w->schedule.file = path;
    ebb_status status = cli_schedule_told(path, &all, read(&w->schedule, ebb_buf_text(&text), text.n, &all));
    ebb_buf_fini(&text);
    return status == EBB_OK;
}

/* All files, the later ones as further sections of the first. */
static bool read_schedule(work *w)
{
    bool good = true;
    for (char **path = w->options->rest; *path; path++)
        good = read_with(w, *path, sched_parse_text) && good;
    sched_complaints all = {0};
    return good && cli_schedule_told(w->options->rest[0], &all, sched_check(&w->schedule, &all)) == EBB_OK;
}

static int write_out(work *w)
{
    const char *path = w->options->output;
    FILE *to = path ? fopen(path, "w") : stdout;
    if (to)
        fwrite(ebb_buf_text(&w->out), 1, w->out.n, to);
    if (to && !(to == stdout ? fflush(to) : fclose(to)))
        return 0;
    fprintf(stderr, "ebb: %s: can't be written\n", path ? path : "standard output");
    return 1;
}

/* A schedule with switches: the one that was read, or its conversion. */
static bool make_switches(work *w)
{
    sched_schedule switches = {0};
    sched_complaints all = {0};
    ebb_error err;
    if (!w->schedule.is_messages)
        return true;
    ebb_status status = sched_to_switches(&w->schedule, &switches, &all, &err);
    if (status != EBB_OK && !all.list.n)
        complain(&err);
    cli_schedule_told(w->options->rest[0], &all, status);
    sched_fini(&w->schedule);
    w->schedule = switches;
    return status == EBB_OK;
}

bool cli_schedule_read(char **files, sched_schedule *schedule)
{
    cli_options options = {.rest = files};
    work w = {.options = &options};
    bool good = read_schedule(&w) && make_switches(&w);
    *schedule = w.schedule;
    return good;
}

/* ---- what can be done ---- */

static void add_count(ebb_buf *out, size_t n, const char *what) { ebb_buf_addf(out, "%zu %s%s, ", n, what, n == 1 ? "" : "s"); }

static int check(work *w)
{
    size_t events = 0;
    if (!read_schedule(w))
        return 1;
    for (size_t i = 0; i < w->schedule.commands.n; i++)
        events += sched_rows[w->schedule.commands.items[i].kind].role == SCHED_IS_EVENT;
    if (w->schedule.is_messages) { /* can the messages arrive? */
        sched_schedule copy = {0};
        sched_complaints all = {0};
        ebb_status status = sched_to_switches(&w->schedule, &copy, &all, NULL);
        bool never = all.list.n > 0;
        cli_schedule_told(w->options->rest[0], &all, status);
        sched_fini(&copy);
        if (never)
            return 1;
    }
    ebb_buf_addf(&w->out, "%s: good; ", w->options->rest[0]);
    add_count(&w->out, w->schedule.commands.n, "command");
    add_count(&w->out, events, "event");
    add_count(&w->out, sched_nthreads(&w->schedule), "thread");
    ebb_buf_addf(&w->out, "in %s\n", w->schedule.is_messages ? "messages" : "switches");
    return write_out(w);
}

static int convert(work *w)
{
    ebb_error err;
    sched_schedule made = {0};
    if (!read_schedule(w))
        return 1;
    if (w->schedule.is_messages) {
        if (!make_switches(w))
            return 1;
    } else {
        if (sched_to_messages(&w->schedule, &made, &err) != EBB_OK)
            return complain(&err);
        sched_fini(&w->schedule);
        w->schedule = made;
    }
    sched_write(&w->out, &w->schedule);
    return write_out(w);
}

static int show(work *w)
{
    if (!read_schedule(w) || !make_switches(w))
        return 1;
    sched_draw(&w->out, &w->schedule);
    return write_out(w);
}

static int import(work *w)
{
    if (w->options->rest[1]) {
        fprintf(stderr, "ebb: a schedule is made of one trace; %s is another\n", w->options->rest[1]);
        return 1;
    }
    if (!read_with(w, w->options->rest[0], sched_import_trace))
        return 1;
    sched_write(&w->out, &w->schedule);
    return write_out(w);
}

static const struct { const char *word; int (*does)(work *w); } kinds[] = {
    {"check", check}, {"convert", convert}, {"show", show}, {"import", import},
};

static int (*find(const char *word))(work *)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (word && strcmp(kinds[i].word, word) == 0)
            return kinds[i].does;
    return NULL;
}

bool cli_schedule_has(const char *kind)
{
    return find(kind) != NULL;
}

int cli_schedule(cli_options *options)
{
    work w = {.options = options};
    int status = find(options->kind)(&w);
    sched_fini(&w.schedule);
    ebb_buf_fini(&w.out);
    return status;
}
