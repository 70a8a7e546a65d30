/* files.h - what the program changes in the file system, kept so that `branch` can put it back.
 *
 * Before a native changes a file, what will be lost is logged (FILE): the bytes about to be overwritten, the tail
 * about to be cut off, the contents of a file about to be removed, names.  After one that used a descriptor of a regular
 * file, its path, flags and position are logged if they changed (OPEN_FILE).  Replay passes over both.
 *
 * `branch` in a copy of the process, at a moment of the past: what was logged behind that moment is undone, newest first; then
 * the files that were open at that moment are opened again at the positions they had.
 *
 * FS1  kept: regular files, links and directories.  their permissions and times.  Files of more than 16 MiB that are removed, replaced or mapped for writing, owners, and
 *      everything sent elsewhere (pipes, connections, terminals, processes) can't be put back and are named;
 * FS2  what others did to the files meanwhile is not known. */
#ifndef EBB_JVM_RECORD_FILES_H
#define EBB_JVM_RECORD_FILES_H

#include "base/buf.h"
#include "jvm/classes/class.h"
#include "jvm/record/record.h"
#include "time/recording.h"

/* Around a recorded native, and around the machine's own reads and writes; only while recording. */
void jvm_files_before_native(const jvm_method *m, const jvm_slot *args);
void jvm_files_after_native(const jvm_method *m, const jvm_slot *args, jvm_slot result);
void jvm_files_before_write(int fd, size_t nbytes);
void jvm_files_before_map(int fd, off_t at, size_t nbytes); /* for writing: what is there then is what can be put back */
void jvm_files_used(int fd);

/* Undoes what was logged from event `from` on, and finds out which files were open there; `began`: the event at which this
 * copy was made.  Appends a line to `undone` for each thing that could not be put back. */
ebb_status jvm_files_put_back(ebb_recording *in, uint64_t began, uint64_t from, ebb_buf *undone, ebb_error *err) EBB_MUST_CHECK;
/* Those files, at the positions they had; under their numbers there must be nothing of the machine's own. */
void jvm_files_reopen(ebb_buf *undone);

#endif
