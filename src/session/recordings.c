/* recordings.c - see recordings.h. */
#include "session/recordings.h"

#include "base/buf.h"
#include "base/text.h"
#include "session/kept_sources.h"
#include "time/recording_about.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The launcher of Java tells its machine what it runs, without options. */
static const char *java_command(const ebb_about *about)
{
    static const char prefix[] = "option=-Dsun.java.command=";
    for (size_t i = 0; i < about->facts.n; i++)
        if (strncmp(about->facts.items[i], prefix, sizeof prefix - 1) == 0)
            return about->facts.items[i] + sizeof prefix - 1;
    return NULL;
}

static char *command_of(const ebb_about *about)
{
    const char *java = java_command(about);
    if (java)
        return ebb_strdup(java);
    ebb_buf text = {0};
    for (size_t i = 0; i < about->args.n; i++)
        ebb_buf_addf(&text, "%s%s", i ? " " : "", about->args.items[i]);
    char *command = ebb_strdup(ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return command;
}

static int64_t number_of(const ebb_about *about, const char *name)
{
    const char *text = ebb_about_fact(about, name);
    uint64_t value;
    return text && ebb_text_to_u64(text, &value) && value <= INT64_MAX ? (int64_t)value : 0;
}

static ses_recording describe(const char *path, const ebb_about *about, const ebb_recording_extent *extent)
{
    struct stat st;
    return (ses_recording){
        .path = ebb_strdup(path),
        .command = command_of(about),
        .began = about->began,
        .nbytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0,
        .end = extent->last_timestamp,
        .is_damaged = extent->damage != NULL,
        .pid = number_of(about, "pid"),
        .parent = number_of(about, "parent"),
        .program_number = (unsigned)number_of(about, "program-number"),
    };
}

ebb_status ses_recording_describe(const char *path, ses_recording *out, ebb_error *err)
{
    ebb_recording *r;
    ebb_about about;
    ebb_recording_extent extent;
    EBB_TRY(ebb_recording_open(path, &r, err));
    ebb_recording_get_extent(r, &extent);
    ebb_status status = ebb_about_read(r, &about, err);
    if (status == EBB_OK) {
        *out = describe(path, &about, &extent);
        out->has_ended = ebb_recording_find_exit(r, &out->status);
    }
    ebb_about_fini(&about);
    ebb_recording_free(r);
    return status;
}

void ses_recording_fini(ses_recording *r)
{
    free(r->path);
    free(r->command);
}

bool ses_recording_has_ended(const char *path)
{
    ses_recording r;
    if (ses_recording_describe(path, &r, NULL) != EBB_OK)
        return false;
    bool has = r.has_ended && !r.is_damaged;
    ses_recording_fini(&r);
    return has;
}

/* ---- files ---------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void ses_recording_files(const char *folder, ses_paths *out)
{
    DIR *dir = opendir(folder);
    size_t first = out->n;
    for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;)
        if (ends_with(e->d_name, ".ebb"))
            ebb_vec_push(out, strcmp(folder, ".") == 0 ? ebb_strdup(e->d_name) : ebb_asprintf("%s/%s", folder, e->d_name));
    if (dir)
        closedir(dir);
    if (out->n > first)
        qsort(out->items + first, out->n - first, sizeof *out->items, compare_texts);
}

void ses_paths_fini(ses_paths *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->items[i]);
    ebb_vec_fini(p);
}

/* ---- those of one run ------------------------------------------------------------------------------ */

char *ses_tree_folder(const char *path)
{
    return ebb_asprintf("%s.d", path);
}

void ses_tree_files(const char *path, ses_paths *out)
{
    struct stat st;
    char *folder = ses_tree_folder(path);
    ebb_vec_push(out, ebb_strdup(path));
    if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode))
        ses_recording_files(folder, out);
    free(folder);
}

size_t ses_tree_count(const char *path)
{
    ses_paths all = {0};
    ses_tree_files(path, &all);
    size_t n = all.n - 1;
    ses_paths_fini(&all);
    return n;
}

void ses_tree_clear(const char *path)
{
    ses_paths all = {0};
    ses_tree_files(path, &all);
    for (size_t i = 1; i < all.n; i++)
        unlink(all.items[i]);
    ses_paths_fini(&all);
    char *folder = ses_tree_folder(path);
    rmdir(folder); /* what else is there stays */
    free(folder);
}

ebb_status ses_tree_keep_sources(const char *path, ebb_error *err)
{
    ebb_status status = EBB_OK;
    ses_paths all = {0};
    ses_tree_files(path, &all);
    for (size_t i = 0; status == EBB_OK && i < all.n; i++)
        if (ses_recording_has_ended(all.items[i]))
            status = ses_kept_sources_add(all.items[i], err);
    ses_paths_fini(&all);
    return status;
}

/* "123" or "123.2". */
static bool read_wish(const char *text, int64_t *pid, unsigned *program)
{
    char *end;
    *pid = strtoll(text, &end, 10);
    *program = 0;
    if (*end == '.')
        *program = (unsigned)strtoul(end + 1, &end, 10);
    return *end == '\0' && *pid > 0;
}

static unsigned program_of(const ses_recording *r)
{
    return r->program_number ? r->program_number : 1;
}

ebb_status ses_tree_find(const char *path, const char *text, char **found, ebb_error *err)
{
    int64_t pid;
    unsigned wish, best = 0;
    ses_paths all = {0};
    *found = NULL;
    if (!read_wish(text, &pid, &wish))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.40s\" is no process of a recording: `ebb ps` tells which there are.", text);
    ses_tree_files(path, &all);
    for (size_t i = 0; i < all.n; i++) {
        ses_recording r;
        if (ses_recording_describe(all.items[i], &r, NULL) != EBB_OK)
            continue;
        if (r.pid == pid && (wish ? program_of(&r) == wish : program_of(&r) > best)) {
            free(*found);
            *found = ebb_strdup(r.path);
            best = program_of(&r);
        }
        ses_recording_fini(&r);
    }
    ses_paths_fini(&all);
    return *found ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No process %s was recorded: `ebb ps %s` tells which were.", text, path);
}
