/* files.c - what is woven is found, and where it goes. */
#include "weave/files.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "weave/classfile.h"
#include "weave/zip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

static weave_span span_of(const ebb_buf *buf)
{
    return (weave_span){(const uint8_t *)buf->data, (uint32_t)buf->n};
}

static void tell(weave_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(weave_job *job, const char *format, ...)
{
    ebb_buf text = {0};
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&text, format, args);
    va_end(args);
    if (job->tell)
        job->tell(job->context, ebb_buf_text(&text));
    ebb_buf_fini(&text);
}

/* ---- writing files ---- */

static ebb_status make_parents(const char *path, ebb_error *err)
{
    char *copy = ebb_strdup(path);
    ebb_status status = EBB_OK;
    for (char *slash = strchr(copy + 1, '/'); slash && status == EBB_OK; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            status = ebb_fail_errno(err, "%.300s", copy);
        *slash = '/';
    }
    free(copy);
    return status;
}

static ebb_status write_fd(int fd, weave_span bytes, const char *path, ebb_error *err)
{
    while (bytes.nbytes > 0) {
        ssize_t n = write(fd, bytes.bytes, bytes.nbytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ebb_fail_errno(err, "%.300s", path);
        bytes.bytes += n;
        bytes.nbytes -= (uint32_t)n;
    }
    return EBB_OK;
}

static ebb_status write_file(const char *path, weave_span bytes, ebb_error *err)
{
    EBB_TRY(make_parents(path, err));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return ebb_fail_errno(err, "%.300s", path);
    ebb_status status = write_fd(fd, bytes, path, err);
    if (close(fd) != 0 && status == EBB_OK)
        status = ebb_fail_errno(err, "%.300s", path);
    return status;
}

static ebb_status write_below(const weave_job *job, const char *name, weave_span bytes, ebb_error *err)
{
    if (!job->out)
        return EBB_OK;
    char *path = ebb_asprintf("%s/%s", job->out, name);
    ebb_status status = write_file(path, bytes, err);
    free(path);
    return status;
}

/* ---- classes ---- */

/* The class woven, or as it is: WO1. */
static void weave_or_keep(weave_job *job, const char *name, weave_span bytes, ebb_buf *out)
{
    ebb_error err;
    size_t n = out->n;
    if (job->transformer.weave(job->transformer.work, name, bytes, out, &err) == EBB_OK)
        return;
    if (job->out)
        tell(job, "%s is copied as it is: %s", name, err.text);
    ebb_buf_truncate(out, n);
    weave_put(out, bytes);
}

static ebb_status weave_class_file(weave_job *job, const char *path, const ebb_buf *bytes, const char *below, ebb_error *err)
{
    char *name = below ? ebb_strdup(below) : NULL;
    if (!name) {
        weave_class cls;
        ebb_error why;
        ebb_status status = weave_class_read(&cls, span_of(bytes), &why);
        if (status != EBB_OK)
            return ebb_fail(err, status, "%.300s: %s", path, why.text);
        name = ebb_asprintf("%.*s.class", (int)cls.name.nbytes, (const char *)cls.name.bytes);
        weave_class_fini(&cls);
    }
    ebb_buf out = {0};
    weave_or_keep(job, path, span_of(bytes), &out);
    ebb_status status = strstr(name, "..") ? ebb_fail(err, EBB_BAD_FILE, "%.200s has a class name that is no path", path)
                                           : write_below(job, name, span_of(&out), err);
    ebb_buf_fini(&out);
    free(name);
    return status;
}

/* ---- jars ---- */

static bool is_signature(const char *name)
{
    return strncasecmp(name, "META-INF/", 9) == 0 && !strchr(name + 9, '/') &&
           (ends_with(name, ".SF") || ends_with(name, ".RSA") || ends_with(name, ".DSA") || ends_with(name, ".EC"));
}

static ebb_status weave_entry_into(weave_job *job, weave_zip_writer *w, const weave_entry *e, ebb_error *err)
{
    if (!ends_with(e->name, ".class") || e->nbytes == 0) {
        if (job->out)
            weave_zip_copy(w, e);
        return EBB_OK;
    }
    ebb_buf bytes = {0}, out = {0};
    ebb_status status = weave_entry_unpack(e, &bytes, err);
    if (status == EBB_OK) {
        weave_or_keep(job, e->name, span_of(&bytes), &out);
        if (job->out)
            weave_zip_add(w, e, span_of(&out));
    }
    ebb_buf_fini(&bytes);
    ebb_buf_fini(&out);
    return status;
}

static void add_runtime(const weave_job *job, weave_zip_writer *w, const weave_zip *zip)
{
    for (const weave_runtime_class *c = job->transformer.runtime; c->path; c++) {
        bool has_it = false;
        for (size_t i = 0; i < zip->entries.n; i++)
            has_it = has_it || strcmp(zip->entries.items[i].name, c->path) == 0;
        weave_entry like = {.name = (char *)(uintptr_t)c->path, .time = zip->entries.n ? zip->entries.items[0].time : 0x00210000};
        if (!has_it)
            weave_zip_add(w, &like, c->bytes);
    }
}

static ebb_status weave_entries(weave_job *job, const char *path, const weave_zip *zip, weave_zip_writer *w, ebb_error *err)
{
    bool was_signed = false;
    for (size_t i = 0; i < zip->entries.n; i++) {
        const weave_entry *e = &zip->entries.items[i];
        if (is_signature(e->name))
            was_signed = true;
        else
            EBB_TRY(weave_entry_into(job, w, e, err));
    }
    if (was_signed && job->out)
        tell(job, "%s was signed; its signatures do not hold for woven classes and are left out", path); /* WO2 */
    if (job->out)
        add_runtime(job, w, zip);
    weave_zip_finish(w);
    return EBB_OK;
}

static ebb_status weave_jar(weave_job *job, const char *path, const ebb_buf *bytes, const char *below, ebb_error *err)
{
    weave_zip zip;
    weave_zip_writer w = {0};
    ebb_error why;
    ebb_status status = weave_zip_read(&zip, span_of(bytes), &why);
    if (status != EBB_OK && below) { /* WO1: nobody named it */
        if (job->out)
            tell(job, "%s is copied as it is: %s", path, why.text);
        return write_below(job, below, span_of(bytes), err);
    }
    if (status != EBB_OK)
        return ebb_fail(err, status, "%.300s: %s", path, why.text);
    status = weave_entries(job, path, &zip, &w, err);
    if (status == EBB_OK)
        status = write_below(job, below ? below : ebb_path_base(path), span_of(&w.out), err);
    weave_zip_writer_fini(&w);
    weave_zip_fini(&zip);
    return status;
}

/* ---- directories ---- */

enum { MOST_BYTES = 1 << 30 }; /* of a file */

static ebb_status weave_file(weave_job *job, const char *path, const char *below, ebb_error *err)
{
    ebb_buf bytes = {0};
    EBB_TRY(ebb_file_read_up_to(path, MOST_BYTES, &bytes, err));
    ebb_status status;
    job->nfiles++;
    if (ends_with(path, ".jar"))
        status = weave_jar(job, path, &bytes, below, err);
    else if (ends_with(path, ".class"))
        status = weave_class_file(job, path, &bytes, below, err);
    else if (below)
        status = write_below(job, below, span_of(&bytes), err);
    else
        status = ebb_fail(err, EBB_BAD_INPUT, "%.300s is no class file, jar or directory", path);
    ebb_buf_fini(&bytes);
    return status;
}

static ebb_status weave_below(weave_job *job, const char *path, const char *below, ebb_error *err);

static ebb_status weave_directory(weave_job *job, const char *path, const char *below, ebb_error *err)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    if (n < 0)
        return ebb_fail_errno(err, "%.300s", path);
    ebb_status status = EBB_OK;
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        if (status == EBB_OK && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            char *child = ebb_asprintf("%s/%s", path, name), *place = ebb_asprintf("%s%s%s", below, *below ? "/" : "", name);
            status = weave_below(job, child, place, err);
            free(child);
            free(place);
        }
        free(names[i]);
    }
    free(names);
    return status;
}

static ebb_status weave_below(weave_job *job, const char *path, const char *below, ebb_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return ebb_fail_errno(err, "%.300s", path);
    if (S_ISDIR(st.st_mode))
        return weave_directory(job, path, below ? below : "", err);
    return weave_file(job, path, below, err);
}

/* A directory that is woven into itself would be woven for ever. */
static bool is_inside(const char *out, const char *path)
{
    char *a = realpath(out, NULL), *b = realpath(path, NULL);
    size_t n = b ? strlen(b) : 0;
    bool inside = a && b && strncmp(a, b, n) == 0 && (a[n] == '/' || a[n] == '\0');
    free(a);
    free(b);
    return inside;
}

ebb_status weave_path(weave_job *job, const char *path, ebb_error *err)
{
    if (!job->out)
        return weave_below(job, path, NULL, err);
    if (mkdir(job->out, 0777) != 0 && errno != EEXIST)
        return ebb_fail_errno(err, "%.300s", job->out);
    if (is_inside(job->out, path))
        return ebb_fail(err, EBB_BAD_INPUT, "%.200s lies in %.200s: say another directory with -o", job->out, path);
    return weave_below(job, path, NULL, err);
}

ebb_status weave_finish(weave_job *job, ebb_error *err)
{
    for (const weave_runtime_class *c = job->transformer.runtime; c->path; c++)
        EBB_TRY(write_below(job, c->path, c->bytes, err));
    return EBB_OK;
}
