/* journal_what.h - what an entry of the journal (journal.h) is about: freestanding, for a debuggee that writes entries itself. */
#ifndef EBB_TIME_JOURNAL_WHAT_H
#define EBB_TIME_JOURNAL_WHAT_H

/* What an entry puts back.  The payload of FILE is: this, the path, and what is said here.  Texts end with a NUL; one of length 0
 * is none at all.  Numbers are the file's: they stay. */
typedef enum ebb_journal_what {
    EBB_JOURNAL_BYTES,             /* size of the file, place, bytes that were there */
    EBB_JOURNAL_CREATED,
    EBB_JOURNAL_REMOVED,           /* mode; its contents went before as BYTES */
    EBB_JOURNAL_REMOVED_DIRECTORY, /* mode */
    EBB_JOURNAL_REMOVED_LINK,      /* target */
    EBB_JOURNAL_RENAMED,           /* the new name */
    EBB_JOURNAL_LOST,              /* can't be put back: JN1 */
    EBB_JOURNAL_SENT,              /* no path; descriptor, number of bytes: can't be put back */
    EBB_JOURNAL_ATTRIBUTES,        /* mode; times of access and change, in nanoseconds */
} ebb_journal_what;

#endif
