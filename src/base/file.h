/* file.h - whole files, and their names. */
#ifndef EBB_BASE_FILE_H
#define EBB_BASE_FILE_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Adds what the file holds to `out`, also where the system doesn't tell its size (/proc).  On failure `out` is as before. */
ebb_status ebb_file_read(const char *path, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

/* The same; a file of more than so many bytes is EBB_BAD_FILE, and is not read much further. */
ebb_status ebb_file_read_up_to(const char *path, size_t most, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

/* The path of what is open as fd in that process (0: this one), as the kernel knows it; "" if it has none.  Caller frees. */
char *ebb_file_path_of(pid_t pid, int fd);

/* The first of the places (paths from the folder that the running program is in; NULL ends them) that has this file in it;
   NULL if none has.  Caller frees. */
char *ebb_folder_beside_program(const char *const *places, const char *file);

/* Whether a file can be written there, found out before work that may take hours.  It is made if it isn't there. */
ebb_status ebb_file_check_can_write(const char *path, ebb_error *err) EBB_MUST_CHECK;

#endif
