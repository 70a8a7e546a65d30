/* schedule.h - the thread schedule of a Java program's execution, taken from its recording (jvm/remote/capture.h). */
#ifndef EBB_SESSION_JAVA_SCHEDULE_H
#define EBB_SESSION_JAVA_SCHEDULE_H

#include "base/error.h"
#include "time/position.h"

/* Of a recording, up to that position ({UINT64_MAX}: all of it), into the file `path`. */
ebb_status ses_java_capture(const char *launcher, const char *recording, ebb_position until, const char *path, ebb_error *err) EBB_MUST_CHECK;

#endif
