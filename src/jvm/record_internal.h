/* record_internal.h - what the files of the recording share. */
#ifndef EBB_JVM_RECORD_INTERNAL_H
#define EBB_JVM_RECORD_INTERNAL_H

#include "jvm/native.h"
#include "jvm/record.h"

ebb_status jvm_log_create(const char *path, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_log_open(const char *path, ebb_error *err) EBB_MUST_CHECK;
void jvm_log_flush(void);
void jvm_log_seek(jvm_cursor to);
void jvm_log_skip_peeked(void);           /* the peeked event is the one being read */
const char *jvm_event_text(enum jvm_event kind);

/* Replay goes on in a copy of the process that recorded: its memory is there. */
bool jvm_replays_copy(void);

/* ---- the launcher (record.c, exports_vm.c) ---- */

/* The calling thread's C stack from here on is the recipe's, in both modes. */
void jvm_record_enter_launcher(jvm_thread *t, void *frame_address);
void jvm_record_leave_to_launcher(jvm_thread *t); /* the launcher goes on: its calls are logged */
void jvm_record_life(enum jvm_event kind, const char *name, const jvm_obj *group, bool daemon);
jint jvm_attach_current(const char *name, jvm_obj *group, bool daemon);
jint jvm_detach_current(void);
void jvm_destroy_here(void);

/* ---- the border of natives (record_native.c, record_jni.c) ---- */

/* Its functions log before they do (record_jni.c). */
extern const struct JNINativeInterface_ jvm_recording_table;

/* Foreign code runs now whose doings are logged: what it asks of us is part of them. */
static inline bool jvm_in_recorded_native(const jvm_thread *t) { return t->env == &jvm_recording_table; }

/* Performs the next event if it is something that a native does (record_jni.c); false when it is another. */
bool jvm_replay_action(jvm_thread *t);

/* C stack that calls from a recorded native may use: the same while recording and replaying, though the native's own
 * frames are there only once. */
typedef struct jvm_border {
    const struct JNINativeInterface_ *env;
    char *c_limit;
} jvm_border;
jvm_border jvm_border_leave(jvm_thread *t, void *frame_address); /* from the native into the machine */
void jvm_border_return(jvm_thread *t, jvm_border saved);

#endif
