#include "time/recording_files.h"
#include "base/check.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sizes.h"
#include "time/recording_format.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 64 << 10 };

/* ---- keeping -------------------------------------------------------------------------------------- */

/* A piece: name, length of the whole file, offset of the piece, its bytes. */
static ebb_status keep_piece(ebb_recorder *rec, const char *name, uint64_t whole, uint64_t offset, const void *bytes, size_t nbytes,
                             ebb_error *err)
{
    ebb_buf buf = {0};
    rec_add_varint(&buf, strlen(name));
    ebb_buf_adds(&buf, name);
    rec_add_varint(&buf, whole);
    rec_add_varint(&buf, offset);
    rec_add_varint(&buf, nbytes);
    if (nbytes)
        ebb_buf_add(&buf, bytes, nbytes);
    ebb_status status = ebb_recorder_section(rec, EBB_SECTION_FILE, buf.data, buf.n, err);
    ebb_buf_fini(&buf);
    return status;
}

static size_t piece_at(uint64_t whole, uint64_t offset)
{
    return whole - offset < EBB_FILE_PIECE_BYTES ? (size_t)(whole - offset) : EBB_FILE_PIECE_BYTES;
}

ebb_status ebb_recorder_keep_bytes(ebb_recorder *rec, const char *name, const void *bytes, size_t nbytes, ebb_error *err)
{
    ebb_check(strlen(name) < NAME_MAX_BYTES);
    uint64_t offset = 0;
    do { /* an empty file is one empty piece */
        size_t n = piece_at(nbytes, offset);
        ebb_status status = keep_piece(rec, name, nbytes, offset, (const char *)bytes + offset, n, err);
        if (status != EBB_OK)
            return status;
        offset += n;
    } while (offset < nbytes);
    return EBB_OK;
}

static ebb_status keep_open_file(ebb_recorder *rec, const char *name, int fd, uint64_t whole, ebb_error *err)
{
    char *piece = ebb_alloc(EBB_FILE_PIECE_BYTES);
    ebb_status status = EBB_OK;
    uint64_t offset = 0;
    do {
        size_t n = piece_at(whole, offset);
        int64_t got = rec_read_at(fd, piece, n, offset);
        if (got < 0)
            status = ebb_fail_errno(err, "cannot read %s", name);
        else if ((size_t)got < n)
            status = ebb_fail(err, EBB_BAD_FILE, "%s became shorter while it was read", name);
        else
            status = keep_piece(rec, name, whole, offset, piece, n, err);
        offset += n;
    } while (status == EBB_OK && offset < whole);
    free(piece);
    return status;
}

ebb_status ebb_recorder_keep_file(ebb_recorder *rec, const char *name, const char *path, ebb_error *err)
{
    ebb_check(strlen(name) < NAME_MAX_BYTES);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return ebb_fail_errno(err, "cannot open %s", path);
    struct stat st;
    ebb_status status;
    if (fstat(fd, &st) != 0)
        status = ebb_fail_errno(err, "cannot read %s", path);
    else if (!S_ISREG(st.st_mode))
        status = ebb_fail(err, EBB_BAD_FILE, "%s is not a regular file, so it can't be kept", path);
    else
        status = keep_open_file(rec, name, fd, (uint64_t)st.st_size, err);
    close(fd);
    return status;
}

/* ---- finding them again --------------------------------------------------------------------------- */

typedef struct kept_file {
    char *name;
    uint64_t nbytes;
    uint64_t found;         /* bytes that the pieces so far hold: pieces come in order */
    EBB_VEC(size_t) pieces; /* numbers of sections */
} kept_file;

struct ebb_kept_files {
    ebb_recording *recording; /* borrowed */
    ebb_map *by_name;
    EBB_VEC(kept_file *) files;
};

typedef struct piece {
    char *name;
    uint64_t whole, offset;
    const uint8_t *bytes; /* within the section's */
    size_t nbytes;
} piece;

static bool parse_piece(const ebb_buf *section, piece *out)
{
    ebb_values v = {.at = (const uint8_t *)section->data, .end = (const uint8_t *)section->data + section->n};
    out->name = ebb_values_text(&v);
    out->whole = ebb_values_u64(&v);
    out->offset = ebb_values_u64(&v);
    out->bytes = ebb_values_bytes(&v, &out->nbytes);
    return ebb_values_done(&v);
}

static void add_piece(ebb_kept_files *files, const piece *p, size_t section)
{
    kept_file *file = ebb_map_get(files->by_name, p->name);
    if (!file) {
        file = EBB_NEW(kept_file);
        file->name = ebb_strdup(p->name);
        file->nbytes = p->whole;
        ebb_map_set(files->by_name, p->name, file);
        ebb_vec_push(&files->files, file);
    }
    bool is_next = p->whole == file->nbytes && p->offset == file->found && p->nbytes <= file->nbytes - file->found;
    if (is_next && (p->nbytes > 0 || file->pieces.n == 0)) {
        ebb_vec_push(&file->pieces, section);
        file->found += p->nbytes;
    }
}

static ebb_status add_section(ebb_kept_files *files, size_t i, ebb_buf *buf, ebb_error *err)
{
    ebb_status status = ebb_recording_read_section(files->recording, i, buf, err);
    if (status != EBB_OK)
        return status;
    piece p;
    if (parse_piece(buf, &p))
        add_piece(files, &p, i);
    else
        status = ebb_fail(err, EBB_BAD_FILE, "a file that the recording keeps is broken");
    free(p.name);
    return status;
}

ebb_status ebb_kept_files_new(ebb_recording *r, ebb_kept_files **out, ebb_error *err)
{
    ebb_kept_files *files = EBB_NEW(ebb_kept_files);
    files->recording = r;
    files->by_name = ebb_map_new();
    ebb_buf buf = {0};
    ebb_status status = EBB_OK;
    for (size_t i = 0; status == EBB_OK && i < ebb_recording_count_sections(r); i++)
        if (ebb_recording_section_kind(r, i) == EBB_SECTION_FILE)
            status = add_section(files, i, &buf, err);
    ebb_buf_fini(&buf);
    if (status == EBB_OK)
        *out = files;
    else
        ebb_kept_files_free(files);
    return status;
}

void ebb_kept_files_free(ebb_kept_files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->files.n; i++) {
        free(files->files.items[i]->name);
        ebb_vec_fini(&files->files.items[i]->pieces);
        free(files->files.items[i]);
    }
    ebb_vec_fini(&files->files);
    ebb_map_free(files->by_name);
    free(files);
}

size_t ebb_kept_files_count(const ebb_kept_files *files)
{
    return files->files.n;
}

const char *ebb_kept_files_name(const ebb_kept_files *files, size_t i)
{
    ebb_check(i < files->files.n);
    return files->files.items[i]->name;
}

ebb_status ebb_kept_files_read(ebb_kept_files *files, const char *name, ebb_buf *out, ebb_error *err)
{
    const kept_file *file = ebb_map_get(files->by_name, name);
    if (!file)
        return ebb_fail(err, EBB_NOT_FOUND, "the recording keeps no file %s", name);
    if (file->found != file->nbytes)
        return ebb_fail(err, EBB_BAD_FILE, "the recording keeps only a part of %s", name);
    ebb_buf section = {0};
    ebb_buf_truncate(out, 0);
    ebb_status status = EBB_OK;
    for (size_t i = 0; status == EBB_OK && i < file->pieces.n; i++) {
        piece p = {0};
        status = ebb_recording_read_section(files->recording, file->pieces.items[i], &section, err);
        if (status == EBB_OK && !parse_piece(&section, &p))
            status = ebb_fail(err, EBB_BAD_FILE, "a file that the recording keeps is broken");
        if (status == EBB_OK && p.nbytes)
            ebb_buf_add(out, p.bytes, p.nbytes);
        free(p.name);
    }
    ebb_buf_fini(&section);
    return status;
}
