/* recording_files.h - files that replay needs, kept in the recording: it works where they are gone.
 *
 * A file is kept in pieces, each a section of its own, under the name by which it will be asked for; keeping the same name
 * twice keeps the first. */
#ifndef EBB_TIME_RECORDING_FILES_H
#define EBB_TIME_RECORDING_FILES_H

#include "time/recording.h"

ebb_status ebb_recorder_keep_bytes(ebb_recorder *rec, const char *name, const void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
/* What is in the file at `path` now. */
ebb_status ebb_recorder_keep_file(ebb_recorder *rec, const char *name, const char *path, ebb_error *err) EBB_MUST_CHECK;

/* The files of a recording: names, and contents when asked for. */
typedef struct ebb_kept_files ebb_kept_files;
ebb_status ebb_kept_files_new(ebb_recording *r, ebb_kept_files **out, ebb_error *err) EBB_MUST_CHECK; /* borrows r */
void ebb_kept_files_free(ebb_kept_files *files); /* NULL is fine */
size_t ebb_kept_files_count(const ebb_kept_files *files);
const char *ebb_kept_files_name(const ebb_kept_files *files, size_t i); /* borrowed */
/* EBB_NOT_FOUND if it isn't kept, EBB_BAD_FILE if pieces are missing. */
ebb_status ebb_kept_files_read(ebb_kept_files *files, const char *name, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

#endif
