/* source.c - see source.h. */
#include "session/source.h"
#include "session/archives.h"
#include "session/kept_sources.h"
#include "session/language.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SOURCE = 64 << 20 }; /* nobody reads a longer one */

struct ses_source_file {
    char *text; /* lines end in NUL; NULL if the file isn't there */
    EBB_VEC(char *) lines;
    struct timespec mtime;
    bool is_kept; /* it comes from the recording, and stays as it is */
    bool is_as_on_disk; /* ... and was the file's when it was read */
};

void ses_sources_init(session *s)
{
    s->sources = ebb_map_new();
}

static void file_free(ses_source_file *f)
{
    free(f->text);
    ebb_vec_fini(&f->lines);
    free(f);
}

void ses_sources_fini(session *s)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(s->sources, &at, &entry);)
        file_free(entry.value);
    ebb_map_free(s->sources);
    ses_archives_fini(s);
    ses_kept_sources_fini(s);
}

/* ---- finding -------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* `substitute-path`: "FROM TO". */
static char *substituted(session *s, const char *file)
{
    const char *rule = ses_setting_text(s, "substitute-path");
    size_t n = strcspn(rule, " ");
    const char *to = ebb_text_skip_space(rule + n);
    if (n == 0 || *to == '\0' || strncmp(file, rule, n) != 0 || (file[n] != '/' && file[n] != '\0'))
        return ebb_strdup(file);
    return ebb_asprintf("%.*s%s", (int)strcspn(to, " "), to, file + n);
}

/* Looks for the file's name, then its last component, in each directory of the setting. */
static char *search_directories(session *s, const char *file)
{
    for (const char *at = ses_setting_text(s, "directories"); *at;) {
        size_t n = strcspn(at, ":");
        const char *names[] = {file[0] == '/' ? file + 1 : file, ebb_path_base(file)};
        for (size_t i = 0; i < 2 && at[0] != '$'; i++) {
            char *path = ebb_asprintf("%.*s/%s", (int)n, at, names[i]);
            if (is_file(path))
                return path;
            free(path);
        }
        bool is_full = file[0] == '/'; /* another file of that name is no answer for one with a package */
        if (strncmp(at, "$cwd", 4) == 0 && is_full && is_file(ebb_path_base(file)))
            return ebb_strdup(ebb_path_base(file));
        at += n + (at[n] == ':');
    }
    return NULL;
}

static char *find_file(session *s, const char *file)
{
    char *path = substituted(s, file);
    if (is_file(path) || ses_archive_names(path))
        return path;
    free(path);
    return search_directories(s, file);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void split_lines(ses_source_file *f, size_t nbytes)
{
    char *end = f->text + nbytes;
    for (char *line = f->text; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (newline)
            *newline = '\0';
        ebb_vec_push(&f->lines, line);
        line = newline ? newline + 1 : end;
    }
}

static void read_packed(session *s, ses_source_file *f, const char *path)
{
    size_t n;
    f->text = ses_archive_read(s, path, &n);
    if (f->text)
        split_lines(f, strlen(f->text));
}

static void read_text(ses_source_file *f, const char *path)
{
    FILE *in = fopen(path, "re");
    struct stat st;
    if (!in)
        return;
    if (fstat(fileno(in), &st) == 0 && st.st_size <= MAX_SOURCE) {
        f->text = ebb_alloc((size_t)st.st_size + 1);
        size_t n = fread(f->text, 1, (size_t)st.st_size, in);
        f->text[n] = '\0';
        f->mtime = st.st_mtim;
        split_lines(f, n);
    }
    fclose(in);
}

static bool is_current(const ses_source_file *f, const char *path)
{
    struct stat st;
    if (f->is_kept || ses_archive_names(path))
        return true; /* AC1 */
    return stat(path, &st) == 0 && st.st_mtim.tv_sec == f->mtime.tv_sec &&
           st.st_mtim.tv_nsec == f->mtime.tv_nsec;
}

static bool is_text_of(const char *path, const char *text, size_t nbytes)
{
    FILE *in = is_file(path) ? fopen(path, "re") : NULL;
    char *bytes = ebb_alloc(nbytes + 1);
    bool same = in && fread(bytes, 1, nbytes + 1, in) == nbytes && memcmp(bytes, text, nbytes) == 0;
    if (in)
        fclose(in);
    free(bytes);
    return same;
}

/* KS2 */
static const ses_source_file *open_kept(session *s, const char *file)
{
    size_t n;
    ses_source_file *f = ebb_map_get(s->sources, file);
    if (f)
        return f->is_kept ? f : NULL;
    char *text = ses_kept_source_read(s, file, &n);
    if (!text)
        return NULL;
    f = EBB_NEW(ses_source_file);
    f->text = text;
    f->is_kept = true;
    f->is_as_on_disk = is_text_of(file, text, n);
    split_lines(f, n);
    ebb_map_set(s->sources, file, f);
    return f;
}

static const ses_source_file *open_source(session *s, const char *file)
{
    const ses_source_file *kept = open_kept(s, file);
    char *path = kept ? NULL : find_file(s, file);
    if (!path)
        return kept;
    ses_source_file *f = ebb_map_get(s->sources, path);
    if (f && !is_current(f, path)) {
        ebb_map_remove(s->sources, path);
        file_free(f);
        f = NULL;
    }
    if (!f) {
        f = EBB_NEW(ses_source_file);
        if (ses_archive_names(path))
            read_packed(s, f, path);
        else
            read_text(f, path);
        ebb_map_set(s->sources, path, f);
    }
    free(path);
    return f->text ? f : NULL;
}

const char *ses_source_text(session *s, const char *file, unsigned line)
{
    const ses_source_file *f = file ? open_source(s, file) : NULL;
    return f && line >= 1 && line <= f->lines.n ? f->lines.items[line - 1] : NULL;
}

bool ses_source_is_as_on_disk(session *s, const char *file)
{
    const ses_source_file *kept = open_kept(s, file);
    return !kept || kept->is_as_on_disk;
}

bool ses_source_count(session *s, const char *file, unsigned *n)
{
    const ses_source_file *f = open_source(s, file);
    if (f)
        *n = (unsigned)f->lines.n;
    return f != NULL;
}

const char *ses_source_name(session *s, const char *file)
{
    return s->language->source_name(s, file);
}
