/* recordings.h - what recordings are of, without opening them to be replayed; and those that belong together.
 *
 * A program that is recorded with all its processes has one recording in the file that was asked for, FILE, and the others in the folder FILE.d, one for each
 * program that a process executed (x86/vm/tree.h).  Those of Java programs that a script started are in such a folder without a file beside it. */
#ifndef EBB_SESSION_RECORDINGS_H
#define EBB_SESSION_RECORDINGS_H

#include "base/error.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ses_recording {
    char *path;    /* owned */
    char *command; /* the main class and its arguments, or the command line; owned */
    int64_t began; /* seconds since 1970 */
    uint64_t nbytes;
    uint64_t end;   /* the last timestamp */
    bool is_damaged; /* it ends early */
    int64_t pid, parent; /* 0: not known, or none */
    unsigned program_number; /* it is the first, second, ... program that its process executed; 0: not known */
    bool has_ended;      /* how is recorded: */
    int64_t status;      /* the exit status; below 0: the signal that killed it, negated */
} ses_recording;
typedef EBB_VEC(char *) ses_paths; /* owned */
void ses_paths_fini(ses_paths *p);

/* EBB_BAD_FILE: it is no recording.  *out is to be fini'd if it is one. */
ebb_status ses_recording_describe(const char *path, ses_recording *out, ebb_error *err) EBB_MUST_CHECK;
void ses_recording_fini(ses_recording *r);
bool ses_recording_has_ended(const char *path); /* it is whole: how the program ended is in it */
/* Those in a folder, by their names, are added. */
void ses_recording_files(const char *folder, ses_paths *out);

/* ---- those of one run ---- */

char *ses_tree_folder(const char *path);  /* of the others; caller frees */
void ses_tree_files(const char *path, ses_paths *out); /* it, and the others, are added */
size_t ses_tree_count(const char *path);  /* how many others there are */
void ses_tree_clear(const char *path);    /* there are no others any more */
/* The sources of those native programs that have ended go into their recordings (kept_sources.h).  Nobody may still write them. */
ebb_status ses_tree_keep_sources(const char *path, ebb_error *err) EBB_MUST_CHECK;

/* The recording of the process among those of the run whose first one is at `path`; "123": of the last program that it executed, "123.2": of the second.  Caller frees. */
ebb_status ses_tree_find(const char *path, const char *pid, char **found, ebb_error *err) EBB_MUST_CHECK;

#endif
