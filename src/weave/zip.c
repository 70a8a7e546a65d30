/* zip.c - little-endian headers around zlib. */
#include "weave/zip.h"

#include "base/check.h"

#include <string.h>
#include <zlib.h>

enum {
    LOCAL_SIGNATURE = 0x04034b50, CENTRAL_SIGNATURE = 0x02014b50, END_SIGNATURE = 0x06054b50,
    LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, MAX_COMMENT = 0xffff,
    STORED = 0, DEFLATED = 8, FLAG_DATA_DESCRIPTOR = 8, FLAG_ENCRYPTED = 1, VERSION = 20,
};

static uint32_t le2(const uint8_t *p)
{
    return (uint32_t)(p[0] | p[1] << 8);
}

static uint32_t le4(const uint8_t *p)
{
    return le2(p) | le2(p + 2) << 16;
}

static void put_le2(ebb_buf *out, uint32_t value)
{
    ebb_buf_addc(out, (char)value);
    ebb_buf_addc(out, (char)(value >> 8));
}

static void put_le4(ebb_buf *out, uint32_t value)
{
    put_le2(out, value);
    put_le2(out, value >> 16);
}

/* ---- reading ---- */

static ebb_status fail_zip(ebb_error *err, const char *what)
{
    return ebb_fail(err, EBB_BAD_FILE, "the archive is broken: %s", what);
}

static const uint8_t *find_end(weave_span bytes)
{
    for (uint32_t back = END_SIZE; back <= bytes.nbytes && back <= END_SIZE + MAX_COMMENT; back++)
        if (le4(bytes.bytes + bytes.nbytes - back) == END_SIGNATURE)
            return bytes.bytes + bytes.nbytes - back;
    return NULL;
}

static bool is_inside(weave_span bytes, uint64_t offset, uint64_t nbytes)
{
    return offset <= bytes.nbytes && nbytes <= bytes.nbytes - offset;
}

/* Where the packed bytes are is told by the local header only, because its extra field may differ. */
static bool find_packed(weave_span bytes, uint32_t local, uint32_t npacked, weave_span *packed)
{
    if (!is_inside(bytes, local, LOCAL_SIZE) || le4(bytes.bytes + local) != LOCAL_SIGNATURE)
        return false;
    const uint8_t *p = bytes.bytes + local;
    uint64_t start = (uint64_t)local + LOCAL_SIZE + le2(p + 26) + le2(p + 28);
    if (!is_inside(bytes, start, npacked))
        return false;
    *packed = (weave_span){bytes.bytes + start, npacked};
    return true;
}

static ebb_status read_entry(weave_zip *zip, weave_span bytes, uint64_t *at, ebb_error *err)
{
    if (!is_inside(bytes, *at, CENTRAL_SIZE) || le4(bytes.bytes + *at) != CENTRAL_SIGNATURE)
        return fail_zip(err, "its directory is cut off");
    const uint8_t *p = bytes.bytes + *at;
    uint32_t nname = le2(p + 28);
    uint64_t size = (uint64_t)CENTRAL_SIZE + nname + le2(p + 30) + le2(p + 32);
    weave_entry e = {.flags = (uint16_t)le2(p + 8), .method = (uint16_t)le2(p + 10), .time = le4(p + 12), .crc = le4(p + 16),
                     .nbytes = le4(p + 24), .attributes = le4(p + 38)};
    if (!is_inside(bytes, *at, size) || !find_packed(bytes, le4(p + 42), le4(p + 20), &e.packed))
        return fail_zip(err, "an entry is not inside of it");
    if (memchr(p + CENTRAL_SIZE, '\0', nname))
        return fail_zip(err, "an entry has a zero in its name");
    e.name = ebb_strndup((const char *)p + CENTRAL_SIZE, nname);
    ebb_vec_push(&zip->entries, e);
    *at += size;
    return EBB_OK;
}

ebb_status weave_zip_read(weave_zip *zip, weave_span bytes, ebb_error *err)
{
    const uint8_t *end = find_end(bytes);
    *zip = (weave_zip){0};
    if (!end)
        return fail_zip(err, "it has no directory");
    uint64_t at = le4(end + 16);
    for (uint32_t n = le2(end + 10); n > 0; n--) {
        ebb_status status = read_entry(zip, bytes, &at, err);
        if (status != EBB_OK) {
            weave_zip_fini(zip);
            return status;
        }
    }
    return EBB_OK;
}

void weave_zip_fini(weave_zip *zip)
{
    for (size_t i = 0; i < zip->entries.n; i++)
        free(zip->entries.items[i].name);
    ebb_vec_fini(&zip->entries);
}

/* zlib can make at most about 1032 bytes of one: what claims more is not believed. */
static bool is_plausible(const weave_entry *e)
{
    return e->method == STORED ? e->nbytes == e->packed.nbytes : e->nbytes / 1100 <= e->packed.nbytes;
}

static bool inflate_all(const weave_entry *e, uint8_t *to)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)e->packed.bytes, .avail_in = e->packed.nbytes, .next_out = to, .avail_out = e->nbytes};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return false;
    int got = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return got == Z_STREAM_END && z.total_out == e->nbytes;
}

ebb_status weave_entry_unpack(const weave_entry *e, ebb_buf *out, ebb_error *err)
{
    if ((e->method != STORED && e->method != DEFLATED) || (e->flags & FLAG_ENCRYPTED))
        return ebb_fail(err, EBB_UNSUPPORTED, "%.200s is packed in a way that is not known here", e->name);
    if (!is_plausible(e))
        return fail_zip(err, "an entry has a size that can't be");
    uint8_t *bytes = ebb_alloc(e->nbytes + 1u);
    bool ok = true;
    if (e->method == STORED)
        memcpy(bytes, e->packed.bytes, e->nbytes);
    else
        ok = inflate_all(e, bytes);
    ok = ok && crc32(0, bytes, e->nbytes) == e->crc;
    if (ok)
        ebb_buf_add(out, bytes, e->nbytes);
    free(bytes);
    return ok ? EBB_OK : ebb_fail(err, EBB_BAD_FILE, "%.200s can't be unpacked", e->name);
}

/* ---- writing ---- */

/* What the local header and the directory have in common. */
static void put_common(ebb_buf *out, const weave_entry *e)
{
    put_le2(out, VERSION);
    put_le2(out, e->flags);
    put_le2(out, e->method);
    put_le4(out, e->time);
    put_le4(out, e->crc);
    put_le4(out, e->packed.nbytes);
    put_le4(out, e->nbytes);
    put_le2(out, (uint32_t)strlen(e->name));
    put_le2(out, 0); /* extra */
}

void weave_zip_copy(weave_zip_writer *w, const weave_entry *entry)
{
    weave_entry e = *entry;
    e.flags &= (uint16_t)~FLAG_DATA_DESCRIPTOR; /* the sizes are in the header */
    uint32_t local = (uint32_t)w->out.n;
    put_le4(&w->out, LOCAL_SIGNATURE);
    put_common(&w->out, &e);
    ebb_buf_adds(&w->out, e.name);
    weave_put(&w->out, e.packed);
    put_le4(&w->directory, CENTRAL_SIGNATURE);
    put_le2(&w->directory, VERSION);
    put_common(&w->directory, &e);
    put_le2(&w->directory, 0); /* comment */
    put_le4(&w->directory, 0); /* disk, internal attributes */
    put_le4(&w->directory, e.attributes);
    put_le4(&w->directory, local);
    ebb_buf_adds(&w->directory, e.name);
    w->n++;
}

void weave_zip_add(weave_zip_writer *w, const weave_entry *like, weave_span contents)
{
    weave_entry e = *like;
    z_stream z = {0};
    ebb_check(deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    uLong bound = deflateBound(&z, contents.nbytes);
    uint8_t *packed = ebb_alloc(bound);
    z.next_in = (Bytef *)(uintptr_t)contents.bytes;
    z.avail_in = contents.nbytes;
    z.next_out = packed;
    z.avail_out = (uInt)bound;
    ebb_check(deflate(&z, Z_FINISH) == Z_STREAM_END);
    e.method = DEFLATED;
    e.crc = (uint32_t)crc32(0, contents.bytes, contents.nbytes);
    e.nbytes = contents.nbytes;
    e.packed = (weave_span){packed, (uint32_t)z.total_out};
    deflateEnd(&z);
    weave_zip_copy(w, &e);
    free(packed);
}

void weave_zip_finish(weave_zip_writer *w)
{
    uint32_t at = (uint32_t)w->out.n, size = (uint32_t)w->directory.n;
    ebb_buf_add(&w->out, w->directory.data, w->directory.n);
    put_le4(&w->out, END_SIGNATURE);
    put_le4(&w->out, 0); /* disks */
    put_le2(&w->out, w->n);
    put_le2(&w->out, w->n);
    put_le4(&w->out, size);
    put_le4(&w->out, at);
    put_le2(&w->out, 0); /* comment */
}

void weave_zip_writer_fini(weave_zip_writer *w)
{
    ebb_buf_fini(&w->out);
    ebb_buf_fini(&w->directory);
}
