/* files_internal.h - shared by the two halves: files.c logs, branch_files.c puts back. */
#ifndef EBB_JVM_RECORD_FILES_INTERNAL_H
#define EBB_JVM_RECORD_FILES_INTERNAL_H

#include "base/mem.h"

#include <sys/types.h>

/* What is undone; the payload of FILE begins with it and the path. */
enum jvm_undo {
    JVM_UNDO_BYTES,             /* size of the file, place, bytes that were there */
    JVM_UNDO_CREATED,
    JVM_UNDO_REMOVED,           /* mode; its contents went before as BYTES */
    JVM_UNDO_REMOVED_DIRECTORY, /* mode */
    JVM_UNDO_REMOVED_LINK,      /* target */
    JVM_UNDO_RENAMED,           /* the new name */
    JVM_UNDO_LOST,              /* can't be: FS1 */
    JVM_UNDO_SENT,              /* no path; descriptor, bytes: can't be */
    JVM_UNDO_ATTRIBUTES,        /* mode; times of access and change, in nanoseconds */
};

typedef struct jvm_open_file {
    int fd;
    char *path; /* NULL: not open, or not a regular file */
    int flags;
    off_t position;
    ino_t inode;
    dev_t device;
} jvm_open_file;

typedef EBB_VEC(jvm_open_file) jvm_open_files;
extern jvm_open_files jvm_open_files_now;
jvm_open_file *jvm_open_file_at(int fd); /* made if it isn't there */
void jvm_files_forget_open(void);

#endif
