/* log.h - the recording of this process, being written or being taken from; what it is to the undo log and to the agent. */
#ifndef EBB_JVM_RECORD_LOG_H
#define EBB_JVM_RECORD_LOG_H

#include "jvm/record/record.h"
#include "time/replay.h"

ebb_status jvm_log_create(const char *path, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_log_open(const char *path, ebb_error *err) EBB_MUST_CHECK;
ebb_recorder *jvm_log_recorder(void);
ebb_recording *jvm_log_recording(void);
ebb_replay *jvm_log_replay(void);
void jvm_log_flush(void);
void jvm_log_report(ebb_status status, const ebb_error *err); /* of a write: a failure ends the recording, and is told once */
ebb_status jvm_log_seek(jvm_cursor to, ebb_error *err) EBB_MUST_CHECK;
/* What was read of the next event ahead of its time is read again: the log goes on elsewhere. */
void jvm_outside_forget_peeked(void); /* outside.c */
uint64_t jvm_log_happened(void);          /* number of the first event that has not happened yet */
void jvm_log_went_live(void); /* the replay is gone, the recorder goes on */

#endif
