/* journal_private.h - what the parts of the journal share: journal.c records, journal_back.c puts back, journal_descriptor.c looks
 * at what the program has open. */
#ifndef EBB_TIME_JOURNAL_PRIVATE_H
#define EBB_TIME_JOURNAL_PRIVATE_H

#include "base/mem.h"
#include "time/journal.h"

typedef struct journal_open_file {
    int fd;
    char *path; /* NULL: not open, or no regular file */
    int flags;
    off_t position;
    ino_t inode; /* of the file that was last seen under that number */
    dev_t device;
} journal_open_file;

typedef struct journal_file_id {
    dev_t device;
    ino_t inode;
} journal_file_id;

struct ebb_journal {
    ebb_recorder *rec;
    ebb_journal_program of;
    EBB_VEC(journal_open_file) open_files;
    EBB_VEC(journal_file_id) shared;
};

journal_open_file *journal_open_file_at(ebb_journal *j, int fd); /* made if it isn't there */
void journal_forget_open_files(ebb_journal *j);

/* A descriptor of the program. */
typedef struct journal_descriptor {
    struct stat st;
    int flags; /* of open(2) */
    off_t position;
} journal_descriptor;

bool journal_look_at(const ebb_journal *j, int fd, journal_descriptor *out); /* false: it isn't open */

/* One thing to put back. */
typedef struct journal_entry {
    uint64_t what;               /* ebb_journal_what */
    uint64_t number, at;         /* number: size, mode or descriptor */
    uint64_t accessed, modified; /* in nanoseconds */
    char *path, *other;
    ebb_buf bytes;
} journal_entry;

typedef struct journal_entries {
    EBB_VEC(journal_entry) all; /* oldest first */
    uint64_t sent[3];           /* bytes, to the standard streams */
    uint64_t sent_elsewhere;
} journal_entries; /* zero-initialised is empty */

/* Foreign bytes: an entry that makes no sense is left out. */
ebb_status journal_read(ebb_journal *j, ebb_recording *in, uint64_t began, uint64_t from, journal_entries *out, ebb_error *err) EBB_MUST_CHECK;
void journal_entries_fini(journal_entries *e);

#endif
