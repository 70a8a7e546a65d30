/* kept_sources.c - see kept_sources.h. */
#include "session/kept_sources.h"

#include "base/map.h"
#include "time/recording_files.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_OF_ONE = 16 << 20,
    MOST_OF_ALL = 64 << 20, /* packed, a fifth of that */
};

/* ---- writing ------------------------------------------------------------------------------------ */

/* A source, or a program or library. */
static bool is_systems(const char *path)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/lib/", "/usr/bin/", "/bin/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (ebb_text_starts(path, folders[i]))
            return true;
    return false;
}

/* One that can't be read is not kept; only a recording that can't be written is a failure. */
static ebb_status put(ebb_recorder *rec, const char *path, uint64_t *nbytes, ebb_error *err)
{
    struct stat st;
    int fd = is_systems(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool fits = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= MOST_OF_ONE;
    ebb_status status = EBB_OK;
    if (fits && *nbytes + (uint64_t)st.st_size <= MOST_OF_ALL) {
        *nbytes += (uint64_t)st.st_size;
        status = ebb_recorder_put_file(rec, path, fd, err);
    }
    if (fd >= 0)
        close(fd);
    return status;
}

ebb_status ses_kept_sources_put(ebb_recorder *rec, const sym_names *paths, ebb_error *err)
{
    uint64_t nbytes = 0;
    for (size_t i = 0; i < paths->n; i++)
        EBB_TRY(put(rec, paths->items[i], &nbytes, err));
    return EBB_OK;
}

static ebb_status append(const char *recording, const sym_names *paths, ebb_error *err)
{
    ebb_recorder *rec;
    EBB_TRY(ebb_recorder_append(recording, &rec, err));
    ebb_status status = ses_kept_sources_put(rec, paths, err);
    if (status == EBB_OK)
        return ebb_recorder_close(rec, err);
    ebb_recorder_free(rec);
    return status;
}

/* The file of that name is still the one that was recorded. */
static bool is_same_file(const ebb_recorded_file *file)
{
    uint8_t first[EBB_RECORDED_FIRST_BYTES];
    int fd = open(file->name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, first, file->n_first, 0);
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)file->n_first && memcmp(first, file->first, file->n_first) == 0;
}

static void add_module(sym_table *symbols, const ebb_recorded_file *file)
{
    sym_module *module;
    bool is_elf = file->n_first > SELFMAG && memcmp(file->first, ELFMAG, SELFMAG) == 0;
    if (is_elf && !is_systems(file->name) && is_same_file(file))
        (void)!sym_table_add(symbols, file->name, 0, &module, NULL); /* without symbols it has no sources */
}

static ebb_status read_modules(const char *recording, sym_table *symbols, ebb_error *err)
{
    ebb_recording *r;
    ebb_recorded_files files;
    EBB_TRY(ebb_recording_open(recording, &r, err));
    ebb_status status = ebb_recorded_files_read(r, &files, err);
    for (size_t i = 0; i < files.n; i++)
        add_module(symbols, &files.items[i]);
    ebb_recorded_files_fini(&files);
    ebb_recording_free(r);
    return status;
}

ebb_status ses_kept_sources_add(const char *recording, ebb_error *err)
{
    sym_table *symbols = sym_table_new();
    sym_names paths = {0};
    ebb_status status = read_modules(recording, symbols, err);
    if (status == EBB_OK)
        sym_source_files(symbols, NULL, &paths);
    if (paths.n)
        status = append(recording, &paths, err);
    ebb_vec_fini(&paths);
    sym_table_free(symbols);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------ */

struct ses_kept_sources {
    ebb_recording *recording; /* NULL: it can't be read */
    ebb_recorded_files files;
    ebb_map *by_name; /* path -> ebb_recorded_file; the last of that name */
};

static struct ses_kept_sources *kept(session *s)
{
    if (s->kept_sources || !s->replay)
        return s->kept_sources;
    struct ses_kept_sources *k = s->kept_sources = EBB_NEW(struct ses_kept_sources);
    k->by_name = ebb_map_new();
    if (ebb_recording_open(s->replay, &k->recording, NULL) != EBB_OK)
        return k;
    (void)!ebb_recorded_files_read(k->recording, &k->files, NULL); /* those before a damaged one are good */
    for (size_t i = 0; i < k->files.n; i++)
        ebb_map_set(k->by_name, k->files.items[i].name, &k->files.items[i]);
    return k;
}

void ses_kept_sources_fini(session *s)
{
    struct ses_kept_sources *k = s->kept_sources;
    if (!k)
        return;
    ebb_map_free(k->by_name);
    ebb_recorded_files_fini(&k->files);
    ebb_recording_free(k->recording);
    free(k);
    s->kept_sources = NULL;
}

static char *read_all(int fd, uint64_t nbytes)
{
    char *text = ebb_alloc(nbytes + 1);
    ssize_t n = pread(fd, text, nbytes, 0);
    text[n > 0 ? n : 0] = '\0';
    if (n == (ssize_t)nbytes)
        return text;
    free(text);
    return NULL;
}

char *ses_kept_source_read(session *s, const char *path, size_t *nbytes)
{
    struct ses_kept_sources *k = kept(s);
    const ebb_recorded_file *file = k ? ebb_map_get(k->by_name, path) : NULL;
    if (!file || file->nbytes > MOST_OF_ONE)
        return NULL;
    char *text = NULL;
    int fd = memfd_create("source", MFD_CLOEXEC);
    if (fd >= 0 && ebb_recorded_file_write(k->recording, file, fd, NULL) == EBB_OK)
        text = read_all(fd, file->nbytes);
    if (fd >= 0)
        close(fd);
    *nbytes = (size_t)file->nbytes;
    return text;
}

const char *ses_kept_source_find(session *s, const char *relative)
{
    const struct ses_kept_sources *k = kept(s);
    size_t n = strlen(relative);
    for (size_t i = 0; k && i < k->files.n; i++) {
        const char *name = k->files.items[i].name;
        size_t n_name = strlen(name);
        if (n_name > n && name[n_name - n - 1] == '/' && strcmp(name + n_name - n, relative) == 0)
            return name;
    }
    return NULL;
}
