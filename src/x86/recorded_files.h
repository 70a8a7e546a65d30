/* recorded_files.h - the programs and libraries that lie inside of an opened recording (time/recording_files.h), as files that can be opened.
 *
 * What is in memory tells which of them a module is: the first page of an ELF file is where it was loaded, and no two builds have the same.
 *
 * FX1  a file is taken out of the recording when it is first asked for, into memory; no name of the disk is ever used. */
#ifndef EBB_X86_RECORDED_FILES_H
#define EBB_X86_RECORDED_FILES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct x86_recorded_files x86_recorded_files;

ebb_status x86_recorded_files_open(const char *recording, x86_recorded_files **out, ebb_error *err) EBB_MUST_CHECK;
void x86_recorded_files_free(x86_recorded_files *files); /* NULL is fine */

/* A path for ebb to open the file by that begins with these bytes, or, if none does, has that name; NULL: it is not in the recording.  Good until
 * `free`.  `files` may be NULL: then nothing is. */
const char *x86_recorded_files_find(x86_recorded_files *files, const char *name, const uint8_t *first, size_t n_first);

#endif
