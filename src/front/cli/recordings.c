/* recordings.c - see recordings.h. */
#include "front/cli/recordings.h"

#include "base/text.h"
#include "session/java/scripts.h"
#include "session/recordings.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

typedef EBB_VEC(char *) paths;

static int complain(const ebb_error *err)
{
    fprintf(stderr, "ebb: %s\n", err->text);
    return 1;
}

/* ---- listing ------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a folder whose names are those of recordings; or the file itself. */
static void collect(const char *path, paths *out)
{
    DIR *dir = opendir(path);
    size_t first = out->n;
    for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n > 4 && strcmp(e->d_name + n - 4, ".ebb") == 0)
            ebb_vec_push(out, strcmp(path, ".") == 0 ? ebb_strdup(e->d_name) : ebb_asprintf("%s/%s", path, e->d_name));
    }
    if (dir)
        closedir(dir);
    else
        ebb_vec_push(out, ebb_strdup(path));
    if (out->n > first)
        qsort(out->items + first, out->n - first, sizeof *out->items, compare);
}

static void paths_fini(paths *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->items[i]);
    ebb_vec_fini(p);
}

/* False: it is no recording. */
static bool show(FILE *to, const char *path, ebb_error *err)
{
    ses_recording r;
    char began[32];
    if (ses_recording_describe(path, &r, err) != EBB_OK)
        return false;
    time_t time = (time_t)r.began;
    strftime(began, sizeof began, "%Y-%m-%d %H:%M:%S", localtime(&time));
    fprintf(to, "%s  %s  %6llu KiB%s  %.200s\n", path, began, (unsigned long long)(r.nbytes + 1023) / 1024, r.is_damaged ? "  (ends early)" : "",
            r.command);
    ses_recording_fini(&r);
    return true;
}

int cli_ps(const cli_options *options)
{
    static char *const here[] = {".", NULL};
    paths all = {0};
    ebb_error err;
    int status = 0;
    for (char *const *at = options->rest[0] ? options->rest : here; *at; at++)
        collect(*at, &all);
    for (size_t i = 0; i < all.n; i++)
        if (!show(stdout, all.items[i], &err))
            status = complain(&err);
    if (all.n == 0)
        puts("No recordings.");
    paths_fini(&all);
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

static void tell_recorded(const char *folder, time_t since)
{
    paths all = {0};
    ebb_error err;
    size_t n = 0;
    collect(folder, &all);
    for (size_t i = 0; i < all.n; i++)
        if (changed_at(all.items[i]) >= since && show(stderr, all.items[i], &err))
            n++;
    if (n == 0)
        fputs("ebb: it started no Java program, so nothing was recorded\n", stderr);
    else
        fprintf(stderr, "ebb: %zu recording%s in %s\n", n, n == 1 ? "" : "s", folder);
    paths_fini(&all);
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
    tell_recorded(folder, began);
    free(folder);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
