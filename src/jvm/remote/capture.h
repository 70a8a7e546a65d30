/* capture.h - the schedule of a recorded execution, made by a machine of its own that replays it (jvm/explore/capture.h). */
#ifndef EBB_JVM_REMOTE_CAPTURE_H
#define EBB_JVM_REMOTE_CAPTURE_H

#include "base/error.h"
#include "time/position.h"

typedef struct jvm_capture_request {
    const char *launcher;  /* java */
    const char *option;    /* -XXaltjvm=... */
    const char *recording; /* a file, or a way to one */
    ebb_position until;    /* {UINT64_MAX}: all of it */
    const char *out;       /* the schedule goes there */
} jvm_capture_request;

/* Returns when the schedule is there.  EBB_DIVERGED and others with what the machine said. */
ebb_status jvm_capture(const jvm_capture_request *how, ebb_error *err) EBB_MUST_CHECK;

#endif
