/* recordings.c - see recordings.h. */
#include "front/cli/recordings.h"

#include "base/text.h"
#include "session/java/scripts.h"
#include "session/recordings.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static int complain(const ebb_error *err)
{
    fprintf(stderr, "ebb: %s\n", err->text);
    return 1;
}

/* ---- a tree of processes -------------------------------------------------------------------------- */

typedef EBB_VEC(ses_recording) recordings;

/* The programs of a process stand together. */
static int by_process(const void *a, const void *b)
{
    const ses_recording *x = a, *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->program_number != y->program_number)
        return x->program_number < y->program_number ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* False: something there is no recording. */
static bool describe_all(const ses_paths *paths, recordings *out)
{
    ebb_error err;
    bool are_all = true;
    for (size_t i = 0; i < paths->n; i++) {
        ses_recording r;
        if (ses_recording_describe(paths->items[i], &r, &err) == EBB_OK) {
            ebb_vec_push(out, r);
        } else {
            complain(&err);
            are_all = false;
        }
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_process);
    return are_all;
}

/* The process went on with the next program of the list. */
static bool has_executed(const recordings *all, const ses_recording *r)
{
    for (size_t i = 0; i < all->n; i++)
        if (r->pid && all->items[i].pid == r->pid && all->items[i].program_number == r->program_number + 1)
            return true;
    return false;
}

static char *how_it_ended(const recordings *all, const ses_recording *r)
{
    const char *name = r->has_ended && r->status < 0 ? sigabbrev_np((int)-r->status) : NULL;
    if (name)
        return ebb_asprintf("killed by SIG%s", name);
    if (r->has_ended)
        return ebb_asprintf(r->status < 0 ? "killed by signal %d" : "exited %d", (int)(r->status < 0 ? -r->status : r->status));
    return ebb_strdup(has_executed(all, r) ? "executed" : "ends early");
}

static void show(FILE *to, const recordings *all, const ses_recording *r, int depth)
{
    char began[32], pid[32] = "-", parent[32] = "-", *ended = how_it_ended(all, r);
    time_t time = (time_t)r->began;
    strftime(began, sizeof began, "%Y-%m-%d %H:%M:%S", localtime(&time));
    if (r->program_number > 1 || has_executed(all, r))
        snprintf(pid, sizeof pid, "%lld.%u", (long long)r->pid, r->program_number);
    else if (r->pid)
        snprintf(pid, sizeof pid, "%lld", (long long)r->pid);
    if (r->parent)
        snprintf(parent, sizeof parent, "%lld", (long long)r->parent);
    fprintf(to, "%s  %s  %6llu KiB  %-8s  %-8s  %-14s  %*s%.200s\n", r->path, began, (unsigned long long)(r->nbytes + 1023) / 1024, pid, parent, ended,
            2 * depth, "", r->command);
    free(ended);
}

static bool is_listed(const recordings *all, int64_t pid)
{
    for (size_t i = 0; i < all->n; i++)
        if (pid && all->items[i].pid == pid)
            return true;
    return false;
}

static bool is_same_process(const ses_recording *a, const ses_recording *b)
{
    return a->pid && a->pid == b->pid;
}

/* The first program of each process, in the order in which they began. */
typedef EBB_VEC(const ses_recording *) heads_of;

static int by_time(const void *a, const void *b)
{
    const ses_recording *x = *(const ses_recording *const *)a, *y = *(const ses_recording *const *)b;
    if (x->began != y->began)
        return x->began < y->began ? -1 : 1;
    return by_process(x, y);
}

static heads_of find_heads(const recordings *all)
{
    heads_of found = {0};
    for (size_t i = 0; i < all->n; i++)
        if (i == 0 || !is_same_process(&all->items[i - 1], &all->items[i]))
            ebb_vec_push(&found, &all->items[i]);
    if (found.n)
        qsort(found.items, found.n, sizeof *found.items, by_time);
    return found;
}

/* The children of a process, each with its own; of 0: those whose parents are not there. */
static void show_children(FILE *to, const recordings *all, const heads_of *heads, int64_t of, int depth)
{
    enum { DEEPEST = 100 };
    for (size_t i = 0; i < heads->n && depth < DEEPEST; i++) {
        const ses_recording *head = heads->items[i], *end = all->items + all->n;
        if (of ? head->parent != of : is_listed(all, head->parent))
            continue;
        for (const ses_recording *r = head; r < end && (r == head || is_same_process(r, head)); r++)
            show(to, all, r, depth);
        if (head->pid)
            show_children(to, all, heads, head->pid, depth + 1);
    }
}

static void show_all(FILE *to, const recordings *all)
{
    heads_of heads = find_heads(all);
    if (all->n)
        fprintf(to, "FILE, BEGAN, SIZE, PID, PARENT, ENDED, COMMAND\n");
    show_children(to, all, &heads, 0, 0);
    ebb_vec_fini(&heads);
}

static void recordings_fini(recordings *all)
{
    for (size_t i = 0; i < all->n; i++)
        ses_recording_fini(&all->items[i]);
    ebb_vec_fini(all);
}

/* ---- listing ------------------------------------------------------------------------------------- */

/* The files of a folder; or a file with all that were recorded with it. */
static void collect(const char *path, ses_paths *out)
{
    struct stat st;
    ses_paths files = {0};
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        ses_tree_files(path, out);
        return;
    }
    ses_recording_files(path, &files);
    for (size_t i = 0; i < files.n; i++)
        ses_tree_files(files.items[i], out);
    ses_paths_fini(&files);
}

int cli_ps(const cli_options *options)
{
    static char *const here[] = {".", NULL};
    ses_paths files = {0};
    recordings all = {0};
    for (char *const *at = options->rest[0] ? options->rest : here; *at; at++)
        collect(*at, &files);
    int status = describe_all(&files, &all) ? 0 : 1;
    show_all(stdout, &all);
    if (files.n == 0)
        puts("No recordings.");
    ses_paths_fini(&files);
    recordings_fini(&all);
    return status;
}

/* ---- making -------------------------------------------------------------------------------------- */

int cli_jdk(const cli_options *options)
{
    ebb_error err;
    if (!options->rest[0] || options->rest[1]) {
        fputs("ebb: Where to?  ebb jdk DIR\n", stderr);
        return 2;
    }
    if (ses_make_jdk(options->rest[0], &err) != EBB_OK)
        return complain(&err);
    printf("Programs run by %s/bin/java are on ebb's Java machine; EBB_RECORD_DIR=DIR records them.\n", options->rest[0]);
    return 0;
}

static time_t changed_at(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_mtime : 0;
}

/* Only Java programs of a script are looked for. */
static void tell_nothing_recorded(const char *script)
{
    fprintf(stderr, "ebb: it started no Java program, so nothing was recorded; its native programs are by `ebb record SHELL %s`\n", script);
}

static void tell_recorded(const cli_options *options, const char *folder, time_t since)
{
    ses_paths files = {0};
    recordings all = {0};
    ses_recording_files(folder, &files);
    for (size_t i = files.n; i-- > 0;)
        if (changed_at(files.items[i]) < since) {
            free(files.items[i]);
            ebb_vec_remove(&files, i);
        }
    (void)describe_all(&files, &all);
    show_all(stderr, &all);
    if (all.n == 0)
        tell_nothing_recorded(options->rest[0]);
    else
        fprintf(stderr, "ebb: %zu recording%s in %s\n", all.n, all.n == 1 ? "" : "s", folder);
    ses_paths_fini(&files);
    recordings_fini(&all);
}

int cli_record_script(const cli_options *options)
{
    ebb_error err;
    int status;
    time_t began = time(NULL);
    char *folder = options->output ? ebb_strdup(options->output) : ebb_asprintf("%s.ebb.d", ebb_path_base(options->rest[0]));
    if (ses_record_script(options->rest, folder, options->verify, &status, &err) != EBB_OK) {
        free(folder);
        return complain(&err);
    }
    tell_recorded(options, folder, began);
    free(folder);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
