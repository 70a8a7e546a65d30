/* zip.h - jars: the entries of one, and a new one.
 *
 * As much of the format as jars use: stored and deflated entries, no encryption, no archives over 4 GB.
 *
 * WZ1  an archive is hostile: every offset and length is checked against the bytes there are;
 * WZ2  an entry that is copied keeps its compressed bytes, time and attributes. */
#ifndef EBB_WEAVE_ZIP_H
#define EBB_WEAVE_ZIP_H

#include "base/error.h"
#include "base/mem.h"
#include "weave/bytes.h"

typedef struct weave_entry {
    char *name;
    uint16_t flags, method;
    uint32_t time;         /* as the archive has it */
    uint32_t crc, nbytes;  /* of the contents */
    uint32_t attributes;
    weave_span packed;
} weave_entry;

typedef struct weave_zip {
    EBB_VEC(weave_entry) entries;
} weave_zip;

/* The bytes must live as long as the archive. */
ebb_status weave_zip_read(weave_zip *zip, weave_span bytes, ebb_error *err) EBB_MUST_CHECK;
void weave_zip_fini(weave_zip *zip);
/* Adds the contents of an entry to `out`. */
ebb_status weave_entry_unpack(const weave_entry *entry, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

typedef struct weave_zip_writer {
    ebb_buf out, directory;
    uint32_t n;
} weave_zip_writer; /* zero-initialised is empty */

void weave_zip_copy(weave_zip_writer *w, const weave_entry *entry);
/* New contents, in the place of those of `like`, whose name, time and attributes it gets; deflated. */
void weave_zip_add(weave_zip_writer *w, const weave_entry *like, weave_span contents);
void weave_zip_finish(weave_zip_writer *w); /* `out` is the archive then */
void weave_zip_writer_fini(weave_zip_writer *w);

#endif
