/* schedule.c - see schedule.h; and `schedule save`. */
#include "session/java/schedule.h"

#include "base/file.h"
#include "jvm/remote/capture.h"
#include "session/java/java.h"
#include "session/java/libjvm.h"
#include "session/travel.h"

#include <string.h>
#include <unistd.h>

ebb_status ses_java_capture(const char *launcher, const char *recording, ebb_position until, const char *path, ebb_error *err)
{
    char *option;
    EBB_TRY(ebb_file_check_can_write(path, err)); /* before the recording is replayed */
    EBB_TRY(ses_java_option(&option, err));
    jvm_capture_request how = {.launcher = launcher, .option = option, .recording = recording, .until = until, .out = path};
    ebb_status status = jvm_capture(&how, err);
    free(option);
    if (status != EBB_OK)
        unlink(path);
    return status;
}

ebb_status ses_java_save_schedule(session *s, const char *path, ebb_error *err)
{
    ebb_position until = {.timestamp = UINT64_MAX};
    EBB_TRY(ses_need_history(s, err));
    const char *recording = s->machine->history->recording ? s->machine->history->recording(s->machine) : NULL;
    if (!recording)
        return ebb_fail(err, EBB_NO_HISTORY, "Nothing is recorded in a file here, so there is no schedule to save.");
    if (ses_get_state(s) == SES_STOPPED)
        EBB_TRY(ebb_timeline_now(s->timeline, 0, &until, err));
    return ses_java_capture(s->program, recording, until, path, err);
}
