/* recording_files.h - whole files inside of a recording: the program and its libraries, so that their symbols are there when they have been replaced.
 *
 * A file is a section that names it, and after that its bytes in parts.  Other blocks may come between.
 *
 * RF1  a file of which a part is missing (the recording ended early) is not listed;
 * RF2  a file may be there twice under one name, if it was replaced meanwhile: its `first` bytes tell which is which. */
#ifndef EBB_TIME_RECORDING_FILES_H
#define EBB_TIME_RECORDING_FILES_H

#include "base/mem.h"
#include "time/recording.h"

enum { EBB_RECORDED_FIRST_BYTES = 4096 };

/* What is open as `fd`, under that name. */
ebb_status ebb_recorder_put_file(ebb_recorder *rec, const char *name, int fd, ebb_error *err) EBB_MUST_CHECK;

typedef struct ebb_recorded_file {
    char *name;     /* owned */
    uint64_t nbytes;
    uint8_t *first; /* owned; its first bytes, */
    size_t n_first; /* ... EBB_RECORDED_FIRST_BYTES of them, or all */
    size_t section; /* the first of its parts, */
    uint64_t n_parts; /* ... which are so many */
} ebb_recorded_file;
typedef EBB_VEC(ebb_recorded_file) ebb_recorded_files;

/* *out is to be fini'd in either case. */
ebb_status ebb_recorded_files_read(ebb_recording *r, ebb_recorded_files *out, ebb_error *err) EBB_MUST_CHECK;
void ebb_recorded_files_fini(ebb_recorded_files *files);
/* All of its bytes, to where `fd` stands. */
ebb_status ebb_recorded_file_write(ebb_recording *r, const ebb_recorded_file *file, int fd, ebb_error *err) EBB_MUST_CHECK;

#endif
