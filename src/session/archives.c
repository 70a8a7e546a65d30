/* archives.c - see archives.h. */
#include "session/archives.h"

#include "base/map.h"
#include "weave/zip.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = "!/";

struct ses_archive {
    void *bytes; /* mapped; NULL: it is not there, or no archive */
    size_t nbytes;
    weave_zip zip;
    ebb_map *by_name; /* the part of a path after its last slash -> 1 + index of the last entry that has it */
    EBB_VEC(size_t) same_name; /* of each entry, the same of the one before it */
    ebb_map *found;   /* what was looked for -> name */
};

/* ---- opening ------------------------------------------------------------------------------------ */

static bool map_file(struct ses_archive *a, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fits = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= UINT32_MAX;
    void *at = fits ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (at == MAP_FAILED)
        return false;
    a->bytes = at;
    a->nbytes = (size_t)st.st_size;
    return true;
}

static void index_names(struct ses_archive *a)
{
    a->by_name = ebb_map_new();
    for (size_t i = 0; i < a->zip.entries.n; i++) {
        const char *name = ebb_path_base(a->zip.entries.items[i].name);
        ebb_vec_push(&a->same_name, (size_t)(uintptr_t)ebb_map_get(a->by_name, name));
        ebb_map_set(a->by_name, name, (void *)(uintptr_t)(i + 1));
    }
}

static void close_archive(struct ses_archive *a)
{
    weave_zip_fini(&a->zip);
    ebb_vec_fini(&a->same_name);
    ebb_map_free(a->by_name);
    ebb_map_free(a->found);
    if (a->bytes)
        munmap(a->bytes, a->nbytes);
    a->bytes = NULL;
}

static struct ses_archive *open_archive(session *s, const char *path)
{
    if (!s->archives)
        s->archives = ebb_map_new();
    struct ses_archive *a = ebb_map_get(s->archives, path);
    if (a)
        return a->bytes ? a : NULL;
    a = EBB_NEW(struct ses_archive);
    a->found = ebb_map_new();
    ebb_map_set(s->archives, path, a);
    if (!map_file(a, path))
        return NULL;
    if (weave_zip_read(&a->zip, (weave_span){a->bytes, (uint32_t)a->nbytes}, NULL) == EBB_OK) {
        index_names(a);
        return a;
    }
    munmap(a->bytes, a->nbytes);
    a->bytes = NULL;
    return NULL;
}

void ses_archives_fini(session *s)
{
    ebb_map_entry entry;
    for (size_t at = 0; s->archives && ebb_map_next(s->archives, &at, &entry);) {
        close_archive(entry.value);
        free(entry.value);
    }
    ebb_map_free(s->archives);
}

/* ---- finding and reading ------------------------------------------------------------------------ */

static bool ends_with(const char *path, const char *relative)
{
    size_t n = strlen(path), m = strlen(relative);
    return n >= m && strcmp(path + n - m, relative) == 0 && (n == m || path[n - m - 1] == '/');
}

static const weave_entry *find_entry(const struct ses_archive *a, const char *relative)
{
    size_t i = (size_t)(uintptr_t)ebb_map_get(a->by_name, ebb_path_base(relative));
    for (; i > 0; i = a->same_name.items[i - 1])
        if (ends_with(a->zip.entries.items[i - 1].name, relative))
            return &a->zip.entries.items[i - 1];
    return NULL;
}

char *ses_archive_name(const char *archive, const char *entry)
{
    return ebb_asprintf("%s%s%s", archive, mark, entry);
}

const char *ses_archive_next(session *s, const char *archive, const char *prefix, size_t *at)
{
    const struct ses_archive *a = open_archive(s, archive);
    while (a && *at < a->zip.entries.n) {
        const char *name = a->zip.entries.items[(*at)++].name;
        if (ebb_text_starts(name, prefix))
            return name;
    }
    return NULL;
}

const char *ses_archive_find(session *s, const char *archive, const char *relative)
{
    struct ses_archive *a = open_archive(s, archive);
    if (!a)
        return NULL;
    const char *known = ebb_map_get(a->found, relative);
    const weave_entry *entry = known ? NULL : find_entry(a, relative);
    if (known || !entry)
        return known;
    char *name = ses_archive_name(archive, entry->name);
    known = ses_intern(s, name);
    free(name);
    ebb_map_set(a->found, relative, (void *)(uintptr_t)known);
    return known;
}

bool ses_archive_names(const char *file)
{
    return strstr(file, mark) != NULL;
}

char *ses_archive_read(session *s, const char *file, size_t *nbytes)
{
    const char *at = strstr(file, mark);
    char *path = ebb_strndup(file, (size_t)(at - file)), *text = NULL;
    struct ses_archive *a = open_archive(s, path);
    const weave_entry *entry = a ? find_entry(a, at + strlen(mark)) : NULL;
    ebb_buf out = {0};
    if (entry && weave_entry_unpack(entry, &out, NULL) == EBB_OK) {
        *nbytes = out.n;
        text = ebb_zalloc(out.n + 1);
        memcpy(text, ebb_buf_text(&out), out.n);
    }
    ebb_buf_fini(&out);
    free(path);
    return text;
}
