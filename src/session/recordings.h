/* recordings.h - what recordings are of, without opening them to be replayed. */
#ifndef EBB_SESSION_RECORDINGS_H
#define EBB_SESSION_RECORDINGS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ses_recording {
    char *command; /* the main class and its arguments, or the command line; owned */
    int64_t began; /* seconds since 1970 */
    uint64_t nbytes;
    uint64_t end;   /* the last timestamp */
    bool is_damaged; /* it ends early */
} ses_recording;

/* EBB_BAD_FILE: it is no recording.  *out is to be fini'd if it is one. */
ebb_status ses_recording_describe(const char *path, ses_recording *out, ebb_error *err) EBB_MUST_CHECK;
void ses_recording_fini(ses_recording *r);

#endif
