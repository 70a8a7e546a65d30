/* recording_files.c - files into sections, and out of them again. */
#include "time/recording_files.h"
#include "base/sizes.h"
#include "time/recording_format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- writing -------------------------------------------------------------------------------------- */

static ebb_status put_head(ebb_recorder *rec, const char *name, uint64_t nbytes, const uint8_t *first, size_t n_first, ebb_error *err)
{
    ebb_buf head = {0};
    rec_add_varint(&head, strlen(name));
    ebb_buf_adds(&head, name);
    rec_add_varint(&head, nbytes);
    rec_add_varint(&head, (nbytes + EBB_FILE_PART_BYTES - 1) / EBB_FILE_PART_BYTES);
    rec_add_varint(&head, n_first);
    ebb_buf_add(&head, (const char *)first, n_first);
    ebb_status status = ebb_recorder_section(rec, EBB_SECTION_FILE, head.data, head.n, err);
    ebb_buf_fini(&head);
    return status;
}

/* A file that became shorter meanwhile is one that nobody needs. */
static ebb_status put_parts(ebb_recorder *rec, const char *name, int fd, uint64_t nbytes, ebb_error *err)
{
    ebb_status status = EBB_OK;
    uint8_t *part = ebb_alloc(EBB_FILE_PART_BYTES);
    for (uint64_t at = 0; status == EBB_OK && at < nbytes;) {
        size_t want = nbytes - at < EBB_FILE_PART_BYTES ? (size_t)(nbytes - at) : EBB_FILE_PART_BYTES;
        int64_t got = rec_read_at(fd, part, want, at);
        if (got != (int64_t)want)
            status = ebb_fail(err, EBB_SYSTEM, "can't read %s", name);
        else if (at == 0)
            status = put_head(rec, name, nbytes, part, want < EBB_RECORDED_FIRST_BYTES ? want : EBB_RECORDED_FIRST_BYTES, err);
        if (status == EBB_OK)
            status = ebb_recorder_section(rec, EBB_SECTION_FILE_PART, part, want, err);
        at += want;
    }
    free(part);
    return status;
}

ebb_status ebb_recorder_put_file(ebb_recorder *rec, const char *name, int fd, ebb_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return ebb_fail(err, EBB_BAD_INPUT, "%s is no file that can be put into a recording", name);
    return put_parts(rec, name, fd, (uint64_t)st.st_size, err);
}

/* ---- reading -------------------------------------------------------------------------------------- */

static void free_file(ebb_recorded_file *f)
{
    free(f->name);
    free(f->first);
}

static bool parse_head(const ebb_buf *head, ebb_recorded_file *f)
{
    ebb_values v = {.at = (const uint8_t *)head->data, .end = (const uint8_t *)head->data + head->n};
    f->name = ebb_values_text(&v);
    f->nbytes = ebb_values_u64(&v);
    f->n_parts = ebb_values_u64(&v);
    const uint8_t *first = ebb_values_bytes(&v, &f->n_first);
    if (!f->name || !first || f->n_first > EBB_RECORDED_FIRST_BYTES)
        return false;
    f->first = ebb_alloc(f->n_first + 1);
    memcpy(f->first, first, f->n_first);
    return true;
}

/* RF1 */
static bool is_whole(ebb_recording *r, const ebb_recorded_file *f)
{
    size_t n = ebb_recording_count_sections(r);
    if (f->n_parts > n - f->section)
        return false;
    for (size_t i = 0; i < f->n_parts; i++)
        if (ebb_recording_section_kind(r, f->section + i) != EBB_SECTION_FILE_PART)
            return false;
    return true;
}

ebb_status ebb_recorded_files_read(ebb_recording *r, ebb_recorded_files *out, ebb_error *err)
{
    ebb_buf head = {0};
    ebb_status status = EBB_OK;
    *out = (ebb_recorded_files){0};
    for (size_t i = 0; status == EBB_OK && i < ebb_recording_count_sections(r); i++) {
        ebb_recorded_file f = {.section = i + 1};
        if (ebb_recording_section_kind(r, i) != EBB_SECTION_FILE)
            continue;
        status = ebb_recording_read_section(r, i, &head, err);
        if (status == EBB_OK && parse_head(&head, &f) && is_whole(r, &f))
            ebb_vec_push(out, f);
        else
            free_file(&f);
    }
    ebb_buf_fini(&head);
    return status;
}

void ebb_recorded_files_fini(ebb_recorded_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free_file(&files->items[i]);
    ebb_vec_fini(files);
}

static ebb_status write_whole(int fd, const char *bytes, size_t nbytes, ebb_error *err)
{
    for (ssize_t put; nbytes > 0; bytes += put, nbytes -= (size_t)put) {
        put = write(fd, bytes, nbytes);
        if (put < 0 && errno == EINTR)
            put = 0;
        if (put < 0)
            return ebb_fail_errno(err, "can't take a file out of the recording");
    }
    return EBB_OK;
}

ebb_status ebb_recorded_file_write(ebb_recording *r, const ebb_recorded_file *file, int fd, ebb_error *err)
{
    ebb_buf part = {0};
    ebb_status status = EBB_OK;
    uint64_t left = file->nbytes;
    for (size_t i = 0; status == EBB_OK && i < file->n_parts; i++) {
        status = ebb_recording_read_section(r, file->section + i, &part, err);
        if (status == EBB_OK)
            status = write_whole(fd, part.data, part.n, err);
        left -= part.n;
    }
    ebb_buf_fini(&part);
    return status != EBB_OK || left == 0 ? status : ebb_fail(err, EBB_BAD_FILE, "%s is damaged in the recording", file->name);
}
